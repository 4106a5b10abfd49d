/** `acmcp dev`: builds, watches and serves in one process tree. The compiler runs here, the application in a worker. */
import type { DevServer, DevServerOptions } from '../../../../runtime/serve/dev/dev-server.ts'
import {
  type BuildListener,
  type BuildPart,
  readOrNull,
  type WrittenBuild,
} from '../../../build/build-options.ts'
import { withEnvFile } from '../../../command-line/add-command.ts'
import { boundedOutputs } from '../../../command-line/bounded-outputs.ts'
import {
  type Add,
  addExamples,
  type CommandContext,
  partsInCapabilities,
} from '../../../command-line/command.ts'
import { endAtNextSignal, endSoon, stopSignal } from '../../../command-line/stopping.ts'
import { cacheCompiledCode } from '../../../command-line/v8-options.ts'
import { type Contents, changeLines } from '../changes.ts'
import { mistakesOf } from '../mistakes.ts'

export const place = 120

export const add: Add = (program, start) => {
  const command = program
    .command('dev')
    .description(
      'build, watch and serve: each build as soon as it is there, with the variables of .env (development)',
    )
    .option('--poll', 'look for changes where the file system tells of none')
    .allowExcessArguments(false)
    .action((flags: DevFlags) => start((context) => run(flags, context)))
  addExamples(command, ['acmcp dev', 'PORT=8080 DEV_LOGIN=1 acmcp dev'])
}

interface DevFlags {
  readonly poll?: boolean
}

/** Builds and serves until the process is stopped; the exit code is 1 when it must not start, or cannot watch. */
export async function run({ poll = false }: DevFlags, context: CommandContext): Promise<number> {
  const { cwd, warn } = context
  cacheCompiledCode()
  const { isElsewhere } = await import('../../../build/elsewhere.ts')
  if (isElsewhere(cwd)) {
    const { buildIfChanged } = await import('../../../build/build-if-changed.ts')
    return buildIfChanged({ ...(await settings()), ...shownBy(context), cwd })
  }
  const leave = boundedOutputs(process, { isLog: false })
  const signal = stopSignal()
  signal.addEventListener('abort', () => {
    endAtNextSignal(warn)
    endSoon(warn)
  })
  return leave(await withEnvFile(cwd, warn, () => buildAndServe({ ...context, isPolling: poll }, signal))) // what it left running does not keep it
}

/** Of the process, no more than is needed to build and serve. */
interface ServingContext
  extends Pick<CommandContext, 'cwd' | 'env' | 'main' | 'print' | 'warn' | 'errors' | 'progress'> {
  /** Absent = only where the file system tells of no changes. */
  readonly isPolling?: boolean
}

/** What `run` does until the signal, in whatever process. */
export async function buildAndServe(options: ServingContext, signal: AbortSignal): Promise<0 | 1> {
  const { cwd, env, main, print, warn } = options
  const { startDevServer } = await import('../../../../runtime/serve/dev/dev-server.ts')
  const worker = { exec: main, args: ['serve', '--watch', '--worker'] }
  const say: DevServerOptions['say'] = (level, line) => (level === 'info' ? print : warn)(line)
  const starting = startDevServer({ cwd, env, worker, say })
  const loading = import('../watch/watch.ts') // the compiler, meanwhile
  const server = await starting.catch((error: unknown) => {
    if (!signal.aborted) throw error
    return null // a terminal ends the worker too
  })
  if (server === null) return 0
  const close = (): void => void server.close().catch(() => {}) // at once: a worker that ends with us is no crash
  signal.addEventListener('abort', close)
  let code: 0 | 1 = 1
  try {
    const { watch } = await loading
    const { pollReason } = await import('../watch/poll-reason.ts')
    const poll = pollReason([cwd, `${cwd}/app`], { isWanted: options.isPolling === true, env })
    const quiet = { ...options, print: quietBy(signal, print), warn: quietBy(signal, warn) }
    const { contentsOf } = await import('../contents.ts')
    const listener = listenerOf(server, quiet, contentsOf)
    code = await watch({ ...(await settings()), ...shownBy(quiet), cwd, listener, poll }, signal, [
      'generated',
    ])
  } finally {
    signal.removeEventListener('abort', close)
    await server.close().catch((error: unknown) => {
      warn(`acmcp: ${String(error)}`)
      code = 1
    })
  }
  return code
}

/** What a terminal ends with us, such as esbuild, is no mistake of the application. */
const quietBy =
  (signal: AbortSignal, show: (line: string) => void) =>
  (line: string): void => {
    if (!signal.aborted) show(line)
  }

const shownBy = ({ errors: { colour }, progress, print, warn }: ServingContext) =>
  ({ format: 'text', colour, print, warn, ...(progress === null ? {} : { progress }) }) as const

/** Those of `acmcp build`, so that it finds nothing to do afterwards. */
const settings = async () =>
  ({
    check: false,
    overwrite: false,
    typecheck: false,
    strict: false,
    parts: await partsInCapabilities<BuildPart>('build-part.js'),
  }) as const

/** Hands each build to the server, and says what changed and where mistakes are shown. */
function listenerOf(
  server: DevServer,
  { cwd, print }: ServingContext,
  contentsOf: (model: WrittenBuild['model']) => Contents,
): BuildListener {
  const readFile = (file: string): string | null => readOrNull(`${cwd}/${file}`)
  let before: Contents | null = null
  let isAddressPrinted = false
  let isBroken = false
  const printAddress = (): void => {
    if (isAddressPrinted || server.trouble === null) return
    isAddressPrinted = true
    print(whereMistakesAre(server))
  }
  return {
    failed(diagnostics) {
      isBroken = true
      void server.failed(mistakesOf(diagnostics, readFile)).then(printAddress)
    },
    written({ diagnostics, summary, model }) {
      const contents = contentsOf(model)
      void server.built(mistakesOf(diagnostics, readFile)).then(printAddress)
      if (isBroken) print('the mistakes are mended')
      isBroken = false
      for (const line of before === null ? summary : changeLines(before, contents)) print(line)
      before = contents
    },
  }
}

function whereMistakesAre({ isServing, reportAddress: address }: DevServer): string {
  if (!isServing) return `acmcp: ${address} shows what is wrong until it is mended`
  const where = address === null ? '' : `; ${address} shows what is wrong`
  return `acmcp: the last good build is served${where}`
}
