/** package.json: written where there is none. One that is there stays as it is, and the user is told what it lacks. */
import { existsSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InitError } from './init-error.ts'
import type { Manager } from './managers.ts'

type Json = Readonly<Record<string, unknown>>
type Texts = Readonly<Record<string, string>>

/** What the script `dev` does, where that name is taken. */
export const devCommands: readonly string[] = ['npx acmcp dev']

const scripts: Texts = {
  build: 'acmcp build',
  dev: 'acmcp dev',
  start: 'acmcp serve',
  test: 'acmcp build && node --test',
  version: 'acmcp build && git add generated',
}

/** What `npm init` writes where there is no test yet. */
const noTest = 'echo "Error: no test specified" && exit 1'

/** TypeScript 6 is what the compiler of this package speaks; Node's types are those of the oldest Node that it runs on. */
const devDependencies: Texts = { '@types/node': '^20.19.0', typescript: '~6.0.3' }

/** What the help desk imports beside this package: in the ranges that we build it with. */
export const deskDependencies: Texts = { kysely: '~0.28.18', zod: '^4.6.7' }

/** The manifest of a new project called `name`; it says `more`. */
export function newManifest(name: string, dependencies: Texts, more: object = {}): string {
  const head = { name, version: '0.1.0', private: true, type: 'module', engines: { node: '>=20.19' } }
  return `${JSON.stringify({ ...head, ...more, scripts, dependencies, devDependencies }, null, 2)}\n`
}

/** What a manifest that is there lacks. */
export interface ManifestNeeds {
  /** Commands that add it, in the folder of the manifest. */
  readonly commands: readonly string[]
  /** Names of our scripts that mean something else there. */
  readonly takenScripts: readonly string[]
  /** What only the user can decide about its `type`. */
  readonly byHand: readonly string[]
}

interface Surroundings {
  readonly dependencies: Texts
  /** Whether there are files whose meaning depends on `type`. */
  readonly hasCode: boolean
  readonly manager: Manager
}

/** Throws `InitError` when `text` is no manifest. */
export function manifestNeeds(text: string, { dependencies, hasCode, manager }: Surroundings): ManifestNeeds {
  const manifest = parsed(text)
  const present = sectionOf(manifest, 'scripts')
  const installed = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap(
    (section) => Object.keys(sectionOf(manifest, section)),
  )
  const missing = (texts: Texts): readonly string[] =>
    Object.entries(texts).flatMap(([name, range]) => (installed.includes(name) ? [] : [`${name}@${range}`]))
  const lacking = Object.entries(scripts).filter(
    ([name]) => present[name] === undefined || present[name] === noTest,
  )
  const fields = [
    ...(setsType(manifest, hasCode) ? ['type=module'] : []),
    ...lacking.map(([name, script]) => `"scripts.${name}=${script}"`),
  ]
  return {
    commands: [
      ...(fields.length === 0 ? [] : [`npm pkg set ${fields.join(' ')}`]),
      ...installing(manager, '', missing(dependencies)),
      ...installing(manager, '-D ', missing(devDependencies)),
    ],
    takenScripts: Object.keys(scripts).filter(
      (name) => !lacking.some(([other]) => other === name) && present[name] !== scripts[name],
    ),
    byHand: typeByHand(manifest, hasCode),
  }
}

/** Applications are ES modules. `npm install` writes no type, and `npm init` writes `commonjs` unasked: where there is no code yet
 *  that is not a decision. */
const setsType = ({ type }: Json, hasCode: boolean): boolean =>
  type === undefined || (type === 'commonjs' && !hasCode)

function typeByHand(manifest: Json, hasCode: boolean): readonly string[] {
  const rename = 'rename .js files that call require to .cjs'
  if (setsType(manifest, hasCode)) return hasCode ? [`with "type": "module", ${rename}`] : []
  return manifest.type === 'commonjs'
    ? [
        `package.json: "type" is "commonjs", but an application is ES modules: npm pkg set type=module, and ${rename}. Until then .ts tests that tsx runs fail with "made by the route pipeline", and top-level await and import.meta are refused`,
      ]
    : []
}

/** Ranges are quoted: `^` and `~` mean something to shells. */
function installing(manager: Manager, flag: string, packages: readonly string[]): readonly string[] {
  const command = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add', yarn1: 'yarn add' }[manager]
  return packages.length === 0 ? [] : [`${command} ${flag}${packages.map((name) => `"${name}"`).join(' ')}`]
}

function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (isRecord(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new InitError(`package.json is not JSON (${error.message})`)
  }
  throw new InitError('package.json is not an object')
}

function sectionOf(manifest: Json, section: string): Json {
  const value = manifest[section] ?? {}
  if (isRecord(value)) return value
  throw new InitError(`package.json: ${section} is not an object`)
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What npm wrote of what it installed beside us, from `node_modules/acmcp/dist/cli/capabilities/init/`. */
const hiddenLock = fileURLToPath(new URL('../../../../../.package-lock.json', import.meta.url))

/** This version from the registry; or the file, relative to `root`, that npm installed us from, as `npx ./acmcp.tgz init` does: the
 *  registry may not have it. */
export function ownRange(version: string, root: string): string {
  const resolved = existsSync(hiddenLock) ? resolvedIn(readFileSync(hiddenLock, 'utf8')) : ''
  if (!resolved.startsWith('file:')) return `^${version}`
  const file = resolve(hiddenLock, '../..', resolved.slice('file:'.length))
  return `file:${relative(root, file).replaceAll('\\', '/')}`
}

function resolvedIn(lock: string): string {
  const { packages }: { packages?: Record<string, { resolved?: string }> } = JSON.parse(lock)
  return packages?.['node_modules/acmcp']?.resolved ?? ''
}
