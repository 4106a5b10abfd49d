/** 200 SIGKILLs of workers on PostgreSQL under token load: no acknowledged spend forgotten, none accepted twice, none lost; another serves in
 *  the place of the killed one in under 2 s, and the rest all the time. Run: node dist/test/torture/kill-workers.torture.js [kills]
 *  [workers]; default 200 and 2. Needs `acmcp build`. */
import { availableParallelism, loadavg } from 'node:os'
import { startPostgres } from '../store/postgres-server.ts'
import { crash } from './support/crash.ts'

const kills = Number(process.argv[2] ?? 200)
const workers = Number(process.argv[3] ?? 2)
const readyWithinMs = 2000

const began = performance.now()
const server = await startPostgres()
try {
  const load = { kills, clients: 8, spendsBeforeKill: 40, workers }
  const result = await crash({ ...load, databaseUrl: server.url })
  const wrong = result.forgotten + result.lost + result.acceptedTwice
  const isRight = result.kills === kills && wrong === 0 && result.slowestReadyMs < readyWithinMs
  if (!isRight) process.exitCode = 1
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const machine = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`
  console.log(
    `${isRight ? 'ok' : 'FAILED'} kill workers: ${JSON.stringify(result)}, ${seconds} s, ${machine}`,
  )
} finally {
  await server.stop()
}
