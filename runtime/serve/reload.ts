/** `acmcp serve --watch`: serves each build of an application as soon as it is there, on the same port. Connections and the
 *  streams of MCP clients go on, and are told when the list of tools is another. Source: decisions.md, notification stream. */
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { bundleDigest, loadBundleAgain } from '../boot/bundle.ts'
import type { Application } from '../boot/compose.ts'
import type { AppBundle } from '../contract/bundle.ts'
import { createFront, type Front } from './front.ts'
import type { Say } from './say.ts'

/** An application with the work that is done beside it. */
export interface Running {
  readonly application: Application
  readonly close: () => Promise<void>
}

export interface ReloadOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly at: { readonly host: string; readonly port: number }
  /** Which build is served first. */
  readonly digest: string | null
  readonly start: (bundle: AppBundle) => Promise<Running>
  /** Says what became of a new build, a line each. */
  readonly say: Say
}

/** Serves `first` and what is built after it. A build that cannot be served is told, and the one before goes on. */
export async function serveBuilds(
  first: Running,
  options: ReloadOptions,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const front = createFront()
  const builds = new Builds(front, options)
  await readyOrClosed(first)
  await builds.turnTo(first)
  const address = await front.listen(options.at)
  const stopWatching = onNewBuild(options, (digest) => builds.load(digest))
  const close = async (): Promise<void> => {
    await stopWatching()
    await builds.close()
  }
  return { address, close }
}

/** Plugins may refuse to start. */
async function readyOrClosed({ application, close }: Running): Promise<void> {
  try {
    await application.server.ready()
  } catch (error) {
    await close()
    throw error
  }
}

class Builds {
  readonly #front: Front
  readonly #options: ReloadOptions
  readonly #retiring = new Set<Promise<void>>()
  #running: Running | null = null

  constructor(front: Front, options: ReloadOptions) {
    this.#front = front
    this.#options = options
  }

  /** Whether the build is served now. */
  async load(digest: string): Promise<boolean> {
    const { cwd, start, say } = this.#options
    try {
      const next = await start(await loadBundleAgain(cwd, digest))
      await readyOrClosed(next)
      await this.turnTo(next)
      say('info', 'acmcp serves the new build')
      return true
    } catch (error) {
      say('error', `acmcp: the new build is not served: ${textOf(error)}`)
      return false
    }
  }

  /** `next` is ready. */
  async turnTo(next: Running): Promise<void> {
    const { server, streams } = next.application
    const before = this.#running
    this.#running = next
    const answered = this.#front.turnTo(server.server)
    if (before === null) return
    const retiring = answered
      .then(before.close)
      .catch((error: unknown) =>
        this.#options.say('error', `acmcp: the old build did not close: ${textOf(error)}`),
      )
      .finally(() => this.#retiring.delete(retiring))
    this.#retiring.add(retiring)
    await streams.adopt(before.application.streams.release())
  }

  async close(): Promise<void> {
    this.#running?.application.drain()
    await this.#front.close()
    await Promise.all([...this.#retiring, this.#running?.close()])
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A build writes several files. */
const settleMs = 50

/** Calls `load` with the digest of every new build, one after the other; one that could not be loaded is tried again when
 *  something changes. Answers what ends it. */
function onNewBuild(
  { cwd, digest, say }: ReloadOptions,
  load: (digest: string) => Promise<boolean>,
): () => Promise<void> {
  let known = digest
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    const now = bundleDigest(cwd)
    if (now !== null && now !== known) known = (await load(now)) ? now : null
  }
  const failed = (error: unknown): void =>
    say('error', `acmcp: the new build cannot be read: ${textOf(error)}`)
  const next = (): Promise<void> => turn.then(look).catch(failed)
  let turn = Promise.resolve()
  const stopWatching = watchBundle(cwd, () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      turn = next()
    }, settleMs)
  })
  turn = next() // one may have ended while the application started
  return async () => {
    stopWatching()
    clearTimeout(timer)
    await turn
  }
}

/** Watches `.acmcp/` and the folder it lies in, for it may be removed and made anew. Answers what ends it. */
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
