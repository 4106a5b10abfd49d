/** 200 SIGKILLs of workers under token load per engine: no acknowledged spend forgotten, none accepted twice, none lost; another serves in
 *  the place of the killed one in under 2 s, and the rest all the time. Run: node dist/test/torture/kill-workers.torture.js [kills]
 *  [engines, comma-separated: sqlite,postgres] [workers]; default 200, both and 2. Needs `acmcp build`. */
import { availableParallelism, loadavg } from 'node:os'
import { startPostgres } from '../store/postgres-server.ts'
import { type CrashResult, crash } from './support/crash.ts'

const kills = Number(process.argv[2] ?? 200)
const engines = (process.argv[3] ?? 'sqlite,postgres').split(',')
const workers = Number(process.argv[4] ?? 2)
const load = { kills, clients: 8, spendsBeforeKill: 40, workers }
const readyWithinMs = 2000

async function onPostgres(): Promise<CrashResult> {
  const server = await startPostgres()
  try {
    return await crash({ ...load, databaseUrl: server.url })
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
    `${isRight ? 'ok' : 'FAILED'} kill workers, ${engine}: ${JSON.stringify(result)}, ${seconds} s, ${machine}`,
  )
}
