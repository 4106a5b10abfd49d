/** Files that came with a request: on disk while it lasts, gone when it has been answered. */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { MaybePromise } from '../../contract/http.ts'

/** A file of a multipart form. `name` and `type` are what the client says: do not trust them, and never use `name` as
 *  a path. The file at `path` is deleted when the request has been answered: move or copy what is to stay. */
export class UploadedFile {
  /** The last segment of the client's file name. */
  readonly name: string
  /** The media type without parameters. */
  readonly type: string
  /** In bytes. */
  readonly size: number
  readonly path: string
  constructor(file: Pick<UploadedFile, 'name' | 'type' | 'size' | 'path'>) {
    this.name = file.name
    this.type = file.type
    this.size = file.size
    this.path = file.path
  }

  /** The content read as UTF-8. */
  text(): Promise<string> {
    return readFile(this.path, 'utf8')
  }

  async bytes(): Promise<Uint8Array> {
    return readFile(this.path)
  }

  stream(): Readable {
    return createReadStream(this.path)
  }
}

/** The temporary folder of one request, made when the first file arrives, readable by this user only. */
export class Uploads {
  #folder: Promise<string> | null = null
  #isReleased = false

  /** Whether no file has come. */
  get isEmpty(): boolean {
    return this.#folder === null
  }

  /** Where the next file goes. Rejects when the request has been answered: the file would never be deleted. */
  async newPath(): Promise<string> {
    if (this.#isReleased) throw new Error('the request has been answered: no file is kept for it')
    this.#folder ??= mkdtemp(join(tmpdir(), 'acmcp-upload-')) // made with mode 700
    return join(await this.#folder, randomUUID())
  }

  /** Deletes everything, and lets nothing come after it; harmless when there is nothing, and never fails. */
  release(): MaybePromise<void> {
    this.#isReleased = true
    const folder = this.#folder
    this.#folder = null
    // an answer is not lost because the system could not delete a temporary file
    return folder?.then((path) => rm(path, { recursive: true, force: true, maxRetries: 3 })).catch(() => {})
  }
}
