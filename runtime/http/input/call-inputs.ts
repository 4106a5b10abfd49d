/** Everything that a call gives its route to read, whichever way it came. */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { isCallerHeader } from '../../caller-headers.ts'
import type { HttpRequest } from '../../contract/http.ts'
import type { TextPlace } from '../../contract/mcp.ts'
import type { ParamDecoder } from '../../contract/route.ts'
import { sha256Hex } from '../../secret.ts'
import { toolCallOf } from '../pipeline/controller.ts'
import type { RequestContext } from '../pipeline/request-context.ts'
import type { ParsedBody } from './body.ts'
import { jsonOf, madeIn } from './input-json.ts'
import { jsonInstead, type TextCodecs, textCodecs } from './text-inputs.ts'
import type { UploadedFile } from './uploads.ts'

type Fields<Value> = readonly (readonly [name: string, value: Value])[]

/** Values of JSON: of a tool call the arguments as its client sent them, else texts. Headers that name the caller, or the way by which it came, are no input. */
export interface CallInputs {
  readonly method: string
  readonly path: Readonly<Record<string, unknown>>
  /** In the order of their names; of a name that is repeated each text. */
  readonly query: Fields<unknown>
  readonly headers: Readonly<Record<string, unknown>>
  readonly cookies: Readonly<Record<string, unknown>>
  readonly body: InputBody
  /** Null over HTTP, and in a first call. */
  readonly round: InputRound | null
}

/** What an MCP client answers to questions of the method, and the state that goes with it. */
export interface InputRound {
  readonly answers: Readonly<Record<string, unknown>>
  readonly state: unknown
}

export type InputBody =
  | { readonly kind: 'none' }
  /** `made`: what a parser of the application has made beyond JSON, where there is any. */
  | { readonly kind: 'json'; readonly value: unknown; readonly made?: ReturnType<typeof madeIn> }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'form'
      readonly fields: Fields<string>
      readonly files: readonly (readonly [name: string, file: InputFile])[]
    }
  /** Nothing is declared to read it. */
  | { readonly kind: 'bytes'; readonly size: number; readonly sha256: string }

export interface InputFile {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly sha256: string
}

/** Names of headers (lower case) and cookies that a route and its filters read. */
export interface ReadNames {
  readonly headers: readonly string[]
  readonly cookies: readonly string[]
  readonly codecs: TextCodecs
}

/** Those of `names` that the call has. */
export const headerInputs = (
  { headers }: HttpRequest,
  names: readonly string[],
): Readonly<Record<string, readonly string[]>> => present(names, (name) => listOf(headers[name]))

/** `forwarded`: the headers that tool calls carry, in lower case. */
export function namesRead(decoders: readonly ParamDecoder[], forwarded: readonly string[]): ReadNames {
  const of = (from: ParamDecoder['from']): readonly string[] =>
    decoders.filter((decoder) => decoder.from === from).map(({ name }) => name)
  const headers = of('header').map((name) => name.toLowerCase())
  return {
    headers: unique([...headers.filter((name) => !isCallerHeader(name)), ...forwarded]),
    cookies: unique(of('cookie')),
    codecs: textCodecs(decoders),
  }
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()

/** `readsBody`: the route or a filter declares that it does; else the bytes stand for it. Rejects where the body cannot be read, and with
 *  `PayloadTooLarge` where it is nested too deeply. */
export async function callInputs(
  context: RequestContext,
  { headers, cookies, codecs }: ReadNames,
  readsBody: boolean,
): Promise<CallInputs> {
  const { request, json, hasQuery } = context
  const { params } = request
  const find: Find = (place, name, texts) => jsonInstead(json, { place, name, texts: texts ?? null }, codecs)
  const inPath = unique([...Object.keys(params), ...(json?.names('path') ?? [])])
  const sent = headerInputs(request, headers)
  return {
    method: request.method,
    path: present(inPath, (name) => {
      const text = Object.hasOwn(params, name) ? params[name] : undefined
      return orElse(find('path', name, listOf(text)), text)
    }),
    query: hasQuery || json !== null ? queryInputs(context, find) : [],
    headers: present(headers, (name) => orElse(find('header', name, sent[name]), sent[name])),
    cookies: present(cookies, (name) => request.cookies[name]),
    body: readsBody ? await bodyOf(await context.parsedBody()) : await unreadBody(request),
    round: roundOf(request),
  }
}

type Find = (place: TextPlace, name: string, texts: readonly string[] | undefined) => unknown

/** Each text of a name; of one whose JSON is read that. */
function queryInputs({ request: { query }, json }: RequestContext, find: Find): CallInputs['query'] {
  const texts = sorted(query)
  if (json === null) return texts
  const values = new Map<string, unknown>()
  for (const name of new Set([...query.keys(), ...json.names('query')])) {
    const value = find('query', name, query.has(name) ? query.getAll(name) : undefined)
    if (value !== undefined) values.set(name, value)
  }
  return [...texts.filter(([name]) => !values.has(name)), ...values].sort(byName)
}

const orElse = (value: unknown, otherwise: unknown): unknown => (value === undefined ? otherwise : value)

/** Without what the user is asked for in the middle of the call: it is the same one before and after. `questions`: their public names. */
export function withoutAnswers(
  { round: _, ...inputs }: CallInputs,
  questions: readonly string[],
): Omit<CallInputs, 'round'> {
  if (questions.length === 0) return inputs
  const isKept = ([name]: readonly [name: string, value: unknown]): boolean => !questions.includes(name)
  return { ...inputs, query: inputs.query.filter(isKept), body: bodyWithout(inputs.body, isKept) }
}

function bodyWithout(
  body: InputBody,
  isKept: (field: readonly [name: string, value: unknown]) => boolean,
): InputBody {
  if (body.kind === 'form') return { ...body, fields: body.fields.filter(isKept) }
  const { value } = { value: null, ...body }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return body
  return { ...body, kind: 'json', value: Object.fromEntries(Object.entries(value).filter(isKept)) }
}

function roundOf(request: HttpRequest): InputRound | null {
  const round = toolCallOf(request)?.round ?? null
  if (round === null) return null
  const answers = Object.entries(round.answers).map(([name, answer]) => [name, jsonOf(answer)])
  if (answers.length === 0 && round.state === null) return null
  return { answers: Object.fromEntries(answers), state: jsonOf(round.state) }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : Number(a > b)

const sorted = (pairs: URLSearchParams): Fields<string> => [...pairs].sort(byName)

const listOf = (value: string | readonly string[] | undefined): readonly string[] | undefined =>
  typeof value === 'string' ? [value] : value

function present<T>(
  names: readonly string[],
  find: (name: string) => T | undefined,
): Readonly<Record<string, T>> {
  const found = names.flatMap((name) => {
    const value = find(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}

async function bodyOf(body: ParsedBody): Promise<InputBody> {
  if (body.kind === 'json') return jsonBody(body.value)
  if (body.kind !== 'form') return body
  const files: (readonly [string, InputFile])[] = []
  for (const [name, all] of body.files) for (const file of all) files.push([name, await fileOf(file)])
  return { kind: 'form', fields: sorted(body.fields), files }
}

function jsonBody(value: unknown): InputBody {
  const json = jsonOf(value) // refuses what nests too deeply
  const made = madeIn(value)
  return { kind: 'json', value: json, ...(made.length === 0 ? {} : { made }) }
}

async function fileOf(file: UploadedFile): Promise<InputFile> {
  const hash = createHash('sha256')
  await pipeline(file.stream(), hash)
  return { name: file.name, type: file.type, size: file.size, sha256: hash.digest('hex') }
}

async function unreadBody({ body }: HttpRequest): Promise<InputBody> {
  if (body.kind === 'value') return jsonBody(body.value)
  const bytes = await body.read()
  return bytes.length === 0
    ? { kind: 'none' }
    : { kind: 'bytes', size: bytes.length, sha256: sha256Hex(bytes) }
}
