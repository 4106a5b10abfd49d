/** `resources/list`, `resources/templates/list` and `resources/read`. Source: MCP, Resources. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import type { ResourceEntry } from '../../contract/mcp.ts'
import { publicUri } from '../prompts/completions.ts'
import { firstText } from '../prompts/prompts.ts'
import { failedRun, type RunText, type TextCall } from '../prompts/text-calls.ts'
import type { Era } from '../protocol/constants.ts'
import type { ToolAnswer } from '../tools/tool-answer.ts'
import { resourceContents } from './resource-contents.ts'
import { isTemplate, type MatchUri, uriMatcher } from './uri-template.ts'

/** Both lists. */
export interface ResourceLists {
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplateType[]
}

/** The resources as clients list them. */
export function resourceLists(entries: readonly ResourceEntry[], baseUrl: string): ResourceLists {
  const shown = (entry: ResourceEntry) => ({
    name: entry.name,
    ...(entry.title === null ? {} : { title: entry.title }),
    description: entry.description,
    ...(entry.mimeType === null ? {} : { mimeType: entry.mimeType }),
  })
  const [templates, plain] = [true, false].map((wanted) =>
    entries.filter(({ uri }) => isTemplate(uri) === wanted),
  )
  return {
    resources: (plain ?? []).map((entry) => ({ uri: publicUri(entry.uri, baseUrl), ...shown(entry) })),
    templates: (templates ?? []).map((entry) => ({
      uriTemplate: publicUri(entry.uri, baseUrl),
      ...shown(entry),
    })),
  }
}

/** What `resources/read` comes to: contents, or an answer that is none. Throws what the client is told instead. */
export type ReadResource = (
  uri: string,
  call: Omit<TextCall, 'args'>,
) => Promise<ReadResourceResult | Exclude<ToolAnswer, { kind: 'contents' }>>

export function createReadResource(
  entries: readonly ResourceEntry[],
  { run, baseUrl }: { readonly run: RunText; readonly baseUrl: string },
): ReadResource {
  const find = finder(entries, baseUrl)
  return async (uri, call) => {
    const { era } = call.message
    const found = find(uri)
    if (found === null) return notFound(uri, era)
    const { answer, status } = await run(found.entry, { ...call, args: found.args }, resourceContents(uri))
    if (answer.kind !== 'contents') return answer
    const { contents } = answer
    if (contents.kind === 'json') return ofEra(JSON.parse(contents.text), era) // `resourceContents` made it
    if (status === 404) return notFound(uri, era)
    throw failedRun(firstText(contents.result), status)
  }
}

/** How long it holds is said from 2026-07-28 on. */
function ofEra(result: ReadResourceResult, era: Era): ReadResourceResult {
  return era === 'modern' ? result : { contents: result.contents }
}

/** Invalid params from 2026-07-28 on, a code of its own before; the SDK writes that of 2026-07-28 alone. Source: MCP, Resources,
 *  error handling. */
function notFound(uri: string, era: Era): NotFound {
  if (era === 'modern')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri })
  return { kind: 'refused', refusal: { kind: 'resourceNotFound', uri } }
}

type NotFound = Extract<ToolAnswer, { kind: 'refused' }>

interface Found {
  readonly entry: ResourceEntry
  readonly args: Readonly<Record<string, string>>
}

/** An address without arguments is looked for before templates, which are tried in the order of the catalogue. */
function finder(entries: readonly ResourceEntry[], baseUrl: string): (uri: string) => Found | null {
  const plain = new Map<string, ResourceEntry>()
  const templates: { readonly entry: ResourceEntry; readonly match: MatchUri }[] = []
  for (const entry of entries) {
    const uri = publicUri(entry.uri, baseUrl)
    if (isTemplate(uri)) templates.push({ entry, match: uriMatcher(uri) })
    else plain.set(uri, entry)
  }
  return (uri) => {
    const entry = plain.get(uri)
    if (entry !== undefined) return { entry, args: {} }
    for (const { entry: template, match } of templates) {
      const args = match(uri)
      if (args !== null) return { entry: template, args }
    }
    return null
  }
}
