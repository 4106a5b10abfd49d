/** `acmcp serve`: runs the last build, with `--watch` each one after it too. Never loads the compiler. */
import { availableParallelism } from 'node:os'
import { Option } from 'commander'
import type { RunningServer, ServeOptions } from '../../runtime/serve/serve.ts'
import { toCount } from '../command-line/argument-types.ts'
import { boundedOutputs } from '../command-line/bounded-outputs.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { endAtNextSignal, endSoon, onStop } from '../command-line/stopping.ts'
import { cacheCompiledCode } from '../command-line/v8-options.ts'

export const place = 210

export const add: Add = (program, start) => {
  const command = program
    .command('serve')
    .description('serve the last build')
    .option('--migrate', 'bring the store up to date first, in production too')
    .option('--watch', 'serve each new build as soon as it is there (development)')
    .option(
      '--workers <count>',
      'serve with so many processes on one port (PostgreSQL), or auto; SIGHUP restarts them one by one',
      toCount,
    )
    .addOption(new Option('--worker', 'a process of a supervisor').hideHelp())
    .allowExcessArguments(false)
    .action((flags: ServeFlags) => start((context) => run(flags, context)))
  addExamples(command, [
    'acmcp serve',
    'NODE_ENV=production acmcp serve --migrate',
    'acmcp serve --workers 4',
  ])
}

interface ServeFlags {
  readonly migrate?: boolean
  readonly watch?: boolean
  /** How many; null = as many as there is parallelism. */
  readonly workers?: number | null
  readonly worker?: boolean
}

/** Serves until the process is stopped; resolves when it does, to 1 when the application must not start. */
export async function run(flags: ServeFlags, context: CommandContext): Promise<0 | 1> {
  const { cwd, env, main, print, warn, isTerminal } = context
  if (flags.worker === true) cacheCompiledCode() // it starts with every build
  const leave = boundedOutputs(process, { isLog: true })
  const off = { migrate: false, watch: false, worker: false }
  const logStream: ServeOptions['logStream'] = { write: (line) => void process.stdout.write(line) }
  const starting = serveApplication({ ...off, ...flags, cwd, env, main, print, warn, isTerminal, logStream })
  // also while it starts: a supervisor that is killed then leaves its workers behind
  onStop(() => {
    endAtNextSignal(warn)
    endSoon(warn, Number(env.SHUTDOWN_DELAY_SECONDS) || 0)
    void starting
      .then((served) => served?.close())
      .then(
        () => 0,
        (error: unknown) => {
          warn(`acmcp: ${String(error)}`)
          return 1
        },
      )
      .then(leave)
  })
  return (await starting) === null ? 1 : 0
}

interface ServeCommandOptions
  extends Pick<CommandContext, 'cwd' | 'env' | 'main' | 'print' | 'warn' | 'isTerminal'> {
  /** Applies pending migrations also in production. */
  readonly migrate: boolean
  /** Serves each new build as soon as it is there. */
  readonly watch: boolean
  /** How many processes serve; null = as many as there is parallelism, absent = this one. */
  readonly workers?: number | null
  /** Whether a supervisor started this process. */
  readonly worker: boolean
  readonly logStream: NonNullable<ServeOptions['logStream']>
}

/** Serves until `close` is called; null when the application must not start, after a clear line for each reason. */
async function serveApplication(options: ServeCommandOptions): Promise<RunningServer | null> {
  try {
    const { loadEnvFile } = await import('../../runtime/serve/env-file.ts')
    if (!options.worker) loadEnvFile(options.cwd) // it has the variables of the process that started it
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
