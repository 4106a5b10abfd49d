/** Notices what changes among the files of the application that a build reads. A folder is watched by itself, for on Linux
 *  neither `fs.watch` with `recursive` nor chokidar 5 notices all: the first loses a file when a new one takes its name
 *  (Node 20), the second what follows within 50 ms, and a folder that is removed and made again at once. */
import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { WatchOptions } from './watch-options.ts'

/** Watches `app/`, package.json, tsconfig.json and `more` under `cwd`, there or not, until it is closed. */
export function watchFiles(cwd: string, options: WatchOptions): { close(): void } {
  const root = resolve(cwd)
  const tops = watchedTops(root, options.more)
  const isOurs = (path: string): boolean => tops.some((top) => path === top || path.startsWith(top + sep))
  const folder = new WatchedFolder(root, { ...options, isOurs, above: [] })
  return folder
}

/** Whatever lies there, or below, is the application's. */
export const watchedTops = (root: string, more: readonly string[] = []): readonly string[] =>
  ['app', 'package.json', 'tsconfig.json', ...more].map((name) => join(root, name))

interface FolderOptions extends WatchOptions {
  readonly isOurs: (path: string) => boolean
  /** The real paths of the folders above: a link to one of them is not followed. */
  readonly above: readonly string[]
}

/** A folder with those below it. Each hears of its own entries, so that a folder that comes or goes is heard above. */
class WatchedFolder {
  readonly #path: string
  readonly #options: FolderOptions
  readonly #below = new Map<string, WatchedFolder>()
  readonly #watcher: FSWatcher | null

  constructor(path: string, options: FolderOptions) {
    this.#path = path
    this.#options = options
    this.#watcher = this.#listen()
    if (this.#watcher !== null) for (const name of foldersIn(path)) this.#follow(name)
  }

  close(): void {
    this.#watcher?.close()
    for (const folder of this.#below.values()) folder.close()
  }

  #listen(): FSWatcher | null {
    const { changed, failed } = this.#options
    try {
      return watch(this.#path, (event, name) => {
        if (name === null) return changed(this.#path)
        if (event === 'rename') this.#follow(name)
        if (this.#options.isOurs(join(this.#path, name))) changed(join(this.#path, name))
      }).on('error', (error) => isGone(error) || failed(error))
    } catch (error) {
      if (!isGone(error)) failed(error)
      return null
    }
  }

  /** Watches a folder of that name, were it another one than before. */
  #follow(name: string): void {
    this.#below.get(name)?.close()
    this.#below.delete(name)
    const { isOurs, above } = this.#options
    const path = join(this.#path, name)
    const real = isOurs(path) ? realFolder(path) : null
    if (real === null || above.includes(real)) return
    this.#below.set(name, new WatchedFolder(path, { ...this.#options, above: [...above, real] }))
  }
}

/** Where the folder at `path` really lies; null when there is none. */
function realFolder(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : null
  } catch {
    return null
  }
}

/** What may be a folder there. */
function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [] : [entry.name]))
  } catch {
    return []
  }
}

/** Folders vanish between two looks; Windows says EPERM then. What may not be read says the build. */
const gone = new Set(['ENOENT', 'ENOTDIR', 'EPERM', 'EACCES'])
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && gone.has(String(error.code))
