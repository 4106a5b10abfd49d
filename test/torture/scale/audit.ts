/** What is stored at the end, read with the drivers alone. */
import Libsql from 'libsql'
import pg from 'pg'
import type { Ledger } from './ledger.ts'

type Row = Readonly<Record<string, unknown>>
type Ask = (sql: string) => Promise<readonly Row[]>

/** Two tokens of one grant that nobody spent: one was exchanged twice. */
const twiceSpent = `select grant_id from acmcp_tokens where kind = 'refresh' and spent_at is null
  group by grant_id having count(*) > 1`

/** What is wrong. */
export async function audit(databaseUrl: string, ledgers: readonly Ledger[]): Promise<readonly string[]> {
  const { ask, close } = await connected(databaseUrl)
  try {
    const values = new Map(
      (await ask('select * from accounts')).map((row) => [row.user_id, Number(row.value)]),
    )
    const events = await ask('select * from events')
    for (const ledger of ledgers) {
      const own = events.filter(({ user_id }) => user_id === ledger.owner)
      const stored = new Map(own.map(({ key, value }) => [String(key), Number(value)]))
      ledger.audit(values.get(ledger.owner) ?? 0, stored)
    }
    const doubles = await ask(twiceSpent)
    return [
      ...ledgers.flatMap(({ wrong }) => wrong),
      ...doubles.map(({ grant_id }) => `grant ${String(grant_id)} has two refresh tokens that nobody spent`),
    ]
  } finally {
    await close()
  }
}

async function connected(databaseUrl: string): Promise<{ readonly ask: Ask; readonly close: () => unknown }> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new Libsql(databaseUrl.slice('sqlite:'.length))
    return {
      ask: async (sql) => database.prepare(sql).all() as readonly Row[],
      close: () => database.close(),
    }
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return { ask: async (sql) => (await client.query(sql)).rows, close: () => client.end() }
}
