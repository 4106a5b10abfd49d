/** What a signed-in request costs without any transport: `users_current` with a bearer on a SQLite file, in µs of CPU.
 *  `node dist/test/bench/http/signed-in.bench.js [runs] [folder of another tree]…`: with other trees, which must be built, the
 *  rounds take turns, so that all see the same minutes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { HttpRequest } from '../../../runtime/contract/http.ts'
import type { openTestApp } from '../../../runtime/testing.ts'

const rounds = 7
const runs = Number(process.argv[2] ?? 5000)
const trees = [process.cwd(), ...process.argv.slice(3).map((tree) => resolve(tree))]

interface Contestant {
  readonly name: string
  readonly run: () => Promise<void>
  readonly close: () => Promise<void>
  readonly figures: number[]
}

async function open(name: string): Promise<Contestant> {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-bench-'))
  const module: { openTestApp: typeof openTestApp } = await import(
    pathToFileURL(join(name, 'dist/runtime/testing.js')).href
  )
  const environment = { databaseUrl: `sqlite:${join(folder, 'store.db')}` }
  const app = await module.openTestApp({ cwd: name, stale: 'allow', environment })
  const request = requestWith(await app.accessToken())
  const run = async (): Promise<void> => {
    const { status } = await app.application.invoke('users_current', request)
    if (status !== 200) throw new Error(`answered ${status}`)
  }
  const close = async (): Promise<void> => {
    await app.close()
    rmSync(folder, { recursive: true })
  }
  return { name, run, close, figures: [] }
}

const requestWith = (token: string): HttpRequest => ({
  id: '1',
  method: 'GET',
  url: '/api/users/current',
  path: '/api/users/current',
  query: new URLSearchParams(),
  params: {},
  cookies: {},
  headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
  ip: '127.0.0.1',
  session: { get: () => null, set: () => {}, remove: () => {}, regenerate: async () => {} },
  body: { kind: 'value', value: undefined },
  signal: new AbortController().signal,
})

async function microseconds(run: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage()
  for (let index = 0; index < runs; index++) await run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / runs
}

const contestants: Contestant[] = []
for (const tree of trees) contestants.push(await open(tree))
for (const { run } of contestants) await microseconds(run)
for (let round = 0; round < rounds; round++)
  for (const { run, figures } of contestants) figures.push(await microseconds(run))
for (const { name, figures, close } of contestants) {
  await close()
  const [least, , , median] = figures.sort((a, b) => a - b).map((figure) => figure.toFixed(0))
  console.log(`${name}: median ${median}, least ${least} µs of CPU`)
}
