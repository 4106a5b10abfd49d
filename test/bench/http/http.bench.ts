/** `npm run bench:http [rounds] [seconds]`: a JSON POST with a validated body and one before filter, against bare
 *  Fastify with the same schema and the same check, in alternating rounds; and the cold start with 500 controllers. Of an
 *  application that imports packages, as every real one does, and of one that imports none. Prints ratios: milliseconds depend on the machine. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { promisify } from 'node:util'
import { buildApplication, orderBody, orderPath } from './http-application.ts'

const run = promisify(execFile)
const server = join(import.meta.dirname, 'http-server.js')

interface Running {
  readonly process: ChildProcess
  readonly lines: AsyncIterator<string>
  readonly reader: Interface
  readonly port: string
  readonly readyMs: number
}

/** Starts a server; `readyMs` is the time from the start of its process until it has answered a first request. */
async function start(args: readonly string[]): Promise<Running> {
  const from = performance.now()
  const child = spawn(process.execPath, [server, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const reader = createInterface({ input: child.stdout })
  const lines = reader[Symbol.asyncIterator]()
  const port = String((await lines.next()).value)
  const response = await fetch(`http://127.0.0.1:${port}${orderPath}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'bench' },
    body: orderBody,
  })
  const readyMs = performance.now() - from
  if (response.status !== 201) throw new Error(`${args.join(' ')} answered ${response.status}`)
  await response.text()
  return { process: child, lines, reader, port, readyMs }
}

const stop = ({ process: child }: Running): void => {
  child.kill('SIGKILL')
}

async function cpuMicroseconds({ process: child, lines }: Running): Promise<number> {
  child.stdin?.write('cpu\n')
  return Number((await lines.next()).value)
}

interface Load {
  readonly perSecond: number
  readonly p99: number
  /** CPU microseconds of the server per request. */
  readonly cpu: number
}

const autocannon = join(process.cwd(), 'node_modules', 'autocannon', 'autocannon.js')

async function load(running: Running, seconds: number): Promise<Load> {
  const before = await cpuMicroseconds(running)
  const { stdout } = await run(process.execPath, [
    autocannon,
    ...['-j', '-n', '-c', '16', '-d', String(seconds), '-m', 'POST', '-b', orderBody],
    ...['-H', 'content-type=application/json', '-H', 'x-api-key=bench'],
    `http://127.0.0.1:${running.port}${orderPath}`,
  ])
  const result = JSON.parse(stdout)
  if (result.non2xx > 0 || result.errors > 0) throw new Error('the load met errors')
  const cpu = ((await cpuMicroseconds(running)) - before) / result.requests.total
  return { perSecond: result.requests.average, p99: result.latency.p99, cpu }
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const row = (...cells: readonly (string | number)[]): void => {
  const texts = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell))
  process.stdout.write(
    `${texts.map((text, index) => (index === 0 ? text.padEnd(34) : text.padStart(12))).join('')}\n`,
  )
}

async function throughput(rounds: number, seconds: number): Promise<void> {
  const bare = await start(['bare', '1', 'schemas'])
  const ours = await Promise.all(
    (['packages', 'nothing'] as const).map(async (imports) => ({
      name: `imports ${imports}`,
      server: await start(['ours', buildApplication(1, imports)]),
      seen: [] as { ratio: number; p99: number; cpu: number }[],
    })),
  )
  for (const { server } of [...ours, ...ours]) for (const running of [server, bare]) await load(running, 2)
  row('round', 'ours req/s', 'bare req/s', 'ratio', 'p99 ratio', 'CPU ratio')
  for (let round = 1; round <= rounds; round += 1) {
    const b = await load(bare, seconds)
    for (const { name, server, seen } of ours) {
      const a = await load(server, seconds)
      const item = { ratio: a.perSecond / b.perSecond, p99: a.p99 / Math.max(b.p99, 1), cpu: a.cpu / b.cpu }
      seen.push(item)
      const counts = [a, b].map(({ perSecond }) => Math.round(perSecond).toString())
      row(`${round}, ${name}`, ...counts, item.ratio, item.p99, item.cpu)
    }
  }
  process.stdout.write('medians (goal: >= 0.85, p99 <= 1.5)\n')
  for (const { name, seen } of ours) {
    const of = (what: 'ratio' | 'p99' | 'cpu'): number => median(seen.map((item) => item[what]))
    row(`  ${name}`, '', '', of('ratio'), of('p99'), of('cpu'))
  }
  for (const { server } of ours) stop(server)
  stop(bare)
}

async function coldStart(rounds: number): Promise<void> {
  const ways = [
    ['ours', buildApplication(500, 'packages')],
    ['ours', buildApplication(500, 'nothing')],
    ['bare', '500'],
    ['bare', '500', 'schemas'],
  ] as const
  const times: number[][] = ways.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, way] of ways.entries()) {
      const running = await start(way)
      times[index]?.push(running.readyMs)
      stop(running)
    }
  }
  const [withPackages = 0, importFree = 0, bare = 1, withSchemas = 1] = times.map(median)
  const ms = (time: number): string => `${Math.round(time)} ms`
  row('cold start, 500 controllers', 'packages', 'nothing', 'bare', 'ratio', 'nothing')
  for (const [name, other] of [
    ['  bare: 2,500 routes (goal <= 1.5)', bare],
    ['  bare: with the same schemas', withSchemas],
  ] as const)
    row(name, ms(withPackages), ms(importFree), ms(other), withPackages / other, importFree / other)
}

const [rounds = '5', seconds = '4', part = 'all'] = process.argv.slice(2)
process.stdout.write(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}\n`)
if (part !== 'cold') await throughput(Number(rounds), Number(seconds))
if (part !== 'load') await coldStart(Number(rounds))
