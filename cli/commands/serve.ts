/** `acmcp serve`: runs the last build, with `--watch` each one after it too. Never loads the compiler. */
import { availableParallelism } from 'node:os'
import type { RunningServer, ServeOptions } from '../../runtime/serve/serve.ts'

export interface ServeCommandOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Applies pending migrations also in production. */
  readonly migrate: boolean
  /** Serves each new build as soon as it is there. */
  readonly watch: boolean
  /** How many processes serve; null = as many as there is parallelism, absent = this one. */
  readonly workers?: number | null
  /** Whether a supervisor started this process. */
  readonly worker: boolean
  /** The program of this command line. */
  readonly main: string
  readonly print: (line: string) => void
  readonly logStream?: NonNullable<ServeOptions['logStream']>
  /** Whether `print` writes to a terminal. */
  readonly isTerminal: boolean
  readonly warn: (line: string) => void
}

/** Serves until `close` is called; null when the application must not start, after a clear line for each reason. */
export async function serveApplication(options: ServeCommandOptions): Promise<RunningServer | null> {
  try {
    const { loadEnvFile } = await import('../../runtime/serve/env-file.ts')
    if (!options.worker) loadEnvFile(options.cwd) // it has the variables of who started it
    return await serveAs(options)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'BootError') throw error
    for (const line of error.message.split('\n')) options.warn(`acmcp: ${line}`)
    return null
  }
}

async function serveAs(options: ServeCommandOptions): Promise<RunningServer> {
  const { worker, workers, watch, main, migrate, ...common } = options
  if (worker) return (await import('../../runtime/serve/worker.ts')).serveAsWorker(options)
  if (!watch && workers === undefined) return (await import('../../runtime/serve/serve.ts')).serve(options)
  const args = ['serve', '--worker', ...(watch ? ['--watch'] : []), ...(migrate ? ['--migrate'] : [])]
  const count = workers === undefined ? 1 : (workers ?? availableParallelism())
  const supervised = { ...common, worker: { exec: main, args }, count }
  if (watch) return (await import('../../runtime/serve/serve-watch.ts')).serveWatch(supervised)
  return (await import('../../runtime/serve/workers/serve-workers.ts')).serveWorkers(supervised)
}
