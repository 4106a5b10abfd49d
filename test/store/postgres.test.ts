/** The store on a real PostgreSQL. */
import t from 'tap'
import { storeContract } from './contract.ts'
import { postgresOrNotice } from './postgres-server.ts'

const server = await postgresOrNotice((text) => t.comment(text))
if (server === null) {
  t.pass('skipped: no PostgreSQL')
} else {
  await storeContract(t, 'PostgreSQL', () => server.freshDatabase())
  await server.stop()
}
