/** `npm run bench:build [sizes]`: what a build costs beside the floor (TypeScript alone, see walk.ts) and tsoa, on the
 *  same sources, in one run: an application that imports packages, as every real one does, and one that imports none; and the help
 *  desk that `acmcp init --example desk` writes.
 *  Ratios are what counts: machines are noisy. tsoa is installed in a folder of its own. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { writeDesk } from '../../support/desk.ts'
import { installed } from '../../support/installed.ts'
import { type Cost, cheapest, type Step } from './measure.ts'
import { acmcpSources, type Files, type Imports, packages, tsoaSources } from './sources.ts'
import { watched } from './watch.ts'

const repository = process.cwd()
const acmcp = join(repository, 'dist/cli/main.js')
const walk = join(repository, 'dist/test/bench/build/walk.js')
const recheck = join(repository, 'dist/test/bench/build/recheck.js')
/** Programs take turns, so that a busy moment of the machine meets all of them. */
const rounds = 3
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 100, 500]

const changes = 20

interface Row {
  readonly size: number
  readonly imports: Imports | 'desk'
  readonly walk: Cost
  readonly cold: Cost
  readonly unchanged: Cost
  /** Its sources import nothing. */
  readonly tsoa: Cost | null
  /** One controller changed under `--watch`. */
  readonly watch: Omit<Cost, 'peakMiB'>
  /** The same change for TypeScript alone. */
  readonly recheck: Omit<Cost, 'peakMiB'>
}

const folder = mkdtempSync(join(tmpdir(), 'acmcp-bench-'))
const tsoaModules = installed('tsoa', { tsoa: '~6.6.0', '@types/node': '^20.19.0' })
const empty = join(folder, 'empty.mjs')
writeFileSync(empty, '')
const { bare } = await cheapest({ bare: { args: [empty], cwd: folder } }, 5)
printHeader()
printRow(await measureDesk())
const rows: Row[] = []
for (const imports of ['packages', 'nothing'] as const) {
  for (const size of sizes) {
    const row = await measure(size, imports)
    printRow(row)
    rows.push(row)
  }
}
rmSync(folder, { recursive: true })
printGrowth()

async function measure(size: number, imports: Imports): Promise<Row> {
  const root = join(folder, `acmcp-${imports}-${size}`)
  write(root, acmcpSources(size, imports))
  linkModules(root)
  const tsoaStep = {
    args: [join(tsoaModules, '@tsoa/cli/dist/cli.js'), 'spec-and-routes'],
    cwd: peerOf(size),
  }
  const costs =
    imports === 'nothing'
      ? await cheapest({ ...stepsIn(root), tsoa: tsoaStep }, rounds)
      : { ...(await cheapest(stepsIn(root), rounds)), tsoa: null }
  return { size, imports, ...costs, ...(await watchedIn(root, 'app/controllers/item000s.ts')) }
}

/** The real application: ten controllers. */
async function measureDesk(): Promise<Row> {
  const root = join(folder, 'desk')
  writeDesk(root)
  const costs = await cheapest(stepsIn(root), rounds)
  const watching = await watchedIn(root, 'app/controllers/tickets.ts')
  return { size: 10, imports: 'desk', ...costs, tsoa: null, ...watching }
}

function stepsIn(root: string): Readonly<Record<'walk' | 'cold' | 'unchanged', Step>> {
  const clean = (): void => {
    for (const made of ['.acmcp', 'generated']) rmSync(join(root, made), { recursive: true, force: true })
  }
  return {
    walk: { args: [walk, root], cwd: root },
    cold: { args: [acmcp, 'build'], cwd: root, before: clean },
    unchanged: { args: [acmcp, 'build'], cwd: root },
  }
}

/** Ours and TypeScript's take turns with the machine: the one directly after the other. */
async function watchedIn(root: string, controller: string): Promise<Pick<Row, 'watch' | 'recheck'>> {
  const change = (): void => touch(join(root, controller))
  const watch = await watched([acmcp, 'build', '--watch'], { cwd: root, change, rounds: changes })
  const printed = execFileSync(process.execPath, [recheck, root, controller, String(changes)], {
    encoding: 'utf8',
  })
  return { watch, recheck: JSON.parse(printed) }
}

/** The folder of the same application for tsoa. */
function peerOf(size: number): string {
  const peer = join(folder, `tsoa-${size}`)
  if (existsSync(peer)) return peer
  write(peer, tsoaSources(size))
  mkdirSync(join(peer, 'out'))
  symlinkSync(tsoaModules, join(peer, 'node_modules'))
  return peer
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
  for (const name of ['@types/node', 'undici-types', ...packages]) {
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name))
  }
}

/** Changes a doc comment of a controller, differently each time. */
function touch(path: string): void {
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
  const load = loadavg().map((count) => count.toFixed(1))
  process.stdout.write(
    `Node ${process.version}, load ${load.join(' ')}, bare start ${Math.round(bare.cpuMs)} ms CPU\n`,
  )
  line([
    'controllers',
    'imports',
    'walk CPU ms',
    'cold / walk',
    'tsoa / walk',
    'peak / walk',
    'nothing changed / bare Node, CPU',
    'the same, wall',
    'watch, one changed, median wall ms',
    'the same, CPU ms',
    'watch / TypeScript alone, wall',
    'the same, CPU',
  ])
  line(Array.from({ length: 12 }, () => '---'))
}

function printRow({ size, imports, walk: floor, cold, unchanged, tsoa, watch, recheck: alone }: Row): void {
  line([
    size,
    imports,
    Math.round(floor.cpuMs),
    ratio(cold.cpuMs, floor.cpuMs),
    tsoa === null ? '–' : ratio(tsoa.cpuMs, floor.cpuMs),
    ratio(cold.peakMiB, floor.peakMiB),
    ratio(unchanged.cpuMs, bare.cpuMs),
    ratio(unchanged.wallMs, bare.wallMs),
    Math.round(watch.wallMs),
    Math.round(watch.cpuMs),
    ratio(watch.wallMs, alone.wallMs),
    ratio(watch.cpuMs, alone.cpuMs),
  ])
}

function printGrowth(): void {
  for (const imports of ['packages', 'nothing'] as const) {
    const all = rows.filter((row) => row.imports === imports)
    const [first, last] = [all[0], all.at(-1)]
    if (first === undefined || last === undefined || first === last) continue
    const growth = (name: 'cold' | 'walk'): string =>
      ((last[name].cpuMs - first[name].cpuMs) / (last.size - first.size)).toFixed(1)
    process.stdout.write(
      `CPU ms a controller, imports ${imports}: acmcp ${growth('cold')}, walk ${growth('walk')}\n`,
    )
  }
}
