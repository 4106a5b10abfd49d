/** The desk for tests: built, on an empty database, with one person of each role. On PostgreSQL, one file after the other:
 *  TEST_DATABASE_URL=postgres://… node --test --test-concurrency=1 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseOf } from 'acmcp/store'
import { openTestApp } from 'acmcp/testing'

// before the application is loaded: see app/tickets/files.ts
process.env.DESK_FILES = mkdtempSync(join(tmpdir(), 'desk-files-'))

const databaseUrl = process.env.TEST_DATABASE_URL ?? 'sqlite::memory:'

/** What belongs to a row goes with it. */
const emptied = ['customers', 'teams', 'counters', 'users']

export const people = {
  customer: { id: 'test:ada', name: 'Ada', email: 'ada@example.org' },
  other: { id: 'test:eve', name: 'Eve', email: 'eve@example.org' },
  agent: { id: 'test:ben', name: 'Ben', email: null },
  admin: { id: 'test:cleo', name: 'Cleo', email: null },
}

const roles = { customer: 'customer', other: 'customer', agent: 'agent', admin: 'admin' }

/** The time at which it opens; `desk.wait(ms)` moves it. */
export const opening = Date.parse('2026-03-02T09:00:00Z')

export async function openDesk(t) {
  let now = opening
  const app = await openTestApp({ clock: () => now, environment: { databaseUrl } })
  t.after(() => app.close())
  const database = databaseOf(app.services)
  for (const table of emptied) await database.deleteFrom(table).execute()
  const rows = Object.entries(people).map(([name, user]) => ({
    ...user,
    role: roles[name],
    created_at: opening,
  }))
  await database.insertInto('users').values(rows).execute()
  return {
    app,
    /** A client of one of `people`, with a token for these scopes. */
    as: async (name, scope = 'api') =>
      app.client().withBearer(await app.accessToken(people[name], { scope })),
    wait: (ms) => {
      now += ms
    },
  }
}

/** What a request is answered with, in short. */
export const shortly = (answer) => [answer.statusCode, answer.body === '' ? '' : answer.json()]

export const request = (client, method, url, payload) => client.request({ method, url, payload })
