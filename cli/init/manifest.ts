/** package.json: made, or given what it lacks. What it says already stays. */
import { InitError } from './init-error.ts'

export interface CompletedManifest {
  readonly text: string
  /** What was added, by section; empty when nothing was. */
  readonly added: readonly Addition[]
  /** Names of our scripts that mean something else there. */
  readonly takenScripts: readonly string[]
  /** What its `type` was where we set it; null = it stays. */
  readonly typeBefore: 'absent' | 'commonjs' | null
  /** Whether it says that its files are CommonJS, and stays so. */
  readonly isCommonJs: boolean
}

export interface Addition {
  readonly section: Section
  readonly names: readonly string[]
}

type Section = 'scripts' | 'dependencies' | 'devDependencies'
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
export function newManifest(name: string, dependencies: Texts, more: object = {}): CompletedManifest {
  const own = { name, version: '0.1.0', private: true, type: 'module', engines: { node: '>=20.19' }, ...more }
  return completeManifest(JSON.stringify(own), dependencies, { hasCode: false, indent: '  ' })
}

interface Surroundings {
  /** Whether there are files that `type` says something of. */
  readonly hasCode: boolean
  readonly indent?: string
}

/** `text` with what it lacks, indented as it is. Throws `InitError` when it is no manifest. */
export function completeManifest(
  text: string,
  dependencies: Texts,
  { hasCode, indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ' }: Surroundings,
): CompletedManifest {
  const manifest = parsed(text)
  const typeBefore = typeToSet(manifest, hasCode)
  const present = sectionOf(manifest, 'scripts')
  const installed = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap(
    (section) => Object.keys(sectionOf(manifest, section)),
  )
  const isAbsent = (name: string): boolean => !installed.includes(name)
  const sections: Readonly<Record<Section, Texts>> = {
    scripts: pick(scripts, (name) => present[name] === undefined || present[name] === noTest),
    dependencies: pick(dependencies, isAbsent),
    devDependencies: pick(devDependencies, isAbsent),
  }
  const added = Object.entries(sections).flatMap(([section, texts]) =>
    Object.keys(texts).length === 0 ? [] : [{ section: section as Section, names: Object.keys(texts) }],
  ) // the keys of a record of sections
  const type = typeBefore === null ? {} : { type: 'module' }
  const grown = added.map(({ section }) => [
    section,
    { ...sectionOf(manifest, section), ...sections[section] },
  ])
  return {
    text: written({ ...manifest, ...type, ...Object.fromEntries(grown) }, text, indent),
    added,
    takenScripts: Object.keys(scripts).filter(
      (name) => sections.scripts[name] === undefined && present[name] !== scripts[name],
    ),
    typeBefore,
    isCommonJs: typeBefore === null && manifest.type === 'commonjs',
  }
}

/** Applications are ES modules. `npm install` writes no type, and `npm init` writes `commonjs` unasked: where there is no code yet
 *  that is nobody's decision. */
function typeToSet({ type }: Json, hasCode: boolean): CompletedManifest['typeBefore'] {
  if (type === undefined) return 'absent'
  return type === 'commonjs' && !hasCode ? 'commonjs' : null
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

const pick = (texts: Texts, isWanted: (name: string) => boolean): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => isWanted(name)))

/** With the line ends of `old`. */
function written(manifest: Json, old: string, indent: string): string {
  const text = `${JSON.stringify(manifest, null, indent)}\n`
  return old.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
}
