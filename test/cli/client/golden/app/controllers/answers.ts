import { Readable } from 'node:stream'
import { Controller, type Rendered, type UploadedFile } from 'acmcp'
import { Late } from '../errors.ts'

export class Made {
  readonly kind = 'made'
  constructor(readonly id: bigint) {}
}

export class Waiting {
  readonly kind = 'waiting'
  constructor(readonly until: Date) {}
}

/** Whether the events that have no end have ended. */
const ended = { resolve: (): void => {}, promise: Promise.resolve() }
ended.promise = new Promise((resolve) => {
  ended.resolve = resolve
})

/** Answers of every kind. */
export class Answers extends Controller {
  /**
   * Several statuses.
   *
   * @post /
   * @returns {Made} 201 made
   * @returns {Waiting} 202 waits
   * @throws {Late} 423 at night
   * @throws 429 too often
   */
  create(isLate: boolean): Made | Waiting {
    if (isLate) throw new Late()
    return new Made(1n)
  }

  /**
   * Nothing.
   *
   * @delete /
   */
  remove(): void {}

  /**
   * Maybe nothing.
   *
   * @get /maybe
   */
  maybe(isThere: boolean): Date | undefined {
    return isThere ? new Date(0) : undefined
  }

  /**
   * A table.
   *
   * @get /table
   * @produces text/csv
   */
  table(): string {
    return 'a,b\n'
  }

  /**
   * Bytes.
   *
   * @get /bytes
   * @produces image/png
   */
  bytes(): Uint8Array {
    return new Uint8Array([1, 2])
  }

  /**
   * A stream.
   *
   * @get /stream
   */
  stream(): Readable {
    return Readable.from(['a', 'b'])
  }

  /**
   * A file.
   *
   * @get /blob
   */
  blob(): Blob {
    return new Blob(['a'])
  }

  /**
   * Events.
   *
   * @get /events
   */
  async *events(): AsyncIterable<{ at: Date }> {
    yield { at: new Date(0) }
  }

  /**
   * Events without an end.
   *
   * @get /endless
   */
  async *endless(): AsyncIterable<bigint> {
    try {
      for (let count = 0n; ; count++) yield count
    } finally {
      ended.resolve()
    }
  }

  /**
   * Waits until somebody stopped reading them.
   *
   * @get /ended
   */
  async ended(): Promise<string> {
    await ended.promise
    return 'ended'
  }

  /**
   * Anything.
   *
   * @get /rendered
   */
  rendered(): Rendered {
    return this.render({ status: 200, json: 1 })
  }

  /**
   * Elsewhere.
   *
   * @get /elsewhere
   * @returns 303 elsewhere
   */
  elsewhere(): Rendered {
    return this.redirectTo('/answers/table', 303)
  }

  /**
   * A file, and more.
   *
   * @post /files
   */
  files(
    file: UploadedFile,
    more: UploadedFile[] = [],
    tags?: string[],
    note?: { at: Date },
    title?: string,
  ): string {
    return `${file.name} ${more.length} ${String(tags)} ${String(note)} ${title}`
  }

  /**
   * It is late.
   *
   * @exception {Late} 423
   */
  late(error: Late): { until: Date } {
    return { until: error.until }
  }

  /**
   * What nobody thought of.
   *
   * @exception {Error} default
   */
  unexpected(error: Error): Rendered {
    return this.render({ status: 500, json: { error: error.name } })
  }
}
