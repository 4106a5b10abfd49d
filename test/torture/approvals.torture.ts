/** Kills between approving, spending and running: a call that was approved runs at most once, and one that was not never does. Each kill
 *  comes while ten approved calls are sent three times each, beside ten that nobody approved. Run: node
 *  dist/test/torture/approvals.torture.js [kills] [engines, comma-separated: sqlite,postgres]; default 100 and both. Needs `acmcp build`. */
import { startPostgres } from '../store/postgres-server.ts'
import { type ApprovalStanding, killedApprovals } from './support/killed-approvals.ts'

const kills = Number(process.argv[2] ?? 100)
const engines = (process.argv[3] ?? 'sqlite,postgres').split(',')

async function onPostgres(): Promise<ApprovalStanding> {
  const server = await startPostgres()
  try {
    return await killedApprovals({ kills, databaseUrl: server.url })
  } finally {
    await server.stop()
  }
}

for (const engine of engines) {
  const began = performance.now()
  const standing = await (engine === 'postgres'
    ? onPostgres()
    : killedApprovals({ kills, databaseUrl: null }))
  const { approved, ranOnce } = standing
  const isRight =
    standing.twice + standing.unapproved + standing.unseen === 0 && ranOnce > 0 && approved === kills * 10
  if (!isRight) process.exitCode = 1
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  console.log(`${isRight ? 'ok' : 'FAILED'} approvals, ${engine}: ${JSON.stringify(standing)}, ${seconds} s`)
}
