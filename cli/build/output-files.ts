/** The files that builds write. What is on disk already keeps its time stamps. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { outputDigest } from './up-to-date.ts'

export interface BuiltFile {
  /** Absolute. */
  readonly path: string
  readonly content: string | Uint8Array
}

/** What a file held after a build, and the stamp that it had then. */
interface Known {
  readonly content: BuiltFile['content']
  readonly digest: string
  readonly stamp: string
}

/** Writes the files of one build after the other; those that are as the last build left them are neither read nor hashed. */
export class OutputFiles {
  readonly #known = new Map<string, Known>()

  /** Writes what is not on disk, and returns the digest of each. */
  write(files: readonly BuiltFile[]): readonly {
    readonly path: string
    readonly digest: string
    readonly isChanged: boolean
  }[] {
    return files.map((file) => {
      const { path, content } = file
      const known = this.#known.get(path)
      const isSame = known !== undefined && isEqual(known.content, content)
      if (isSame && known.stamp === stampOf(path)) return { path, digest: known.digest, isChanged: false }
      const isChanged = !isOnDisk(file)
      if (isChanged) writeFile(file)
      const digest = isSame ? known.digest : outputDigest(content)
      this.#known.set(path, { content, digest, stamp: stampOf(path) })
      return { path, digest, isChanged }
    })
  }
}

function isEqual(a: BuiltFile['content'], b: BuiltFile['content']): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return Buffer.from(a.buffer, a.byteOffset, a.length).equals(b)
}

/** Another after every change of a file. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? '' : [found.ino, found.size, found.mtimeMs, found.ctimeMs].join('/')
}

function isOnDisk({ path, content }: BuiltFile): boolean {
  try {
    return readFileSync(path).equals(typeof content === 'string' ? Buffer.from(content) : content)
  } catch {
    return false
  }
}

function writeFile({ path, content }: BuiltFile): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
