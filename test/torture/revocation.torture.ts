/** How long an open stream of one instance lives after its token was revoked at another: p99 below a second. Run: node
 *  dist/test/torture/revocation.torture.js [revocations]; default 1000. */
import { clientKinds, signedIn } from '../flow/client-kinds.ts'
import { openStream, revoke, serveTwo } from '../mcp/support/two-instances.ts'
import { startPostgres } from '../store/postgres-server.ts'

const revocations = Number(process.argv[2] ?? 1000)
const maxMs = 1000
const [kind] = clientKinds
if (kind === undefined) throw new Error('there are clients')
console.warn = () => {} // of the SDK's clients, which advise on how to write a provider
const postgres = await startPostgres()
const unlimited = { registerPerHour: false, authorizePerHour: false, tokenPerHour: false }
const two = await serveTwo(postgres.url, unlimited)
const times: number[] = []
try {
  for (let round = 0; round < revocations; round += 1) {
    two.send(0)
    const { client, provider } = await signedIn(kind, two.baseUrl)
    two.send(1)
    const stream = await openStream(two.baseUrl, provider)
    if (stream.status !== 200) throw new Error(`the stream was answered with ${stream.status}`)
    two.send(0)
    const began = performance.now()
    await Promise.all([revoke(two.baseUrl, provider), stream.ended])
    times.push(performance.now() - began)
    await client.close()
  }
} finally {
  await two.close()
  await postgres.stop()
}
times.sort((a, b) => a - b)
const at = (share: number): number => Math.round(times[Math.floor(share * (times.length - 1))] ?? Number.NaN)
const isRight = at(0.99) < maxMs
console.log(
  `${isRight ? 'ok' : 'FAILED'} ${times.length} revocations, until the other instance ended the stream: ` +
    `median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
)
process.exitCode = isRight ? 0 : 1
