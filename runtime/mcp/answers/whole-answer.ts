/** Where the whole of an answer is that was cut or left out: a resource of the application, or the address of the route. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { HttpResponse } from '../../contract/http.ts'
import { percentDecoded } from '../../utf8.ts'
import { isTemplate } from '../uris/uri-template.ts'
import type { AnsweredCall } from './answered-call.ts'
import { withoutFields } from './brief.ts'

type ContentBlock = CallToolResult['content'][number]

/** What is known of what was left out. */
export interface LeftOut {
  readonly mimeType: string
  /** Null = it was not read to its end. */
  readonly bytes: number | null
  readonly headers: HttpResponse['headers']
}

/** A link, and what to do with it. */
export interface WholeAnswer {
  readonly words: string
  readonly block: ContentBlock
}

/** Null where nothing may be asked for again. A resource is no larger than what clients are sent at once. */
export function wholeAnswer(call: AnsweredCall, { mimeType, bytes, headers }: LeftOut): WholeAnswer | null {
  const { tool, verb, baseUrl, answerBytes } = call.settings
  const resource = bytes === null || bytes > answerBytes ? null : resourceUri(call)
  if (resource === null && (verb !== 'GET' || !tool.hints.readOnly)) return null
  const uri = resource ?? baseUrl + call.url
  const size = bytes ?? lengthOf(headers)
  return {
    words: resource === null ? `read all of it at ${uri}` : `read all of it as the resource ${uri}`,
    block: {
      ...{ type: 'resource_link', uri, name: fileName(headers) ?? tool.name, mimeType },
      ...(size === null ? {} : { size }),
    },
  }
}

/** The address of the resource that reads what the call answered; null where there is none. */
export function resourceUri({
  settings: { resource, baseUrl, tool, brief },
  args: sent,
}: AnsweredCall): string | null {
  if (resource === null) return null
  const args = brief === null ? sent : withoutFields(sent) // a resource is whole
  const template = resource.uri.startsWith('/') ? baseUrl + resource.uri : resource.uri
  const present = Object.entries(args).filter(([, value]) => value != null)
  const named = new Set([...template.matchAll(/[\w$]+(?=[,}])/g)].map(([name]) => name))
  if (present.some(([name]) => !named.has(name))) return null
  if (!isTemplate(template)) return template
  const uri = expanded(template, new Map(present))
  return tool.arguments.length > 0 && uri === null ? null : uri
}

/** RFC 6570, levels 1 to 3, as far as `uriMatcher` reads them; null where a part of the path is missing. */
function expanded(template: string, args: ReadonlyMap<string, unknown>): string | null {
  let isWhole = true
  const uri = template.replace(/\{([+?]?)([\w$,]+)\}/g, (_all, operator: string, names: string) => {
    if (operator === '?') return queryOf(names.split(','), args)
    const value = args.get(names)
    isWhole &&= value !== undefined && value !== ''
    return operator === '+' ? encodeURI(String(value)) : encodeURIComponent(String(value))
  })
  return isWhole ? uri : null
}

function queryOf(names: readonly string[], args: ReadonlyMap<string, unknown>): string {
  const pairs = names
    .filter((name) => args.has(name))
    .map((name) => `${name}=${encodeURIComponent(String(args.get(name)))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** What the server says that it would send. */
function lengthOf({ 'content-length': length }: HttpResponse['headers']): number | null {
  return typeof length === 'string' && /^\d{1,15}$/.test(length) ? Number(length) : null
}

/** Source: RFC 6266, 4.1. */
function fileName({ 'content-disposition': disposition }: HttpResponse['headers']): string | null {
  if (typeof disposition !== 'string') return null
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1]
  if (extended !== undefined) return percentDecoded(extended)
  const [, quoted, bare] = /;\s*filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition) ?? []
  return (quoted ?? bare) || null
}
