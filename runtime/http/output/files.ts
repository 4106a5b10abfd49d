/** Answers with a file on disk: validators, conditional requests, ranges, and bytes only when they are taken.
 *  Source: RFC 9110, sections 8.8, 13 and 14; RFC 6266. */
import { type BigIntStats, createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { extname, resolve, sep } from 'node:path'
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import { NotFound } from '../../errors.ts'
import { bytesOf } from './byte-stream.ts'
import { type Selection, select, type Validators } from './conditional.ts'
import { attachment } from './disposition.ts'

export interface FileOptions {
  /** Default: by the extension of the path. */
  readonly contentType?: string
  /** The file name under which a browser saves it. */
  readonly download?: string
  /** The folder that the file must be in, also after symbolic links: whatever leads out of it is not found. `path` is
   *  then relative to it. Needed as soon as a part of the path comes from a request. */
  readonly root?: string
}

/** The answer to `request` with the file at `path`. Throws `NotFound` when there is no such file. */
export async function fileResponse(
  path: string,
  options: FileOptions,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { full, stats } = await locate(path, options.root ?? null)
  const now = validatorsOf(stats)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const selection: Selection = isRead ? select(request, now) : { kind: 'whole' }
  const about = {
    'accept-ranges': 'bytes',
    etag: now.etag,
    'last-modified': new Date(now.modifiedMs).toUTCString(),
  }
  const type = options.contentType ?? typeOf(full)
  const entity = {
    ...about,
    'content-type': type,
    ...(options.download === undefined ? {} : { 'content-disposition': attachment(options.download) }),
  }
  return answerWith(selection, { full, now, about, entity, request })
}

interface FileAnswer {
  readonly full: string
  readonly now: Validators
  /** Headers that also go with an answer without the file. */
  readonly about: Readonly<Record<string, string>>
  readonly entity: Readonly<Record<string, string>>
  readonly request: HttpRequest
}

function answerWith(selection: Selection, { full, now, about, entity, request }: FileAnswer): HttpResponse {
  const { size } = now
  const body = (start: number, length: number): HttpResponse['body'] =>
    request.method === 'HEAD' ? null : bytesOf(piecesOf(full, start, length))
  switch (selection.kind) {
    case 'not-modified':
      return { status: 304, headers: about, body: null }
    case 'precondition-failed':
      return { status: 412, headers: about, body: null }
    case 'unsatisfiable':
      return { status: 416, headers: { ...about, 'content-range': `bytes */${size}` }, body: null }
    case 'whole':
      return { status: 200, headers: { ...entity, 'content-length': String(size) }, body: body(0, size) }
    case 'part': {
      const { start, end } = selection
      const length = end - start + 1
      const range = {
        'content-range': `bytes ${start}-${end}/${size}`,
        'content-length': String(length),
      }
      return { status: 206, headers: { ...entity, ...range }, body: body(start, length) }
    }
  }
}

interface Located {
  readonly full: string
  readonly stats: BigIntStats
}

/** What the system says when a path leads to no file. */
const missing: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ENAMETOOLONG',
  'ELOOP',
  'ERR_INVALID_ARG_VALUE', // U+0000 in the path
])

async function locate(path: string, root: string | null): Promise<Located> {
  try {
    const full = root === null ? resolve(path) : await inside(root, path)
    const stats = await stat(full, { bigint: true })
    if (stats.isFile()) return { full, stats }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && missing.has(error.code))) throw error
  }
  throw new NotFound()
}

async function inside(root: string, path: string): Promise<string> {
  const folder = await realpath(root)
  const file = await realpath(resolve(folder, path))
  if (!file.startsWith(folder.endsWith(sep) ? folder : folder + sep)) throw new NotFound()
  return file
}

/** Size, time in nanoseconds and the file's own number: what replaces the file differs in one of them. */
function validatorsOf({ size, mtimeNs, ino }: BigIntStats): Validators {
  return {
    etag: `"${[size, mtimeNs, ino].map((number) => number.toString(36)).join('-')}"`,
    modifiedMs: Number(mtimeNs / 1_000_000_000n) * 1000,
    size: Number(size),
  }
}

/** Opens the file when the first piece is taken. Fails when the file became shorter than was promised. */
async function* piecesOf(path: string, start: number, length: number): AsyncGenerator<Uint8Array> {
  if (length === 0) return
  let missing = length
  for await (const piece of createReadStream(path, { start, end: start + length - 1 })) {
    missing -= piece.length
    yield piece
  }
  if (missing > 0) throw new Error(`${path} became shorter while it was sent`)
}

const types: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.csv', 'text/csv; charset=utf-8'],
  ['.gif', 'image/gif'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.md', 'text/markdown; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.mp3', 'audio/mpeg'],
  ['.mp4', 'video/mp4'],
  ['.pdf', 'application/pdf'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.webp', 'image/webp'],
  ['.woff2', 'font/woff2'],
  ['.xml', 'application/xml'],
  ['.yaml', 'application/yaml; charset=utf-8'],
  ['.yml', 'application/yaml; charset=utf-8'],
  ['.zip', 'application/zip'],
])

const typeOf = (path: string): string => types.get(extname(path).toLowerCase()) ?? 'application/octet-stream'
