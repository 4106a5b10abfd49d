#!/usr/bin/env node
/** The command line: arguments in, exit code out. Commands are loaded when they are asked for, so that `serve`
 *  never loads the compiler. */
import { Console } from 'node:console'
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { CommanderError } from 'commander'
import type { AccessTask } from './commands/access-commands.ts'
import type * as Flags from './commands/flags.ts'
import type { OfferTask } from './commands/offer-commands.ts'
import { createProgram } from './commands/program.ts'
import type { StoreTask } from './commands/store-commands.ts'

const cwd = process.cwd()
const print = (line: string): void => void process.stdout.write(`${line}\n`)
/** Who reads may leave (`acmcp explain @get | head -1`): what is left is written to nobody, and the work goes on. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/** https://no-color.org */
const isColoured = ({ isTTY }: { isTTY?: boolean }): boolean =>
  isTTY === true && (process.env.NO_COLOR ?? '') === ''
const colour = isColoured(process.stderr)
const warn = (line: string): void => void process.stderr.write(`${line}\n`)
const surroundings = { cwd, env: process.env, print, warn }

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

async function runBuild({ watch: isWatching = false, ...flags }: Flags.BuildFlags): Promise<void> {
  cacheCompiledCode()
  const off = { check: false, overwrite: false, typecheck: false, strict: false }
  const shown = colour && flags.format === 'text' ? { progress } : {}
  const options = { ...off, ...flags, cwd, colour, ...shown, print, warn }
  if (isWatching) {
    const { watch } = await import('./build/watch/watch.ts')
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

async function runDev(): Promise<void> {
  cacheCompiledCode()
  const { boundedOutputs } = await import('./commands/bounded-outputs.ts')
  const leave = boundedOutputs(process, { isLog: false })
  const { dev } = await import('./commands/dev.ts')
  const stopping = new AbortController()
  const stop = (): void => {
    endSoon()
    stopping.abort()
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const shown = colour ? { progress } : {}
  const options = { cwd, env: process.env, main: import.meta.filename, colour, ...shown, print, warn }
  await leave(await dev(options, stopping.signal)) // what the application left running does not keep it
}

/** Supervisors kill after ten seconds. */
const mostStoppingMs = 9_500

/** At a second signal; what a supervisor has started ends with it. */
function endNow(): void {
  warn('acmcp: a second signal: it ends at once')
  process.exit(1)
}

/** Ends this process by force when it does not end in order, or is told to once more. */
function endSoon(delaySeconds = 0): void {
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, endNow)
  setTimeout(
    () => {
      warn('acmcp: it did not stop in time')
      process.exit(1)
    },
    1000 * delaySeconds + mostStoppingMs,
  ).unref()
}

async function runServe(flags: Flags.ServeFlags): Promise<void> {
  if (flags.worker === true) cacheCompiledCode() // it starts with every build
  const { serveApplication } = await import('./commands/serve.ts')
  const { boundedOutputs } = await import('./commands/bounded-outputs.ts')
  const leave = boundedOutputs(process, { isLog: true })
  const isTerminal = process.stdout.isTTY === true
  const off = { migrate: false, watch: false, worker: false }
  const main = import.meta.filename
  const starting = serveApplication({
    ...off,
    ...flags,
    ...surroundings,
    main,
    logStream: { write: (line) => void process.stdout.write(line) },
    isTerminal,
  })
  const stop = (): void => {
    endSoon(Number(process.env.SHUTDOWN_DELAY_SECONDS) || 0)
    const stopped = starting.then((served) => served?.close())
    void stopped
      .then(
        () => 0,
        (error: unknown) => {
          warn(`acmcp: ${String(error)}`)
          return 1
        },
      )
      .then(leave)
  }
  process.once('SIGTERM', stop) // also while it starts: a supervisor that is killed then leaves its workers behind
  process.once('SIGINT', stop)
  if ((await starting) === null) process.exitCode = 1
}

async function runStore(task: StoreTask): Promise<void> {
  const { store } = await import('./commands/store.ts')
  process.exitCode = await store(task, { ...surroundings, ...tableStyle() })
}

async function runInit(folder: string | undefined, flags: Flags.InitFlags): Promise<void> {
  const { init } = await import('./commands/init.ts')
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  const variant = flags.example ?? (flags.empty === true ? 'empty' : null)
  process.exitCode = await init({
    ...surroundings,
    version: versionOfPackage(),
    folder: folder ?? null,
    variant,
    isInteractive: isTerminal && flags.yes !== true,
  })
}

async function runExplain(names: readonly string[], { json = false }: Flags.ExplainFlags): Promise<void> {
  const { explain } = await import('./commands/explain.ts')
  process.exitCode = explain(names, { json, bold: isColoured(process.stdout), print, warn })
}

async function runDocs(page: string | undefined, flags: Flags.DocsFlags): Promise<void> {
  const { docs } = await import('./commands/docs.ts')
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  process.once('SIGTERM', () => stopping.abort())
  const options = {
    port: flags.port,
    isPrinted: flags.print === true,
    isOpened: flags.open === true,
    print,
    warn,
  }
  process.exitCode = await docs(page ?? null, options, stopping.signal)
}

/** For a command that loads the application: what its modules write to the console does not stand in what was asked for, and
 *  what they leave running does not keep the process. */
async function besideApplication(command: () => Promise<number>): Promise<void> {
  globalThis.console = new Console(process.stderr)
  const code = await command()
  process.stdout.write('', () => process.exit(code)) // when all is written
}

const tableStyle = () => ({
  isTerminal: process.stdout.isTTY === true,
  colour: isColoured(process.stdout),
})

async function runRoutes(text: readonly string[], { json = false }: Flags.RoutesFlags): Promise<void> {
  const { routes } = await import('./commands/routes.ts')
  const wanted = text.length === 0 ? null : text.join(' ')
  await besideApplication(() => routes({ cwd, text: wanted, json, ...tableStyle(), print, warn }))
}

async function runTools(toolbox: string | undefined, flags: Flags.ToolsFlags): Promise<void> {
  const { tools } = await import('./commands/tools.ts')
  const { json = false, tokens = false, scope = null } = flags
  const options = { cwd, toolbox: toolbox ?? null, scope, tokens, json, ...tableStyle(), print, warn }
  await besideApplication(() => tools(options))
}

/** Of what starts the application in this process. */
const callerOptions = ({ as, scope, json = false }: Flags.CallerFlags) => ({
  ...surroundings,
  clock: () => Date.now(),
  as: as ?? null,
  scope: scope ?? null,
  json,
  isTerminal: process.stderr.isTTY === true,
  isPrintedToTerminal: process.stdout.isTTY === true,
})

async function runCall(tool: string, given: readonly string[], flags: Flags.CallerFlags): Promise<void> {
  const { call } = await import('./commands/call.ts')
  await besideApplication(() => call({ ...callerOptions(flags), tool, given }))
}

async function runOffer(task: OfferTask): Promise<void> {
  const { runOfferTask } = await import('./commands/offer.ts')
  const write = (bytes: Uint8Array): void => void process.stdout.write(bytes)
  const options = { ...callerOptions(task.flags), colour: isColoured(process.stdout), write }
  await besideApplication(() => runOfferTask(task, options))
}

async function runToken(flags: Flags.CallerFlags): Promise<void> {
  const { token } = await import('./commands/token.ts')
  await besideApplication(() => token(callerOptions(flags)))
}

async function runDoctor(url: URL | undefined, flags: Flags.DoctorFlags): Promise<void> {
  const { doctor } = await import('./commands/doctor.ts')
  const options = {
    ...surroundings,
    url: url ?? null,
    token: flags.token || null,
    isSigningIn: flags.signIn === true,
    caFile: flags.ca ?? null,
    timeoutSeconds: flags.timeout,
    json: flags.json === true,
    ...tableStyle(),
    clock: () => Date.now(),
  }
  await besideApplication(() => doctor(options))
}

async function runAccess(task: AccessTask): Promise<void> {
  const { accessCommand } = await import('./commands/access.ts')
  const json = task.flags.json === true
  process.exitCode = await accessCommand(task, { ...surroundings, json, ...tableStyle() })
}

async function runAudit(flags: Flags.AuditFlags): Promise<void> {
  const { auditOfProcess } = await import('./commands/audit.ts')
  process.exitCode = await auditOfProcess(flags, { cwd, env: process.env, warn, ...tableStyle() })
}

async function runHealth(url: URL | undefined, { store = false }: Flags.HealthFlags): Promise<void> {
  const { health } = await import('./commands/health.ts')
  process.exitCode = await health({ ...surroundings, url: url ?? null, store })
}

function versionOfPackage(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}

const run = {
  access: runAccess,
  audit: runAudit,
  build: runBuild,
  call: runCall,
  dev: runDev,
  docs: runDocs,
  doctor: runDoctor,
  explain: runExplain,
  health: runHealth,
  init: runInit,
  routes: runRoutes,
  serve: runServe,
  store: runStore,
  offer: runOffer,
  token: runToken,
  tools: runTools,
}

try {
  await createProgram(versionOfPackage(), run).parseAsync(process.argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
}
