/** A form, however it was sent: texts by name and, of multipart forms, files by name. */
import type { FormFields } from '../contract.ts'
import type { UploadedFile } from './upload.ts'

const noFiles: ReadonlyMap<string, readonly UploadedFile[]> = new Map()

export class Form implements FormFields {
  readonly #texts: URLSearchParams
  readonly #files: ReadonlyMap<string, readonly UploadedFile[]>

  constructor(texts: URLSearchParams, files: ReadonlyMap<string, readonly UploadedFile[]> = noFiles) {
    this.#texts = texts
    this.#files = files
  }

  has(name: string): boolean {
    return this.#texts.has(name) || this.#files.has(name)
  }

  getAll(name: string): readonly string[] {
    return this.#texts.getAll(name)
  }

  /** Files arrive as a list of `UploadedFile`, which no text and no JSON can stand for. */
  filesOf(name: string): readonly UploadedFile[] | null {
    return this.#files.get(name) ?? null
  }

  entries(): Iterable<readonly [string, unknown]> {
    return [...this.#texts, ...this.#files]
  }
}
