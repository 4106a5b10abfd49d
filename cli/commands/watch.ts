/** `acmcp build --watch`: builds, and builds again whenever the application changes. */
import { once } from 'node:events'
import { type FSWatcher, watch as watchFiles } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, settingsOf } from './build-options.ts'
import { changesSince, readState } from './build-state.ts'
import { diskHost } from './disk.ts'
import { fullBuild, type Last, newSession, type Session } from './full-build.ts'
import { observed } from './observations.ts'

/** Files of the application's directory itself that a build reads. */
const settings = new Set(['package.json', 'tsconfig.json'])
/** Editors save in several steps. */
const settleMs = 30

/** Builds until `signal` is aborted. Watches `app/`, package.json and tsconfig.json; what lies elsewhere, such as
 *  installed packages, is read again with the next change. */
export async function watch(options: BuildOptions, signal: AbortSignal): Promise<0> {
  const session = newSession()
  const changes = new EventTarget()
  let isDirty = true
  const changed = (): void => {
    isDirty = true
    changes.dispatchEvent(new Event('change'))
  }
  const watchers = watchersOf(options.cwd, changed)
  signal.addEventListener('abort', changed)
  while (!signal.aborted) {
    if (isDirty) {
      isDirty = false
      await fullBuild(options, lastOf(options, session), session)
      continue
    }
    await once(changes, 'change')
    await new Promise((done) => setTimeout(done, settleMs))
  }
  for (const watcher of watchers) watcher.close()
  return 0
}

function lastOf(options: BuildOptions, { made }: Session): Last | null {
  const state = made?.state ?? readState(options.cwd)
  if (state === null) return null
  const seen = observed(diskHost(options.cwd))
  return { state, seen, changes: changesSince(state, seen.host, settingsOf(options)) }
}

function watchersOf(cwd: string, changed: () => void): readonly FSWatcher[] {
  return [
    watchFiles(join(cwd, 'app'), { recursive: true }, changed),
    watchFiles(cwd, (_event, name) => {
      if (name !== null && settings.has(name)) changed()
    }),
  ]
}
