/** The applications that everything is proved on: the help desk, and the worked example of this repository. Each is copied, built
 *  with its typed client, and bundled with a walk through its routes (`fixtures/`). */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as bundle } from 'esbuild'
import { built } from '../../cli/support/built-app.ts'
import { writeDesk } from '../../support/desk.ts'
import { linkPackage } from '../../support/linked.ts'
import { temporaryFolder } from '../support.ts'
import { routes } from './by-hand.ts'
import type { Walk } from './walked.ts'

export interface Yardstick {
  readonly name: 'desk' | 'notes'
  readonly folder: string
  /** What `acmcp build --client` printed. */
  readonly reported: string
  /** Removing these rows removes all that a walk leaves. */
  readonly tables: readonly string[]
  /** Of all routes, as the client calls them. */
  readonly routeNames: readonly string[]
  /** Routes that are no tools: hidden, with a file, or a stream without an end. */
  readonly noTools: readonly string[]
  readonly rootTools: readonly string[]
}

/** What `fixtures/` exports once it is bundled with the generated client. */
export interface Driver {
  readonly call: (caller: Caller) => Promise<Called>
  readonly walk: Walk
}

/** As in `fixtures/driver.ts`, which is compiled with the generated client only. */
export interface Caller {
  readonly baseUrl: string
  readonly token: string | null
  readonly route: string
  readonly provided: Readonly<Record<string, unknown>>
  readonly take: number
}

export interface Called {
  readonly status: number
  readonly data: unknown
  readonly json: string | null
  readonly sent: string
}

const notesRoutes = ['health.show', 'notes.create', 'notes.index', 'users.current']
const fixtures = 'test/flow/desk/fixtures'

export async function builtDesk(): Promise<Yardstick> {
  const folder = temporaryFolder()
  writeDesk(folder)
  return {
    name: 'desk',
    folder,
    reported: await clientBuilt(folder),
    tables: ['customers', 'teams', 'counters', 'users'],
    routeNames: Object.keys(routes).filter((route) => !route.startsWith('notes.')),
    noTools: [
      ...['giveRole', 'purge', 'storage', 'users'].map((name) => `administration.${name}`),
      ...['attachments.create', 'customers.import', 'customers.link', 'events.index', 'events.log'],
      ...['health.show', 'links.show'],
    ],
    rootTools: ['customers_index', 'tickets_create', 'tickets_index', 'tickets_show', 'users_current'],
  }
}

export async function builtNotes(): Promise<Yardstick> {
  const folder = temporaryFolder()
  cpSync('app', join(folder, 'app'), { recursive: true })
  const manifest = { name: 'notes', version: '1.0.0', license: 'MIT', private: true, type: 'module' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  linkPackage(folder)
  return {
    name: 'notes',
    folder,
    reported: await clientBuilt(folder),
    tables: ['notes'],
    routeNames: notesRoutes,
    noTools: ['health.show'],
    rootTools: ['users_current'],
  }
}

/** What `acmcp build --client` prints, errors and warnings too. Throws when it fails. */
async function clientBuilt(folder: string): Promise<string> {
  const { status, stdout, stderr } = await built(folder, 'client')
  if (status !== 0) throw new Error(`${folder} does not build:\n${stdout}${stderr}`)
  return stdout + stderr
}

const pageSettings = {
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [], // a browser's: nothing of Node
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
}

/** Puts the walk beside the generated client; returns the settings that it compiles with, the strictest. */
export function placeWalk({ name, folder }: Yardstick): string {
  const page = join(folder, 'page')
  mkdirSync(page)
  for (const file of ['driver.ts', 'walk.ts', `${name}-walk.ts`])
    cpSync(join(fixtures, file), join(page, file))
  const settings = join(page, 'tsconfig.json')
  writeFileSync(settings, JSON.stringify({ compilerOptions: pageSettings, include: ['.'] }))
  return settings
}

/** The client and its walk for Node. */
export async function driverIn({ name, folder }: Yardstick): Promise<Driver> {
  const outfile = join(folder, 'page/driver.mjs')
  await bundle({ stdin: entry(name, folder), outfile, bundle: true, format: 'esm', logLevel: 'error' })
  return import(pathToFileURL(outfile).href)
}

/** The same as a script that a page loads: `yardstick.callFromTest`. */
export async function pageScript({ name, folder }: Yardstick): Promise<string> {
  const outfile = join(folder, 'page/script.js')
  const how = { bundle: true, format: 'iife', globalName: 'yardstick', logLevel: 'error' } as const
  await bundle({ stdin: entry(name, folder), outfile, ...how })
  return readFileSync(outfile, 'utf8')
}

const entry = (name: string, folder: string) => ({
  contents: `export * from './driver.ts'\nexport { walk } from './${name}-walk.ts'`,
  resolveDir: join(folder, 'page'),
})
