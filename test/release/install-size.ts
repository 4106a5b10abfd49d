/** Part of `npm run test:package`: what `npm install acmcp` brings, by package, measured in an empty folder; the table of
 *  templates/docs/deploying.md; `node dist/test/release/install-size.js --write` writes it anew. Needs the registry. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../flow/support.ts'
import { packInto, run } from '../support/packed.ts'

t.setTimeout(600_000)

/** Of commit eea24d1 (2026-11-22), before the documentation, the scaffold and the pages came: measured as below, with the
 *  dependencies of that day. */
const bytesBefore = 80_686_449

const page = 'templates/docs/deploying.md'
const marks = /(<!-- Install size: generated .* -->\n)([\s\S]*?)(?=\n<!-- Install size: end -->)/

interface Size {
  readonly name: string
  readonly bytes: number
}

/** The packages of a fresh installation, the largest first. A scope counts as one. */
function installedSizes(): readonly Size[] {
  const folder = temporaryFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const { file } = packInto(folder)
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"name":"empty","version":"1.0.0","private":true}')
  run('npm', ['install', '--no-audit', '--no-fund', join(folder, file)], project)
  const modules = join(project, 'node_modules')
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .map((name) => ({ name, bytes: bytesOf(join(modules, name)) }))
    .sort((a, b) => b.bytes - a.bytes)
}

const counted = new Set<number>()

/** Of its files, each once: the bundler's program is linked to a second place. */
const bytesOf = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)))
    .filter(({ ino }) => !counted.has(ino) && counted.add(ino))
    .reduce((sum, { size }) => sum + size, 0)

const purposes: Readonly<Record<string, string>> = {
  '@libsql': 'SQLite, a native library',
  '@ts-morph': 'TypeScript’s compiler, for `build` alone',
  '@esbuild': 'the bundler, for `build` alone',
  '@modelcontextprotocol': 'the MCP SDK',
  zod: 'comes with the MCP SDK',
  kysely: 'queries',
  fastify: 'the HTTP server',
  typebox: 'checks of schemas for `build`, formats for `@schema`',
  'ts-morph': 'reads TypeScript, for `build` alone',
  ajv: 'comes with Fastify',
  acmcp: 'acmcp itself, with these pages',
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

const totalOf = (sizes: readonly Size[]): number => sizes.reduce((sum, { bytes }) => sum + bytes, 0)

function tableOf(sizes: readonly Size[]): string {
  const named = sizes.filter(({ name }) => purposes[name] !== undefined)
  const others = sizes.filter(({ name }) => purposes[name] === undefined)
  const rows = [
    ...named.map(({ name, bytes }) => `| \`${name}\` | ${megabytes(bytes)} | ${purposes[name]} |`),
    `| ${others.length} others | ${megabytes(totalOf(others))} | |`,
    `| **all** | **${megabytes(totalOf(sizes))}** | |`,
  ]
  return ['| Package | MB | What it is |', '| --- | --- | --- |', ...rows].join('\n')
}

const sizes = installedSizes()
const text = readFileSync(page, 'utf8')
const [, mark = '', table = ''] = marks.exec(text) ?? []

if (process.argv.includes('--write')) {
  writeFileSync(
    page,
    text.replace(marks, () => mark + tableOf(sizes)),
  )
} else {
  const statedBytes = Number(/\*\*([\d.]+)\*\*/.exec(table)?.[1] ?? Number.NaN) * 1e6
  t.test('release: the install size that the page states is true within 5 %', async (t) => {
    t.ok(statedBytes > 0, 'it states one')
    const ratio = totalOf(sizes) / statedBytes
    t.ok(Math.abs(ratio - 1) <= 0.05, `${ratio.toFixed(3)} of it; it would say:\n${tableOf(sizes)}`)
  })
  t.test('release: it is no larger than before', async (t) => {
    t.ok(statedBytes <= bytesBefore, `${statedBytes} bytes are stated`)
  })
}
