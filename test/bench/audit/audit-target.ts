/** One server of the audit's bench, a process of its own: the folder of the application, its store, and what is recorded (`off`,
 *  `batched`, `strict`). Tells its port and a token; asked for a number of calls it makes them itself, without a socket, and tells
 *  what they cost. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { openTestApp } from '../../../runtime/testing.ts'
import { legacyCall } from '../mcp/mcp-requests.ts'

/** Microseconds of processor time. */
export interface CallCost {
  readonly process: number
  readonly mainThread: number
}

const [cwd = '', databaseUrl = '', mode = 'off'] = process.argv.slice(2)
const app = await openTestApp({
  cwd,
  environment: { databaseUrl, production: true, logLevel: 'silent' },
  change: ({ config, routes, ...bundle }) => ({
    ...bundle,
    config: { ...(config as object), audit: { enabled: mode !== 'off' } }, // defineApp's object
    routes: mode === 'strict' ? routes.map((route) => ({ ...route, audit: 'strict' as const })) : routes,
  }),
})
const token = await app.accessToken()
const { server, store } = app.application
const headers = { ...legacyCall.headers, authorization: `Bearer ${token}` }

/** Several at a time, as in life. */
async function makeCalls(count: number): Promise<void> {
  let left = count
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const url = legacyCall.path
      const { statusCode } = await server.inject({
        method: 'POST',
        url,
        headers,
        payload: legacyCall.body ?? '',
      })
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
}

/** Source: proc(5), /proc/pid/task/tid/schedstat: nanoseconds. */
function used(): CallCost {
  const { user, system } = process.cpuUsage()
  const schedstat = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8')
  return { process: user + system, mainThread: Number(schedstat.split(' ')[0]) / 1000 }
}

/** With the rows that wait for the second to end. */
async function costOf(calls: number): Promise<CallCost> {
  const before = used()
  await makeCalls(calls)
  await pause(1100)
  const after = used()
  const perCall = (name: keyof CallCost): number => (after[name] - before[name]) / calls
  return { process: perCall('process'), mainThread: perCall('mainThread') }
}

process.on('message', async (calls: number) => process.send?.(await costOf(calls)))
process.on('disconnect', async () => {
  const [row] = await store.listAudit({}, 1)
  await app.close()
  if ((mode !== 'off') !== (row?.user === 'dev:developer' && row.clientName !== null))
    throw new Error(`${mode}: the last row is ${JSON.stringify(row)}`)
  process.exit()
})
const address = await server.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ port: Number(new URL(address).port), token })
