/** The short form of test/torture/double-spend.torture.ts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { doubleSpend } from '../torture/support/double-spend.ts'
import { postgresOrNotice } from './postgres-server.ts'

const races = 10
const none = { races: 3 * races, withoutWinner: 0, doubles: 0, strange: 0 }

for (const processes of [1, 4]) {
  t.test(`SQLite, ${processes} processes on one file: 50 contenders, one winner, five retries`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'acmcp-spend-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const url = `sqlite:${join(folder, 'store.db')}`
    t.strictSame(await doubleSpend({ url, processes, races, contenders: 50 }), none)
  })
}

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.test('PostgreSQL, 4 instances: 50 contenders, one winner, five retries', async (t) => {
    t.strictSame(await doubleSpend({ url: server.url, processes: 4, races, contenders: 50 }), none)
  })
  t.teardown(() => server.stop())
}
