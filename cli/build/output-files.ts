/** The files that builds write, and what a merge left in them. What is on disk already keeps its time stamps. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { mergeConflict } from './build-diagnostics.ts'
import { type BuildOptions, readOrNull } from './build-options.ts'
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

const mergedPaths = ['mcp.yml', 'openapi.yml', 'paths.ts', 'routes.ts'].map((name) => `generated/${name}`)

/** No line that the compiler writes begins so. Source: git-merge, How conflicts are presented. */
const marker = /^(?:<{7}|>{7}|\|{7})(?: |$)/m

/** One diagnostic for all generated files with markers of a conflict, at the first of them; none when there is none. */
export function mergeConflicts({ cwd, parts = [] }: BuildOptions): readonly Diagnostic[] {
  const requested = parts.flatMap(({ file }) => file?.path ?? [])
  const found = [...mergedPaths, ...requested].sort().flatMap((path) => {
    const text = readOrNull(`${cwd}/${path}`)
    const start = text?.search(marker) ?? -1
    if (text === null || start < 0) return []
    return [{ path, at: { file: path, line: text.slice(0, start).split('\n').length, column: 1 } }]
  })
  const [first] = found
  return first === undefined ? [] : [mergeConflict(first.at, found.map(({ path }) => path).join(', '))]
}
