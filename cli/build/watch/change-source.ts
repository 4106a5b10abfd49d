/** What tells of changes among the files of an application: the system, or a look at all of them where it tells of none. */
import { OutsideFiles } from './outside-files.ts'
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
