/** 200 SIGKILLs under token load per engine: no acknowledged spend forgotten, none accepted twice, ready again in under
 *  2 s by the clock (on a busy machine the clock shows the others' work too: the processor time is printed beside it).
 *  On PostgreSQL every tenth round kills the database as well. Run: node dist/test/torture/crash.torture.js [kills] [engines, comma-separated: sqlite,postgres];
 *  default 200 and both. Needs `acmcp build`. */
import { availableParallelism, loadavg } from 'node:os'
import { startPostgres } from '../store/postgres-server.ts'
import { type CrashPlan, type CrashResult, crash } from './support/crash.ts'

const kills = Number(process.argv[2] ?? 200)
const engines = (process.argv[3] ?? 'sqlite,postgres').split(',')
const load = { kills, clients: 8, spendsBeforeKill: 40 }
const readyWithinMs = 2000

async function onPostgres(): Promise<CrashResult> {
  const server = await startPostgres()
  const alsoKill: CrashPlan['alsoKill'] = async (round) => {
    if (round % 10 === 9) await server.power?.crash()
  }
  try {
    return await crash({ ...load, databaseUrl: server.url, alsoKill })
  } finally {
    await server.stop()
  }
}

for (const engine of engines) {
  const began = performance.now()
  const result = engine === 'postgres' ? await onPostgres() : await crash({ ...load, databaseUrl: null })
  const wrong = result.forgotten + result.lost + result.acceptedTwice
  const isRight = result.kills === kills && wrong === 0 && result.slowestReadyMs < readyWithinMs
  if (!isRight) process.exitCode = 1
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const machine = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`
  console.log(
    `${isRight ? 'ok' : 'FAILED'} crash, ${engine}: ${JSON.stringify(result)}, ${seconds} s, ${machine}`,
  )
}
