/** Part of `npm run test:package`: what `npm install acmcp` brings, by package, measured in an empty folder; the table of
 *  templates/docs/deploying.md; `node dist/test/release/install-size.js --write` writes it anew. Needs the registry. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../flow/support.ts'
import { packInto, run } from '../support/packed.ts'

t.setTimeout(600_000)

/** The most that it may come to, all and our own. 9.7 of it are a second build of libsql, for musl, which npm cannot tell from ours. */
const maxMegabytes = { all: 98, acmcp: 6.9 }

const page = 'templates/docs/deploying.md'
const marks = /(<!-- Install size: generated .* -->\n)([\s\S]*?)(?=\n<!-- Install size: end -->)/

interface Size {
  readonly name: string
  readonly kilobytes: number
}

/** The packages of a fresh installation, the largest first, as `du -sk` counts them. A scope counts as one. */
function installedSizes(): readonly Size[] {
  const folder = temporaryFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const { file } = packInto(folder)
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"name":"empty","version":"1.0.0","private":true}')
  run('npm', ['install', '--no-audit', '--no-fund', join(folder, file)], project)
  const modules = join(project, 'node_modules')
  const names = readdirSync(modules).filter((name) => !name.startsWith('.'))
  // one command: a file with several links, as the bundler's program, counts once
  return run('du', ['-sk', ...names], modules)
    .split('\n')
    .flatMap((line) => {
      const [kilobytes, name] = line.split('\t')
      return name === undefined ? [] : [{ name, kilobytes: Number(kilobytes) }]
    })
    .sort((a, b) => b.kilobytes - a.kilobytes)
}

const purposes: Readonly<Record<string, string>> = {
  '@libsql': 'SQLite, a native library',
  '@ts-morph': 'TypeScript’s compiler, for `build` alone',
  '@esbuild': 'the bundler, for `build` alone',
  '@modelcontextprotocol': 'the MCP SDK',
  zod: 'comes with the MCP SDK',
  kysely: 'queries',
  fastify: 'the HTTP server',
  'ts-morph': 'reads TypeScript, for `build` alone',
  ajv: 'comes with Fastify',
  acmcp: 'acmcp itself, with these pages',
}

const megabytes = (kilobytes: number): string => (kilobytes / 1024).toFixed(1)

const totalOf = (sizes: readonly Size[]): number => sizes.reduce((sum, { kilobytes }) => sum + kilobytes, 0)

function tableOf(sizes: readonly Size[]): string {
  const named = sizes.filter(({ name }) => purposes[name] !== undefined)
  const others = sizes.filter(({ name }) => purposes[name] === undefined)
  const rows = [
    ...named.map(({ name, kilobytes }) => `| \`${name}\` | ${megabytes(kilobytes)} | ${purposes[name]} |`),
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
  const stated = Number(/\*\*([\d.]+)\*\*/.exec(table)?.[1] ?? Number.NaN) * 1024
  t.test('release: the install size that the page states is true within 5 %', async (t) => {
    t.ok(stated > 0, 'it states one')
    const ratio = totalOf(sizes) / stated
    t.ok(Math.abs(ratio - 1) <= 0.05, `${ratio.toFixed(3)} of it; it would say:\n${tableOf(sizes)}`)
  })
  t.test('release: it is no larger than it may be', async (t) => {
    const own = sizes.filter(({ name }) => name === 'acmcp')
    t.ok(totalOf(sizes) <= maxMegabytes.all * 1024, `${megabytes(totalOf(sizes))} MB`)
    t.ok(totalOf(own) <= maxMegabytes.acmcp * 1024, `${megabytes(totalOf(own))} MB of our own`)
  })
}
