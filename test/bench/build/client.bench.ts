/** `npm run bench:build`, its second part: what a typed client costs. What `--client` adds to a build, and what tsc needs for the
 *  printed file beside the same types alone (no methods, no tables): less than 1.3 times as much is wanted. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cheapest } from './measure.ts'
import { acmcpSources } from './sources.ts'

const rounds = 5
const [size = 500] = process.argv.slice(2).map(Number)
const repository = process.cwd()
const acmcp = join(repository, 'dist/cli/main.js')
const tsc = join(repository, 'node_modules/typescript/bin/tsc')

const root = mkdtempSync(join(tmpdir(), 'acmcp-client-bench-'))
for (const [path, text] of acmcpSources(size)) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
mkdirSync(join(root, 'node_modules/@types'), { recursive: true })
symlinkSync(repository, join(root, 'node_modules/acmcp'))
for (const name of ['@types/node', 'undici-types'])
  symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name))

const before = (): void => {
  for (const made of ['.acmcp', 'generated']) rmSync(join(root, made), { recursive: true, force: true })
}
const builds = await cheapest(
  {
    without: { args: [acmcp, 'build'], cwd: root, before },
    with: { args: [acmcp, 'build', '--client'], cwd: root, before },
  },
  rounds,
)

const client = readFileSync(join(root, 'generated/client.ts'), 'utf8')
const compilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, noEmit: true },
  ...{ target: 'es2022', lib: ['es2022', 'dom'], types: [], module: 'nodenext' },
}

/** A project of one file. */
function project(name: string, text: string): { readonly args: readonly string[]; readonly cwd: string } {
  writeFileSync(join(root, `${name}.ts`), text)
  writeFileSync(join(root, `${name}.json`), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
  return { args: [tsc, '-p', `${name}.json`], cwd: root }
}

const [, declared = ''] = /printed from the same routes\n([\s\S]*)\n\/\*\* As JSON, parsed/.exec(client) ?? []
const transport = client.slice(client.indexOf('/** Where the application is,'))
const checks = await cheapest(
  { types: project('types', `${declared}\n${transport}`), client: project('client', client) },
  rounds,
)
rmSync(root, { recursive: true })

const load = loadavg().map((count) => count.toFixed(1))
process.stdout.write(`client of ${size} controllers, ${client.length} characters, load ${load.join(' ')}
build, CPU ms: without ${builds.without.cpuMs.toFixed(0)}, with ${builds.with.cpuMs.toFixed(0)}
tsc, CPU ms: types alone ${checks.types.cpuMs.toFixed(0)}, client ${checks.client.cpuMs.toFixed(0)}, ${(checks.client.cpuMs / checks.types.cpuMs).toFixed(2)} times as much
`)
