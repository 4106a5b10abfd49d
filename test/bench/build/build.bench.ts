/** `npm run bench:build [sizes]`: what a build costs beside the floor (TypeScript alone, see walk.ts) and tsoa, on the
 *  same sources, in one run. Ratios are what counts: machines are noisy. tsoa is installed in a folder of its own. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { installed } from '../../support/installed.ts'
import { type Cost, cheapest } from './measure.ts'
import { acmcpSources, type Files, tsoaSources } from './sources.ts'
import { watched } from './watch.ts'

const repository = process.cwd()
const acmcp = join(repository, 'dist/cli/main.js')
const walk = join(repository, 'dist/test/bench/build/walk.js')
/** Programs take turns, so that a busy moment of the machine meets all of them. */
const rounds = 3
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 100, 500]

interface Row {
  readonly size: number
  readonly walk: Cost
  readonly cold: Cost
  readonly unchanged: Cost
  readonly oneChanged: Cost
  readonly tsoa: Cost
  /** One controller changed under `--watch`. */
  readonly watch: Omit<Cost, 'peakMiB'>
}

const folder = mkdtempSync(join(tmpdir(), 'acmcp-bench-'))
const tsoaModules = installed('tsoa', { tsoa: '~6.6.0', '@types/node': '^20.19.0' })
const empty = join(folder, 'empty.mjs')
writeFileSync(empty, '')
const { bare } = await cheapest({ bare: { args: [empty], cwd: folder } }, 5)
printHeader()
const rows: Row[] = []
for (const size of sizes) {
  const row = await measure(size)
  printRow(row)
  rows.push(row)
}
rmSync(folder, { recursive: true })
printGrowth()

async function measure(size: number): Promise<Row> {
  const root = join(folder, `acmcp-${size}`)
  write(root, acmcpSources(size))
  linkModules(root)
  const peer = join(folder, `tsoa-${size}`)
  write(peer, tsoaSources(size))
  mkdirSync(join(peer, 'out'))
  symlinkSync(tsoaModules, join(peer, 'node_modules'))
  const clean = (): void => {
    for (const made of ['.acmcp', 'generated']) rmSync(join(root, made), { recursive: true, force: true })
  }
  const steps = {
    walk: { args: [walk, root], cwd: root },
    cold: { args: [acmcp, 'build'], cwd: root, before: clean },
    unchanged: { args: [acmcp, 'build'], cwd: root },
    oneChanged: { args: [acmcp, 'build'], cwd: root, before: () => touch(root) },
    tsoa: { args: [join(tsoaModules, '@tsoa/cli/dist/cli.js'), 'spec-and-routes'], cwd: peer },
  }
  const costs = await cheapest(steps, rounds)
  const change = (): void => touch(root)
  const watch = await watched([acmcp, 'build', '--watch'], { cwd: root, change, rounds: rounds + 2 })
  return { size, ...costs, watch }
}

function write(root: string, files: Files): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

/** What the synthetic application would have installed. */
function linkModules(root: string): void {
  mkdirSync(join(root, 'node_modules/@types'), { recursive: true })
  symlinkSync(repository, join(root, 'node_modules/acmcp'))
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name))
  }
}

/** Changes a doc comment of the first controller, differently each time. */
function touch(root: string): void {
  const path = join(root, 'app/controllers/item000s.ts')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace('Shows one', 'Shows one more'))
}

function line(cells: readonly (string | number)[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

function ratio(cost: number, floor: number): string {
  return (cost / floor).toFixed(2)
}

function printHeader(): void {
  const load = loadavg().map((one) => one.toFixed(1))
  process.stdout.write(
    `Node ${process.version}, load ${load.join(' ')}, bare start ${Math.round(bare.cpuMs)} ms CPU\n`,
  )
  line([
    'controllers',
    'walk CPU ms',
    'cold / walk',
    'tsoa / walk',
    'peak / walk',
    'nothing changed / bare Node, CPU',
    'the same, wall',
    'one changed, wall s',
    'one changed, CPU s',
    'watch, one changed, wall ms',
    'the same, CPU ms',
  ])
  line(Array.from({ length: 11 }, () => '---'))
}

function printRow({ size, walk: floor, cold, unchanged, oneChanged, tsoa, watch }: Row): void {
  line([
    size,
    Math.round(floor.cpuMs),
    ratio(cold.cpuMs, floor.cpuMs),
    ratio(tsoa.cpuMs, floor.cpuMs),
    ratio(cold.peakMiB, floor.peakMiB),
    ratio(unchanged.cpuMs, bare.cpuMs),
    ratio(unchanged.wallMs, bare.wallMs),
    (oneChanged.wallMs / 1000).toFixed(2),
    (oneChanged.cpuMs / 1000).toFixed(2),
    Math.round(watch.wallMs),
    Math.round(watch.cpuMs),
  ])
}

function printGrowth(): void {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined || first === last) return
  const growth = (name: 'cold' | 'walk' | 'tsoa'): string =>
    ((last[name].cpuMs - first[name].cpuMs) / (last.size - first.size)).toFixed(1)
  process.stdout.write(
    `CPU ms a controller: acmcp ${growth('cold')}, walk ${growth('walk')}, tsoa ${growth('tsoa')}\n`,
  )
}
