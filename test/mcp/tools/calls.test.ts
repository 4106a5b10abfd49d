/** What a route can do as a tool: progress, cancellation, input of the user, blocks, limits. */
import t from 'tap'
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import type { McpCall, ToolCallRequest, ToolEntry } from '../../../runtime/contract/mcp.ts'
import { CapabilityRequired, ForMcpClient, InputRequired } from '../../../runtime/errors.ts'
import { toolContentType } from '../../../runtime/http/output/tool-result.ts'
import { toolCallOf } from '../../../runtime/http/pipeline/controller.ts'
import { call, catalogue, json, message, rpc, type Sent, serve, serveAll } from '../support/support.ts'

const eras = ['legacy', 'modern'] as const
const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
const failed = (value: string) => ({ ...text(value), isError: true })

/** An application whose every route runs `action`. */
const acting = (
  action: (mcp: McpCall, request: HttpRequest) => HttpResponse | Promise<HttpResponse>,
  options = {},
) => ({
  ...options,
  invoke: async (_: string, request: HttpRequest) => {
    const call = toolCallOf(request)
    if (call === null) throw new Error('not a tool call')
    return raising(call, () => action(call.mcp, request))
  },
})

const needsSampling = (mcp: McpCall): HttpResponse => {
  mcp.requireCapability('sampling')
  return json(200, {})
}
const reportsChange = (mcp: McpCall): HttpResponse => {
  mcp.toolsChanged()
  return json(200, {})
}

/** As the pipeline does: what speaks to the client is handed over. */
async function raising(
  call: ToolCallRequest,
  action: () => HttpResponse | Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof ForMcpClient)) throw error
    call.raise(error)
    return { status: 500, headers: {}, body: null }
  }
}

const withMeta = (sent: Sent, meta: object): Sent => {
  const { message } = sent as { message: { params: { _meta?: object } } }
  const params = { ...message.params, _meta: { ...message.params._meta, ...meta } }
  return { ...sent, message: { ...message, params } }
}
const showing = (era: (typeof eras)[number], args = {}): Sent =>
  message(era, 'tools/call', { name: 'notes_show', arguments: args })

const events = (answer: { text: string }): unknown[] =>
  [...answer.text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))

t.test(
  'progress turns the answer into a stream: growing values, then the result (MCP, Progress)',
  async (t) => {
    const action = (mcp: McpCall): HttpResponse => {
      mcp.progress(1, 2, 'half')
      mcp.progress(1, 2)
      mcp.progress(0)
      mcp.progress(2)
      return json(200, { done: true })
    }
    for (const era of eras) {
      for (const isSdkOnly of [false, true]) {
        const answer = await serve(acting(action, { isSdkOnly }))(
          withMeta(showing(era), { progressToken: 'p' }),
        )
        const progress = (params: object) => ({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: 'p', ...params },
        })
        const [first, second, last, ...rest] = events(answer) as [unknown, unknown, { result: object }]
        t.strictSame(
          [first, second, rest],
          [progress({ progress: 1, total: 2, message: 'half' }), progress({ progress: 2 }), []],
        )
        t.match(last, { id: 1, result: { structuredContent: { done: true } } })
      }
      const unrequested = await serve(acting(action))(showing(era))
      t.equal(
        unrequested.headers['content-type'],
        'application/json; charset=utf-8',
        'who did not ask is not told',
      )
    }
  },
)

t.test(
  'a refusal after progress was sent ends the stream with an error, and the credential is not remembered',
  async (t) => {
    let probes = 0
    const options = acting((mcp) => {
      mcp.progress(1)
      return json(401, {})
    })
    const app = serve({ ...options, authenticator: () => ++probes > 0 })
    const sent = withMeta(showing('modern'), { progressToken: 1 })
    const answer = await app({ ...sent, headers: { ...sent.headers, 'x-api-key': 'k' } })
    t.strictSame(events(answer)[1], { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'Refused' } })
  },
)

t.test('going away cancels in 2026-07-28 only (MCP, Streamable HTTP)', async (t) => {
  for (const era of eras) {
    const client = new AbortController()
    const seen: boolean[] = []
    const action = (mcp: McpCall, request: HttpRequest): HttpResponse => {
      client.abort()
      seen.push(mcp.signal.aborted, request.signal.aborted)
      return json(200, {})
    }
    await serve(acting(action))({ ...showing(era), signal: client.signal })
    t.strictSame(seen, era === 'modern' ? [true, true] : [false, false])
  }
})

t.test('the trace context of a call reaches the route as headers (MCP 2026-07-28, _meta)', async (t) => {
  const seen: unknown[] = []
  const app = serve(
    acting((_, { headers }) => {
      seen.push(headers)
      return json(200, {})
    }),
  )
  await app(withMeta(showing('modern'), { traceparent: '00-1-2-01', tracestate: 'a\r\nb', baggage: 7 }))
  t.strictSame(seen, [{ accept: 'application/json', traceparent: '00-1-2-01', tracestate: 'a b' }])
})

t.test("the client's name is known where it comes with the call", async (t) => {
  const app = serve(acting((mcp) => json(200, { name: mcp.clientName })))
  const named = { 'io.modelcontextprotocol/clientInfo': { name: 'claude', version: '1' } }
  t.strictSame(rpc(await app(withMeta(showing('modern'), named))).result.structuredContent, {
    name: 'claude',
  })
  t.strictSame(rpc(await app(showing('legacy'))).result.structuredContent, { name: null })
})

t.test(
  'a capability that the client did not declare is -32021 with 400 (MCP 2026-07-28, error codes)',
  async (t) => {
    for (const isSdkOnly of [false, true]) {
      const app = serve(acting(needsSampling, { isSdkOnly }))
      const { status, text: body } = await app(showing('modern'))
      const message = 'Missing required client capabilities: sampling'
      const error = { code: -32021, message, data: { requiredCapabilities: { sampling: {} } } }
      t.strictSame([status, JSON.parse(body)], [400, { jsonrpc: '2.0', error, id: 1 }])
      const able = withMeta(showing('modern'), {
        'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
      })
      t.equal((await app(able)).status, 200)
      t.strictSame(
        await call(app, 'legacy', 'notes_show'),
        failed("notes_show needs a client of MCP 2026-07-28 with 'sampling'"),
      )
    }
    t.equal(new CapabilityRequired('roots').message, "the client must declare the capability 'roots'")
  },
)

const form = { message: 'Who?', schema: { type: 'object', properties: { name: { type: 'string' } } } }
const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
const asking = (options = {}) =>
  serve(
    acting((mcp) => {
      const answer = mcp.answerTo('who')
      if (answer === null || mcp.state === null) throw new InputRequired({ who: form }, { round: 1 })
      return json(200, { answer, state: mcp.state })
    }, options),
  )
const retried = (requestState: string, inputResponses: object, args = {}): Sent => {
  const sent = withMeta(showing('modern', args), able) as { message: { params: object } }
  const params = { ...sent.message.params, requestState, inputResponses }
  return { ...sent, message: { ...sent.message, params } }
}
const accepted = { who: { action: 'accept', content: { name: 'Ada' } } }

t.test(
  'InputRequired asks the user and is called again with the answer (MCP 2026-07-28, multi round-trip)',
  async (t) => {
    for (const isSdkOnly of [false, true]) {
      const app = asking({ isSdkOnly })
      const { result } = rpc(await app(withMeta(showing('modern'), able)))
      const params = { mode: 'form', message: 'Who?', requestedSchema: form.schema }
      t.strictSame(
        [result.resultType, result.inputRequests],
        ['input_required', { who: { method: 'elicitation/create', params } }],
      )
      const again = rpc(await app(retried(result.requestState, accepted)))
      t.strictSame(again.result.structuredContent, { answer: accepted.who, state: { round: 1 } })
      const without = rpc(await app(retried(result.requestState, {})))
      t.equal(without.result.resultType, 'input_required', 'a missing answer is asked for again')
      t.match(rpc(await app(showing('modern'))).error, {
        code: -32021,
        data: { requiredCapabilities: { elicitation: {} } },
      })
      t.strictSame(
        await call(app, 'legacy', 'notes_show'),
        failed('notes_show asks its user for input: that needs a client of MCP 2026-07-28'),
      )
    }
  },
)

t.test('a state is bound to principal, call, lifetime and key, and cannot be forged', async (t) => {
  let now = 0
  const options = {
    clock: () => now,
    stateSecrets: ['new secret of at least 32 bytes …', 'old secret of at least 32 bytes …'],
  }
  const app = asking(options)
  const ask = async (requested = app): Promise<string> =>
    rpc(await requested(withMeta(showing('modern'), able))).result.requestState
  const state = await ask()
  const isRefused = async (sent: Sent) => rpc(await app(sent)).error?.code === -32602
  const [payload = '', mac = ''] = state.split('.')
  const forged = Buffer.from(JSON.stringify({ state: { round: 9 }, until: 1e15, owner: '' })).toString(
    'base64url',
  )
  const states = [`${state}x`, `${forged}.${mac}`, payload, '', '..', `${payload}.`]
  for (const bad of states) t.ok(await isRefused(retried(bad, accepted)), bad)
  t.ok(await isRefused(retried(state, accepted, { id: 2 })), 'other arguments')
  const stranger = retried(state, accepted)
  t.ok(
    await isRefused({ ...stranger, headers: { ...stranger.headers, 'x-api-key': 'k' } }),
    'another principal',
  )
  t.notOk(
    await isRefused(retried(await ask(asking({ stateSecrets: options.stateSecrets.slice(1) })), accepted)),
    'an old key',
  )
  now = 599_999
  t.notOk(await isRefused(retried(state, accepted)))
  now = 600_000
  t.ok(await isRefused(retried(state, accepted)), 'too old')
})

t.test('blocks of toolResult are the result as they are', async (t) => {
  const blocks = [
    { type: 'text', text: 'a' },
    { type: 'resource', resource: { uri: 'x://y', text: 'z' } },
  ]
  const body = JSON.stringify(blocks)
  for (const era of eras) {
    const app = serve(acting(() => ({ status: 200, headers: { 'content-type': toolContentType }, body })))
    t.strictSame(await call(app, era, 'notes_show'), { content: blocks })
  }
})

t.test('decisions, rate limits: tool calls are limited per address where nobody was accepted', async (t) => {
  for (const isSdkOnly of [false, true]) {
    let now = 0
    const app = serve({ toolCallsPerMinute: 2, clock: () => now, isSdkOnly })
    const status = async (headers = {}, sent = showing('modern')) =>
      (await app({ ...sent, headers: { ...sent.headers, ...headers } })).status
    t.strictSame([await status(), await status(), await status()], [200, 200, 429])
    t.equal(await status({ 'x-api-key': 'a' }), 429, 'a made-up credential gains nothing')
    t.equal((await app({ ...showing('modern'), ip: '192.0.2.8' })).status, 200, 'another address has its own')
    t.equal(await status({}, message('modern', 'tools/list')), 200, 'lists are not calls')
    now = 20_500
    const sent = message('legacy', 'tools/call', { name: 'call_tool', arguments: { name: 'notes_show' } })
    const refused = await app(sent)
    t.strictSame(
      [refused.status, refused.headers['retry-after'], JSON.parse(refused.text)],
      [429, '40', { jsonrpc: '2.0', error: { code: 429, message: 'Too many tool calls' }, id: 1 }],
    )
    now = 60_000
    t.equal(await status(), 200)
  }
})

t.test(
  'above the concurrency limit calls are told to come back; a slow route holds nobody else',
  async (t) => {
    const { promise: slow, resolve: finish } = withResolvers<HttpResponse>()
    const options = { concurrentToolCalls: 2 }
    const app = serve({
      ...options,
      invoke: async (_, request) => (request.url.includes('slow') ? slow : json(200, {})),
    })
    const first = app(showing('modern', { id: 'slow' }))
    t.equal(
      (await app(showing('modern', { id: 'quick' }))).status,
      200,
      'answered while the other still runs',
    )
    const second = app(showing('modern', { id: 'slow' }))
    const busy = await app(showing('modern', { id: 'quick' }))
    t.strictSame(
      [busy.status, busy.headers['retry-after'], JSON.parse(busy.text).error],
      [503, '1', { code: 503, message: 'Too many tool calls are running' }],
    )
    finish(json(200, {}))
    t.strictSame([(await first).status, (await second).status], [200, 200])
    t.equal((await app(showing('modern', { id: 'quick' }))).status, 200)
  },
)

function withResolvers<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((resolved) => {
    resolve = resolved
  })
  return { promise, resolve }
}

t.test(
  "a route's 403 insufficient_scope is the endpoint's 403 (MCP, Authorization, scope challenge)",
  async (t) => {
    const routeChallenge = (challenge: string) => ({
      invoke: async () => ({
        ...json(403, { error: 'no' }),
        headers: { 'content-type': 'application/json', 'www-authenticate': challenge },
      }),
      authenticator: () => true,
      resourceMetadata: () => ({ authorizationServers: [], scopesSupported: ['api', 'write'] }),
    })
    const metadata = 'resource_metadata="https://notes.example/.well-known/oauth-protected-resource/mcp"'
    for (const isSdkOnly of [false, true]) {
      const app = serve({ ...routeChallenge('Bearer error="insufficient_scope", scope="write"'), isSdkOnly })
      const { status, headers, text: body } = await app(showing('modern'))
      t.strictSame(
        [status, headers['www-authenticate'], JSON.parse(body)],
        [
          403,
          `Bearer error="insufficient_scope", scope="write", ${metadata}`,
          { jsonrpc: '2.0', error: { code: -32600, message: 'Forbidden: insufficient scope' }, id: null },
        ],
      )
    }
    const unnamed = await serve(routeChallenge('Bearer realm="x", error="insufficient_scope"'))(
      showing('legacy'),
    )
    t.equal(
      unnamed.headers['www-authenticate'],
      `Bearer error="insufficient_scope", scope="api write", ${metadata}`,
    )
    const other = await serve(routeChallenge('Bearer error="invalid_request"'))(showing('legacy'))
    t.equal(other.status, 200, 'any other 403 is a failed call')
    const open = await serve({
      ...routeChallenge('Bearer error="insufficient_scope"'),
      authenticator: null,
      resourceMetadata: null,
    })(showing('modern'))
    t.equal(open.status, 200, 'and so is this one without authentication of the endpoint')
  },
)

t.test('a declared header must agree with its argument (MCP 2026-07-28, custom headers)', async (t) => {
  const header = (type: string, name: string) => ({ type, 'x-mcp-header': name })
  const mirrored: ToolEntry['inputSchema'] = {
    type: 'object',
    properties: {
      id: header('string', 'Id'),
      deep: { type: 'object', properties: { n: header('integer', 'N') } },
    },
  }
  const tools = catalogue.tools.map((tool) =>
    tool.name === 'notes_show' ? { ...tool, inputSchema: mirrored } : tool,
  )
  for (const isSdkOnly of [false, true]) {
    const app = serve({ catalogue: { ...catalogue, tools }, isSdkOnly })
    const ask = (args: object, headers: object, era: 'legacy' | 'modern' = 'modern') => {
      const sent = showing(era, args)
      return app({ ...sent, headers: { ...sent.headers, ...headers } })
    }
    const codes = async (args: object, headers: object) => {
      const answer = await ask(args, headers)
      return [answer.status, JSON.parse(answer.text).error?.code]
    }
    const refused = [400, -32020]
    const fine = [200, undefined]
    t.strictSame(await codes({ id: 'a' }, { 'mcp-param-id': 'a' }), fine)
    t.strictSame(await codes({ id: 'é' }, { 'mcp-param-id': '=?base64?w6k=?=' }), fine)
    t.strictSame(await codes({ deep: { n: 42 } }, { 'mcp-param-n': '42.0' }), fine)
    t.strictSame(await codes({ id: null }, { 'mcp-param-id': 'x' }), fine, 'no value, no header expected')
    t.strictSame(await codes({ id: 'a' }, {}), refused)
    t.strictSame(await codes({ id: 'a' }, { 'mcp-param-id': 'A' }), refused)
    t.strictSame(await codes({ id: 'a' }, { 'mcp-param-id': '=?base64?YQ?=' }), refused)
    t.strictSame(await codes({ id: 'a' }, { 'mcp-param-id': '=?base64?/w==?=' }), refused)
    t.strictSame(await codes({ deep: { n: 42 } }, { 'mcp-param-n': '43' }), refused)
    t.equal((await ask({ id: 'a' }, {}, 'legacy')).status, 200, 'never in the legacy era')
  }
})

t.test('toolsChanged of a call tells those who listen', async (t) => {
  const { app, open } = serveAll(acting(reportsChange))
  const stream = await open(
    message('modern', 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
  )
  const before = stream.text().length
  await app(showing('modern'))
  t.match(stream.text().slice(before), 'notifications/tools/list_changed')
})

t.test(
  'a host that is not ours is 403 where only ours may be named (MCP, Streamable HTTP, security)',
  async (t) => {
    const app = serve({ allowedHosts: ['localhost', '[::1]'] })
    const status = async (host: string) =>
      (await app({ ...message('legacy', 'ping'), headers: { host } })).status
    t.strictSame(
      await Promise.all(
        ['localhost', 'LOCALHOST:3000', '[::1]:80', 'evil.example', 'localhost.evil.example'].map(status),
      ),
      [200, 200, 200, 403, 403],
    )
  },
)
