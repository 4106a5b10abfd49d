/** Reads `multipart/form-data`: fields into memory, files onto the disk, both within limits.
 *  Source: RFC 7578, but for the syntax, which is left to @fastify/busboy. */
import { setMaxListeners } from 'node:events'
import { createWriteStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { BodyLimits } from '../../contract/application.ts'
import { JsonParseError, PayloadTooLarge } from '../../errors.ts'
import { decodeUtf8 } from '../../utf8.ts'
import { UploadedFile, type Uploads } from './uploads.ts'

/** The parts of a form, in the order in which they came. */
export interface MultipartForm {
  readonly fields: URLSearchParams
  readonly files: ReadonlyMap<string, readonly UploadedFile[]>
}

export interface MultipartOptions {
  readonly contentType: string
  readonly limits: BodyLimits
  readonly uploads: Uploads
}

interface Reading extends MultipartOptions {
  /** Aborted with the reason when anything fails. */
  readonly stop: AbortController
  readonly parts: Promise<Part | null>[]
  readonly count: { files: number; fields: number; fieldBytes: number }
  /** Of the field that is being read: the parts come one after the other. */
  endField: (reason: unknown) => void
}

type Part =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | { readonly kind: 'file'; readonly name: string; readonly file: UploadedFile }

/** Reads the whole form. Throws `JsonParseError` for a malformed or truncated one, `PayloadTooLarge` above a limit; then
 *  nothing is written any more. */
export async function parseMultipart(
  source: AsyncIterable<Uint8Array>,
  options: MultipartOptions,
): Promise<MultipartForm> {
  const count = { files: 0, fields: 0, fieldBytes: 0 }
  const reading: Reading = { ...options, stop: new AbortController(), parts: [], count, endField: () => {} }
  const chunks = source[Symbol.asyncIterator]()
  try {
    await feed(chunks, reading)
    return collect(await Promise.all(reading.parts))
  } catch (error) {
    reading.stop.abort(error)
    reading.endField(error)
    chunks.return?.().catch(() => {}) // not awaited: it may wait for a client that sends no more
    await Promise.allSettled(reading.parts)
    throw bodyError(error)
  }
}

const malformed = (): JsonParseError => new JsonParseError('multipart/form-data')

/** A client that went away in the middle left a truncated body. */
function bodyError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' ? malformed() : error
}

async function feed(chunks: AsyncIterator<Uint8Array>, reading: Reading): Promise<void> {
  const parser = openParser(reading)
  const orStop = stoppable(reading.stop.signal)
  const finished = new Promise<void>((resolve) => parser.once('finish', () => resolve()))
  const limit = wholeLimit(reading.limits)
  for (let size = 0; ; ) {
    // a part may fail while the client is still to send the next chunk
    const { done, value } = await orStop(chunks.next())
    if (done === true) break
    size += value.length
    if (size > limit) throw new PayloadTooLarge(limit)
    await orStop(write(parser, value))
  }
  parser.end()
  await orStop(finished)
}

/** Waits for one thing after the other, but not beyond the abort of `signal`, whose reason it throws. `Promise.race` with
 *  one promise for the abort would keep every chunk until the end. */
function stoppable(signal: AbortSignal): <T>(work: Promise<T>) => Promise<T> {
  let stop: (reason: unknown) => void = () => {}
  setMaxListeners(0, signal) // one per part that is being read
  signal.addEventListener('abort', () => stop(signal.reason))
  return (work) =>
    new Promise((resolve, reject) => {
      stop = reject
      if (signal.aborted) reject(signal.reason)
      work.then(resolve, reject)
    })
}

/** All files, all fields, and room for the lines between them. */
const wholeLimit = ({ files, fileBytes, bodyBytes }: BodyLimits): number =>
  files * fileBytes + 2 * bodyBytes + 64 * 1024

function write(parser: BusboyInstance, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => parser.write(chunk, () => resolve()))
}

function openParser(reading: Reading): BusboyInstance {
  const { stop, contentType } = reading
  const parser = createParser(contentType)
  parser.on('error', () => stop.abort(malformed()))
  parser.on('file', (name, stream, fileName, _encoding, type) => {
    stream.on('error', () => {}) // a truncated part: the parser says so too
    const part = readPart(reading, { name, stream, fileName, type })
    part.catch((error: unknown) => stop.abort(error))
    reading.parts.push(part)
  })
  return parser
}

/** Fields are read as files too: the library would decode them without refusing what is not UTF-8. */
function createParser(contentType: string): BusboyInstance {
  try {
    const headers = { 'content-type': contentType }
    return new Busboy({
      headers,
      isPartAFile: () => true,
      limits: { headerPairs: 32, headerSize: 16 * 1024 },
    })
  } catch {
    throw malformed() // no boundary
  }
}

interface RawPart {
  readonly name: string | undefined
  readonly stream: Readable
  readonly fileName: string | undefined
  readonly type: string
}

async function readPart(reading: Reading, raw: RawPart): Promise<Part | null> {
  const { name, fileName, type } = raw
  if (name === undefined) throw malformed()
  if (fileName === undefined && type !== 'application/octet-stream') {
    return { kind: 'field', name, value: await readField(reading, raw.stream) }
  }
  const file = await saveFile(reading, raw)
  const isNoneChosen = file.name === '' && file.size === 0 // what a browser sends for an empty file input
  return isNoneChosen ? null : { kind: 'file', name, file }
}

async function readField(reading: Reading, stream: Readable): Promise<string> {
  const { count, limits } = reading
  count.fields += 1
  if (count.fields > limits.fields) throw tooMany(limits.fields, 'fields')
  const chunks: Uint8Array[] = []
  let size = 0
  const fault = (chunk: Uint8Array): PayloadTooLarge | null => {
    size += chunk.length
    count.fieldBytes += chunk.length
    if (size > limits.fieldBytes) return new PayloadTooLarge(limits.fieldBytes, 'a field of the form')
    return count.fieldBytes > limits.bodyBytes ? new PayloadTooLarge(limits.bodyBytes) : null
  }
  await new Promise<void>((resolve, reject) => {
    reading.endField = reject // in the place of a signal's listener for each of a thousand fields
    stream.on('data', (chunk: Uint8Array) => {
      const wrong = fault(chunk)
      if (wrong === null) chunks.push(chunk)
      else reject(wrong)
    })
    stream.on('end', resolve)
  })
  return decodeUtf8(Buffer.concat(chunks), malformed)
}

const tooMany = (limit: number, what: string): PayloadTooLarge =>
  new PayloadTooLarge(limit, 'the form', `made of more than ${limit} ${what}`)

async function saveFile({ count, limits, uploads, stop }: Reading, raw: RawPart): Promise<UploadedFile> {
  count.files += 1
  if (limits.files === 0) throw new PayloadTooLarge(0, 'the form', 'one with a file, which is not taken here')
  if (count.files > limits.files) throw tooMany(limits.files, 'files')
  addAbortSignal(stop.signal, raw.stream)
  const path = await uploads.newPath()
  let size = 0
  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > limits.fileBytes) throw new PayloadTooLarge(limits.fileBytes, 'an uploaded file')
      yield chunk
    }
  }
  await pipeline(raw.stream, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  const name = (raw.fileName ?? '').replace(/\p{Cc}/gu, '')
  return new UploadedFile({ name, type: raw.type, size, path })
}

function collect(parts: readonly (Part | null)[]): MultipartForm {
  const fields = new URLSearchParams()
  const files = new Map<string, UploadedFile[]>()
  for (const part of parts) {
    if (part?.kind === 'field') fields.append(part.name, part.value)
    if (part?.kind !== 'file') continue
    const ofName = files.get(part.name) ?? []
    ofName.push(part.file)
    files.set(part.name, ofName)
  }
  return { fields, files }
}
