/** `npm run test:without -- NAME… | all | each [--quick]`: takes capabilities out of a copy of this tree, type-checks it, and runs the suites
 *  that are not of them; `--quick` runs a few of every room and checks no types, which takes seconds. `each`: one after another. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { capabilityTags, capabilityWords } from './support/capability-words.ts'

const rooms = ['runtime/capabilities', 'cli/capabilities']
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const foldersOf = (room: string): readonly string[] =>
  readdirSync(room, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

const known = [...new Set(rooms.flatMap(foldersOf))].sort()
const isQuick = process.argv.includes('--quick')
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const names = asked.includes('all') ? known : asked
const unknown = names.filter((name) => !known.includes(name))

/** Suites of every room that take seconds: what a start, a request, a tool call, a token, a build are. */
const quick = [
  ...[
    'boot/close',
    'boot/environment',
    'boot/root-page',
    'boot/wrong-settings',
    'cli/link/handlers',
    'cli/link/inherited',
  ],
  ...[
    'http/pipeline/exceptions',
    'http/pipeline/invoke',
    'http/pipeline/params',
    'http/output/formats',
    'http/output/files',
  ],
  ...[
    'mcp/tools/json-arguments',
    'mcp/tools/progress',
    'mcp/endpoint/path',
    'oauth/clients/redirect-uri',
    'oauth/grants/',
  ],
]

const copied = [
  'app',
  'cli',
  'generated',
  'runtime',
  'templates',
  'test',
  'dist',
  '.acmcp',
  '.github',
  '.ci',
  '.gitignore',
]
const files = ['package.json', 'tsconfig.json', 'biome.json', '.taprc', '.npmrc', 'README.md', 'LICENSE']

/** A copy of the tree; what is installed is linked. */
function copyOfTree(): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-without-'))
  for (const name of [...copied, ...files].filter((path) => existsSync(path)))
    cpSync(name, join(root, name), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  return root
}

/** Takes the folder of each out of the copy, and its lines out of the lists. */
function takeOut(root: string): void {
  for (const room of rooms) {
    for (const name of names)
      for (const tree of ['', 'dist']) rmSync(join(root, tree, room, name), { recursive: true, force: true })
    edit(join(root, room, 'index.ts'), withoutLines)
  }
  const exported = new Set<string>()
  edit(join(root, 'runtime/capabilities/exports.ts'), (text) => withoutLines(text, exported))
  edit(join(root, 'runtime/index.ts'), (text) => withoutNames(text, exported))
}

function edit(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, 'utf8')
  const changed = change(text)
  if (changed !== text) writeFileSync(file, changed)
}

/** Without what is imported from the folders, and whatever uses it; `exported` gets the names that go. */
function withoutLines(text: string, exported: Set<string> = new Set()): string {
  const folder = `'\\./(?:${names.join('|')})/[^']*'`
  const gone = new Set<string>()
  const noted =
    (into: Set<string>) =>
    (_: string, list: string): string => {
      for (const name of namesIn(list)) into.add(name)
      return ''
    }
  const left = text
    .replace(new RegExp(`^import (?:type )?\\{([^}]*)\\} from ${folder}\\n`, 'gm'), noted(gone))
    .replace(new RegExp(`^export (?:type )?\\{([^}]*)\\} from ${folder}\\n`, 'gm'), noted(exported))
    .replace(new RegExp(`^declare module ${folder} \\{[\\s\\S]*?^\\}\\n`, 'gm'), '')
  return withoutUnused(withoutEmptied(withoutNames(left, gone), exported))
}

const namesIn = (list: string): readonly string[] =>
  list.split(',').flatMap(
    (entry) =>
      entry
        .replace(/^\s*type /, '')
        .trim()
        .split(' as ')[0] || [],
  )

/** Without these in lists, and in what is extended. */
function withoutNames(text: string, gone: Iterable<string>): string {
  let left = text
  for (const name of gone) {
    const used = `(?:Configured<${name}>|(?:type )?\\b${name}\\b)`
    left = left
      .replace(new RegExp(`(\\n *| )& ${used}`, 'g'), '')
      .replace(new RegExp(`,\\s*${used}(?=\\s*[,\\]{}])`, 'g'), '')
      .replace(new RegExp(`(?<=[\\[{,]\\s*|extends )${used},?\\s*`, 'g'), '')
  }
  return left
}

/** Without imports of what nothing uses any more. */
const withoutUnused = (text: string): string =>
  text.replace(/^import type \{ (\w+) \} from '[^']*'\n/gm, (line, name: string) =>
    text.split(new RegExp(`\\b${name}\\b`)).length > 2 ? line : '',
  )

/** Without interfaces that extended nothing else. */
const withoutEmptied = (text: string, exported: Set<string>): string =>
  text.replace(
    /(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export interface (\w+) extends \{\}\n/gm,
    (_, name: string) => {
      exported.add(name)
      return ''
    },
  )

const testFiles = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('test', file))

const textOf = new Map(testFiles.map((file) => [file, readFileSync(file, 'utf8')]))

const importsOf = (file: string): readonly string[] =>
  [...(textOf.get(file) ?? '').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )

/** Why a file of tests needs what is taken out; null = it does not. */
function needOf(file: string): string | null {
  const folder = names.find((name) => file.startsWith('test/') && file.split('/').includes(name))
  if (folder !== undefined) return `lies in ${folder}/`
  const imported = importsOf(file).find((path) =>
    names.some((name) => path.includes(`/capabilities/${name}/`)),
  )
  if (imported !== undefined) return `imports ${imported}`
  const tagged = names.find((name) => capabilityTags[name]?.test(textOf.get(file) ?? '') === true)
  return tagged === undefined ? null : `has a tag of ${tagged}`
}

/** What speaks of it is about it; what a suite imports may do so and need nothing. */
function topicOf(suite: string): string | null {
  const spoken = names.find((name) => capabilityWords[name]?.test(textOf.get(suite) ?? '') === true)
  return spoken === undefined ? null : `speaks of ${spoken}`
}

/** By file, those that import such a file included. */
function leftOut(): ReadonlyMap<string, string> {
  const out = new Map<string, string>()
  for (const file of testFiles) {
    const need = needOf(file)
    if (need !== null) out.set(file, need)
  }
  for (let size = -1; size !== out.size; ) {
    size = out.size
    for (const file of testFiles) {
      const through = out.has(file) ? undefined : importsOf(file).find((path) => out.has(path))
      if (through !== undefined) out.set(file, `imports ${through}`)
    }
  }
  for (const file of testFiles.filter((path) => path.endsWith('.test.ts') && !out.has(path))) {
    const topic = topicOf(file)
    if (topic !== null) out.set(file, topic)
  }
  return out
}

function run(): number {
  const root = copyOfTree()
  try {
    takeOut(root)
    const out = leftOut()
    const suites = testFiles.filter((file) => file.endsWith('.test.ts'))
    const without = suites.filter((file) => out.has(file))
    for (const file of out.keys())
      for (const gone of [file, `dist/${file.replace(/\.ts$/, '.js')}`])
        rmSync(join(root, gone), { force: true })
    const wanted = suites.filter(
      (file) => !out.has(file) && (!isQuick || quick.some((part) => file.startsWith(`test/${part}`))),
    )
    if (!isQuick) for (const file of without) say(`left out: ${file} (${out.get(file)})`)
    say(`without ${names.join(', ')}: ${without.length} suites are left out, ${wanted.length} run`)
    const spawned = { cwd: root, stdio: 'inherit' } as const
    const check = ['-p', 'tsconfig.json', '--noEmit', '--incremental', 'false']
    const areTypesRight = isQuick || spawnSync('node_modules/.bin/tsc', check, spawned).status === 0
    const tests = spawnSync(process.execPath, ['test/support/t.mjs', ...wanted], spawned)
    const types = isQuick ? 'are not checked' : areTypesRight ? 'are right' : 'are WRONG'
    const passed = tests.status === 0
    say(`without ${names.join(', ')}: types ${types}, suites ${passed ? 'passed' : 'FAILED'}`)
    return areTypesRight && passed ? 0 : 1
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A process for each, one after another; whether all pass. */
const passesWithoutEach = (): boolean =>
  known.filter(
    (name) =>
      spawnSync(process.execPath, [...process.argv.slice(1, 2), name], { stdio: 'inherit' }).status !== 0,
  ).length === 0

if (asked.includes('each')) process.exitCode = passesWithoutEach() ? 0 : 1
else if (names.length === 0 || unknown.length > 0) {
  say(`npm run test:without -- NAME… | all | each [--quick]; the capabilities are ${known.join(', ')}`)
  process.exitCode = 2
} else process.exitCode = run()
