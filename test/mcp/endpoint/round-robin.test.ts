/** No stickiness: any instance serves any request. Source: rules.md, revisions. */
import t from 'tap'
import { clientKinds, signedIn } from '../../flow/client-kinds.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { failuresOf, revoke, serveTwo, statusOfCall } from '../support/two-instances.ts'

const calls = 50
const postgres = await postgresOrNotice((text) => t.comment(text))
if (postgres === null) t.pass('skipped: no PostgreSQL')
else {
  const two = await serveTwo(postgres.url)
  const notes: string[] = []
  for (const kind of clientKinds) {
    await t.test(`${kind.name}: ${calls} calls behind a blind round robin, 0 failures`, async (t) => {
      const { client, provider } = await signedIn(kind, two.baseUrl)
      const before = [...two.requests]
      t.strictSame(await failuresOf(client, calls, notes), [])
      const shares = two.requests.map((count, at) => count - (before[at] ?? 0))
      t.ok(
        shares.every((count) => count >= calls / 2),
        `both instances were asked: ${shares}`,
      )
      t.equal(await revoke(two.baseUrl, provider), 200)
      const statuses = [await statusOfCall(two.baseUrl, provider), await statusOfCall(two.baseUrl, provider)]
      t.strictSame(statuses, [401, 401], 'revoked on one, refused on both')
      const refused = await client
        .callTool({ name: 'users_current', arguments: {} })
        .catch((error: unknown) => error)
      t.ok(refused instanceof kind.unauthorized, 'the client must sign in again')
      await client.close()
    })
  }

  await t.test('signed in on one, called on the other, revoked on either', async (t) => {
    for (const [home, away] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const [kind] = clientKinds
      if (kind === undefined) throw new Error('there are clients')
      two.send(home)
      const { client, provider } = await signedIn(kind, two.baseUrl)
      two.send(away)
      t.strictSame(await failuresOf(client, 3, notes), [])
      t.equal(await statusOfCall(two.baseUrl, provider), 200)
      two.send(home)
      t.equal(await statusOfCall(two.baseUrl, provider), 200, 'both remember that the token passed')
      t.equal(await revoke(two.baseUrl, provider), 200)
      two.send(away)
      t.equal(await statusOfCall(two.baseUrl, provider), 401)
      await client.close()
    }
  })

  await two.close()
  await postgres.stop()
}
