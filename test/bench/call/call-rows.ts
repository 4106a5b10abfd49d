/** What `npm run bench:call` measures: applications, servers of them, and requests to each. */

import type { ApplicationOptions } from '../mcp/mcp-app.ts'
import { legacyCall, modernCall, resourceRead, routeCall, routeRead } from '../mcp/mcp-requests.ts'
import type { Sent } from './dispatch.ts'

/** How a server is started. `folder`: null = the bare route. `config` replaces parts of what the application says. */
export interface Serving {
  readonly folder: string | null
  readonly store: string
  readonly config: object
}

export interface Question {
  readonly what: 'answer' | 'cost' | 'promises'
  readonly sent: Sent
  readonly count: number
}

/** Routes that ask for nothing, of an application that knows our tokens alone. */
const openController = `import { Controller } from 'acmcp'
/** Whoever asks. */
export abstract class Protected extends Controller {}
`

const scopedController = openController.replace(
  'Whoever asks.',
  'Whoever may use notes.\n *\n * @scope notes\n',
)

const mcp = { serverName: 'Bench' }
const unlimited = {
  ...{ toolCallsPerMinute: false, concurrentToolCalls: false },
  ...{ concurrentToolCallsPerUser: false, streamsPerUser: false },
}

const keyedController = openController.replace('Whoever asks.', 'Whoever asks.\n *\n * @idempotencyKey\n')

const configText = (fields: object): string => `import { defineApp } from 'acmcp'
export const config: object = defineApp(${JSON.stringify({ mcp, limits: unlimited, ...fields })})
`

/** By name, each built once. */
export const applications: Readonly<
  Record<string, { readonly tools: number; readonly options: ApplicationOptions }>
> = {
  notes: { tools: 1, options: {} },
  open: {
    tools: 1,
    options: { more: { 'app/config.ts': configText({}), 'app/protected.ts': openController } },
  },
  scopes: {
    tools: 1,
    options: {
      more: {
        'app/config.ts': configText({ scopes: { notes: 'Read and write notes' } }),
        'app/protected.ts': scopedController,
      },
    },
  },
  keys: {
    tools: 1,
    options: {
      more: {
        'app/config.ts': configText({ idempotency: { perUser: 100_000_000 } }),
        'app/protected.ts': keyedController,
      },
    },
  },
  tasks: { tools: 1, options: { withTask: true } },
  thousand: { tools: 1000, options: {} },
  plugin: { tools: 1, options: { withHook: true } },
}

const unaudited = { audit: { enabled: false } }
/** Without the probe that the application has. */
const plain = { mcp }

/** By name: the application, and what is said in place of its own configuration. `isSignedIn`: with a token of ours. */
export const servers: Readonly<
  Record<string, { readonly application: string; readonly config: object; readonly isSignedIn?: boolean }>
> = {
  'audit off': { application: 'notes', config: { ...plain, ...unaudited } },
  audit: { application: 'notes', config: plain },
  'a probe': { application: 'notes', config: unaudited },
  'signed in': { application: 'open', config: unaudited, isSignedIn: true },
  scopes: { application: 'scopes', config: unaudited, isSignedIn: true },
  keys: { application: 'keys', config: unaudited },
  tasks: { application: 'tasks', config: { ...plain, ...unaudited } },
  '1,000 tools': { application: 'thousand', config: { ...plain, ...unaudited } },
  'a plugin': { application: 'plugin', config: { ...plain, ...unaudited } },
}

export interface Row {
  readonly name: string
  /** A server by its name; null = the bare route. */
  readonly server: string | null
  readonly sent: Sent
  /** The row that it is set beside, of the same request without MCP. */
  readonly beside: string | null
}

const post = { name: 'bare POST', server: null, sent: routeCall('/api/notes'), beside: null }
const get = { name: 'bare GET', server: null, sent: routeRead('/api/notes/'), beside: null }

function rowsOf(server: string): readonly Row[] {
  const http = `HTTP POST, ${server}`
  return [
    { name: http, server, sent: routeCall('/api/notes/'), beside: post.name },
    { name: `call 2025-11-25, ${server}`, server, sent: legacyCall, beside: http },
    { name: `call 2026-07-28, ${server}`, server, sent: modernCall, beside: http },
  ]
}

const ofPlainServer = { server: 'audit off' }

export const rows: readonly Row[] = [
  post,
  get,
  ...Object.keys(servers).flatMap(rowsOf),
  {
    ...{ name: 'HTTP POST with a key', server: 'keys', beside: 'HTTP POST, keys' },
    sent: { ...routeCall('/api/notes/'), isKeyed: true },
  },
  { name: 'HTTP GET', ...ofPlainServer, sent: routeRead('/api/notes/'), beside: get.name },
  { name: 'resources/read', ...ofPlainServer, sent: resourceRead, beside: 'HTTP GET' },
]
