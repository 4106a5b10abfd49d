/** Turns what a method returned into bytes: responders for JSON (the default), YAML and text, and `Rendered`.
 *  Source: decisions.md, Accept; reference/pipeline-and-exceptions, W7 (serialise before sending). */
import type { Outcome } from '../contract.ts'
import { NotAcceptable } from '../errors.ts'
import type { Rendered } from './controller.ts'
import { negotiate } from './negotiate.ts'

type Responder = (value: unknown) => string | Promise<string>

const responders = new Map<string, Responder>([
  ['application/json', toJsonText],
  ['application/yaml', toYamlText],
  ['text/yaml', toYamlText],
])

const defaultType = 'application/json'

/** The media type of the answer. Throws `NotAcceptable` when no responder matches `Accept`. */
export function responseType(accept: string | null): string {
  const type = negotiate(accept, [...responders.keys()])
  if (type === null) throw new NotAcceptable([...responders.keys()])
  return type
}

/** The same for exception handlers: the default responder when `Accept` cannot be satisfied. Source: specification,
 *  Exception handlers 3. */
export function handlerResponseType(accept: string | null): string {
  return negotiate(accept, [...responders.keys()]) ?? defaultType
}

/** An answer with a returned value, without the response's own headers: `undefined` has no body; a type without a responder carries the value as text. */
export async function valueOutcome(
  value: unknown,
  answer: { readonly status: number; readonly type: string },
): Promise<Outcome> {
  if (value === undefined) return { status: answer.status, headers: {}, body: null }
  const respond =
    responders.get(answer.type.split(';')[0] ?? '') ?? ((plain: unknown): string => String(plain))
  const body = await respond(value)
  return { status: answer.status, headers: { 'content-type': withCharset(answer.type) }, body }
}

/** An answer that a method made itself. */
export async function renderedOutcome(rendered: Rendered): Promise<Outcome> {
  const headers = lowerCase(rendered.headers)
  const type = rendered.contentType
  const typed = type === null ? headers : { ...headers, 'content-type': withCharset(type) }
  return { status: rendered.status, headers: typed, body: await contentBody(rendered) }
}

async function contentBody(rendered: Rendered): Promise<string | Uint8Array | null> {
  const { content } = rendered
  switch (content.kind) {
    case 'none':
      return null
    case 'text': // a string under a JSON type is valid JSON, and nobody checked this one
      return rendered.contentType?.includes('json') ? Buffer.from(content.text) : content.text
    case 'bytes':
      return content.bytes
    case 'json':
      return toJsonText(content.value)
    case 'yaml':
      return toYamlText(content.value)
  }
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const withCharset = (type: string): string =>
  /^(application\/(json|yaml)|text\/[^;]+)$/.test(type) ? `${type}; charset=utf-8` : type

/** JSON text with the forms of annotations.md: bigint as a decimal string, Map as an object, Set as an array, bytes
 *  as base64. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value, jsonForm)
}

function jsonForm(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const raw = this[name] // before a Buffer's own toJSON
  if (raw instanceof Uint8Array) return Buffer.from(raw).toString('base64')
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}

async function toYamlText(value: unknown): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(JSON.parse(toJsonText(value)))
}
