/** A process of its own for `memory.test.ts` (tap itself remembers promises): thousands of clients come and go. Prints how many
 *  bytes of heap are left of each. Needs `--expose-gc`. */
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import { type Answer, type Era, json, message, type Sent, serveAll } from './support.ts'

/** More than the caches of credentials and limits hold: 10,000. */
const filling = 11_000
const measured = 10_000

const eras: readonly Era[] = ['legacy', 'modern']
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '0' },
}
const invoke = async (): Promise<HttpResponse> => json(200, {})
/** What counts and logs calls is switched on: nothing of it may stay of who has gone. */
const settings = {
  authProbe: 'users_current',
  toolCallsPerMinute: 6000,
  concurrentToolCalls: 1000,
  concurrentToolCallsPerUser: 100,
  streamsPerUser: 100,
  callLog: { isWritten: true, ms: false, holderOf: () => null },
  clock: () => 0,
}
const { app, open } = serveAll({ ...settings, invoke })

await heapAfter(0, filling)
const heaps = [await heapAfter(1, measured), await heapAfter(2, measured), await heapAfter(3, measured)]
const grown = heaps.slice(1).map((heap, at) => heap - (heaps[at] ?? 0))
process.stdout.write(String(Math.min(...grown) / measured)) // what else the process does only adds

async function heapAfter(turn: number, clients: number): Promise<number> {
  for (let client = 0; client < clients; client += 1) await visit(turn, client)
  globalThis.gc?.()
  await new Promise(setImmediate)
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** A call with a credential of its own; some clients begin as clients do, and open a stream. */
async function visit(turn: number, client: number): Promise<void> {
  const era = eras[client % 2] ?? 'modern'
  const headers = { authorization: `Bearer client-${turn}-${client}` }
  const ip = `10.${turn}.${Math.floor(client / 100)}.1` // a hundred clients of one address are remembered in a minute
  const ask = (sent: Sent): Promise<Answer> => app({ ...sent, ip, headers: { ...sent.headers, ...headers } })
  const { status } = await ask(message(era, 'tools/call', { name: 'notes_index' }))
  if (status !== 200) throw new Error(`client ${client} got ${status}`)
  if (client % 20 > 1) return
  await ask(message(era, era === 'legacy' ? 'initialize' : 'server/discover', initialize))
  const stream = await open({ method: 'GET', ip, headers: { accept: 'text/event-stream', ...headers } })
  stream.leave()
}
