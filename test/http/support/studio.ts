/** The source of an application that uses everything at once: uploads, streams, files, events, a socket, statuses by
 *  class, both kinds of exception handlers, formats and a plugin of its own, paths, cookies, enums, converted types. */

const errors = `export class ApiError<S extends number> extends Error {
  readonly status: S
  constructor(status: S) {
    super(String(status))
    this.status = status
  }
}
export class Teapot extends Error {}
export class Sold { readonly sold: boolean = true }
export enum Frame { None = 'none', Oak = 'oak', 'Light ash' = 'light-ash' }
`

const config = `import { type AppPlugin, defineApp, type ParseBytes, type Responder } from 'acmcp'

const stamp: AppPlugin = async (app) => {
  app.addHook('onSend', async (request, reply, payload) => {
    reply.header('x-stamp', request.headers['x-caller'] ?? 'none')
    return payload
  })
}
const readLines: ParseBytes = (bytes) => ({ titles: Buffer.from(bytes).toString().split('\\n') })
const toCsv: Responder = (rows) => [rows].flat().map((row) => Object.values(row as object).join(',')).join('\\n')

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Studio' },
  plugins: [stamp],
  parsers: { 'application/x-lines': readLines },
  responders: { 'text/csv': toCsv },
})
`

const base = `import { type AuthServerError, CommonResponse, ContentResponse, Controller, type JsonParseError, type MissingError, type NotAcceptable, type NotFound, ParameterResponse, type Rendered, rescueFrom, type UnsupportedMediaType, type ValueError } from 'acmcp'
import { type ApiError, Teapot } from './errors.ts'

export abstract class Studio extends Controller {
  /** @exception {NotAcceptable} 406 */
  notAcceptable(error: NotAcceptable): ContentResponse { return new ContentResponse(error) }

  /** @exception {UnsupportedMediaType} 415 */
  unsupported(error: UnsupportedMediaType): ContentResponse { return new ContentResponse(error) }

  /** @exception {MissingError} 422 */
  missing(error: MissingError): ParameterResponse { return new ParameterResponse(error) }

  /** @exception {ValueError} 400 */
  invalid(error: ValueError): ParameterResponse { return new ParameterResponse(error) }

  /**
   * @exception {NotFound} 404
   * @exception {JsonParseError} 400
   */
  refused(error: NotFound | JsonParseError): CommonResponse { return new CommonResponse(error, { backtrace: false }) }

  /** @exception {ApiError<409>} 409 */
  conflict(error: ApiError<409>, hint?: string): { conflict: number; hint: string | undefined } { return { conflict: error.status, hint } }

  /** @exception {ApiError} default */
  failed(error: ApiError<number>): Rendered { return this.render({ status: error.status, json: { failed: error.status } }) }

  /** @exception {AuthServerError} default */
  oauth(error: AuthServerError): Rendered { return this.render({ status: error.status, json: { error: error.error } }) }

  /** @exception {RangeError} */
  range(error: RangeError): { range: string } { return { range: error.message } }
}

rescueFrom(Studio, Teapot, (error, studio) => studio.render({ status: 418, text: error.message }))
`

const pictures = `import { type Body, type Cookie, type Header, type Rendered, type UploadedFile } from 'acmcp'
import { paths } from '../../generated/paths.ts'
import { ApiError, Frame, Sold, Teapot } from '../errors.ts'
import { Studio } from '../studio.ts'

export interface Stored { name: string; type: string; size: number; text: string; caption: string; tags: string[]; path: string }
export interface Kept { sizes: Map<string, Date>; host: string; thumb: number; same: Buffer; seen: Set<string>; year: number | undefined }

/** Pictures. */
export class Pictures extends Studio {
  override range(error: RangeError): { range: string } { return { range: \`pictures: \${error.message}\` } }

  /**
   * Lists pictures.
   *
   * @get /
   */
  index(frame: Frame = Frame.None): { title: string; frame: Frame }[] { return [{ title: 'Sea', frame }, { title: 'Sky', frame }] }

  /**
   * Stores a picture.
   *
   * @post /
   * @returns 201 the picture as stored
   */
  async create(photo: UploadedFile, caption: string, tags: string[] = []): Promise<Stored> {
    this.response.setCookie('last', caption, { httpOnly: false })
    this.response.set('location', paths.pictures.last())
    return { name: photo.name, type: photo.type, size: photo.size, text: await photo.text(), caption, tags, path: photo.path }
  }

  /**
   * The last caption.
   *
   * @get /last
   */
  last(last: Cookie<'last'>, caller?: Header<'X-Caller'>): { last: string; caller: string | null } { return { last, caller: caller ?? null } }

  /**
   * Takes titles, one a line.
   *
   * @post /titles
   */
  titles(list: Body<{ titles: string[] }>): string[] { return list.titles }

  /**
   * Keeps what JSON has not.
   *
   * @post /kept
   */
  kept(sizes: Map<string, Date>, page: URL, thumb: Buffer, seen: Set<string>): Kept {
    return { sizes, host: page.host, thumb: thumb.length, same: thumb, seen, year: sizes.get('a')?.getUTCFullYear() }
  }

  /**
   * Buys a picture.
   *
   * @post /buy
   * @returns 202 accepted
   * @returns {Sold} 410 it is sold
   */
  buy(title: string): string | Sold { return title === 'Sky' ? new Sold() : title }

  /**
   * Fails.
   *
   * @get /fail/:how
   */
  fail(how: 'api' | 'teapot' | 'range' | 'plain', status = 409): void {
    this.response.set('content-type', 'text/csv')
    if (how === 'api') throw new ApiError(status)
    if (how === 'teapot') throw new Teapot('short and stout')
    if (how === 'range') throw new RangeError('out of range')
    throw new Error('plain')
  }

  /**
   * As a table, whatever is asked for.
   *
   * @get /table
   * @produces text/csv
   */
  table(): { title: string }[] { return [{ title: 'Sea' }, { title: 'Sky' }] }

  /**
   * Where a picture is.
   *
   * @get /where
   */
  where(): Rendered { return this.redirectTo(paths.pictures.index({ frame: 'light-ash' }), 303) }
}
`

const files = `import { type Rendered, ServerEvent, type Socket } from 'acmcp'
import { Readable } from 'node:stream'
import { Studio } from '../studio.ts'

/**
 * Bytes in every form.
 *
 * @requireTls only=secret
 */
export class Files extends Studio {
  /**
   * A file on disk.
   *
   * @get /disk/*:path
   */
  disk(path: string): Rendered { return this.file(path, { root: 'public' }) }

  /**
   * A report to save.
   *
   * @get /report
   */
  report(): File { return new File(['1;2'], 'report.csv', { type: 'text/csv' }) }

  /**
   * An image.
   *
   * @get /image
   * @produces image/png
   */
  image(): Blob { return new Blob([Uint8Array.of(1, 2, 3)], { type: 'image/gif' }) }

  /**
   * Bytes of their own type.
   *
   * @get /blob
   */
  blob(): Blob { return new Blob(['{"a":1}'], { type: 'application/json' }) }

  /**
   * A log.
   *
   * @get /log
   * @produces text/plain
   */
  log(): Readable { return Readable.from(['one\\n', 'two\\n']) }

  /**
   * More than one buffer.
   *
   * @get /large
   * @produces text/plain
   */
  large(): Readable { return Readable.from(['a'.repeat(18000), 'b'.repeat(18000)]) }

  /**
   * More than anybody wants.
   *
   * @get /endless
   * @produces text/plain
   */
  endless(): ReadableStream<string> { return new ReadableStream({ pull: (controller) => controller.enqueue('x'.repeat(65536)) }) }

  /**
   * Breaks before its first byte.
   *
   * @get /broken
   */
  broken(): Readable {
    this.response.set('etag', '"x"')
    this.response.set('content-security-policy', "default-src 'none'")
    return new Readable({ read(): void { this.destroy(new Error('the disk is gone')) } })
  }

  /**
   * What happens.
   *
   * @get /events
   */
  async *events(count = 2): AsyncGenerator<ServerEvent<{ at: number }>> {
    for (let at = 0; at < count; at++) yield new ServerEvent({ event: 'tick', id: String(at), data: { at } })
    if (count === 0) throw new RangeError('nothing')
  }

  /**
   * Only over TLS.
   *
   * @get /secret
   */
  secret(): string { return 'secret' }

  /**
   * Talks.
   *
   * @websocket /chat/:room
   */
  chat(socket: Socket, room: string, name = 'nobody'): void {
    socket.on('message', (data) => socket.send(\`\${room} \${name}: \${data.toString()}\`))
  }
}
`

/** By path, as `folderOf` takes them. */
export const studio: Readonly<Record<string, string>> = {
  'app/errors.ts': errors,
  'app/config.ts': config,
  'app/studio.ts': base,
  'app/controllers/pictures.ts': pictures,
  'app/controllers/files.ts': files,
  'public/a.txt': '0123456789',
  'outside.txt': 'not yours',
}
