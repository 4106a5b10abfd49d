/** 0 failures in so many calls of each kind of client, spread blindly over two instances on one PostgreSQL.
 *  Run: node dist/test/torture/round-robin.torture.js [calls]; default 1000. */
import { clientKinds, signedIn } from '../flow/client-kinds.ts'
import { failuresOf, revoke, serveTwo, statusOfCall } from '../mcp/support/two-instances.ts'
import { startPostgres } from '../store/postgres-server.ts'

const calls = Number(process.argv[2] ?? 1000)
const postgres = await startPostgres()
const two = await serveTwo(postgres.url)
const notes: string[] = []
try {
  for (const kind of clientKinds) {
    const began = performance.now()
    const { client, provider } = await signedIn(kind, two.baseUrl)
    const failures = await failuresOf(client, calls, notes)
    await revoke(two.baseUrl, provider)
    const after = [await statusOfCall(two.baseUrl, provider), await statusOfCall(two.baseUrl, provider)]
    await client.close()
    const isRight = failures.length === 0 && after.every((status) => status === 401)
    if (!isRight) process.exitCode = 1
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(
      `${isRight ? 'ok' : 'FAILED'} round robin, ${kind.name}: ${calls} calls, ${failures.length} failures, ` +
        `after revoking ${after.join(' and ')}, requests by instance ${two.requests.join(' and ')}, ${seconds} s`,
    )
    for (const failure of failures.slice(0, 3)) console.log(`  ${failure}`)
  }
} finally {
  await two.close()
  await postgres.stop()
}
