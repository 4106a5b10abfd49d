/** What is recorded, on both engines: whole rows for each kind of event and each decision. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import type * as Ws from 'ws'
import type { TestApp } from '../../runtime/testing.ts'
import { temporaryFolder } from '../flow/support.ts'
import { openScene, postToken, refreshing, start, tokensOf } from '../oauth/support/scene.ts'
import { postgresOrNotice } from '../store/postgres-server.ts'
import { builtFolder } from '../support/linked.ts'
import { auditAt, buildVault, known, openVault, sessionSecret } from './support/vault.ts'

// `ws` is a dependency of @fastify/websocket, not of ours
const { WebSocket }: typeof Ws = createRequire(createRequire(import.meta.url).resolve('@fastify/websocket'))(
  'ws',
)

const root = await buildVault()
const ada = { id: 'dev:ada', name: 'Ada', email: null }
const secret = 'a-value-that-must-not-be-kept'

/** As the documentation has it, by hand. */
function digest(canonical: string): string {
  const key = createHmac('sha256', sessionSecret).update('acmcp audit arguments v1\n').digest()
  return createHmac('sha256', key).update(canonical).digest('hex')
}

async function rpc(app: TestApp, token: string | null, message: object): Promise<number> {
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': Array.isArray(message) ? '2025-03-26' : '2025-11-25',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  }
  return (await app.client().request({ method: 'POST', url: '/mcp', headers, payload: message })).statusCode
}

const toolCall = (name: string, args: object, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

async function calls(t: Test, url: string): Promise<void> {
  const clock = { now: start }
  const config = { audit: { digest: true }, limits: { toolCallsPerMinute: 10 } }
  const app = await openVault({ root, url, clock, config })
  t.teardown(() => app.close())
  const reader = await app.accessToken(ada, { scope: 'vault:read' })
  const writer = await app.accessToken(ada, { scope: 'vault:write' })
  const grants = await app.application.store.listGrants({ userId: ada.id })
  const [ofReader, ofWriter] = ['vault:read', 'vault:write'].map((name) =>
    grants.find(({ scope }) => scope === name),
  )
  const named = { name: 'x' }
  const kept = { value: secret, name: 'Ω' }

  await rpc(app, reader, toolCall('vault_find', named))
  await rpc(app, reader, toolCall('call_tool', { name: 'vault_find', arguments: named }))
  await rpc(app, reader, toolCall('list_toolboxes', {}))
  await rpc(app, reader, toolCall('vault_\u0000\u001b[31m\ud800', {}))
  await rpc(app, reader, toolCall('vault_find', { nam: 'x' }))
  await rpc(app, reader, [toolCall('vault_find', named, 1), toolCall('vault_find', { name: 'long' }, 2)])
  await rpc(app, reader, toolCall('vault_keep', kept))
  await rpc(app, writer, toolCall('vault_keep', kept))
  await rpc(app, null, toolCall('vault_find', named))
  await rpc(app, null, toolCall('vault_clear', {}))
  await rpc(app, reader, toolCall('vault_find', named))
  await rpc(app, reader, toolCall('vault_find', named))

  const http = app.client()
  const posted = (token: string | null): Promise<{ statusCode: number }> =>
    (token === null ? http : http.withBearer(token)).json('/vault', kept)
  await http.withBearer(reader).get('/vault/x') // not strict
  t.strictSame([(await posted(writer)).statusCode, (await posted(reader)).statusCode], [200, 403])
  t.equal((await posted(reader)).statusCode, 403, 'again, which has a row of its own')
  t.strictSame([(await posted(null)).statusCode, (await posted(null)).statusCode], [401, 401])
  const browser = app.client()
  await browser.signIn()
  t.equal((await browser.request({ method: 'DELETE', url: '/vault/all' })).statusCode, 500)
  await app.application.server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.application.server.server.address() as { port: number } // it listens
  const opened = new WebSocket(`ws://127.0.0.1:${port}/vault/live`, {
    headers: { authorization: `Bearer ${reader}` },
  })
  await once(opened, 'message')
  opened.close()
  const refused = new WebSocket(`ws://127.0.0.1:${port}/vault/live`)
  await once(refused, 'error')
  await app.close()

  const rows = await auditAt(url)
  t.strictSame(
    rows.map(({ at }) => at),
    rows.map(() => start),
  )
  t.ok(rows.every(({ id }) => /^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(id)))
  const timed = rows.filter(({ milliseconds }) => milliseconds !== null)
  t.ok(timed.every(({ milliseconds, requestId }) => Number(milliseconds) >= 0 && requestId !== null))
  const of = (grant: typeof ofReader): object => ({
    user: ada.id,
    client: grant?.client.id,
    clientName: 'test',
    grant: grant?.grantId,
  })
  const call = { event: 'tool-call', tool: 'vault_find', route: 'vault_find', decision: 'allowed' }
  const found = { ...call, status: 200, isError: false }
  const argumentsDigest = digest('{"name":"x"}')
  const keep = {
    tool: 'vault_keep',
    route: 'vault_keep',
    argumentsDigest: digest(`{"name":"Ω","value":"${secret}"}`),
  }
  const request = { event: 'request', route: 'vault_keep' }
  t.strictSame(
    rows.filter(({ event }) => event === 'tool-call' || event === 'request').map(known),
    [
      { ...found, ...of(ofReader), argumentsDigest },
      { ...found, ...of(ofReader), argumentsDigest },
      {
        event: 'tool-call',
        ...of(ofReader),
        tool: 'list_toolboxes',
        decision: 'allowed',
        isError: false,
        argumentsDigest: digest('{}'),
      },
      {
        event: 'tool-call',
        ...of(ofReader),
        tool: 'vault_\ufffd\u001b[31m\ufffd',
        decision: 'allowed',
        isError: true,
        argumentsDigest: digest('{}'),
      },
      { ...call, ...of(ofReader), status: 400, isError: true, argumentsDigest: digest('{"nam":"x"}') },
      { ...found, ...of(ofReader), argumentsDigest },
      { ...found, ...of(ofReader), argumentsDigest: digest('{"name":"long"}') },
      { ...call, ...keep, ...of(ofReader), decision: 403, status: 403, isError: true },
      { ...found, ...keep, ...of(ofWriter) },
      { ...call, decision: 401, status: 401, isError: true, argumentsDigest },
      {
        ...call,
        tool: 'vault_clear',
        route: 'vault_clear',
        status: 500,
        isError: true,
        argumentsDigest: digest('{}'),
      },
      { ...found, ...of(ofReader), argumentsDigest },
      {
        event: 'tool-call',
        ...of(ofReader),
        tool: 'vault_find',
        decision: 429,
        status: 429,
        isError: true,
        argumentsDigest,
      },
      { ...request, ...of(ofWriter), decision: 'allowed', status: 200, isError: false },
      { ...request, ...of(ofReader), decision: 403, status: 403, isError: true },
      { ...request, ...of(ofReader), decision: 403, status: 403, isError: true },
      { ...request, decision: 401, status: 401, isError: true },
      {
        ...request,
        route: 'vault_clear',
        user: 'dev:developer',
        decision: 'allowed',
        status: 500,
        isError: true,
      },
      { ...request, route: 'vault_live', ...of(ofReader), decision: 'allowed', status: 101, isError: false },
      { ...request, route: 'vault_live', decision: 401, status: 401, isError: true },
      { ...request, decision: 401, status: 401, isError: true, detail: { repeated: 1 } },
    ].map(inOrder),
  )
  if (!url.startsWith('sqlite:')) return
  const path = url.slice('sqlite:'.length)
  for (const file of readdirSync(dirname(path))) {
    const bytes = readFileSync(join(dirname(path), file))
    for (const text of [secret, reader, writer]) t.equal(bytes.includes(text), false, `${file} has no trace`)
  }
}

t.test('without a setting only calls of strict routes have a digest of their arguments', async (t) => {
  const url = `sqlite:${temporaryFolder()}/store.db`
  const app = await openVault({ root, url, clock: { now: start } })
  const token = await app.accessToken(ada, { scope: 'vault:write' })
  await rpc(app, token, [toolCall('vault_find', { name: 'x' }, 1), toolCall('vault_clear', {}, 2)])
  await app.close()
  const rows = (await auditAt(url)).filter(({ event }) => event === 'tool-call')
  t.strictSame(rows.map(({ tool, argumentsDigest }) => [tool, argumentsDigest]).sort(), [
    ['vault_clear', digest('{}')],
    ['vault_find', null],
  ])
})

t.test(
  'a probe with @audit strict has a row, as if it came over HTTP; a call of the same route has one',
  async (t) => {
    const door = `import { Controller } from 'acmcp'
/** Doors. */
export class Door extends Controller {
  /**
   * Says that it is open.
   *
   * @get /
   * @audit strict
   */
  look(): string { return 'open' }
}
`
    const config = `import { defineApp } from 'acmcp'
export const config: object = defineApp({ mcp: { authProbe: 'door_look', serverName: 'Doors' } })
`
    const files = {
      'app/config.ts': config,
      'app/controllers/door.ts': door,
      'package.json': '{"type":"module"}',
    }
    const url = `sqlite:${temporaryFolder()}/store.db`
    const app = await openVault({ root: await builtFolder(files), url, clock: { now: start } })
    t.equal(await rpc(app, await app.accessToken(ada), toolCall('door_look', {})), 200)
    await app.close()
    const rows = (await auditAt(url)).filter(({ route }) => route === 'door_look')
    t.strictSame(
      rows.map(({ event, user, status }) => [event, user, status]),
      [
        ['request', ada.id, 200],
        ['tool-call', ada.id, 200],
      ],
    )
  },
)

const order = [
  'event',
  'user',
  'client',
  'clientName',
  'grant',
  'tool',
  'route',
  'decision',
  'status',
  'isError',
  'argumentsDigest',
  'detail',
]

/** `strictSame` does not look at the order of names; a difference is easier to read in one. */
const inOrder = (row: object): object =>
  Object.fromEntries(order.filter((name) => name in row).map((name) => [name, Reflect.get(row, name)]))

async function access(t: Test, url: string): Promise<void> {
  const scene = await openScene(t, { environment: { databaseUrl: url } })
  const { client, clientId, app } = scene
  const first = await tokensOf(scene)
  const next = (await postToken(scene, refreshing(scene, first.refresh))).json()
  scene.at(61)
  await postToken(scene, refreshing(scene, first.refresh)) // its family ends
  const second = await tokensOf(scene)
  await client.submit('/oauth/revoke', { client_id: clientId, token: second.refresh })
  await tokensOf(scene)
  const grants = await app.application.store.listGrants({})
  await client.submit('/auth/connections', { client_id: clientId })
  await client.submit('/auth/sign-out', {})
  t.ok(next.access_token)
  await app.close()

  const rows = await auditAt(url)
  const [item, two, three] = [...new Set(rows.map(({ grant }) => grant).filter((grant) => grant !== null))]
  t.equal(grants[0]?.grantId, three)
  const user = 'dev:developer'
  const named = { client: clientId, clientName: 'A client' }
  const signIn = { event: 'sign-in', user, detail: { provider: 'dev' } }
  const consent = { event: 'consent', user, ...named, detail: { decision: 'allow' } }
  const issue = { event: 'issue', user, ...named }
  t.strictSame(rows.map(known), [
    { event: 'registration', ...named },
    signIn,
    { ...consent, grant: item },
    { ...issue, grant: item },
    { event: 'refresh', user, ...named, grant: item },
    {
      event: 'reuse',
      user,
      ...named,
      grant: item,
      detail: { reason: 'refresh token reused', familyRevoked: true },
    },
    signIn,
    { ...consent, grant: two },
    { ...issue, grant: two },
    { event: 'revocation', user, ...named, grant: two, detail: { reason: 'revoked by the client' } },
    signIn,
    { ...consent, grant: three },
    { ...issue, grant: three },
    { event: 'revocation', user, ...named, grant: three, detail: { by: 'user' } },
    { event: 'sign-out', user },
  ])
  t.strictSame(
    (await auditAt(url, { user, event: 'refresh', since: start })).map(({ event }) => event),
    ['refresh'],
  )
  t.strictSame(await auditAt(url, { since: start + 61_001 }), [])
}

const server = await postgresOrNotice((text) => t.comment(text))

const sqlite = (): string => `sqlite:${join(temporaryFolder(), 'audit.db')}`

t.test('SQLite: tool calls, and requests of strict routes', (t) => calls(t, sqlite()))
t.test('SQLite: changes of access', (t) => access(t, sqlite()))

t.test('SQLite: a strict route that took too long is recorded as it was answered', async (t) => {
  const url = sqlite()
  const clock = {
    get now() {
      return Date.now()
    },
  }
  const app = await openVault({ root, url, clock })
  t.teardown(() => app.close())
  const requested = { method: 'PUT', url: '/vault/slow' } as const
  t.equal((await app.client().request(requested)).statusCode, 503)
  t.strictSame((await auditAt(url)).map(known), [
    { event: 'request', route: 'vault_wait', decision: 'allowed', status: 503, isError: true },
  ])
})

if (server !== null) {
  t.test('PostgreSQL: tool calls, and requests of strict routes', async (t) =>
    calls(t, await server.freshDatabase()),
  )
  t.test('PostgreSQL: changes of access', async (t) => access(t, await server.freshDatabase()))
  t.teardown(() => server.stop())
}
