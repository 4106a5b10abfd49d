/** Every name that telemetry uses, and nothing else. What is not ours (`acmcp.`) is of the OpenTelemetry conventions: HTTP, JSON-RPC
 *  and RPC, Node.js and database clients of semantic-conventions 1.45; MCP and GenAI of semantic-conventions-genai, docs/gen-ai/mcp.md. */

/** Of the tracer and of the meter. */
export const scope = 'acmcp'

/** Attributes of spans and metrics. */
export const attribute = {
  clientAddress: 'client.address',
  decision: 'acmcp.decision',
  errorType: 'error.type',
  httpMethod: 'http.request.method',
  httpMethodOriginal: 'http.request.method_original',
  httpRequestId: 'acmcp.request.id',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  lookUpResult: 'acmcp.lookup.result',
  mcpMethod: 'mcp.method.name',
  mcpProtocolVersion: 'mcp.protocol.version',
  mcpResourceUri: 'mcp.resource.uri',
  networkPeerAddress: 'network.peer.address',
  networkPeerPort: 'network.peer.port',
  networkProtocolName: 'network.protocol.name',
  networkProtocolVersion: 'network.protocol.version',
  networkTransport: 'network.transport',
  operationName: 'gen_ai.operation.name',
  outcome: 'acmcp.outcome',
  poolName: 'db.client.connection.pool.name',
  poolState: 'db.client.connection.state',
  processId: 'process.pid',
  promptName: 'gen_ai.prompt.name',
  proxyTool: 'acmcp.proxy.name',
  requestId: 'jsonrpc.request.id',
  routeId: 'acmcp.route.id',
  rpcStatus: 'rpc.response.status_code',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  storeVerb: 'acmcp.store.verb',
  streamKind: 'acmcp.stream.kind',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolName: 'gen_ai.tool.name',
  toolResult: 'gen_ai.tool.call.result',
  urlPath: 'url.path',
  urlQuery: 'url.query',
  urlScheme: 'url.scheme',
  userAgent: 'user_agent.original',
} as const

/** Those of capabilities are ours. */
export type AttributeName = (typeof attribute)[keyof typeof attribute] | `acmcp.${string}`

/** Values that the conventions name. */
export const wellKnown = {
  executeTool: 'execute_tool',
  http: 'http',
  other: '_OTHER',
  tcp: 'tcp',
  toolError: 'tool_error',
} as const

/** What a metric is. `unit` is UCUM. `across`: what several processes come to together, of a gauge. */
export type MetricDefinition =
  | { readonly kind: 'counter'; readonly name: string; readonly unit: string; readonly description: string }
  | {
      readonly kind: 'histogram'
      readonly name: string
      readonly unit: 's'
      readonly description: string
      /** Upper bounds, in the unit. */
      readonly buckets: readonly number[]
    }
  | {
      readonly kind: 'gauge'
      readonly name: string
      readonly unit: string
      readonly description: string
      readonly across: 'sum' | 'max'
    }

/** Source: semantic-conventions, docs/http/http-metrics.md; semantic-conventions-genai, docs/gen-ai/mcp.md. */
const httpBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]
const mcpBuckets: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
/** Source: semantic-conventions, docs/database/database-metrics.md. */
const storeBuckets: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

type MetricKey =
  | 'requestDuration'
  | 'activeRequests'
  | 'operationDuration'
  | 'toolCalls'
  | 'openStreams'
  | 'authLookUps'
  | 'storeDuration'
  | 'poolConnections'
  | 'poolWaiting'
  | 'delayMean'
  | 'delayP50'
  | 'delayP99'
  | 'delayMax'

const delay = (which: string, words: string): MetricDefinition => ({
  kind: 'gauge',
  name: `nodejs.eventloop.delay.${which}`,
  unit: 's',
  description: `Event loop ${words} delay.`,
  across: 'max',
})

export const metric: Readonly<Record<MetricKey, MetricDefinition>> = {
  requestDuration: {
    kind: 'histogram',
    name: 'http.server.request.duration',
    unit: 's',
    description: 'Duration of HTTP server requests.',
    buckets: httpBuckets,
  },
  activeRequests: {
    kind: 'gauge',
    name: 'http.server.active_requests',
    unit: '{request}',
    description: 'Number of active HTTP server requests.',
    across: 'sum',
  },
  operationDuration: {
    kind: 'histogram',
    name: 'mcp.server.operation.duration',
    unit: 's',
    description:
      'MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent.',
    buckets: mcpBuckets,
  },
  toolCalls: {
    kind: 'counter',
    name: 'acmcp.tool.calls',
    unit: '{call}',
    description: 'Tool calls that are over, by tool, outcome and decision.',
  },
  openStreams: {
    kind: 'gauge',
    name: 'acmcp.streams.open',
    unit: '{stream}',
    description: 'Streams of MCP clients and WebSockets that are open.',
    across: 'sum',
  },
  authLookUps: {
    kind: 'counter',
    name: 'acmcp.auth.cache.lookups',
    unit: '{lookup}',
    description: 'Requests of the MCP endpoint with a credential, by whether it had passed before.',
  },
  storeDuration: {
    kind: 'histogram',
    name: 'acmcp.store.verb.duration',
    unit: 's',
    description: 'Duration of what the store was asked for.',
    buckets: storeBuckets,
  },
  poolConnections: {
    kind: 'gauge',
    name: 'db.client.connection.count',
    unit: '{connection}',
    description: 'The number of connections that are currently in state described by the state attribute.',
    across: 'sum',
  },
  poolWaiting: {
    kind: 'gauge',
    name: 'db.client.connection.pending_requests',
    unit: '{request}',
    description: 'The number of current pending requests for an open connection.',
    across: 'sum',
  },
  delayMean: delay('mean', 'mean'),
  delayP50: delay('p50', '50 percentile'),
  delayP99: delay('p99', '99 percentile'),
  delayMax: delay('max', 'maximum'),
}

/** Tracing channels of `node:diagnostics_channel`. */
export const channel = {
  request: 'acmcp:request',
  message: 'acmcp:message',
  toolCall: 'acmcp:tool-call',
} as const
