/** Reads the arguments of an action, filter or handler from a request.
 *  Source: language.md, Parameters; rules.md, parameter conversion. */
import type { FormFields, HttpRequest, MaybePromise } from '../../contract/http.ts'
import type { JsonArguments, TextPlace } from '../../contract/mcp.ts'
import type { ArgumentCheck, Codec, JsonRules, ParamDecoder } from '../../contract/route.ts'
import { MissingError, ParamError, type ParamFailure, ValueError } from '../../errors.ts'
import { isPercentEncoded } from '../../utf8.ts'
import type { ParsedBody } from './body.ts'
import { argumentRules } from './checked.ts'
import { type HeaderTexts, headerTextsOf } from './header-texts.ts'
import { essence } from './media-type.ts'

/** What the readers read from; `parsedBody` parses on first use. */
export interface ParamInput {
  readonly request: HttpRequest
  /** Whether the address has a query at all. */
  readonly hasQuery: boolean
  /** The arguments of a tool call; null over HTTP. */
  readonly json: JsonArguments | null
  /** Whether the body is parsed, or about to be. */
  readonly isBodyRead: boolean
  parsedBody(): MaybePromise<ParsedBody>
}

/** Reads one argument, resolved at boot. Throws `MissingError` or `ValueError`. */
export type ArgumentReader = (input: ParamInput) => MaybePromise<unknown>

/** What the table says of the rules of arguments, parallel to them. */
type Checks = readonly (ArgumentCheck | null)[]

/** The readers of one argument list. */
export function argumentReaders(
  decoders: readonly ParamDecoder[],
  checks: Checks = [],
): readonly ArgumentReader[] {
  return decoders.map((decoder, place) => checkedReader(decoder, checks[place] ?? null))
}

/** Reads an argument and has its schema, if there is one, make of it what the method gets; waits only where one of them does. */
function checkedReader(decoder: ParamDecoder, check: ArgumentCheck | null): ArgumentReader {
  const read = readerOf(decoder)
  if (check === null) return read
  const keep = argumentRules(decoder, check)
  return (input) => {
    const value = read(input)
    return value instanceof Promise ? value.then(keep) : keep(value)
  }
}

/** The arguments in order, at once where none has to be waited for. Rejects with `MissingError` or `ValueError` for the first parameter
 *  that fails; its message tells the others too. */
export function readArguments(
  readers: readonly ArgumentReader[],
  input: ParamInput,
): MaybePromise<readonly unknown[]> {
  const values: unknown[] = []
  for (const reader of readers) {
    try {
      const value = reader(input)
      if (value instanceof Promise) return readOn({ readers, values, waiting: value }, input)
      values.push(value)
    } catch (error) {
      return failed(error, input, readers.slice(values.length + 1))
    }
  }
  return values
}

/** What is read already, and the argument that is waited for. */
interface Reading {
  readonly readers: readonly ArgumentReader[]
  readonly values: unknown[]
  readonly waiting: Promise<unknown>
}

async function readOn({ readers, values, waiting }: Reading, input: ParamInput): Promise<readonly unknown[]> {
  try {
    values.push(await waiting)
    for (const reader of readers.slice(values.length)) values.push(await reader(input))
    return values
  } catch (error) {
    return failed(error, input, readers.slice(values.length + 1))
  }
}

async function failed(
  error: unknown,
  input: ParamInput,
  readers: readonly ArgumentReader[],
): Promise<readonly unknown[]> {
  throw await withOthers(error, input, readers)
}

/** The error, which tells what else cannot be read. A body that no parameter has read stays unread. */
async function withOthers(
  error: unknown,
  input: ParamInput,
  readers: readonly ArgumentReader[],
): Promise<unknown> {
  if (!(error instanceof ParamError)) return error
  const others = await failuresOf(readers, input.isBodyRead ? input : withoutBody(input))
  return others.length === 0 ? error : error.alongWith(others)
}

async function failuresOf(readers: readonly ArgumentReader[], input: ParamInput): Promise<ParamFailure[]> {
  const failures: ParamFailure[] = []
  for (const reader of readers) {
    try {
      await reader(input)
    } catch (error) {
      if (error instanceof ParamError) failures.push(...error.failures)
    }
  }
  return failures
}

/** What a reader reads when the body is not to be read: it fails otherwise than with a `ParamError`. */
const withoutBody = ({ request, hasQuery, json }: ParamInput): ParamInput => ({
  request,
  hasQuery,
  json,
  isBodyRead: false,
  parsedBody: () => Promise.reject(new Error('the body is left unread')),
})

/** The same readers, but whatever cannot be read is absent. Source: rules.md, Exception handlers 2. */
export function optionalReaders(
  decoders: readonly ParamDecoder[],
  checks: Checks = [],
): readonly ArgumentReader[] {
  return decoders.map((decoder, place): ArgumentReader => {
    const reader = checkedReader(decoder, checks[place] ?? null)
    return async (input) => {
      try {
        return await reader(input)
      } catch {
        return decoder.absent
      }
    }
  })
}

function readerOf(decoder: ParamDecoder): ArgumentReader {
  const argument = new Argument(decoder)
  const { name } = decoder
  switch (decoder.from) {
    case 'path':
      return textReader(argument, { place: 'path', name }, ({ request }) => pathTexts(request, name))
    case 'rest':
      return textReader(argument, { place: 'path', name: '*' }, ({ request }) => pathTexts(request, '*'))
    case 'query':
      return textReader(argument, { place: 'query', name }, (input) => queryTexts(input, argument))
    case 'header':
      return headerReader(argument, name.toLowerCase(), headerTextsOf(name.toLowerCase(), decoder.codec))
    case 'cookie':
      return textReader(argument, { place: 'cookie', name }, ({ request }) => cookieTexts(request, name))
    case 'field':
      return fieldReader(argument)
    case 'body':
      return bodyReader(argument)
    case 'absent':
      return () => decoder.absent
  }
}

interface TextSource {
  readonly place: TextPlace
  readonly name: string
}

/** Reads what a request says as text; of a tool call the JSON that stands beside it. */
function textReader(
  argument: Argument,
  { place, name }: TextSource,
  textsOf: (input: ParamInput) => readonly string[] | null,
  partsOf: HeaderTexts = (texts) => texts,
): ArgumentReader {
  return (input) => {
    const texts = textsOf(input)
    const value = input.json?.find(place, name, texts)
    if (value === '' && place === 'path') throw argument.missing()
    if (value !== undefined) return argument.fromJson(value, true)
    return argument.fromTexts(texts === null ? null : partsOf(texts))
  }
}

/** One argument: what becomes of the value that was found, or not found. */
class Argument {
  readonly name: string
  readonly #decoder: ParamDecoder
  readonly #path: string

  constructor(decoder: ParamDecoder) {
    this.name = decoder.name
    this.#decoder = decoder
    this.#path = decoder.from === 'body' ? '' : decoder.name
  }

  fromTexts(texts: readonly string[] | null): unknown {
    return texts === null ? this.absent() : this.#read((codec, path) => codec.fromText(texts, path))
  }

  /** Of a tool call null is absent where it is optional and has no null. */
  fromJson(value: unknown, isCall: boolean): unknown {
    const read = this.#read((codec, path) => codec.fromJson(value, path, this.#rules(isCall)))
    return read === undefined && value === null ? this.absent() : read
  }

  fromForm(fields: FormFields): unknown {
    return this.#read((codec, path) => codec.fromFields(fields, path))
  }

  absent(): null | undefined {
    if (this.#decoder.required) throw this.missing()
    return this.#decoder.absent
  }

  missing(): MissingError {
    return new MissingError(this.name, this.#decoder.codec.restriction, this.#kind)
  }

  valueError(hint = ''): ValueError {
    return new ValueError(this.name, this.#decoder.codec.restriction, this.#kind, hint)
  }

  #read(read: (codec: Codec, path: string) => unknown): unknown {
    try {
      return read(this.#decoder.codec, this.#path)
    } catch (error) {
      throw this.#named(error)
    }
  }

  #rules(isCall: boolean): JsonRules | undefined {
    if (!isCall) return undefined
    return this.#decoder.required ? 'call' : 'optional'
  }

  get #kind(): 'header' | 'parameter' {
    return this.#decoder.from === 'header' ? 'header' : 'parameter'
  }

  /** An error at the top of a whole body or header gets the argument's own name, and what a converter of the
   *  application throws is a `ValueError`. */
  #named(error: unknown): unknown {
    if (!(error instanceof ParamError)) return this.valueError()
    if (this.#decoder.from === 'body' && error.parameter !== '') return error.inBody(this.name)
    const isOwn = error.parameter === '' || error.parameter === this.name
    if (!isOwn || !(error instanceof ValueError)) return error
    const named = new ValueError(this.name, error.restriction, this.#kind, error.hint, error.received)
    return named.alongWith(error.failures.slice(1))
  }
}

/** An empty segment is no value: no address of the route has one. */
function pathTexts({ params }: HttpRequest, name: string): readonly string[] | null {
  const value = Object.hasOwn(params, name) ? params[name] : undefined
  return value === undefined || value === '' ? null : [value]
}

/** The values of a repeated name. Malformed percent-encoding is refused: what was meant is not known. */
function queryTexts({ request, hasQuery }: ParamInput, argument: Argument): readonly string[] | null {
  if (!hasQuery) return null
  const values = request.query.getAll(argument.name)
  if (values.length === 0) return null
  if (values.some((value) => /[%\ufffd]/.test(value)) && !isWellEncoded(request.url))
    throw argument.valueError('must be UTF-8 in percent-encoding')
  return values
}

const isWellEncoded = (url: string): boolean => isPercentEncoded(url.slice(url.indexOf('?') + 1))

function headerReader(argument: Argument, name: string, partsOf: HeaderTexts): ArgumentReader {
  const isInherited = name in Object.prototype
  const linesOf = ({ request: { headers } }: ParamInput): readonly string[] | null => {
    const value = headers[name]
    if (value === undefined || (isInherited && !Object.hasOwn(headers, name))) return null
    return typeof value === 'string' ? [value] : value
  }
  return textReader(argument, { place: 'header', name }, linesOf, partsOf)
}

function cookieTexts({ cookies }: HttpRequest, name: string): readonly string[] | null {
  const value = Object.hasOwn(cookies, name) ? cookies[name] : undefined
  return value === undefined ? null : [value]
}

/** Precedence: query before body (language.md, Parameters); the body stays unread when the query has the name. Beside files all fields are
 *  those of the form, as it is documented. */
function fieldReader(argument: Argument): ArgumentReader {
  const { name } = argument
  const inQuery = textReader(argument, { place: 'query', name }, (input) => queryTexts(input, argument))
  return (input) => {
    const isInQuery = input.hasQuery && input.request.query.has(name) && !hasParts(input.request)
    const isCall = input.json !== null
    if (isInQuery || input.json?.find('query', name, null) !== undefined) return inQuery(input)
    return inBody(input, (body) => fieldOf(argument, body, isCall))
  }
}

const hasParts = ({ body }: HttpRequest): boolean =>
  body.kind === 'bytes' && body.contentType !== null && essence(body.contentType) === 'multipart/form-data'

function fieldOf(argument: Argument, body: ParsedBody, isCall: boolean): unknown {
  const { name } = argument
  if (body.kind === 'form' && body.fields.has(name)) return argument.fromTexts(body.fields.getAll(name))
  const value = body.kind === 'form' ? body.files.get(name) : jsonProperty(body, name)
  return value === undefined ? argument.absent() : argument.fromJson(value, isCall)
}

/** An own property of a JSON object. */
function jsonProperty(body: ParsedBody, name: string): unknown {
  const value = body.kind === 'json' ? body.value : null
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // any object may be asked for a property that it has
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

function bodyReader(argument: Argument): ArgumentReader {
  return (input) => inBody(input, (body) => wholeBody(argument, body, input.json !== null))
}

/** At once in a body that has been parsed, as a tool call's is. */
function inBody(input: ParamInput, find: (body: ParsedBody) => unknown): MaybePromise<unknown> {
  const body = input.parsedBody()
  return body instanceof Promise ? body.then(find) : find(body)
}

function wholeBody(argument: Argument, body: ParsedBody, isCall: boolean): unknown {
  switch (body.kind) {
    case 'none':
      return argument.absent()
    case 'json':
      return argument.fromJson(body.value, isCall)
    case 'text':
      return argument.fromTexts([body.text])
    case 'form':
      return argument.fromForm(formOf(body))
  }
}

/** Files are `UploadedFile`, which no text and no JSON can stand for. */
function formOf({ fields, files }: ParsedBody & { readonly kind: 'form' }): FormFields {
  if (files.size === 0) return fields
  return {
    has: (name) => fields.has(name),
    getAll: (name) => fields.getAll(name),
    files: (name) => files.get(name),
    entries: () => [...fields, ...files],
  }
}
