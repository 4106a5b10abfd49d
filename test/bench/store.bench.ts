/** Token exchange (one code for a new pair) against the raw single-use rate (insert-if-absent) of the same engine, one
 *  after another and 32 in flight, in the same run. Target: at least half. Run: node dist/test/bench/store.bench.js
 *  [exchanges a round] [rounds]; exits 1 below the target. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import pg from 'pg'
import type { Store } from '../../runtime/store/store.ts'
import { startPostgres } from '../store/postgres-server.ts'
import { openStore } from '../support/whole-store.ts'

const exchanges = Number(process.argv[2] ?? 50)
const rounds = Number(process.argv[3] ?? 40)
const target = 0.5
const hour = 3_600_000
const end = Date.now() + hour

type Once = (name: string) => Promise<void>

/** Operations a second. */
async function rate(name: string, inFlight: number, once: Once): Promise<number> {
  const began = performance.now()
  let next = 0
  const work = async (): Promise<void> => {
    while (next < exchanges) await once(`${name}-${next++}`)
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  return exchanges / ((performance.now() - began) / 1000)
}

function exchangeOn(store: Store): Once {
  return async (name) => {
    const pair = {
      access: { jti: `a-${name}`, expiresAt: end },
      refresh: { jti: `r-${name}`, expiresAt: end + hour },
    }
    const { kind } = await store.redeemCode(name, pair)
    if (kind !== 'redeemed') throw new Error(`${name}: ${kind}`)
  }
}

async function issueCodes(store: Store, name: string): Promise<void> {
  for (let i = 0; i < exchanges; i += 1) {
    const id = `${name}-${i}`
    const grant = { userId: 'u', clientId: 'c', scope: 'api', resource: '', allowed: null }
    await store.issueCode({ id: `g-${id}`, ...grant }, { jti: id, expiresAt: end })
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Rounds alternate, so that a disk that slows down slows both. */
async function compare(engine: string, store: Store, raw: Once): Promise<boolean> {
  const exchange = exchangeOn(store)
  let isEnough = true
  for (const inFlight of [1, 32]) {
    const rates: { raw: number; exchange: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const name = `${inFlight}-${round}`
      await issueCodes(store, name)
      rates.push({ raw: await rate(name, inFlight, raw), exchange: await rate(name, inFlight, exchange) })
    }
    const ratio = median(rates.map((round) => round.exchange / round.raw))
    isEnough &&= ratio >= target
    const perSecond = (key: 'raw' | 'exchange'): string => median(rates.map((round) => round[key])).toFixed(0)
    console.log(
      `${engine}, ${inFlight} in flight: exchange ${perSecond('exchange')}/s, raw ${perSecond('raw')}/s, ratio ${ratio.toFixed(2)}`,
    )
  }
  return isEnough
}

const table = 'create table raw_single_use (id text primary key, expires_at bigint not null)'

async function onSqlite(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-bench-'))
  const path = join(folder, 'store.db')
  const store = await openStore({
    url: `sqlite:${path}`,
    clock: () => Date.now(),
    migrations: {},
    migrate: 'apply',
  })
  const plain = new Libsql(path)
  plain.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 1000')
  plain.exec(table)
  const insert = plain.prepare('insert into raw_single_use values (?, ?) on conflict do nothing')
  const raw: Once = async (name) => {
    if (insert.run(name, end).changes !== 1) throw new Error(`${name} was there`)
  }
  try {
    return await compare('SQLite', store, raw)
  } finally {
    plain.close()
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

async function onPostgres(): Promise<boolean> {
  const server = await startPostgres()
  const store = await openStore({
    url: server.url,
    clock: () => Date.now(),
    migrations: {},
    migrate: 'apply',
  })
  const pool = new pg.Pool({ connectionString: server.url })
  pool.on('error', () => {}) // the server stops before its last connection is closed
  await pool.query(table)
  const raw: Once = async (name) => {
    const text = 'insert into raw_single_use values ($1, $2) on conflict do nothing'
    if ((await pool.query(text, [name, end])).rowCount !== 1) throw new Error(`${name} was there`)
  }
  try {
    return await compare('PostgreSQL', store, raw)
  } finally {
    await pool.end()
    await store.close()
    await server.stop()
  }
}

const engines = [onSqlite, onPostgres]
const results: boolean[] = []
for (const engine of engines) results.push(await engine())
if (results.includes(false)) process.exitCode = 1
