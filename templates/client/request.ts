/** Makes the request of a call: each parameter at its place, as the server reads it. */
import type { CallParameters, ClientOperation, ParameterPlace } from './operation.ts'
import type { CallOptions, ClientOptions } from './public.ts'
import { headerText, jsonText, textOf, textsOf } from './text.ts'

/** What is sent, once or several times. */
export interface CallRequest {
  readonly address: string
  readonly init: RequestInit & { readonly headers: Headers }
}

/** Whose request it is. */
interface CallContext {
  readonly client: ClientOptions
  readonly options: CallOptions
  readonly key: string | null
}

type Field = readonly [name: string, value: unknown, form: ParameterPlace[3]]

/** The parameters, by their place. Maps: a name may be that of something which every object has. */
interface RequestParts {
  readonly path: Map<string, string>
  readonly query: string[]
  readonly headers: Map<string, string>
  readonly cookies: string[]
  readonly fields: Field[]
}

/** Throws `TypeError` for what the address or a header cannot hold, before the request is sent. */
export function requestOf(
  operation: ClientOperation,
  parameters: CallParameters,
  { client, options, key }: CallContext,
): CallRequest {
  const parts = partsOf(operation, parameters)
  const { query } = parts
  const address = baseOf(client.baseUrl) + pathOf(operation.path, parts.path)
  const { body, type } = bodyOf(operation, parameters, parts.fields)
  const headers = headersOf(operation, type, parts, [client.headers, options.headers])
  if (key !== null && (options.idempotencyKey === key || !headers.has('idempotency-key')))
    headers.set('idempotency-key', key)
  const init: CallRequest['init'] = {
    method: operation.verb,
    headers,
    body,
    signal: options.signal ?? null,
    credentials: client.credentials ?? 'same-origin',
    redirect: Object.keys(operation.answers).some((name) => name.startsWith('3')) ? 'manual' : 'follow',
  }
  return { address: query.length === 0 ? address : `${address}?${query.join('&')}`, init }
}

/** With the token of this moment. */
export async function authorized({ init }: CallRequest, client: ClientOptions): Promise<RequestInit> {
  const headers = new Headers(init.headers)
  const token = await tokenOf(client, init.signal ?? null)
  if (token !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

function partsOf({ parameters: places = [] }: ClientOperation, parameters: CallParameters): RequestParts {
  const parts: RequestParts = { path: new Map(), query: [], headers: new Map(), cookies: [], fields: [] }
  for (const [argument, place, name, form] of places) {
    const value = parameters[argument]
    if (place === 'field' && value !== undefined) parts.fields.push([name, value, form])
    if (place === 'field' || value === undefined || value === null) continue
    if (place === 'path') parts.path.set(name, textOf(value))
    if (place === 'header') parts.headers.set(name, headerText(value, form))
    if (place === 'cookie') parts.cookies.push(`${name}=${encodeURIComponent(textOf(value))}`)
    if (place !== 'query') continue
    for (const text of textsOf(value, form))
      parts.query.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
  }
  return parts
}

/** Whatever followed a query or fragment would be no path any more. */
function baseOf(baseUrl: string): string {
  if (/[?#]/.test(baseUrl)) throw new TypeError(`baseUrl: ${baseUrl} has a query or a fragment`)
  return baseUrl.replace(/\/+$/, '')
}

function pathOf(path: string, parameters: RequestParts['path']): string {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    const [, mark, name = ''] = /^([?*]?):(\w+)$/.exec(segment) ?? []
    if (mark === undefined) segments.push(segment)
    else if (!parameters.has(name) && mark !== '') break
    else segments.push(segmentOf(name, parameters.get(name), mark === '*'))
  }
  return segments.join('/') || '/'
}

/** `.` and `..` would lead to another address, and so would an empty segment: `//host` is one. */
function segmentOf(name: string, text: string | undefined, isRest: boolean): string {
  if (text === undefined) throw new TypeError(`${name} is missing: it is part of the path`)
  const segments = isRest ? text.split('/') : [text]
  if (segments.some((segment) => /^\.{0,2}$/.test(segment)))
    throw new TypeError(`${name}: ${JSON.stringify(text)} cannot stand in a path`)
  return segments.map(encodeURIComponent).join('/')
}

/** What is given for a call goes before what is given for all. */
function headersOf(
  { accept }: ClientOperation,
  type: string | null,
  { headers: own, cookies }: RequestParts,
  [ofClient = {}, ofCall = {}]: readonly ClientOptions['headers'][],
): Headers {
  const headers = new Headers({ accept: acceptOf(accept) })
  if (type !== null) headers.set('content-type', type)
  for (const [name, value] of [...Object.entries(ofClient), ...own, ...Object.entries(ofCall)])
    headers.set(name, value)
  if (cookies.length > 0)
    headers.set('cookie', [...(headers.get('cookie')?.split('; ') ?? []), ...cookies].join('; '))
  return headers
}

/** Errors are JSON, whatever a success is. */
function acceptOf(type = 'application/json'): string {
  return type === '*/*' ? type : `${type}, application/json;q=0.9, */*;q=0.1`
}

/** A request waits for its token no longer than until `signal` aborts. */
async function tokenOf({ token = null }: ClientOptions, signal: AbortSignal | null): Promise<string | null> {
  signal?.throwIfAborted()
  if (typeof token !== 'function') return token
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', abort)
    Promise.resolve()
      .then(token)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', abort))
  })
}

interface RequestContent {
  readonly body: string | FormData | URLSearchParams | null
  readonly type: string | null
}

function bodyOf(
  { body, form, isUrlencoded, parameters = [] }: ClientOperation,
  args: CallParameters,
  fields: readonly Field[],
): RequestContent {
  const value = body === undefined ? undefined : args[body]
  if (form !== undefined) {
    const parts = formParts([...propertiesOf(value, form), ...fields])
    return { body: isUrlencoded ? urlencoded(parts) : multipart(parts), type: null }
  }
  if (value !== undefined) return { body: jsonText(value), type: 'application/json' }
  if (body !== undefined || !parameters.some(([, place]) => place === 'field'))
    return { body: null, type: null }
  const json = Object.fromEntries(fields.map(([name, field]) => [name, field]))
  return { body: jsonText(json), type: 'application/json' }
}

const propertiesOf = (value: unknown, lists: readonly string[]): readonly Field[] =>
  Object.entries(value ?? {}).map(([name, item]) => [name, item, lists.includes(name) ? 'list' : undefined])

type FormPart = readonly [name: string, part: string | Blob]

/** A list of files, or of texts, is a repeated field. */
function formParts(fields: readonly Field[]): readonly FormPart[] {
  const parts: FormPart[] = []
  for (const [name, value, how] of fields) {
    if (value === undefined || value === null) continue
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    const files = list.filter((item): item is Blob => item instanceof Blob)
    for (const part of files.length > 0 ? files : textsOf(value, how)) parts.push([name, part])
  }
  return parts
}

/** Nothing at all is no form: it would have no part. */
function multipart(parts: readonly FormPart[]): FormData | null {
  const form = new FormData()
  for (const [name, part] of parts) form.append(name, part)
  return parts.length === 0 ? null : form
}

function urlencoded(parts: readonly FormPart[]): URLSearchParams | null {
  const form = new URLSearchParams()
  for (const [name, part] of parts) form.append(name, String(part))
  return parts.length === 0 ? null : form
}
