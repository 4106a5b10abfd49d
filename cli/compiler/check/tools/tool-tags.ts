/** Tags that say something of a tool, on what is none. A method may be a tool in one controller that inherits it and none in
 *  another: only where it is none in all of them the tag is in vain. */

import { exampleWithoutTool, shownWithoutTool, tagWithoutTool } from '../../diagnostics/model-diagnostics.ts'
import { type Diagnostic, exactPlace } from '../../diagnostics/source-diagnostics.ts'
import type { Feature } from '../../feature.ts'
import type { NoTool } from '../../ir/model.ts'
import type { DeclaredMethod, TagPlace } from '../../ir/source-model.ts'
import type { Subject } from '../controller-rules.ts'
import type { Suspicion } from '../method-selectors.ts'

export interface ToolTags {
  /** The places of those that are of use. */
  readonly used: readonly string[]
  /** A mistake unless the place is among the used ones of any controller. */
  readonly vain: readonly Suspicion[]
}

/** What one controller makes of the tags of its methods. */
export function toolTagsOf(subject: Subject, features: readonly Feature[]): ToolTags {
  const { controller, declared } = subject
  const tools = new Set(controller.actions.flatMap(({ tool, method }) => (tool === null ? [] : [method])))
  const isTool = ({ name }: DeclaredMethod): boolean => tools.has(name)
  return {
    used: declared.methods.filter(isTool).flatMap(({ toolTags }) => toolTags.map(({ at }) => exactPlace(at))),
    vain: declared.methods
      .filter((method) => !isTool(method) && method.toolTags.length > 0 && !isContrary(method))
      .flatMap((method) => {
        const why = whyNone(subject, method)
        return method.toolTags.map((tag) => ({
          place: exactPlace(tag.at),
          found: unusedTag(tag, { name: method.name, why, features }),
        }))
      }),
  }
}

/** That is told where it is read. */
const isContrary = ({ mcp }: DeclaredMethod): boolean => mcp.root === true && mcp.visible === false

/** Those that are in vain in every controller, each once. */
export function tagsHaveTools(all: readonly ToolTags[]): readonly Diagnostic[] {
  const used = new Set(all.flatMap((tags) => tags.used))
  const vain = all.flatMap((tags) => tags.vain).filter(({ place }) => !used.has(place))
  return [...new Map(vain.map((suspicion) => [suspicion.place, suspicion.found])).values()]
}

/** What a method cannot do comes before what was said of it. */
const whyNot: Readonly<Record<Exclude<NoTool, 'hidden' | 'other'>, string>> = {
  socket: 'a tool call has no socket',
  file: 'a tool call sends no file',
  events: 'a tool call gets one answer, not events',
}

function whyNone({ controller, declared }: Subject, { name, mcp, routes }: DeclaredMethod): string {
  if (routes.length === 0) return 'it has no route'
  const reasons = controller.actions.flatMap(({ method, noTool }) => (method === name ? (noTool ?? []) : []))
  const reason = reasons.find((item) => item !== 'other')
  if (reason !== undefined && reason !== 'hidden') return whyNot[reason]
  return mcp.visible === null ? `${declared.symbol.name} says @mcp hide` : 'it is hidden'
}

interface Vain {
  readonly name: string
  readonly why: string
  readonly features: readonly Feature[]
}

function unusedTag({ tag, at }: TagPlace, { name, why, features }: Vain): Diagnostic {
  if (tag === '@mcp root' || tag === '@mcp show') return shownWithoutTool(at, name, why)
  const own = features.find((feature) => tag === `@${feature.tag}`)?.withoutTool?.(at, name, why)
  if (own !== undefined) return own
  return tag === '@mcp example' ? exampleWithoutTool(at, name) : tagWithoutTool(at, tag, name, why)
}
