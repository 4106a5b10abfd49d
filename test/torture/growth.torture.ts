/** A year of traffic in minutes, on a clock that is moved on: registrations that nobody uses, people who sign in and connect clients,
 *  refreshes, revocations, sessions, counts of limits, tool calls; the purge every hour. Prints rows and bytes of every table at the
 *  end of each month, and fails when one of them grows in the second half. Run: node dist/test/torture/growth.torture.js
 *  [connections a day] [engines, comma-separated: sqlite,postgres]; default 5 and both. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { auditTables } from '../../runtime/capabilities/audit/tables.ts'
import type { AuditRecord } from '../../runtime/contract/calls.ts'
import type { Store, TokenPair } from '../../runtime/store/store.ts'
import { startPostgres } from '../store/postgres-server.ts'
import { openStore, type WholeStore } from '../support/whole-store.ts'

const connectionsADay = Number(process.argv[2] ?? 5)
const engines = (process.argv[3] ?? 'sqlite,postgres').split(',')

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const start = 1_800_000_000_000
/** Half of the default, a year: that would level off after a year only. */
const keptMs = new Map(auditTables.map(({ name }) => [name, 90 * dayMs]))
/** A day after its last use, an hour later. */
const sessionMs = dayMs + hourMs
const people = 200
/** How many days a client goes on refreshing before it is given up: 1 to 40. */
const longestUseDays = 40

interface Connection {
  readonly grantId: string
  readonly clientId: string
  readonly userId: string
  readonly until: number
  refresh: string
}

interface Year {
  readonly store: WholeStore
  readonly clock: { now: number }
  connections: readonly Connection[]
  count: number
}

function nameOf(year: Year, kind: string): string {
  year.count += 1
  return `${kind}-${year.count}`
}

function pairOf(year: Year): TokenPair {
  const { now } = year.clock
  return {
    access: { jti: nameOf(year, 'access'), expiresAt: now + hourMs },
    refresh: { jti: nameOf(year, 'refresh'), expiresAt: now + 30 * dayMs },
  }
}

async function register(year: Year): Promise<string> {
  const id = nameOf(year, 'client')
  const redirectUris = ['https://client.example/callback']
  const grantTypes = ['authorization_code', 'refresh_token']
  await year.store.saveClient({ id, name: 'A client', redirectUris, grantTypes, responseTypes: ['code'] })
  return id
}

/** Signs somebody in and connects a client, a new one for every other. */
async function connect(year: Year, number: number): Promise<Connection> {
  const { store, clock, connections } = year
  const userId = `dev:${year.count % people}`
  await store.saveUser({ id: userId, name: `Person ${userId}`, email: `${year.count % people}@example.org` })
  await store.writeSession(nameOf(year, 'session'), { user_id: userId }, clock.now + sessionMs)
  const clientId =
    number % 2 === 0 ? await register(year) : (connections.at(-1)?.clientId ?? (await register(year)))
  const [grantId, code] = [nameOf(year, 'grant'), nameOf(year, 'code')]
  const grant = { id: grantId, userId, clientId, scope: 'api', resource: '', allowed: null }
  await store.issueCode(grant, { jti: code, expiresAt: clock.now + 300_000 })
  const pair = pairOf(year)
  if ((await store.redeemCode(code, pair)).kind !== 'redeemed') throw new Error('a code was not redeemed')
  const until = clock.now + (1 + (year.count % longestUseDays)) * dayMs
  return { grantId, clientId, userId, until, refresh: pair.refresh.jti }
}

async function refresh(year: Year, connection: Connection): Promise<void> {
  const pair = pairOf(year)
  const { kind } = await year.store.rotateRefresh(connection.refresh, pair)
  if (kind !== 'redeemed') throw new Error(`a live refresh token was ${kind}`)
  connection.refresh = pair.refresh.jti
}

function called(year: Year, { userId, clientId, grantId }: Connection): AuditRecord {
  const at = year.clock.now
  year.count += 1
  const random = year.count.toString(16).padStart(20, '0')
  const route = 'GET /api/notes'
  return {
    ...{ id: `${at.toString(16).padStart(12, '0')}${random}`, at, event: 'tool-call', decision: 'allowed' },
    ...{ user: userId, client: clientId, clientName: 'A client', grant: grantId, tool: 'notes_index', route },
    ...{ status: 200, isError: false, milliseconds: 3, requestId: random, traceId: null, detail: null },
    argumentsDigest: 'a'.repeat(64),
  }
}

/** A day of 24 hours; connections are spread over the first, refreshes are one a day. */
async function live(year: Year): Promise<void> {
  const { store, clock } = year
  const kept = year.connections.filter(({ until }) => until > clock.now)
  for (const connection of kept) await refresh(year, connection)
  const made: Connection[] = []
  for (let number = 0; number < connectionsADay; number += 1) {
    await register(year) // and never comes back
    made.push(await connect(year, number))
  }
  const [revoked, ...others] = made
  if (revoked !== undefined) await store.revokeGrant(revoked.grantId, 'user')
  await store.revokeToken(nameOf(year, 'foreign'), clock.now + 2 * dayMs, 'client') // signed elsewhere
  year.connections = [...kept, ...others]
  for (let hour = 0; hour < 24; hour += 1) {
    const calls = year.connections
      .filter((_, at) => at % 24 === hour)
      .map((connection) => called(year, connection))
    if (calls.length > 0) await store.appendAudit(calls.map(({ id, at, ...entry }) => ({ id, at, entry })))
    const counts = calls.map(({ user }) => ({ key: `calls ${user}`, count: 1 }))
    if (counts.length > 0) await store.shareCounts(clock.now, counts)
    clock.now += hourMs
    await store.purgeExpired()
  }
}

interface Month {
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly bytes: number }[]
  readonly bytes: number
}

const bytesOfTables = {
  sqlite: sql<{ table: string; bytes: number }>`select m.tbl_name as "table", sum(s.pgsize) as bytes
    from dbstat as s join sqlite_master as m on m.name = s.name where s.aggregate = true group by m.tbl_name`,
  postgres: sql<{ table: string; bytes: number }>`
    select relname as "table", pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
} as const

/** Rows and bytes of every table, with its indexes. */
async function sizesOf(store: Store, engine: keyof typeof bytesOfTables): Promise<Month> {
  const tables: Month['tables'][number][] = []
  for (const { table, bytes } of (await bytesOfTables[engine].execute(store.database)).rows) {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.id(table)}`.execute(
      store.database,
    )
    tables.push({ table, rows: rows[0]?.rows ?? 0, bytes })
  }
  tables.sort((a, b) => (a.table < b.table ? -1 : 1))
  return { tables, bytes: tables.reduce((total, { bytes }) => total + bytes, 0) }
}

async function liveAYear(url: string): Promise<readonly Month[]> {
  const clock = { now: start }
  const options = { url, migrations: {}, clock: () => clock.now }
  const store = await openStore({ ...options, migrate: 'apply', keptMs })
  const year: Year = { store, clock, connections: [], count: 0 }
  const months: Month[] = []
  for (let day = 1; day <= 360; day += 1) {
    await live(year)
    if (url.startsWith('postgres')) await sql`vacuum analyze`.execute(store.database) // as autovacuum does in a day
    if (day % 30 !== 0) continue
    months.push(await sizesOf(store, url.startsWith('postgres') ? 'postgres' : 'sqlite'))
  }
  await store.close()
  return months
}

/** Tables that are as large as they may get: rows and bytes of the second half are those of its beginning, within a tenth. */
function growing(months: readonly Month[]): readonly string[] {
  const sizeIn = (month: Month | undefined, table: string): { rows: number; bytes: number } =>
    month?.tables.find((size) => size.table === table) ?? { rows: 0, bytes: 0 }
  const middle = months[5]
  const names = middle?.tables.map(({ table }) => table) ?? []
  const grown = names.filter((table) => {
    const { rows, bytes } = sizeIn(middle, table)
    return months.slice(6).some((month) => {
      const now = sizeIn(month, table)
      return now.rows > 1.1 * rows + 10 || now.bytes > 1.1 * bytes + 65_536
    })
  })
  const whole = months.slice(6).some(({ bytes }) => bytes > 1.1 * (middle?.bytes ?? 0) + 1_048_576)
  return [...grown, ...(whole ? ['the database'] : [])]
}

function print(months: readonly Month[]): void {
  const columns = [0, 1, 2, 3, 5, 7, 9, 11] // January is 0
  console.log(
    `${'rows / KiB at the end of month'.padEnd(32)}${columns.map((at) => String(at + 1).padStart(14)).join('')}`,
  )
  for (const { table } of months[0]?.tables ?? []) {
    const cells = columns.map((at) => {
      const seen = months[at]?.tables.find((size) => size.table === table)
      return `${seen?.rows ?? 0} / ${Math.round((seen?.bytes ?? 0) / 1024)}`.padStart(14)
    })
    if (table.startsWith('acmcp_')) console.log(`${table.padEnd(32)}${cells.join('')}`)
  }
  const whole = columns.map((at) => String(Math.round((months[at]?.bytes ?? 0) / 1024)).padStart(14))
  console.log(`${'the database, KiB'.padEnd(32)}${whole.join('')}`)
}

for (const engine of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-growth-'))
  const server = engine === 'postgres' ? await startPostgres(['-c', 'fsync=off']) : null
  const began = performance.now()
  try {
    const months = await liveAYear(server?.url ?? `sqlite:${join(folder, 'store.db')}`)
    print(months)
    const grown = growing(months)
    if (grown.length > 0 || months.length !== 12) process.exitCode = 1
    const verdict = grown.length === 0 ? 'ok' : `FAILED (${grown.join(', ')} grow)`
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(`${verdict} a year on ${engine}, ${connectionsADay} connections a day, ${seconds} s\n`)
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true })
  }
}
