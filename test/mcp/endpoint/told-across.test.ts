/** What one instance revokes or grants, open streams of another learn at once. */
import t from 'tap'
import { clientKinds, signedIn } from '../../flow/client-kinds.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { openStream, revoke, serveTwo } from '../support/two-instances.ts'

const postgres = await postgresOrNotice((text) => t.comment(text))
if (postgres === null) t.pass('skipped: no PostgreSQL')
else {
  const two = await serveTwo(postgres.url)
  const [kind] = clientKinds
  if (kind === undefined) throw new Error('there are clients')

  await t.test('a stream of one instance ends when its token is revoked at the other', async (t) => {
    two.send(0)
    const { client, provider } = await signedIn(kind, two.baseUrl)
    two.send(1)
    const stream = await openStream(two.baseUrl, provider)
    t.equal(stream.status, 200)
    two.send(0)
    const revokedAt = performance.now()
    t.equal(await revoke(two.baseUrl, provider), 200)
    await stream.ended
    t.comment(`ended ${Math.round(performance.now() - revokedAt)} ms after the revocation was asked for`)
    t.pass('it ended, without the clock of its look-up')
    await client.close()
  })

  await two.close()
  await postgres.stop()
}
