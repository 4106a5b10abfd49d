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
import { failedRun, type PrepareText, type RunText, type TextCall } from '../prompts/text-calls.ts'
import type { Era } from '../protocol/constants.ts'
import type { ToolAnswer } from '../tools/tool-answer.ts'
import { type ReadContent, resourceContents } from './resource-contents.ts'
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
) => Promise<ReadResourceResult | Exclude<ToolAnswer, { kind: 'contents' | 'task' }>>

export function createReadResource(
  entries: readonly ResourceEntry[],
  { prepare, baseUrl }: { readonly prepare: PrepareText; readonly baseUrl: string },
): ReadResource {
  const find = finder(entries, baseUrl, prepare)
  return async (uri, call) => {
    const { era } = call.message
    const found = find(uri)
    if (found === null) return notFound(uri, era)
    const { answer, status } = await found.run({ ...call, args: found.args })
    if (answer.kind !== 'contents') return answer
    const { contents } = answer
    if (contents.kind === 'json') return resultOf(uri, JSON.parse(contents.text), era) // `resourceContents` made it
    if (status === 404) return notFound(uri, era)
    throw failedRun(firstText(contents.result), status)
  }
}

/** How long it holds is said from 2026-07-28 on. */
function resultOf(uri: string, { content, ...cache }: ReadContent, era: Era): ReadResourceResult {
  const contents = [{ uri, ...content }] as ReadResourceResult['contents'] // a text or bytes
  return era === 'modern' ? { contents, ...cache } : { contents }
}

/** Invalid params from 2026-07-28 on, a code of its own before; the SDK writes that of 2026-07-28 alone. Source: MCP, Resources,
 *  error handling. */
function notFound(uri: string, era: Era): NotFound {
  if (era === 'modern')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri })
  return { kind: 'refused', refusal: { kind: 'resourceNotFound', uri } }
}

type NotFound = Extract<ToolAnswer, { kind: 'refused' }>

interface Readable {
  readonly run: RunText
}

interface Found extends Readable {
  readonly args: Readonly<Record<string, string>>
}

/** An address without arguments is looked for before templates, which are tried in the order of the catalogue. */
function finder(
  entries: readonly ResourceEntry[],
  baseUrl: string,
  prepare: PrepareText,
): (uri: string) => Found | null {
  const plain = new Map<string, Readable>()
  const templates: (Readable & { readonly match: MatchUri })[] = []
  for (const entry of entries) {
    const uri = publicUri(entry.uri, baseUrl)
    const run = prepare(entry, resourceContents)
    if (isTemplate(uri)) templates.push({ run, match: uriMatcher(uri) })
    else plain.set(uri, { run })
  }
  return (uri) => {
    const found = plain.get(uri)
    if (found !== undefined) return { run: found.run, args: {} }
    for (const { run, match } of templates) {
      const args = match(uri)
      if (args !== null) return { run, args }
    }
    return null
  }
}
