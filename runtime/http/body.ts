/** Parses a request body when somebody asks for it, once. JSON and forms are built in.
 *  Source: reference/pipeline-and-exceptions, 1.1 (parsers); specification, Errors raised by the framework. */
import type { RequestBody } from '../contract.ts'
import { JsonParseError, UnsupportedMediaType } from '../errors.ts'
import type { Soon } from './soon.ts'

export type ParsedBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly fields: URLSearchParams }

type Parser = (text: string) => ParsedBody

const parsers = new Map<string, Parser>([
  ['application/json', (text) => ({ kind: 'json', value: parseJson(text) })],
  ['application/x-www-form-urlencoded', (text) => ({ kind: 'form', fields: new URLSearchParams(text) })],
])

/** The media types that a body may have, in order of preference. */
export const bodyTypes: readonly string[] = [...parsers.keys()]

/** Refuses a body whose `Content-Type` has no parser, without reading it. Throws `UnsupportedMediaType`. */
export function checkContentType(body: RequestBody): void {
  if (body.kind === 'value' || body.contentType === null) return
  if (!parsers.has(essence(body.contentType))) throw new UnsupportedMediaType(bodyTypes)
}

/** Reads and parses; a body without `Content-Type` is taken for JSON. Throws `JsonParseError`,
 *  `UnsupportedMediaType`, `PayloadTooLarge`. */
export function parseBody(body: RequestBody): Soon<ParsedBody> {
  if (body.kind === 'value') return { kind: 'json', value: body.value }
  checkContentType(body)
  const { contentType } = body
  return body.read().then((bytes) => parseBytes(bytes, contentType))
}

function parseBytes(bytes: Uint8Array, contentType: string | null): ParsedBody {
  if (bytes.length === 0) return { kind: 'none' }
  const parse = parsers.get(essence(contentType ?? 'application/json'))
  return parse === undefined ? { kind: 'none' } : parse(decodeUtf8(bytes))
}

/** `type/subtype` in lower case, without parameters. */
function essence(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new JsonParseError()
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new JsonParseError()
  }
}
