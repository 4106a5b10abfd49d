/** The rules of names that MCP clients use: those of `@mcp name=…`, and those of the endpoint's own tools. */
import { explicitNameTaken, nameOfEndpoint } from '../diagnostics/name-diagnostics.ts'
import { type Diagnostic, place } from '../diagnostics/source-diagnostics.ts'
import type { Action } from '../ir/model.ts'
import type { At } from '../ir/schema.ts'
import { calledBy, type Subject } from './controller-rules.ts'
import { repeated } from './repeated.ts'

/** A tool, prompt or resource, and where its name comes from. */
export interface NamedOffer {
  readonly kind: 'tool' | 'prompt' | 'resource'
  readonly name: string
  /** By a tag, not by class and method. */
  readonly isExplicit: boolean
  /** `Notes.show`, for messages. */
  readonly member: string
  readonly at: At
}

/** All of a controller. */
export function namesOf(subject: Subject): readonly NamedOffer[] {
  const { controller, declared } = subject
  const explicit = new Map(declared.methods.map(({ name, mcp }) => [name, mcp.name]))
  return controller.actions.flatMap((action) => {
    const name = explicit.get(action.method) ?? null
    const member = calledBy(subject, action)
    return offersOfAction(action).map((offer) => ({
      ...offer,
      isExplicit: name !== null,
      member,
      at: name?.at ?? action.at,
    }))
  })
}

const offersOfAction = ({ tool, prompt, resource }: Action): readonly Pick<NamedOffer, 'kind' | 'name'>[] => [
  ...(tool === null ? [] : [{ kind: 'tool', name: tool.name } as const]),
  ...(prompt === null ? [] : [{ kind: 'prompt', name: prompt.name } as const]),
  ...(resource === null ? [] : [{ kind: 'resource', name: resource.name } as const]),
]

/** Names that come of class and method are compared as ids. */
export function explicitNamesAreDistinct(all: readonly NamedOffer[]): readonly Diagnostic[] {
  if (!all.some(({ isExplicit }) => isExplicit)) return []
  return repeated(all, ({ kind, name }) => `${kind} ${name}`)
    .filter(([offer, other]) => offer.isExplicit || other.isExplicit)
    .map(([{ at, kind, name, member }, other]) =>
      explicitNameTaken(at, `the ${kind} name ${name}`, member, `${other.member} (${place(other.at)})`),
    )
}

/** Held equal to those of `runtime/mcp` by test/cli/diagnostics/offered. */
const namesOfEndpoint: ReadonlySet<string> = new Set([
  ...['list_toolboxes', 'open_toolbox', 'find_tools'],
  ...['close_toolbox', 'call_read_only', 'call_tool'],
])

export function namesOfEndpointAreFree(all: readonly NamedOffer[]): readonly Diagnostic[] {
  return all
    .filter(({ kind, name }) => kind === 'tool' && namesOfEndpoint.has(name))
    .map(({ at, name, member }) => nameOfEndpoint(at, name, member))
}
