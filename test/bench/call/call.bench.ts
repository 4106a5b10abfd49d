/** `npm run bench:call [rounds] [calls] [-- --quick] [--against FOLDER] [--only TEXT]`: what a request costs the process, without sockets:
 *  the bare Fastify route, our route over HTTP and tool calls of it, in microseconds of processor time, of the main thread and of all
 *  threads, and in promises. SQLite on a file, log level `error`, 16 requests at a time. Each server is a process of its own, rounds are taken
 *  in turns, medians of them count; differences and ratios are medians of those within a round. `--against`: another checkout of this
 *  repository, compiled, whose rows are measured in the same rounds. `--only`: rows that have this text in their name, and those
 *  that they are set beside. Source: .github/decisions/http.md. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { applications, type Question, type Row, rows, type Serving, servers } from './call-rows.ts'
import type { Cost } from './call-target.ts'
import { median } from './quantile.ts'

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, against: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
})
const [rounds = values.quick ? 3 : 9, calls = 10_000] = positionals.map(Number)
/** What the compiler does meanwhile is not counted. */
const warmUp = 30_000
const script = join(import.meta.dirname, 'call-target.js')
const stores = mkdtempSync(join(tmpdir(), 'acmcp-bench-call-'))

interface Measured {
  readonly row: Row
  /** Where it is asked, with its request. */
  readonly child: ChildProcess
  readonly sent: Row['sent']
  readonly costs: Cost[]
}

/** One checkout, by the names of its rows. */
type Tree = ReadonlyMap<string, Measured>

const beside = (row: Row): readonly Row[] => {
  const other = rows.find(({ name }) => name === row.beside)
  return other === undefined ? [row] : [row, ...beside(other)]
}
const wanted = new Set(rows.filter(({ name }) => name.includes(values.only ?? '')).flatMap(beside))
const chosen = rows.filter((row) => wanted.has(row))

function built(checkout: string): ReadonlyMap<string, string> {
  const used = new Set(chosen.flatMap(({ server }) => (server === null ? [] : servers[server]?.application)))
  const folderOf = (kind: string): string => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, 'build', kind], {
      cwd: checkout,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
    return stdout
  }
  const kinds = Object.keys(applications).filter((kind) => used.has(kind))
  return new Map(kinds.map((kind) => [kind, folderOf(kind)]))
}

interface Started {
  readonly child: ChildProcess
  readonly token: string
}

async function start(checkout: string, serving: Serving): Promise<Started> {
  // the audit has lines at every level
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const
  const child = fork(script, [JSON.stringify(serving)], { cwd: checkout, stdio: [...stdio] })
  const [token] = await once(child, 'message')
  return { child, token }
}

async function openTree(checkout: string, name: string): Promise<Tree> {
  const folders = built(checkout)
  const started = new Map<string | null, Started>()
  for (const server of new Set(chosen.map((row) => row.server))) {
    const { application = '', config = {} } = server === null ? {} : (servers[server] ?? {})
    const folder = folders.get(application) ?? null
    const store = join(stores, `${name}-${started.size}.db`)
    started.set(server, await start(checkout, { folder, store, config }))
  }
  const measured = chosen.flatMap((row): Measured[] => {
    const at = started.get(row.server)
    if (at === undefined) return []
    const isSignedIn = row.server !== null && servers[row.server]?.isSignedIn === true
    const { authorization, ...headers } = row.sent.headers
    const own = isSignedIn ? `Bearer ${at.token}` : (authorization ?? '')
    return [
      { row, child: at.child, sent: { ...row.sent, headers: { ...headers, authorization: own } }, costs: [] },
    ]
  })
  return new Map(measured.map((item) => [item.row.name, item]))
}

async function ask<Answer>(
  { child, sent }: Measured,
  what: Question['what'],
  count: number,
): Promise<Answer> {
  child.send({ what, sent, count } satisfies Question)
  const [answer] = await once(child, 'message')
  return answer
}

async function check(measured: Measured): Promise<void> {
  const body = await ask<string>(measured, 'answer', 1)
  if (!body.includes('note_0123456789')) throw new Error(`${measured.row.name}: a wrong answer: ${body}`)
}

/** Of what two rows cost in the same rounds. */
const compared = (a: Measured, b: Measured, by: (a: Cost, b: Cost) => number): number =>
  median(a.costs.flatMap((cost, round) => b.costs.slice(round, round + 1).map((other) => by(cost, other))))

function lineOf(
  tree: Tree,
  measured: Measured,
  { promises, before }: { promises: number; before?: Measured },
): string {
  const { row, costs } = measured
  const bare = tree.get(row.name.includes('GET') || row.name.includes('read') ? 'bare GET' : 'bare POST')
  const other = row.beside === null ? undefined : tree.get(row.beside)
  const cells = [
    median(costs.map(({ main }) => main)).toFixed(1),
    median(costs.map(({ main, all }) => all - main)).toFixed(1),
    median(costs.map(({ all }) => all)).toFixed(1),
    other === undefined ? '' : compared(measured, other, (own, its) => own.all - its.all).toFixed(1),
    bare === undefined ? '' : compared(bare, measured, (its, own) => its.all / own.all).toFixed(2),
    promises.toFixed(0),
    ...(before === undefined
      ? []
      : [
          median(before.costs.map(({ main }) => main)).toFixed(1),
          median(before.costs.map(({ all }) => all)).toFixed(1),
          compared(measured, before, (own, its) => (own.all / its.all - 1) * 100).toFixed(1),
        ]),
  ]
  return `${row.name.padEnd(32)}${cells.map((cell) => cell.padStart(9)).join('')}\n`
}

const own = await openTree(resolve('.'), 'own')
const others = values.against === undefined ? null : await openTree(resolve(values.against), 'other')
const trees = [own, ...(others === null ? [] : [others])]
const inTurns = chosen.flatMap(({ name }) => trees.flatMap((tree) => tree.get(name) ?? []))
for (const measured of inTurns) await check(measured)
for (const measured of inTurns) await ask(measured, 'cost', warmUp)
for (let round = 0; round < rounds; round += 1)
  for (const measured of inTurns) measured.costs.push(await ask<Cost>(measured, 'cost', calls))
const heads = ['main µs', 'others', 'all', '− beside', 'bare ÷', 'promises']
if (others !== null) heads.push('was main', 'was all', '% all')
process.stdout.write(`${''.padEnd(32)}${heads.map((head) => head.padStart(9)).join('')}\n`)
for (const [name, measured] of own) {
  await check(measured)
  const promises = await ask<number>(measured, 'promises', 200)
  const before = others?.get(name)
  process.stdout.write(lineOf(own, measured, before === undefined ? { promises } : { promises, before }))
}
for (const { child } of new Set(inTurns)) if (child.connected) child.disconnect()
