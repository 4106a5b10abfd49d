/** Parses a request body when the route asks for it, once: JSON, forms, text, and what the application adds.
 *  Source: rules.md, Errors raised by the framework. */
import type { BodyLimits } from '../../contract/application.ts'
import type { HttpRequest, MaybePromise, RequestBody } from '../../contract/http.ts'
import { JsonParseError, PayloadTooLarge, UnsupportedMediaType } from '../../errors.ts'
import { decodeUtf8, isPercentEncoded } from '../../utf8.ts'
import { essence, isUtf8 } from './media-type.ts'
import type { UploadedFile, Uploads } from './uploads.ts'

export type ParsedBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'form'
      readonly fields: URLSearchParams
      readonly files: ReadonlyMap<string, readonly UploadedFile[]>
    }

export type BytesBody = Extract<RequestBody, { readonly kind: 'bytes' }>

/** What a parser is given. */
export interface RawBody {
  readonly contentType: string
  readonly body: BytesBody
  readonly request: HttpRequest
  /** Has them when they are asked for. */
  readonly files: RequestUploads
  readonly limits: BodyLimits
}

/** Where files of a request go. */
export interface RequestUploads {
  readonly uploads: Uploads
}

export interface BodyParser {
  /** Whether the body is text, which must be UTF-8. */
  readonly isText: boolean
  readonly parse: (raw: RawBody) => MaybePromise<ParsedBody>
}

/** What is read, by media type; `bodyTypes` are the names in order of preference, what `Content-Type` may say. */
export interface BodyFormats {
  /** What a body without `Content-Type` is taken for. */
  readonly untyped: BodyParser
  readonly parsers: ReadonlyMap<string, BodyParser>
  readonly bodyTypes: readonly string[]
  readonly limits: BodyLimits
}

/** Refuses a body whose `Content-Type` has no parser or another charset than UTF-8, or that is still encoded, without reading it. Throws
 *  `UnsupportedMediaType`. */
export function checkContentType(body: RequestBody, formats: BodyFormats): void {
  if (body.kind === 'bytes') bodyParser(body, formats)
}

/** Source: RFC 9110, 15.5.16. */
function bodyParser({ contentType, coding }: BytesBody, formats: BodyFormats): BodyParser {
  if (typeof coding === 'string') throw new UnsupportedMediaType(['identity'], coding)
  return contentType === null ? formats.untyped : parserOf(contentType, formats)
}

function parserOf(contentType: string, { parsers, bodyTypes }: BodyFormats): BodyParser {
  const exact = parsers.get(contentType) // as nearly all send it
  if (exact !== undefined) return exact
  const parser = parsers.get(essence(contentType))
  if (parser === undefined || (parser.isText && !isUtf8(contentType))) {
    throw new UnsupportedMediaType(bodyTypes)
  }
  return parser
}

/** Reads and parses; a body without `Content-Type` is taken for JSON, which a value is already. Throws `JsonParseError`, `UnsupportedMediaType`,
 *  `PayloadTooLarge`. Files go to the uploads of `files`. */
export function parseBody(
  request: HttpRequest,
  formats: BodyFormats,
  files: RequestUploads,
): MaybePromise<ParsedBody> {
  const { body } = request
  if (body.kind === 'value') return { kind: 'json', value: body.value }
  const { contentType } = body
  const parser = bodyParser(body, formats)
  return parser.parse({ contentType: contentType ?? json, body, request, files, limits: formats.limits })
}

const streamOf = (body: BytesBody): AsyncIterable<Uint8Array> => body.stream?.() ?? inOnePiece(body)

async function* inOnePiece(body: BytesBody): AsyncGenerator<Uint8Array> {
  yield await body.read()
}

type ParseText = (text: string, limits: BodyLimits) => MaybePromise<ParsedBody>

const noBody: ParsedBody = { kind: 'none' }

/** `format` is named in the error when the body is not UTF-8. An empty body is none. */
const textParser = (format: string, parse: ParseText): BodyParser => ({
  isText: true,
  parse: ({ body, limits }) => {
    const parsed = (bytes: Uint8Array): MaybePromise<ParsedBody> =>
      bytes.length === 0
        ? noBody
        : parse(
            decodeUtf8(bytes, () => new JsonParseError(format)),
            limits,
          )
    const bytes = body.readSync?.() ?? null
    return bytes === null ? body.read().then(parsed) : parsed(bytes)
  },
})

const multipartParser: BodyParser = {
  isText: true,
  parse: async (raw) => {
    const { parseMultipart } = await import('./multipart.ts')
    return {
      kind: 'form',
      ...(await parseMultipart(streamOf(raw.body), { ...raw, uploads: raw.files.uploads })),
    }
  },
}

const json = 'application/json'
const formFormat = 'form data'

export const jsonParser: BodyParser = textParser('JSON', (text) => ({ kind: 'json', value: parseJson(text) }))

/** In order of preference. */
export const builtInParsers: ReadonlyMap<string, BodyParser> = new Map([
  [json, jsonParser],
  ['application/x-www-form-urlencoded', textParser(formFormat, parseForm)],
  ['multipart/form-data', multipartParser],
  ['text/plain', textParser('text', (text) => ({ kind: 'text', text }))],
])

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new JsonParseError()
  }
}

const noFiles: ReadonlyMap<string, readonly UploadedFile[]> = new Map()

function parseForm(text: string, limits: BodyLimits): ParsedBody {
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) fields += 1
  if (fields > limits.fields) {
    throw new PayloadTooLarge(limits.fields, 'the form', `made of more than ${limits.fields} fields`)
  }
  if (!isPercentEncoded(text)) throw new JsonParseError(formFormat)
  return { kind: 'form', fields: new URLSearchParams(text), files: noFiles }
}
