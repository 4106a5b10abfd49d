/** What the endpoint offers beside tools, as far as the application has it: prompts, resources, completions, and what optional parts have. */
import type { ServerCapabilities } from '@modelcontextprotocol/server'
import type { EndpointPart, McpRoom } from './part.ts'
import { completionPart, promptPart } from './prompts/prompt-methods.ts'
import type { Era } from './protocol/constants.ts'
import { resourcePart } from './resources/resource-methods.ts'

/** Those of the core before the others. */
export function endpointParts(room: McpRoom, others: readonly EndpointPart[]): readonly EndpointPart[] {
  const sources = others.flatMap(({ resources }) => resources ?? [])
  return [promptPart(room), resourcePart(room, sources), completionPart(room), ...others]
}

/** Extensions of several parts are one list. */
export function joinedCapabilities(parts: readonly EndpointPart[], era: Era): ServerCapabilities {
  const all = parts.map(({ capabilities }) => capabilities?.(era) ?? {})
  const joined = Object.assign({}, ...all)
  const extensions = Object.assign({}, ...all.map((own) => own.extensions))
  const { extensions: _last, ...others } = joined
  return Object.keys(extensions).length === 0 ? others : { ...others, extensions }
}
