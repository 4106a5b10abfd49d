/** Makes the request of a call: each parameter at its place, as the server reads it. */
import type { CallParameters, ClientOperation } from './operation.ts'
import type { CallOptions, ClientOptions } from './public.ts'

/** Whose request it is. */
interface CallContext {
  readonly client: ClientOptions
  readonly options: CallOptions
}

/** What of the parameters is not in the path. */
interface RequestParts {
  readonly path: CallParameters
  readonly query: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  readonly fields: readonly (readonly [name: string, value: unknown])[]
}

export async function send(
  operation: ClientOperation,
  parameters: CallParameters,
  { client, options }: CallContext,
): Promise<Response> {
  const { path, query, headers, cookies, fields } = partsOf(operation, parameters)
  const token = typeof client.token === 'function' ? await client.token() : (client.token ?? null)
  const { body, type } = bodyOf(operation, parameters, fields)
  const address = client.baseUrl.replace(/\/+$/, '') + pathOf(operation.path, path)
  const init: RequestInit = {
    method: operation.verb,
    headers: {
      accept: `${operation.accept ?? 'application/json'}, application/json;q=0.9, */*;q=0.1`,
      ...(type === null ? {} : { 'content-type': type }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...headers,
      ...client.headers,
      ...options.headers,
    },
    body,
    signal: options.signal ?? null,
    credentials: client.credentials ?? 'same-origin',
    redirect: Object.keys(operation.answers).some((one) => one.startsWith('3')) ? 'manual' : 'follow',
  }
  const run = client.fetch ?? fetch
  return run(query.length === 0 ? address : `${address}?${query.join('&')}`, init)
}

function partsOf({ parameters: places = {} }: ClientOperation, parameters: CallParameters): RequestParts {
  const path: Record<string, unknown> = {}
  const query: string[] = []
  const headers: Record<string, string> = {}
  const cookies: string[] = []
  const fields: (readonly [string, unknown])[] = []
  for (const [argument, [place, name, form]] of Object.entries(places)) {
    const value = parameters[argument]
    if (value === undefined) continue
    if (place === 'field') fields.push([name, value])
    else if (value === null) continue
    else if (place === 'path') path[name] = value
    else if (place === 'header') headers[name] = textOf(value)
    else if (place === 'cookie') cookies.push(`${name}=${encodeURIComponent(textOf(value))}`)
    else
      for (const text of textsOf(value, form))
        query.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
  }
  return { path, query, headers, cookies, fields }
}

/** Throws `TypeError` for what no path can hold: `.` and `..` would lead to another address. */
function pathOf(path: string, given: CallParameters): string {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    const [, mark, name = ''] = /^([?*]?):(\w+)$/.exec(segment) ?? []
    if (mark === undefined) segments.push(segment)
    else if (given[name] === undefined && mark !== '') break
    else segments.push(segmentOf(name, textOf(given[name] ?? ''), mark === '*'))
  }
  return segments.join('/') || '/'
}

function segmentOf(name: string, text: string, isRest: boolean): string {
  const segments = isRest ? text.split('/') : [text]
  const isUnfit = segments.some((one) => one === '.' || one === '..') || text === ''
  if (isUnfit) throw new TypeError(`${name}: ${JSON.stringify(text)} cannot stand in a path`)
  return segments.map(encodeURIComponent).join('/')
}

type RequestBody = { readonly body: string | FormData | null; readonly type: string | null }

function bodyOf(
  { body, form, parameters }: ClientOperation,
  given: CallParameters,
  fields: RequestParts['fields'],
): RequestBody {
  const none: RequestBody = { body: null, type: null }
  if (body !== undefined) {
    const value = given[body]
    if (value === undefined) return none
    if (form === true) return { body: formOf(Object.entries(value ?? {})), type: null }
    return { body: jsonText(value), type: 'application/json' }
  }
  if (!Object.values(parameters ?? {}).some(([place]) => place === 'field')) return none
  if (form === true) return { body: formOf(fields), type: null }
  return { body: jsonText(Object.fromEntries(fields)), type: 'application/json' }
}

/** A list of files, or of texts, is a repeated field. */
function formOf(fields: RequestParts['fields']): FormData {
  const form = new FormData()
  for (const [name, value] of fields) {
    if (value === undefined || value === null) continue
    const list: readonly unknown[] = Array.isArray(value) || value instanceof Set ? [...value] : [value]
    for (const one of list.some((item) => item instanceof Blob) ? list : textsOf(value, 'list')) {
      if (one instanceof Blob) form.append(name, one)
      else form.append(name, textOf(one))
    }
  }
  return form
}

/** Several plain items are repeated; anything else is one text. */
function textsOf(value: unknown, form: 'list' | undefined): readonly string[] {
  if (form !== 'list') return [textOf(value)]
  const list: readonly unknown[] = Array.isArray(value) || value instanceof Set ? [...value] : [value]
  const isPlain = list.every((one) => one instanceof Date || (typeof one !== 'object' && one !== undefined))
  const texts = list.map(textOf)
  if (isPlain && (texts.length > 1 || /^[^[,]+$/.test(texts[0] ?? ''))) return texts
  return [jsonText(list)]
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (value instanceof URL) return value.href
  if (value instanceof Uint8Array) return toBase64(value)
  if (typeof value !== 'object') return String(value)
  return jsonText(value).replace(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, written: unknown) {
    const raw = this[name] // before its own toJSON
    if (raw instanceof Uint8Array) return toBase64(raw)
    if (typeof written === 'bigint') return written.toString()
    if (written instanceof Map) return Object.fromEntries(written)
    return written instanceof Set ? [...written] : written
  })
}

const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
