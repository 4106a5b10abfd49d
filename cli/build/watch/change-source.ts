/** What tells of changes among the files of an application: the system, or a look at all of them where it tells of none. */
import { OutsideFiles } from './outside-files.ts'
import { pollFiles } from './polled-files.ts'
import type { ReadPaths } from './read-paths.ts'
import { watchFiles } from './watched-files.ts'

export interface WatchOptions {
  /** Receives the path of what changed, at least once after each change. */
  readonly changed: (path: string) => void
  /** The system does not let files be watched; more often than once, perhaps. */
  readonly failed: (error: unknown) => void
  /** Further names of files and folders to watch. */
  readonly more?: readonly string[]
}

export interface ChangeSource {
  /** Watches what a build read beside the application's own files, and nothing that one before it read. Returns whether something there may have
   *  changed until now without anybody's hearing of it. */
  read(paths: ReadPaths): boolean
  close(): void
}

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
