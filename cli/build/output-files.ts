/** The files that builds write. What is on disk already keeps its time stamps. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { outputDigest, unixLines } from './up-to-date.ts'

export interface BuiltFile {
  /** Absolute. */
  readonly path: string
  readonly content: string | Uint8Array
}

/** Writes the files of one build after the other; contents of the last build are not hashed again. */
export class OutputFiles {
  readonly #known = new Map<string, { readonly content: BuiltFile['content']; readonly digest: string }>()

  /** Whether the last build wrote what is at `path`, and just that. */
  isAsWritten(path: string): boolean {
    const known = this.#known.get(path)
    return known !== undefined && isOnDisk({ path, content: known.content })
  }

  /** Writes what is not on disk, and returns the digest of each. */
  write(files: readonly BuiltFile[]): readonly {
    readonly path: string
    readonly digest: string
    readonly isChanged: boolean
  }[] {
    return files.map((file) => {
      const { path, content } = file
      const known = this.#known.get(path)
      const isChanged = !isOnDisk(file)
      if (isChanged) writeFile(file)
      const digest = known?.content === content ? known.digest : outputDigest(content)
      this.#known.set(path, { content, digest })
      return { path, digest, isChanged }
    })
  }
}

/** Other line ends stay: git made them at a checkout. */
function isOnDisk({ path, content }: BuiltFile): boolean {
  try {
    const found = readFileSync(path)
    if (found.equals(typeof content === 'string' ? Buffer.from(content) : content)) return true
    return typeof content === 'string' && found.includes('\r\n') && unixLines(found) === content
  } catch {
    return false
  }
}

function writeFile({ path, content }: BuiltFile): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
