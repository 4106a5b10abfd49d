/** `acmcp build --watch`: builds, and builds again whenever the application changes. */
import { setTimeout as wait } from 'node:timers/promises'
import { type BuildSession, buildApplication, createBuildSession } from '../../../build/build.ts'
import { type BuildOptions, settingsOf } from '../../../build/build-options.ts'
import { diskHost } from '../../../build/disk.ts'
import { observed } from '../../../build/observations.ts'
import { changesSince, hasOutputs, readState } from '../../../build/up-to-date.ts'
import { watchChanges } from './change-source.ts'

interface WatchedBuild extends BuildOptions {
  /** Why it looks for changes; absent = the system tells of them. */
  readonly poll?: string | null
}

/** Editors save in several steps. */
const settleMs = 30

/** Builds until `signal` is aborted, and resolves to 0; to 1 when the files cannot be watched. Watches `app/`, package.json,
 *  tsconfig.json, `more`, and whatever else the last build read, but for installed packages: they are read again with the next
 *  change. */
export async function watch(
  options: WatchedBuild,
  signal: AbortSignal,
  more: readonly string[] = [],
): Promise<0 | 1> {
  const changes = new ChangeSignal()
  const failing = new AbortController()
  const failed = (error: unknown): void => {
    if (!failing.signal.aborted) options.warn(`acmcp: the files cannot be watched: ${String(error)}`)
    failing.abort()
    changes.notify()
  }
  const session = createBuildSession(options.cwd)
  let isBuilt = false
  const changed = (path: string): void => {
    const isOurs = isBuilt && session.outputs.isAsWritten(path) // after a build that failed another program wrote it
    if (!isOurs) changes.notify()
  }
  const { poll = null } = options
  if (poll !== null) options.print(`acmcp: files are looked at again and again (${poll})`)
  const files = await watchChanges(options.cwd, poll !== null, { changed, failed, more })
  const stop = (): void => changes.notify()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted && !failing.signal.aborted) {
      changes.reset()
      isBuilt = await buildAgain(options, session, isBuilt)
      if (files.read(session.read) && isBuilt) changes.notify()
      await changes.changed()
      await wait(settleMs)
    }
  } finally {
    signal.removeEventListener('abort', stop)
    files.close()
    await session.bundler.close()
  }
  return failing.signal.aborted ? 1 : 0
}

/** Tells that something changed; what happens while the watcher does not wait is told once. */
class ChangeSignal {
  #isChanged = false
  #wake = (): void => {}

  notify(): void {
    this.#isChanged = true
    this.#wake()
  }

  reset(): void {
    this.#isChanged = false
  }

  /** Resolves when it was notified after the last reset. */
  async changed(): Promise<void> {
    if (this.#isChanged) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }
}

/** Builds what changed since the last build of the session, and resolves to whether all is built. A build that would be that of a moment ago is left out: editors touch files without a change. */
export async function buildAgain(
  options: BuildOptions,
  session: BuildSession,
  isBuilt: boolean,
): Promise<boolean> {
  const state = session.last?.state ?? readState(options.cwd)
  const counts = state?.counts ?? null
  if (session.last === null || state === null) {
    return (await buildApplication(options, { session, since: null, counts })) === 0
  }
  const seen = observed(diskHost(options.cwd))
  const changes = changesSince(state, seen.host, settingsOf(options))
  if (isBuilt && changes?.length === 0 && hasOutputs(state)) return true
  const since = changes === null ? null : { seen, changes }
  return (await buildApplication(options, { session, since, counts })) === 0
}
