/** Request headers of a client that its tool calls carry: `mcp.forwardHeaders`. Source: rules.md, headers of a tool call. */
import t from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import { buildClinics, openClinics, reported, requested, sent } from './clinics.ts'

const clinics = await buildClinics()
const north = { 'x-clinic': 'north' }
const ofNorth = { clinic: 'north' }
const ofMain = { clinic: 'main' }
const plugin: AppPlugin = async (app) => void app.addHook('onRequest', async () => {})

for (const [way, plugins] of [
  ['in the process', []],
  ['behind plugins', [plugin]],
] as const) {
  t.test(`a tool call ${way} carries the header to the filter that reads it`, async (t) => {
    const app = await openClinics(t, clinics, { more: { plugins } })
    const client = app.client()
    t.strictSame(await reported(client.withHeaders(north), 'appointments_index'), ofNorth)
    t.strictSame(await reported(client.withHeaders({ 'X-CLINIC': 'north' }), 'appointments_index'), ofNorth)
    t.strictSame(await reported(client, 'appointments_index'), ofMain)
    const inner = { name: 'appointments_index', arguments: {} }
    for (const name of ['call_tool', 'call_read_only'])
      t.strictSame(await reported(client.withHeaders(north), name, inner), ofNorth, name)
    const toolbox = await client.withHeaders(north).request({
      method: 'POST',
      url: '/mcp/appointments',
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: inner },
    })
    t.strictSame(toolbox.json().result.structuredContent, ofNorth)
    const wrong = await client.withHeaders(north).tool('appointments_index', { x_clinic: 'south' })
    t.match(wrong, { isError: true }, 'it is no argument')
  })

  t.test(`nothing else of the client's request goes along ${way}`, async (t) => {
    const app = await openClinics(t, clinics, { more: { plugins } })
    const all = {
      ...north,
      'x-other': 'o',
      x_clinic: 'evil',
      'x-forwarded-for': '1.2.3.4',
      'if-none-match': '"e"',
    }
    const { headers } = Object(await reported(app.client().withHeaders(all), 'appointments_brought'))
    t.strictSame(headers['x-clinic'], 'north')
    t.strictSame(
      Object.keys(headers).filter((name) =>
        ['x-other', 'x_clinic', 'x-forwarded-for', 'if-none-match'].includes(name),
      ),
      [],
    )
  })
}

t.test('decisions, headers of a tool call: a value goes along as the route would read it', async (t) => {
  const app = await openClinics(t, clinics)
  for (const value of ['a, b', 'north west', '__proto__', 'ü', '"quoted"', 'x'.repeat(4000)]) {
    const client = app.client().withHeaders({ 'x-clinic': value })
    const http = (await client.get('/appointments')).json()
    t.strictSame(await reported(client, 'appointments_index'), http, value.slice(0, 20))
    t.strictSame(http, { clinic: value })
  }
})

t.test('without the setting no such header goes along', async (t) => {
  const app = await openClinics(t, clinics, { mcp: { forwardHeaders: [] } })
  t.strictSame(await reported(app.client().withHeaders(north), 'appointments_index'), ofMain)
})

t.test('resources, prompts and batches carry it; what is read is for one client alone', async (t) => {
  const app = await openClinics(t, clinics)
  const client = app.client().withHeaders(north)
  const uri = `${app.baseUrl}/appointments/next`
  const read = Object(await requested(client, 'resources/read', { uri }))
  t.strictSame(JSON.parse(read.contents[0].text), ofNorth)
  const prompt = Object(await requested(client, 'prompts/get', { name: 'appointments_asking' }))
  t.equal(prompt.messages[0].content.text, 'Make an appointment at north')
  const call = (id: number) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'appointments_index', arguments: {} },
  })
  const { body } = await sent(client, [call(1), call(2)])
  t.strictSame(
    [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
      JSON.parse(JSON.parse(data).result.content[0].text),
    ),
    [ofNorth, ofNorth],
  )
  const modern = await client.request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'resources/read',
      'mcp-name': uri,
    },
    payload: {
      ...{ jsonrpc: '2.0', id: 1, method: 'resources/read' },
      params: {
        uri,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  })
  const { ttlMs, cacheScope } = modern.json().result
  t.strictSame({ ttlMs, cacheScope }, { ttlMs: 60_000, cacheScope: 'private' })
})

t.test('a check that passed with one tenant is asked again with another', async (t) => {
  const app = await openClinics(t, clinics, { mcp: { authProbe: '/appointments/me' } })
  const as = (key: string, clinic: string) =>
    app.client().withHeaders({ 'x-api-key': key, 'x-clinic': clinic })
  t.strictSame(await reported(as('north-key', 'north'), 'appointments_index'), ofNorth)
  t.equal(await requested(as('north-key', 'south'), 'tools/list'), 401)
  t.equal(await requested(as('north-key', 'main'), 'tools/list'), 401)
  t.equal(
    await requested(app.client().withHeaders({ 'x-api-key': 'north-key' }), 'tools/list'),
    401,
    'nor without one',
  )
  t.strictSame(
    await reported(as('north-key', 'north'), 'appointments_index'),
    ofNorth,
    'the first is known still',
  )
  t.strictSame(
    await reported(app.client().withHeaders({ 'x-api-key': 'main-key' }), 'appointments_index'),
    ofMain,
  )
})

t.test('the header is no credential: alone it passes no check', async (t) => {
  const open = { mcp: { authenticator: () => true, authProbe: '/appointments/brought' } }
  const app = await openClinics(t, clinics, open)
  t.strictSame(
    await reported(app.client().withHeaders(north), 'appointments_index'),
    ofNorth,
    'who passes anyway has it',
  )
  const guarded = await openClinics(t, clinics, {
    mcp: {
      resourceMetadata: () => ({ authorizationServers: ['https://id.example'], scopesSupported: ['api'] }),
    },
  })
  t.equal(await requested(guarded.client().withHeaders(north), 'tools/list'), 401)
  t.match(await requested(guarded.client().withHeaders({ ...north, 'x-api-key': 'k' }), 'tools/list'), {
    tools: [],
  })
  let seen: unknown = null
  const probed = await openClinics(t, clinics, {
    mcp: { authProbe: '/appointments/brought' },
    more: {
      plugins: [
        async (server) =>
          void server.addHook('onRequest', async (request) => {
            if (request.url === '/appointments/brought') seen = request.headers['x-clinic']
          }),
      ],
    },
  })
  await requested(probed.client().withHeaders(north), 'tools/list')
  t.equal(seen, undefined, 'the probe of somebody without a credential does not get it')
  await requested(probed.client().withHeaders({ ...north, 'x-api-key': 'k' }), 'tools/list')
  t.equal(seen, 'north')
})

t.test('a client has one share of calls, whatever the header says', async (t) => {
  for (const credentials of [{}, { 'x-api-key': 'k' }]) {
    const app = await openClinics(t, clinics, {
      clock: () => 1_800_000_000_000,
      mcp: { authenticator: () => true },
      more: { limits: { toolCallsPerMinute: 3 } },
    })
    const statuses: unknown[] = []
    for (const clinic of ['a', 'b', 'c', 'd']) {
      const client = app.client().withHeaders({ ...credentials, 'x-clinic': clinic })
      const answer = await requested(client, 'tools/call', { name: 'appointments_index', arguments: {} })
      statuses.push(typeof answer === 'number' ? answer : 200)
    }
    t.strictSame(statuses, [200, 200, 200, 429])
  }
})

t.test('what a client carries between rounds of a question holds for its tenant alone', async (t) => {
  const app = await openClinics(t, clinics)
  const ask = async (clinic: string, more: object) => {
    const answer = await app
      .client()
      .withHeaders({ 'x-clinic': clinic })
      .request({
        method: 'POST',
        url: '/mcp',
        headers: {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'appointments_sure',
        },
        payload: {
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: {
            ...{ name: 'appointments_sure', arguments: {}, ...more },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
            },
          },
        },
      })
    return answer.json()
  }
  const { requestState } = (await ask('north', {})).result
  const retry = { requestState, inputResponses: { sure: { action: 'accept', content: { sure: true } } } }
  t.match(await ask('south', retry), { error: { code: -32602 } })
  t.match(await ask('north', retry), { result: { content: [{ text: 'north at north' }] } })
})

t.test('answers of routes that read it say so in Vary; those of others do not', async (t) => {
  const app = await openClinics(t, clinics)
  const client = app.client().withHeaders(north)
  const vary = async (url: string) => (await client.get(url)).headers.vary
  t.equal(await vary('/appointments'), 'x-clinic')
  t.equal(await vary('/appointments/me'), 'x-clinic', 'of a refusal too')
  t.equal(await vary('/docs-of-nothing'), undefined)
  const cors: AppPlugin = async (server) =>
    void server.addHook('onRequest', async (_request, reply) => void reply.header('vary', 'Origin, X-Clinic'))
  const behind = await openClinics(t, clinics, {
    more: { plugins: [Object.assign(cors, { [Symbol.for('skip-override')]: true })] },
  })
  t.equal((await behind.client().get('/appointments')).headers.vary, 'Origin, X-Clinic')
  const plain = await openClinics(t, clinics, { mcp: { forwardHeaders: [] } })
  t.equal((await plain.client().get('/appointments')).headers.vary, undefined)
})

t.test('browsers may send it to every endpoint that other origins may call', async (t) => {
  const app = await openClinics(t, clinics)
  const allowed = async (url: string) =>
    (await app.client().request({ method: 'OPTIONS', url })).headers['access-control-allow-headers']
  for (const url of [
    '/oauth/token',
    '/oauth/register',
    '/oauth/revoke',
    '/.well-known/oauth-authorization-server',
  ])
    t.equal(await allowed(url), 'content-type, authorization, mcp-protocol-version, x-clinic', url)
})

t.test('a computed name that never goes along ends the start, as does one that is an argument', async (t) => {
  const start = (names: unknown) => openClinics(t, clinics, { mcp: { forwardHeaders: names as string[] } })
  await t.rejects(start(['x-clinic', 'Mcp-Session-Id']), {
    message:
      'app/config.ts: config.mcp.forwardHeaders: "Mcp-Session-Id" never goes along: it says who calls, by which way, or what one message is',
  })
  await t.rejects(start(['cookie']), {
    message:
      'app/config.ts: config.mcp.forwardHeaders: "cookie" is not to be named: tool calls have it anyway',
  })
  await t.rejects(start('x-clinic'), {
    message: 'app/config.ts: config.mcp.forwardHeaders must be a list of texts',
  })
  const { bundle } = clinics
  const chosen = {
    ...bundle,
    catalogue: {
      ...bundle.catalogue,
      tools: bundle.catalogue.tools.map((tool) => ({
        ...tool,
        arguments: [...tool.arguments, { argument: 'x_region', from: 'header' as const, name: 'X-Region' }],
      })),
    },
  }
  await t.rejects(openClinics(t, { ...clinics, bundle: chosen }, { mcp: { forwardHeaders: ['x-region'] } }), {
    message:
      /^mcp\.forwardHeaders: the build could not read the setting, and made X-Region an argument of 'appointments_\w+': write the names as texts$/,
  })
})
