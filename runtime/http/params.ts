/** Reads the arguments of an action, filter or handler from a request.
 *  Source: annotations.md, Parameters; decisions.md, parameter conversion. */
import { fastifyCookie } from '@fastify/cookie'
import type { HttpRequest, ParamDecoder } from '../contract.ts'
import { MissingError, ParamError, ValueError } from '../errors.ts'
import type { ParsedBody } from './body.ts'

/** A value as it arrived: texts (path, query, header, cookie, form) or JSON. */
type Raw =
  | { readonly kind: 'text'; readonly values: readonly string[] }
  | { readonly kind: 'json'; readonly value: unknown }

/** What the decoders read from; `body` parses on first use. */
export interface ParamInput {
  readonly request: HttpRequest
  readonly body: () => Promise<ParsedBody>
}

/** The arguments in order. Throws `MissingError` or `ValueError` for the first parameter that fails. */
export async function readArguments(
  decoders: readonly ParamDecoder[],
  input: ParamInput,
): Promise<unknown[]> {
  const values: unknown[] = []
  for (const decoder of decoders) values.push(await readArgument(decoder, input))
  return values
}

/** Like `readArguments`, but whatever cannot be read is `undefined`. Source: specification, Exception handlers 2. */
export async function readOptionalArguments(
  decoders: readonly ParamDecoder[],
  input: ParamInput,
): Promise<unknown[]> {
  const values: unknown[] = []
  for (const decoder of decoders) values.push(await readArgument(decoder, input).catch(() => undefined))
  return values
}

async function readArgument(decoder: ParamDecoder, input: ParamInput): Promise<unknown> {
  const raw = await find(decoder, input)
  const { name, codec } = decoder
  if (raw === null) {
    if (decoder.required) throw new MissingError(name, codec.restriction, kindOf(decoder))
    return undefined
  }
  try {
    const path = decoder.from === 'body' ? '' : name
    return raw.kind === 'json' ? codec.fromJson(raw.value, path) : codec.fromText(raw.values, path)
  } catch (error) {
    throw named(error, decoder)
  }
}

const kindOf = (decoder: ParamDecoder): 'header' | 'parameter' =>
  decoder.from === 'header' ? 'header' : 'parameter'

/** An error at the top of a whole body or header gets the argument's own name. */
function named(error: unknown, decoder: ParamDecoder): unknown {
  if (!(error instanceof ParamError)) return error
  const isOwn = error.parameter === '' || error.parameter === decoder.name
  if (!isOwn || !(error instanceof ValueError)) return error
  return new ValueError(decoder.name, error.restriction, kindOf(decoder))
}

const text = (values: readonly string[]): Raw => ({ kind: 'text', values })

async function find(decoder: ParamDecoder, { request, body }: ParamInput): Promise<Raw | null> {
  const { name } = decoder
  switch (decoder.from) {
    case 'path':
      return Object.hasOwn(request.params, name) ? text([request.params[name] ?? '']) : null
    case 'rest':
      return Object.hasOwn(request.params, '*') ? text([request.params['*'] ?? '']) : null
    case 'query':
      return fromQuery(request, name)
    case 'header':
      return fromHeader(request, name)
    case 'cookie':
      return fromCookie(request, name)
    case 'field':
      return fromQuery(request, name) ?? fromField(await body(), name)
    case 'body':
      return wholeBody(await body())
  }
}

function fromQuery(request: HttpRequest, name: string): Raw | null {
  return request.query.has(name) ? text(request.query.getAll(name)) : null
}

function fromHeader(request: HttpRequest, name: string): Raw | null {
  const value = request.headers[name.toLowerCase()]
  if (value === undefined) return null
  return text(typeof value === 'string' ? [value] : value)
}

function fromCookie(request: HttpRequest, name: string): Raw | null {
  const header = request.headers.cookie
  if (typeof header !== 'string') return null
  const value = new Map(Object.entries(fastifyCookie.parse(header))).get(name)
  return value === undefined ? null : text([value])
}

function fromField(body: ParsedBody, name: string): Raw | null {
  if (body.kind === 'form') return body.fields.has(name) ? text(body.fields.getAll(name)) : null
  if (body.kind !== 'json' || typeof body.value !== 'object' || body.value === null) return null
  if (!Object.hasOwn(body.value, name)) return null
  return { kind: 'json', value: new Map(Object.entries(body.value)).get(name) }
}

function wholeBody(body: ParsedBody): Raw | null {
  if (body.kind === 'none') return null
  return { kind: 'json', value: body.kind === 'json' ? body.value : Object.fromEntries(body.fields) }
}
