/** What `acmcp dev` serves: each build as soon as it is told, the one before while that has mistakes or does not start, and what the
 *  last one said while there is none. One supervisor with one worker, and one that waits. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BootError } from '../../boot/boot-error.ts'
import { bundleDigest } from '../../boot/bundle.ts'
import type { BuildReport, Mistake } from '../../contract/build-report.ts'
import { isLoopbackHost } from '../../loopback.ts'
import type { Say } from '../say.ts'
import { type Supervisor, startSupervisor } from '../supervisor.ts'

export interface DevServerOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The program that serves as a worker. */
  readonly worker: { readonly exec: string; readonly args: readonly string[] }
  readonly say: Say
}

export interface DevServer {
  /** A build lies there: resolves when it is served, or was found not to start. */
  built(warnings: readonly Mistake[]): Promise<void>
  /** The build has mistakes: resolves when whatever there is to serve is served. */
  failed(mistakes: readonly Mistake[]): Promise<void>
  /** What is wrong with the last build; null = nothing. */
  readonly trouble: BuildReport | null
  /** Whether an application serves, not just the report. */
  readonly isServing: boolean
  /** Where a browser sees the report; null where the application has a route of its own. */
  readonly reportAddress: string | null
  /** Ends everything in order; what is told from then on is not served. */
  close(): Promise<void>
}

/** Answers at the port from the first. Throws `BootError` with a clear line when it must not start, as in production. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  if (options.env.NODE_ENV === 'production')
    throw new BootError('dev is for development: in production acmcp build and acmcp serve take its place')
  const builds = new Builds(options)
  const supervisor = await startSupervisor({
    program: { ...options.worker, cwd: options.cwd },
    count: 1,
    standby: true,
    say: options.say,
    task: () => ({ serves: builds.isWanted ? 'application' : 'report', report: builds.shown }),
  })
  builds.serveBy(supervisor)
  if (isReachable(options)) options.say('warn', reachableText(options))
  return builds
}

/** Whether other machines may ask: the workers listen on loopback where there is no `HOST`. */
const isReachable = ({ env: { HOST } }: DevServerOptions): boolean =>
  HOST !== undefined && HOST !== '' && !isLoopbackHost(HOST)

const reachableText = ({ env: { HOST } }: DevServerOptions): string =>
  `acmcp: with HOST=${HOST} other machines may reach this server: its page of mistakes leaves the source out, the terminal shows it`

/** Serves one build after the other. */
class Builds implements DevServer {
  report: BuildReport = { kind: 'building' }
  /** Whether a worker that is started now is one of the application. */
  isWanted = false
  isServing = false
  readonly #options: DevServerOptions
  #supervisor: Supervisor | null = null
  /** The build that serves, and the one that was tried last. */
  #served: string | null = null
  #tried: string | null = null
  #turn: Promise<void> = Promise.resolve()
  #closed: Promise<void> | null = null

  constructor(options: DevServerOptions) {
    this.#options = options
  }

  get reportAddress(): string | null {
    return this.#supervisor?.reportAddress ?? null
  }

  /** The report for clients that can reach the server. */
  get shown(): BuildReport {
    return isReachable(this.#options) ? withoutSource(this.report) : this.report
  }

  get trouble(): BuildReport | null {
    return this.report.kind === 'failed' || this.report.kind === 'refused' ? this.report : null
  }

  serveBy(supervisor: Supervisor): void {
    this.#supervisor = supervisor
  }

  built(warnings: readonly Mistake[]): Promise<void> {
    this.#report({ kind: 'built', mistakes: warnings.map((warning) => this.#withoutOutside(warning)) })
    return this.#inTurn(() => this.#serve())
  }

  /** What lies there from an earlier time is better than nothing; why that does not start is of no interest now. */
  failed(mistakes: readonly Mistake[]): Promise<void> {
    this.#report({ kind: 'failed', mistakes: mistakes.map((mistake) => this.#withoutOutside(mistake)) })
    return this.#inTurn(async () => {
      if (!this.isServing && bundleDigest(this.#options.cwd) !== this.#tried) await this.#serve()
    })
  }

  close(): Promise<void> {
    this.#closed ??= this.#supervisor?.close() ?? Promise.resolve()
    return this.#closed
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work)
    return this.#turn
  }

  #report(report: BuildReport): void {
    this.report = report
    this.#supervisor?.report(this.shown)
  }

  /** Serves the build that lies there, were it another one. */
  async #serve(): Promise<void> {
    const now = bundleDigest(this.#options.cwd)
    if (this.#closed !== null || now === null || now === this.#served) return
    const { isServing } = this
    const failure = await this.#replace()
    if (this.#closed !== null) return
    this.#tried = now
    if (failure === null) this.#served = now
    if (bundleDigest(this.#options.cwd) !== now) return this.#serve() // it was written while it was read
    if (failure !== null && this.report.kind === 'built') this.#refused(failure)
    else this.#report(this.report) // what was told while it started
    if (failure === null && isServing) this.#options.say('info', 'acmcp serves the new build')
  }

  /** What the first application says of its addresses is said when they are its alone. */
  async #replace(): Promise<Error | null> {
    const said: Parameters<Say>[] = []
    this.isWanted = true
    try {
      await this.#supervisor?.replace(this.isServing ? undefined : (...line) => void said.push(line))
      this.isServing = true
      for (const line of said) this.#options.say(...line)
      return null
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    } finally {
      this.isWanted = this.isServing
    }
  }

  /** The stack is for the terminal alone, and there for the application's part of it. */
  #refused(failure: Error): void {
    const { name, message, stack = message } = failure
    const [title = message, ...frames] = name === 'BootError' ? [message] : stack.split(/\n(?= +at )/)
    const own = frames.filter((frame) => !frame.includes('node:') && !frame.includes(packageFolder))
    this.#report({ kind: 'refused', why: withoutOutside(title, this.#options.cwd) })
    this.#options.say('error', [`acmcp: the new build is not served: ${title}`, ...own].join('\n'))
  }

  #withoutOutside({ message, hint, ...mistake }: Mistake): Mistake {
    const { cwd } = this.#options
    return { ...mistake, message: withoutOutside(message, cwd), hint: withoutOutside(hint, cwd) }
  }
}

/** Of the compiled runtime. */
const packageFolder = fileURLToPath(new URL('../../..', import.meta.url))

/** The text with paths as they are seen from the application's folder, and without those of other files. */
function withoutOutside(text: string, cwd: string): string {
  return text.replace(/(?:file:\/\/)?\/[^\s'"`()<>,;]+/g, (found) => {
    const path = found.replace(/^file:\/\//, '')
    if (path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1)
    return existsSync(path.replace(/(:\d+)*[.:]?$/, '')) ? 'a file outside of the application' : found
  })
}

/** What a report says where other machines reach the server, any of which can name `localhost` in a `Host` header: no lines of the source, no
 *  places in it, and no texts of the application. */
export function withoutSource(report: BuildReport): BuildReport {
  switch (report.kind) {
    case 'building':
      return report
    case 'built':
    case 'failed':
      return { ...report, mistakes: report.mistakes.map(withoutPlace) }
    case 'refused':
      return { ...report, why: 'The terminal says why.' }
    default:
      return report satisfies never
  }
}

const withoutPlace = (mistake: Mistake): Mistake => ({ ...mistake, place: null, frame: null })
