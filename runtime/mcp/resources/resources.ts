/** `resources/list`, `resources/templates/list` and `resources/read`. Source: MCP 2025-11-25, Resources. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import type { Catalogue, ResourceEntry } from '../../contract/mcp.ts'
import type { MethodAnswer } from '../method.ts'
import { firstText } from '../prompts/prompts.ts'
import { failedRun, type PrepareText, type TextCall } from '../prompts/text-calls.ts'
import type { Era } from '../protocol/constants.ts'
import { isTemplate, publicUri } from '../uris/uri-template.ts'
import { resourceFinder, tooLong } from './resource-addresses.ts'
import { type ReadContent, readContentIn, resourceContents } from './resource-contents.ts'

/** Both lists. */
export interface ResourceLists {
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplateType[]
}

/** The resources as clients list them. */
export function resourceLists(catalogue: Catalogue, baseUrl: string): ResourceLists {
  const entries = catalogue.resources ?? []
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

/** What `resources/read` comes to. Throws what the client is told instead. */
export type ReadResource = (uri: string, call: Omit<TextCall, 'args'>) => Promise<MethodAnswer>

/** As many as an address has over HTTP by default. */
const maxReadCharacters = 8_192

interface ReadOptions {
  readonly prepare: PrepareText
  readonly baseUrl: string
  /** What any of them says is for the values of its own client: a shared cache knows an address alone. */
  readonly forwardHeaders: readonly string[]
}

export function createReadResource(
  entries: readonly ResourceEntry[],
  { prepare, baseUrl, forwardHeaders }: ReadOptions,
): ReadResource {
  const find = resourceFinder(entries, baseUrl)
  const runs = new Map(entries.map((entry) => [entry, prepare(entry, resourceContents)]))
  return async (uri, { name, sent, client, message }) => {
    const { era } = message
    if (uri.length > maxReadCharacters)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `the address of a resource ${tooLong(uri, maxReadCharacters)}`,
      )
    const found = find(uri)
    const run = found && runs.get(found.entry)
    if (!run) return notFound(uri, era)
    const { answer, status } = await run({ name, args: found.args, sent, client, message }) // a spread costs 2 µs
    if (answer.kind !== 'contents') return answer
    const { contents } = answer
    const read = readContentIn(contents)
    if (read !== null)
      return resultOf(uri, forwardHeaders.length === 0 ? read : { ...read, cacheScope: 'private' }, era)
    if (status === 404) return notFound(uri, era)
    throw failedRun(contents.kind === 'json' ? contents.text : firstText(contents.result), status)
  }
}

/** How long it holds is said from 2026-07-28 on. */
function resultOf(uri: string, { content, ...cache }: ReadContent, era: Era): MethodAnswer {
  const contents = [{ uri, ...content }]
  return { kind: 'result', result: era === 'modern' ? { contents, ...cache } : { contents } }
}

/** Invalid params from 2026-07-28 on, a code of its own before; the SDK writes that of 2026-07-28 alone. Source: MCP 2025-11-25, Resources,
 *  error handling. */
function notFound(uri: string, era: Era): MethodAnswer {
  if (era === 'modern')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri })
  return { kind: 'refused', refusal: { kind: 'resourceNotFound', uri } }
}
