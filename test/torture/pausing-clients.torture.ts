/** Rolling restarts, one after the other, among clients that keep their connections and pause for up to 3 s between two requests: `fetch`,
 *  `node:http` and both major versions of the MCP SDK. No request may fail. Run: node dist/test/torture/pausing-clients.torture.js [requests]
 *  [clients of each kind] [workers]; default 1400, 12 and 2. */
import { availableParallelism, loadavg } from 'node:os'
import { startDesk } from '../serve/workers/support/desk-app.ts'
import { restartAmongPausing } from '../serve/workers/support/pausing-clients.ts'
import { startPostgres } from '../store/postgres-server.ts'

const [requests = 1400, each = 12, workers = 2] = process.argv.slice(2).map(Number)
const cleaning: (() => unknown)[] = []
const t = { teardown: (clean: () => unknown) => void cleaning.push(clean) }
const began = performance.now()
const server = await startPostgres()
t.teardown(() => server.stop())
const desk = await startDesk(t, { workers, databaseUrl: server.url })
const { answered, failures } = await restartAmongPausing(desk, {
  restarts: 3,
  each,
  maxPauseMs: 3000,
  requests,
})
const restarts = desk.said.filter((line) => line.includes('acmcp: restarted')).length
for (const clean of cleaning.reverse()) await clean()
process.stdout.write(
  `${failures.length === 0 ? 'ok' : 'FAILED'} pausing clients: ${answered} requests, ${restarts} restarts, ${failures.length} failed ${[...new Set(failures)].join('; ')}, ` +
    `${((performance.now() - began) / 1000).toFixed(0)} s, load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors\n`,
)
process.exitCode = failures.length === 0 ? 0 : 1
