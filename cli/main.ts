#!/usr/bin/env node
/** The command line: arguments in, exit code out. Commands are loaded when they are asked for, so that `serve`
 *  never loads the compiler. */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { Command, CommanderError, Option } from 'commander'

const cwd = process.cwd()
const print = (line: string): void => void process.stdout.write(`${line}\n`)
/** https://no-color.org */
const colour = process.stderr.isTTY === true && (process.env.NO_COLOR ?? '') === ''
const warn = (line: string): void => void process.stderr.write(`${line}\n`)

interface BuildFlags {
  readonly check?: boolean
  readonly overwrite?: boolean
  readonly typecheck?: boolean
  readonly watch?: boolean
  readonly format: 'text' | 'json' | 'github'
  readonly openapi: '3.1' | '3.0'
  readonly strict?: boolean
}

/** One line that is written over, on a terminal. */
const progress = (line: string): void => void process.stderr.write(`\r\u001b[K${line}`)

/** Keeps compiled code between runs where Node can (22.1 and later): the compiler is nine megabytes. */
function cacheCompiledCode(): void {
  if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') {
    module.enableCompileCache()
  }
}

/** A build lives for seconds, and V8 spent half of its CPU on optimised code that hardly ran: here a function must be four
 *  times as hot, and less is inlined. Measured with 500 controllers: a quarter less CPU, no more time. */
function optimiseLess(): void {
  if (!process.versions.v8.startsWith('11.')) return // Node 20: later ones have other flags, and print what they do not know
  setFlagsFromString('--interrupt-budget=264000')
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300')
}

async function runBuild({ watch: isWatching = false, ...flags }: BuildFlags): Promise<void> {
  cacheCompiledCode()
  const off = { check: false, overwrite: false, typecheck: false, strict: false }
  const shown = colour && flags.format === 'text' ? { progress } : {}
  const options = { ...off, ...flags, cwd, colour, ...shown, print, warn }
  if (isWatching) {
    const { watch } = await import('./build/watch.ts')
    const stopping = new AbortController()
    process.once('SIGINT', () => stopping.abort())
    process.once('SIGTERM', () => stopping.abort())
    process.exitCode = await watch(options, stopping.signal)
    return
  }
  optimiseLess()
  const { build } = await import('./commands/build.ts')
  process.exitCode = await build({ ...options, once: true })
}

interface ServeFlags {
  readonly migrate?: boolean
  readonly watch?: boolean
  readonly worker?: boolean
}

/** Supervisors kill after ten seconds. */
const mostStoppingMs = 9_500

async function runServe(flags: ServeFlags): Promise<void> {
  if (flags.worker === true) cacheCompiledCode() // it starts with every build
  const { serveApplication } = await import('./commands/serve.ts')
  const isTerminal = process.stdout.isTTY === true
  const off = { migrate: false, watch: false, worker: false }
  const main = import.meta.filename
  const served = await serveApplication({
    ...off,
    ...flags,
    cwd,
    env: process.env,
    main,
    isTerminal,
    print,
    warn,
  })
  if (served === null) {
    process.exitCode = 1
    return
  }
  const stop = (): void => {
    setTimeout(() => {
      warn('acmcp: it did not stop in time')
      process.exit(1)
    }, mostStoppingMs).unref()
    served.close().then(
      () => process.exit(0),
      (error: unknown) => {
        warn(`acmcp: ${String(error)}`)
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

async function runStore(task: string, file?: string): Promise<void> {
  const { store } = await import('./commands/store.ts')
  const target = file === undefined ? {} : { file }
  process.exitCode = await store(task, { cwd, env: process.env, ...target, print, warn })
}

function addStoreCommands(program: Command): void {
  const store = program.command('store').description('look after the store that serve uses')
  const task = (name: string, description: string): Command =>
    store.command(name).description(description).allowExcessArguments(false)
  task('status', 'show engine, migrations and rows; fail when migrations are pending').action(() =>
    runStore('status'),
  )
  task('migrate', 'apply pending migrations').action(() => runStore('migrate'))
  task('purge', 'remove what has expired').action(() => runStore('purge'))
  task('backup', 'copy a SQLite store while it is in use')
    .argument('[file]', 'the copy, which must not exist')
    .action((file?: string) => runStore('backup', file))
}

function versionOfPackage(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}

function createProgram(): Command {
  const program = new Command('acmcp')
    .description('Serves controllers as an HTTP API and as MCP tools')
    .version(versionOfPackage(), '-v, --version', 'print the version')
    .showHelpAfterError()
    .exitOverride()
  program
    .command('build')
    .description('compile the controllers into generated/ and .acmcp/')
    .option('--check', 'write nothing; fail with a diff when generated/ is stale')
    .addOption(
      new Option('--format <format>', 'how problems are shown')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .addOption(
      new Option('--watch', 'build again whenever the application changes').conflicts(['check', 'typecheck']),
    )
    .option('--typecheck', "also run the application's own tsc --noEmit")
    .addOption(
      new Option('--openapi <version>', 'the dialect of generated/openapi.yml')
        .choices(['3.1', '3.0'])
        .default('3.1'),
    )
    .option('--strict', 'take warnings for errors')
    .option('--overwrite', 'discard edits made by hand and merge conflicts in generated/')
    .allowExcessArguments(false)
    .action(runBuild)
  program
    .command('serve')
    .description('serve the last build')
    .option('--migrate', 'bring the store up to date first, in production too')
    .option('--watch', 'serve each new build as soon as it is there (development)')
    .addOption(new Option('--worker', 'a process of a supervisor').hideHelp())
    .allowExcessArguments(false)
    .action(runServe)
  addStoreCommands(program)
  return program
}

try {
  await createProgram().parseAsync(process.argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
}
