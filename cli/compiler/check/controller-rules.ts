/** The rules that look at one controller; see `check.ts`. */

import {
  argumentIsHeader,
  badToolName,
  bodyNotAllowed,
  handledTwice,
  handlerNeverRuns,
  handlerStatusMissing,
  handlerTakesBody,
  headerNeverSent,
  optionalPathRequired,
  pathParameterUnused,
  readerWrites,
  textsConfused,
  toolTextMissing,
  twoBodies,
  typeWithoutResponder,
} from '../diagnostics/model-diagnostics.ts'
import { didYouMean } from '../diagnostics/similar-names.ts'
import { type Diagnostic, handlerArgumentRequired, place } from '../diagnostics/source-diagnostics.ts'
import type { Action, Controller, Model } from '../ir/model.ts'
import { isFile } from '../ir/schema-walk.ts'
import type { DeclaredController } from '../ir/source-model.ts'
import type { Cover, Param } from '../ir/steps.ts'
import { bodyTypes } from '../schema/body-types.ts'
import { confusedMembers } from '../schema/text-forms.ts'
import type { ToolView } from '../schema/tools.ts'
import { builtInTypes, producedTypesAreWritten } from './produced-types.ts'
import { secretsOutliveWrites, withheldIsNotTaken } from './secrets.ts'

/** What the rules look at. */
export interface Subject {
  readonly controller: Controller
  readonly declared: DeclaredController
  /** The media types that the application reads and writes itself, and the named schemas. */
  readonly app: Pick<Model, 'parsers' | 'responders' | 'schemas'>
  readonly scopes: KnownScopes
  readonly tools: readonly ToolView[]
  /** What clients put before the names of tools. */
  readonly serverName: string
}

/** What rules must know of the scopes that are declared. */
export interface KnownScopes {
  readonly names: readonly string[]
  /** Whether there are no others. */
  readonly isWhole: boolean
  readonly authProbe: string | null
}

type Rule = (subject: Subject) => readonly Diagnostic[]

/** All run, all are reported. */
export const controllerRules: readonly Rule[] = [
  toolNamesAreSafe,
  toolsHaveTexts,
  pathParametersAreRead,
  optionalPathParametersAreOptional,
  bodiesAreReadOnce,
  handlersCanRun,
  handlersHaveStatuses,
  handlerTypesHaveResponders,
  producedTypesAreWritten,
  handlerArgumentsAreOptional,
  uploadsAreFields,
  toolsGetTheirHeaders,
  headersAreNoArguments,
  readersDoNotWrite,
  textsSayTheirType,
  ({ controller, app }) => secretsOutliveWrites(controller, app.schemas),
  ({ controller, app }) => withheldIsNotTaken(controller, app.schemas),
]

/** How messages call an action: `Notes.show`, and where it comes from when an ancestor has it. */
export function calledBy({ declared }: Subject, { method }: Action): string {
  const { name } = declared.symbol
  const owner = declared.methods.find((declaredMethod) => declaredMethod.name === method)?.owner.name ?? name
  return `${name}.${method}${owner === name ? '' : ` inherited from ${owner}`}`
}

function toolNamesAreSafe({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions
    .filter(({ tool }) => tool !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
    .map(({ at, id }) => badToolName(at, id))
}

function toolsHaveTexts({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions
    .filter(({ tool, doc }) => tool !== null && doc.summary === '')
    .map(({ at, id, tool }) => toolTextMissing(at, tool?.name ?? id))
}

function pathParametersAreRead(subject: Subject): readonly Diagnostic[] {
  const longest = subject.controller.actions.filter(({ shortOf }) => shortOf === null)
  return longest.flatMap((action) => {
    const names = [...action.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
    if (names.length === 0) return []
    const { inputs, routeAt, path } = action
    const read = inputs.filter(({ from }) => from === 'path' || from === 'rest')
    const others = inputs.flatMap(({ from, wireName }) => (from === 'path' ? [] : [wireName]))
    return names
      .filter((name) => !read.some(({ wireName }) => wireName === name))
      .map((name) =>
        pathParameterUnused(routeAt, name, path, calledBy(subject, action), didYouMean(name, others)),
      )
  })
}

/** Every parameter that is written, of the action and its filters: each has its place. */
const paramsOf = ({ params, filters }: Action): Action['params'] =>
  filters.length === 0 ? params : [...params, ...filters.flatMap((filter) => filter.params)]

function optionalPathParametersAreOptional({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions.flatMap((action) =>
    paramsOf(action)
      .filter(({ from, required }) => from === 'absent' && required)
      .map(({ at, name }) => optionalPathRequired(at, name, action.path)),
  )
}

function bodiesAreReadOnce({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions.flatMap(({ params, verb, method }) => {
    const body = params.find(({ from }) => from === 'body')
    if (body === undefined) return []
    if (['GET', 'DELETE', 'OPTIONS'].includes(verb)) return [bodyNotAllowed(body.at, body.name, verb)]
    const others = params.filter(({ from }) => from === 'body' || from === 'field')
    return others.filter((other) => other !== body).map(({ at, name }) => twoBodies(at, method, name))
  })
}

/** A required header that no tool call carries, and that is no model's to choose. */
function toolsGetTheirHeaders({ controller }: Subject): readonly Diagnostic[] {
  const tools = controller.actions.flatMap(({ tool }) => tool ?? [])
  const headers = new Map<string, { readonly param: Param; readonly tools: string[] }>()
  for (const { name, missing } of tools) {
    for (const param of missing) {
      const key = JSON.stringify([param.at, param.wireName])
      const known = headers.get(key) ?? { param, tools: [] }
      headers.set(key, { param, tools: [...known.tools, name] })
    }
  }
  return [...headers.values()].map(({ param, tools }) =>
    headerNeverSent(param.at, param.wireName, tools, controller.symbol.name),
  )
}

/** `@mcp show` says that a tool is meant as it is. */
function headersAreNoArguments({ controller, declared }: Subject): readonly Diagnostic[] {
  const meant = new Set(declared.methods.flatMap(({ name, mcp }) => (mcp.visible === true ? [name] : [])))
  const tools = controller.actions.flatMap(({ method, tool }) => (meant.has(method) ? [] : (tool ?? [])))
  return tools.flatMap((tool) =>
    tool.arguments
      .filter(({ param }) => param.from === 'header')
      .map(({ argument, param }) => argumentIsHeader(param.at, tool.name, argument, param.wireName)),
  )
}

function uploadsAreFields({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions.flatMap((action) =>
    paramsOf(action)
      .filter(({ schema, from }) => isFile(schema) && from !== 'field')
      .map(({ at, name }) => bodyNotAllowed(at, name, action.verb)),
  )
}

function handlersCanRun({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions
    .flatMap(({ handlers }) => handlers)
    .flatMap(({ at, member, error, coveredBy, isRepeated }) => {
      if (coveredBy === null) return []
      if (isRepeated) return [handledTwice(at, error.name, coveredBy.at)]
      const { owner, member: first } = coveredBy
      const called = `${owner.name}.${first} (${owner.isShipped ? 'of acmcp' : place(coveredBy.at)})`
      return [handlerNeverRuns(at, `${member} of ${error.name}`, called, cureOf(coveredBy))]
    })
}

/** Handlers of ancestors come first, whatever a subclass tags. Source: rules.md, Exception handlers 10. */
function cureOf({ owner, member, isInherited }: Cover): string {
  if (!isInherited) return 'The first whose class fits answers: move this one above it, or narrow it.'
  const other = owner.isShipped ? 'or extend Controller, which has no handlers.' : 'or narrow its class.'
  return `An ancestor's handler comes first: override the method \`${member}\` of ${owner.name} without tags, ${other}`
}

function handlersHaveStatuses({ declared }: Subject): readonly Diagnostic[] {
  return declared.methods.flatMap(({ name, exceptions }) =>
    exceptions.filter(({ status }) => status === null).map(({ at }) => handlerStatusMissing(at, name)),
  )
}

/** `type=` of a handler needs something that writes it. Source: rules.md, Exception handlers 5. */
function handlerTypesHaveResponders({ declared, app: { responders } }: Subject): readonly Diagnostic[] {
  const exceptions = declared.methods.flatMap((method) => method.exceptions)
  return exceptions.flatMap(({ at, contentType }) => {
    const type = contentType?.split(';')[0]?.trim().toLowerCase()
    const isKnown = type === undefined || builtInTypes.includes(type) || responders.includes(type)
    return isKnown ? [] : [typeWithoutResponder(at, type)]
  })
}

function handlerArgumentsAreOptional({ declared }: Subject): readonly Diagnostic[] {
  return declared.methods
    .filter(({ exceptions }) => exceptions.length > 0)
    .flatMap(({ params }) => params)
    .flatMap(({ at, name, from, required }) => {
      if (from === 'body') return [handlerTakesBody(at, name)]
      return required ? [handlerArgumentRequired(at, name)] : []
    })
}

/** Clients call what says that it reads without asking their user. */
function readersDoNotWrite({ controller, declared }: Subject): readonly Diagnostic[] {
  const writes = new Map(declared.methods.map((method) => [method.name, method.writes]))
  return controller.actions.flatMap(({ method, verb, tool }) => {
    const found = writes.get(method) ?? null
    if (found === null || verb !== 'GET' || tool?.hints.readOnly !== true) return []
    return [readerWrites(found.at, tool.name, found.call)]
  })
}
const textPlaces: ReadonlyMap<Param['from'], string> = new Map([
  ['path', 'path'],
  ['query', 'query'],
  ['header', 'header'],
  ['cookie', 'cookie'],
  ['field', 'form'],
])

/** Fields of a body are texts only where it is documented as a form. */
function textsSayTheirType({ controller, app }: Subject): readonly Diagnostic[] {
  return controller.actions.flatMap((action) =>
    paramsOf(action).flatMap(({ from, schema, wireName, at }) => {
      const place = textPlaces.get(from)
      const confused = place === undefined ? null : confusedMembers(schema, app.schemas)
      if (place === undefined || confused === null) return []
      if (from === 'field' && !bodyTypes(action, app).some((type) => formTypes.has(type))) return []
      return [textsConfused(at, wireName, place, ...confused)]
    }),
  )
}

const formTypes: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data'])
