/** What tells of changes among the files of an application: the system, or a look at all of them where it tells of none. */
import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { noPaths, type ReadPaths } from '../../../build/read-paths.ts'
import { pollFiles } from './polled-files.ts'
import type { ChangeSource, WatchOptions } from './watch-options.ts'
import { watchFiles } from './watched-files.ts'

/** Watches `app/`, package.json, tsconfig.json and `more` under `cwd`, there or not, and what `read` is told, until it is closed. */
export async function watchChanges(
  cwd: string,
  isPolling: boolean,
  options: WatchOptions,
): Promise<ChangeSource> {
  if (isPolling) return pollFiles(cwd, options)
  const files = watchFiles(cwd, options)
  const outside = new OutsideFiles(options.changed)
  return {
    read: (paths) => outside.watch(paths),
    close() {
      files.close()
      outside.close()
    },
  }
}

/** Notices what changes among the files beside `app/` that a build read, of the application's own folder or of another package of a monorepo:
 *  hears of the folders of the files that were named last. */
class OutsideFiles {
  readonly #changed: (path: string) => void
  readonly #watched = new Map<string, { readonly watcher: FSWatcher; readonly id: number | undefined }>()
  #paths: ReadPaths = noPaths

  constructor(changed: (path: string) => void) {
    this.#changed = changed
  }

  /** Watches these files and folders, and no others from now on. Returns whether one of the folders is new: the watcher missed what changed
   *  there until now. */
  watch(paths: ReadPaths): boolean {
    this.#paths = paths
    const wanted = new Set([...paths.folders, ...[...paths.files].map((file) => dirname(file))])
    for (const [folder, { id }] of this.#watched)
      if (!wanted.has(folder) || idOf(folder) !== id) this.#leave(folder)
    const entered = [...wanted].filter((folder) => !this.#watched.has(folder))
    for (const folder of entered) this.#enter(folder)
    return entered.length > 0
  }

  close(): void {
    this.watch(noPaths)
  }

  /** A folder that is gone, or that may not be watched, is tried again after the next build. */
  #enter(folder: string): void {
    try {
      const watcher = watch(folder, (event, name) => {
        const isListed = event === 'rename' && this.#paths.folders.has(folder)
        const path = join(folder, name ?? '')
        if (name === null || isListed || this.#paths.files.has(path)) this.#changed(path)
      }).on('error', () => this.#leave(folder))
      this.#watched.set(folder, { watcher, id: idOf(folder) })
    } catch {}
  }

  #leave(folder: string): void {
    this.#watched.get(folder)?.watcher.close()
    this.#watched.delete(folder)
  }
}

/** Another one of the same name has another. */
const idOf = (folder: string): number | undefined => statSync(folder, { throwIfNoEntry: false })?.ino
