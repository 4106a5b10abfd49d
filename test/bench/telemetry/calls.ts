/** Measures tool calls one way in this process, and prints what one takes: `node calls.js DIST WAY CALLS`. */
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import type { Watching } from '../../../runtime/boot/watching.ts'
import type * as TelemetryStart from '../../../runtime/capabilities/telemetry/start.ts'
import type { ArrivedRequest } from '../../../runtime/contract/calls.ts'
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import type * as McpServers from '../../../runtime/mcp/server.ts'
import type * as Support from '../../mcp/support/support.ts'

/** `before`: a checkout that has no telemetry. `api`: a propagator is registered, and no SDK. */
export type Way = 'before' | 'off' | 'native' | 'metrics' | 'api' | 'propagation' | 'unsampled' | 'sdk'

export interface Measured {
  /** Of one call, of processor time: others on the machine make it wait, which is not its cost. */
  readonly microseconds: number
  /** What one call allocates. */
  readonly bytes: number
}

const [, , dist = '', chosen = 'off', count = '100000'] = process.argv
const way = chosen as Way // the bench names it
const calls = Number(count)

function register(): void {
  if (way === 'api') propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  if (!['propagation', 'unsampled', 'sdk'].includes(way)) return
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const sampler = way === 'unsampled' ? { sampler: new AlwaysOffSampler() } : {}
  trace.setGlobalTracerProvider(new BasicTracerProvider(sampler))
}

type Watches = Pick<Watching, 'watchRequest' | 'watchMessage'>

async function watches({ catalogue }: { readonly catalogue: object }): Promise<Watches> {
  if (way === 'before') return { watchRequest: null, watchMessage: null }
  const module: typeof TelemetryStart = await import(`${dist}/runtime/capabilities/telemetry/start.js`)
  const mode = way === 'off' || way === 'propagation' ? way : 'native'
  const parts = {
    bundle: { version: '1.0.0', catalogue },
    config: { log: { mask: [], ms: false } },
    settings: () => ({ telemetry: { mode, toolArguments: false, toolResults: false } }),
    environment: {
      baseUrl: 'http://localhost:3000',
      metrics: way === 'metrics' ? { port: 0, host: '127.0.0.1', token: null } : null,
    },
    capabilities: [],
    log: { info: () => {}, warn: () => {}, error: () => {} },
  }
  return module.startTelemetry(parts as unknown as Parameters<typeof module.startTelemetry>[0]) // what it reads of them
}

register()
const support: typeof Support = await import(`${dist}/test/mcp/support/support.js`)
const { createMcpServer }: typeof McpServers = await import(`${dist}/runtime/mcp/server.js`)
const options = support.endpointOptions()
const { watchRequest, watchMessage } = await watches(options)
const response = support.json(200, ['first', 'second'])
const mcp = createMcpServer({ ...options, watch: watchMessage, onLookUp: null, invoke: async () => response })
const [endpoint] = mcp.endpoints
if (endpoint === undefined) throw new Error('there is no endpoint')

const value = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'notes_index', arguments: {} } }
const request: HttpRequest = support.requestOf({
  body: { kind: 'value', value },
  headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
})
const arrived: ArrivedRequest = {
  ...{ id: '1', method: 'POST', route: '/mcp', path: '/mcp', query: null, httpVersion: '1.1' },
  ...{ address: '127.0.0.1', peer: { address: '127.0.0.1', port: 40000 }, headers: request.headers },
}
const arrivedNow = (): ArrivedRequest => arrived
const end = { status: 200, isComplete: true }

async function one(handle: (request: HttpRequest) => unknown): Promise<HttpResponse> {
  const watched = watchRequest === null ? null : watchRequest(arrivedNow)
  if (watched === null) return (await handle(request)) as HttpResponse // it is one
  let answering: unknown = null
  watched.run(() => {
    answering = handle(request)
  })
  const answer = (await answering) as HttpResponse // the same
  watched.ended(end)
  return answer
}

const { body } = await one(endpoint.handle)
if (!String(body).includes('second')) throw new Error(`a wrong answer: ${body}`)
for (let at = 0; at < Math.min(calls, 50_000); at += 1) await one(endpoint.handle)
const used = process.cpuUsage()
for (let at = 0; at < calls; at += 1) await one(endpoint.handle)
const { user, system } = process.cpuUsage(used)
const microseconds = (user + system) / calls

/** Few enough that nothing is collected meanwhile. */
const weighed = 2000
globalThis.gc?.()
const before = process.memoryUsage().heapUsed
for (let at = 0; at < weighed; at += 1) await one(endpoint.handle)
const bytes = (process.memoryUsage().heapUsed - before) / weighed
const measured: Measured = { microseconds, bytes }
process.stdout.write(JSON.stringify(measured))
