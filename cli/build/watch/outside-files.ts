/** Notices what changes beside files beyond the application's folder, such as those of another package of a monorepo. */
import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Hears of the folders of the files that were named last. Which of their files count says the build. */
export class OutsideFiles {
  readonly #changed: () => void
  readonly #watched = new Map<string, { readonly watcher: FSWatcher; readonly id: number | undefined }>()

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Watches the folders of these files, and no others from now on. Returns whether one of them is new: nobody heard of what changed
   *  there until now. */
  watch(files: readonly string[]): boolean {
    const wanted = new Set(files.map((file) => dirname(file)))
    for (const [folder, { id }] of this.#watched)
      if (!wanted.has(folder) || idOf(folder) !== id) this.#leave(folder)
    const entered = [...wanted].filter((folder) => !this.#watched.has(folder))
    for (const folder of entered) this.#enter(folder)
    return entered.length > 0
  }

  close(): void {
    this.watch([])
  }

  /** A folder that is gone, or that may not be watched, is tried again after the next build. */
  #enter(folder: string): void {
    try {
      const watcher = watch(folder, () => this.#changed()).on('error', () => this.#leave(folder))
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
