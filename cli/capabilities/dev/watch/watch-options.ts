/** What a watcher of files is told, and what it returns. */
import type { ReadPaths } from '../../../build/read-paths.ts'

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
   *  changed until now unnoticed. */
  read(paths: ReadPaths): boolean
  close(): void
}
