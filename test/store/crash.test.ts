/** The short form of test/torture/crash.torture.ts. */
import t from 'tap'
import { crash } from '../torture/support/crash.ts'
import { ownPostgresOrNotice } from './postgres-server.ts'

const load = { kills: 2, clients: 3, spendsBeforeKill: 12 }

t.test('SQLite: after SIGKILL no acknowledged spend is forgotten and no token accepted twice', async (t) => {
  const result = await crash({ ...load, databaseUrl: null })
  t.match(result, { kills: 2, forgotten: 0, lost: 0, acceptedTwice: 0 })
  t.ok(result.acknowledged >= 24, `${result.acknowledged} spends`)
})

const server = await ownPostgresOrNotice((text) => t.comment(text), [])
if (server !== null) {
  t.test('PostgreSQL: the same, with the database killed as well', async (t) => {
    const alsoKill = async (): Promise<void> => server.power?.crash()
    const result = await crash({ ...load, kills: 1, databaseUrl: server.url, alsoKill })
    t.match(result, { kills: 1, forgotten: 0, lost: 0, acceptedTwice: 0 })
    t.ok(result.acknowledged >= 12, `${result.acknowledged} spends`)
  })
  t.teardown(() => server.stop())
}
