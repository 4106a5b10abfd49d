/** `acmcp serve --watch`: a supervisor with one worker, which a new one replaces whenever a build lies there. */
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { bundleDigest } from '../boot/bundle.ts'
import { type Say, sayBy } from './say.ts'
import type { RunningServer } from './serve.ts'
import { startSupervisor } from './supervisor.ts'

export interface ServeWatchOptions {
  /** The application's folder. */
  readonly cwd: string
  /** The program that serves as a worker. */
  readonly worker: { readonly exec: string; readonly args: readonly string[] }
  /** How many. */
  readonly count: number
  /** Receives what the first worker says, and what became of each new build: a line each, JSON unless people read it. */
  readonly print: (line: string) => void
  /** Whether `print` writes to a terminal. */
  readonly isTerminal: boolean
}

/** Serves the build that lies there and every one after it. A build that does not start is told, and the one before goes
 *  on. Throws `BootError` with one clear line when the first must not start. */
export async function serveWatch({
  cwd,
  worker,
  count,
  print,
  isTerminal,
}: ServeWatchOptions): Promise<RunningServer> {
  const say = sayBy(print, isTerminal)
  const digest = bundleDigest(cwd)
  const supervisor = await startSupervisor({ program: { ...worker, cwd }, count, standby: true, say })
  const stopWatching = onNewBuild({ cwd, digest, say }, () => supervisor.replace())
  const close = (): Promise<void> => {
    stopWatching()
    return supervisor.close()
  }
  return { address: supervisor.address, close }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A build writes several files. */
const settleMs = 50

interface BuildWatch {
  readonly cwd: string
  /** Names the build that is served. */
  readonly digest: string | null
  readonly say: Say
}

/** Calls `load` for every new build, one after the other, and says what became of it; one that could not be loaded is
 *  tried again when something changes. What was read while it was being written is not told as a build. Returns what ends
 *  it. */
function onNewBuild({ cwd, digest, say }: BuildWatch, load: () => Promise<void>): () => void {
  let known = digest
  let reported = ''
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const look = async (): Promise<void> => {
    if (stopped) return // it waited for the load of the build before
    const now = bundleDigest(cwd)
    if (now === null || now === known) return
    const failure = await load().then(() => null, textOf)
    if (stopped) return
    known = failure === null ? now : null
    if (bundleDigest(cwd) !== now) return look()
    if (failure === null) say('info', 'acmcp serves the new build')
    else if (failure !== reported) say('error', `acmcp: the new build is not served: ${failure}`)
    reported = failure ?? ''
  }
  const failed = (error: unknown): void =>
    say('error', `acmcp: the new build cannot be read: ${textOf(error)}`)
  let turn = Promise.resolve()
  const stopWatching = watchBundle(cwd, () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      turn = turn.then(look).catch(failed)
    }, settleMs)
  })
  turn = turn.then(look).catch(failed) // one may have ended before it was watched for
  return () => {
    stopped = true
    stopWatching()
    clearTimeout(timer)
  }
}

/** Watches `.acmcp/` and the folder it lies in, for it may be removed and made anew. Returns what ends it. */
function watchBundle(cwd: string, changed: () => void): () => void {
  const open = (): FSWatcher | null => {
    try {
      return watch(join(cwd, '.acmcp'), changed).on('error', () => {}) // it went: the other watcher tells
    } catch {
      return null // it is not there
    }
  }
  let inner = open()
  const outer = watch(cwd, (_event, name) => {
    if (name !== '.acmcp') return
    inner?.close()
    inner = open()
    changed()
  })
  return () => {
    outer.close()
    inner?.close()
  }
}
