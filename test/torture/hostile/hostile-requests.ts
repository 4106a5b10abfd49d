/** What a hostile client sends, as whole HTTP requests, by the name of the attack. */
export type Attack = (turn: number) => string

export interface Surrounding {
  readonly host: string
  /** An access token of the hostile user. */
  readonly token: string
}

/** Every attack known that needs no more than requests. */
export function hostileRequests({ host, token }: Surrounding): ReadonlyMap<string, Attack> {
  const own = `Authorization: Bearer ${token}`
  const post = (path: string, headers: readonly string[], body: string): string =>
    [
      `POST ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Accept: application/json, text/event-stream',
      ...(headers.some((header) => header.startsWith('Content-Type'))
        ? []
        : ['Content-Type: application/json']),
      ...headers,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n')
  const get = (path: string, headers: readonly string[]): string =>
    [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n')
  const mcp = (headers: readonly string[], message: unknown, query = ''): string =>
    post(`/mcp${query}`, headers, JSON.stringify(message))
  return new Map<string, Attack>([
    ['invented bearer', (turn) => mcp([`Authorization: Bearer e30.e30.${turn}`], request('tools/list'))],
    ['invented key', (turn) => mcp([`X-API-Key: ${turn}`], request('tools/list'))],
    ['invented key beside a token', (turn) => mcp([own, `X-API-Key: ${turn}`], call('notes_create'))],
    ['a stream, dropped', () => get('/mcp', [own, 'Accept: text/event-stream'])],
    ['a subscription, dropped', () => mcp([own, ...modernHead('subscriptions/listen')], subscription)],
    ['a slow call, dropped', () => mcp([own], call('slow_wait'))],
    ['a batch of lists', () => mcp([own], tenLists, '?toolboxes=all')],
    ['a list of an odd form', () => mcp([own], oddList, '?toolboxes=all')],
    ['an unknown name', (turn) => mcp([own], call(`${'box7_thing_with_a_long_name_'.repeat(3)}${turn}`))],
    [
      'an unknown name behind a proxy',
      (turn) => mcp([own], call('call_tool', { name: `box7_thing_${turn}` })),
    ],
    [
      'a metadata document',
      (turn) => get(`/oauth/authorize?${new URLSearchParams(authorization(turn))}`, []),
    ],
    ['an echo of a recursive type', () => mcp([own], call('echo_tree', { expr: expression(20) }))],
    ['an echo of nested lists', () => mcp([own], call('echo_any', { value: nestedLists }))],
    [
      'a task with a picture',
      () => mcp([own, ...modernHead('tools/call'), 'Mcp-Name: echo_picture'], picture),
    ],
    ['a ping of many names', () => mcp([own], ping)],
    [
      'a retry of many names',
      () => mcp([own], request('tools/call', { ...Object(manyNames), name: 'notes_create', task: {} })),
    ],
    [
      'a recursive schema, broken',
      () => post('/api/echo/filter', [own], JSON.stringify({ filter: filter(20) })),
    ],
  ])
}

/** And and Not of nothing: what makes it too long stands at its end. */
const expression = (depth: number): object =>
  depth === 0 ? { note: 'a text. '.repeat(400), op: 'not' } : { left: expression(depth - 1), op: 'not' }
/** 0.2 MB, 32 levels deep. */
const nestedLists = Array.from({ length: 32 }).reduce<object>(
  (inner) => ({ rows: [inner, { text: 'a text. '.repeat(800) }] }),
  {},
)
const manyNames = Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`n${at}`, 1]))
/** Not of Not, and a value that fits nothing. */
const filter = (depth: number): object => (depth === 0 ? { value: {} } : { not: filter(depth - 1) })

const request = (method: string, params: object = {}, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const call = (name: string, args: object = {}): object => request('tools/call', { name, arguments: args })
const ping = request('ping', manyNames)
const picture = request('tools/call', {
  name: 'echo_picture',
  arguments: {},
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  },
})
const tenLists = Array.from({ length: 10 }, (_, id) => request('tools/list', {}, id))
const oddList = request('tools/list', { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'x' } } })
const subscription = request('subscriptions/listen', {
  notifications: { toolsListChanged: true, resourceSubscriptions: [] },
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  },
})
const modernHead = (method: string): readonly string[] => [
  'MCP-Protocol-Version: 2026-07-28',
  `Mcp-Method: ${method}`,
]
const authorization = (turn: number): Record<string, string> => ({
  response_type: 'code',
  client_id: `https://hostile-${turn}.invalid/client`,
  redirect_uri: 'https://hostile.invalid/cb',
  code_challenge: 'a'.repeat(43),
  code_challenge_method: 'S256',
})
