/** The whole of it: an application with scopes, its guard, its tokens, with and without plugins. */
import t from 'tap'
import { buildGuarded, clientWith, type Guarded, openGuarded, type Sender } from '../support/guarded.ts'
import { type Era, message } from '../support/support.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await buildGuarded()
const eras: readonly Era[] = ['legacy', 'modern']
const plugins = [async (): Promise<void> => {}]

interface Answered {
  readonly status: number
  readonly challenge: unknown
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly said: any
}

async function post({ client, headers }: Sender, sent: object, more: object = {}): Promise<Answered> {
  const response = await client.request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
      ...more,
    },
    payload: JSON.stringify(sent),
  })
  const { statusCode: status, body } = response
  const challenge = response.headers['www-authenticate']
  const data = [...body.matchAll(/^data: (.*)$/gm)].map(([, text = '']) => JSON.parse(text))
  return { status, challenge, said: data.length === 0 ? JSON.parse(body) : data }
}

async function call(sender: Sender, name: string, args: object = {}, era: Era = 'modern'): Promise<Answered> {
  const { message: sent, headers } = message(era, 'tools/call', { name, arguments: args })
  return post(sender, Object(sent), headers)
}

const through = (tool: string, args: object = {}) => ({ name: tool, arguments: args })

async function senderOf(guarded: Guarded, scope: string, user?: string): Promise<Sender> {
  return clientWith(guarded, await guarded.tokenOf(scope, user))
}

const resource = 'http://localhost:3000/.well-known/oauth-protected-resource/mcp'
const insufficient = (scope: string) => ({
  status: 403,
  challenge: `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${resource}"`,
  said: { jsonrpc: '2.0', error: { code: -32600, message: 'Forbidden: insufficient scope' }, id: null },
})

const textOf = ({ said }: Answered): string => said.result.content[0].text

t.test('calls: 403 with what the route needs, direct and through a proxy', async (t) => {
  for (const config of [{}, { plugins }]) {
    const guarded = await openGuarded(t, bundle, { config })
    const reader = await senderOf(guarded, 'songs:read')
    for (const era of eras) {
      const scope = 'songs:read songs:write'
      t.strictSame(await call(reader, 'songs_create', {}, era), insufficient(scope))
      t.strictSame(await call(reader, 'call_tool', through('songs_create'), era), insufficient(scope))
      const index = await call(reader, 'songs_index', {}, era)
      t.strictSame([index.status, textOf(index)], [200, '{"songs":["one"]}'])
    }
  }
})

t.test(
  'scopes of calls: what code asks for by itself is challenged like what the route asks for',
  async (t) => {
    for (const config of [{}, { plugins }]) {
      const guarded = await openGuarded(t, bundle, { config })
      const writer = await senderOf(guarded, 'songs:write')
      t.equal(textOf(await call(writer, 'songs_delete', { id: '1' })), '{"deleted":"1"}')
      const scope = 'songs:read songs:write songs:delete'
      t.strictSame(await call(writer, 'songs_delete', { id: '1', forever: true }), insufficient(scope))
      const whole = await senderOf(guarded, 'songs:write songs:delete')
      t.equal(textOf(await call(whole, 'songs_delete', { id: '1', forever: true })), '{"deleted":"1"}')
      const open = await openGuarded(t, bundle, { config, isOn: false })
      const narrow = await senderOf(open, 'songs:write')
      t.equal(
        textOf(await call(narrow, 'songs_delete', { id: '1', forever: true })),
        '403 Forbidden\n{"error":"insufficient_scope"}\nMore permission is needed: songs:read (See your songs), songs:write (Change your songs), songs:delete (Delete your songs).',
      )
    }
  },
)

t.test(
  'scopes of calls: a user who may not have the scope reads it, and is challenged for nothing',
  async (t) => {
    for (const config of [{}, { plugins }]) {
      const guarded = await openGuarded(t, bundle, { config })
      const answer = await call(await senderOf(guarded, 'api'), 'charts_decide', { first: 'a' })
      t.equal(answer.status, 200)
      t.equal(
        textOf(answer),
        '403 Forbidden\n{"reason":"forbidden"}\nIts user cannot have the permission that is needed: charts (Decide about the charts).',
        "the body is the application's handler's",
      )
      const boss = await senderOf(guarded, 'songs:read', 'boss')
      t.strictSame(await call(boss, 'charts_decide', { first: 'a' }), insufficient('charts'))
      t.equal(
        textOf(await call(await senderOf(guarded, 'api', 'boss'), 'charts_decide', { first: 'a' })),
        '{"first":"a"}',
      )
    }
  },
)

t.test(
  'calls: a key and a session do what they make up for, and read that a sign-in is needed',
  async (t) => {
    for (const config of [{}, { plugins }]) {
      const guarded = await openGuarded(t, bundle, { config })
      for (const credential of ['key', 'session']) {
        const sender = await clientWith(guarded, credential)
        for (const era of eras) {
          t.equal(textOf(await call(sender, 'charts_show', {}, era)), '{"charts":["one"]}')
          for (const name of ['songs_index', 'call_tool']) {
            const answer = await call(sender, name, name === 'call_tool' ? through('songs_index') : {}, era)
            t.strictSame(
              [answer.status, textOf(answer)],
              [
                200,
                '401 Unauthorized\n{"error":"invalid_token"}\nA sign-in is needed, with the permission songs:read (See your songs).',
              ],
            )
          }
        }
        const { said } = await post(sender, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
        t.strictSame(
          said.result.tools.map(({ name }: { name: string }) => name),
          ['people_me', 'list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool'],
        )
        const boxes = await call(sender, 'list_toolboxes')
        t.strictSame(
          boxes.said.result.structuredContent.toolboxes.map(({ name }: { name: string }) => name),
          ['charts', 'songs'],
        )
      }
    }
  },
)

t.test('calls: no argument is a credential', async (t) => {
  const guarded = await openGuarded(t, bundle, { isOn: false })
  const sender = await clientWith(guarded, '')
  for (const args of [{ key: 'k' }, { 'X-API-Key': 'k' }, { authorization: 'Bearer x' }, { cookie: 'a=b' }]) {
    const answer = await call(sender, 'charts_show', args)
    t.match(textOf(answer), /^401 Unauthorized\n/)
  }
})

t.test(
  'batches: refused as a whole before anything runs; with a line for each call that was refused',
  async (t) => {
    for (const config of [{}, { plugins }]) {
      const guarded = await openGuarded(t, bundle, { config })
      const reader = await senderOf(guarded, 'songs:read')
      const calls = ['songs_index', 'songs_create', 'songs_delete'].map((name, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: { title: 'a', id: '1' } },
      }))
      t.strictSame(await post(reader, calls), insufficient('songs:read songs:write'))
      t.strictSame(
        guarded.lines('tool call').map(({ tool, status, decision }) => [tool, status, decision]),
        [
          ['songs_create', 403, 403],
          ['songs_delete', 403, 403],
        ],
      )
      const writer = await senderOf(guarded, 'songs:write')
      t.equal((await post(writer, calls.slice(0, 2))).said.length, 2)
    }
  },
)

t.test('log: the line of a call has the decision and what the token grants', async (t) => {
  for (const isOn of [true, false]) {
    const guarded = await openGuarded(t, bundle, { isOn })
    const reader = await senderOf(guarded, 'songs:read')
    await call(reader, 'songs_index')
    await call(reader, 'songs_create')
    await call(reader, 'call_tool', through('songs_create'))
    await call(reader, 'charts_decide')
    await call(reader, 'list_toolboxes')
    const key = await clientWith(guarded, 'key')
    await call(key, 'songs_index')
    await call(key, 'charts_show')
    const scopes = ['songs:read']
    t.strictSame(
      guarded
        .lines('tool call')
        .map(({ tool, status, decision, scopes }) => [tool, status, decision, scopes]),
      [
        ['songs_index', 200, 'allowed', scopes],
        ['songs_create', 403, 403, scopes],
        ['songs_create', 403, 403, scopes],
        ['charts_decide', 403, 403, scopes],
        ['list_toolboxes', null, 'allowed', scopes],
        ['songs_index', 401, 401, null],
        ['charts_show', 200, 'allowed', null],
      ],
    )
  }
})

t.test('calls: a token that is revoked is 401, whatever was kept of it', async (t) => {
  const guarded = await openGuarded(t, bundle)
  const token = await guarded.tokenOf('songs:read')
  const sender = await clientWith(guarded, token)
  t.equal((await call(sender, 'songs_index')).status, 200)
  const form = { token, client_id: 'acmcp-command-line' }
  t.equal((await guarded.app.client().submit('/oauth/revoke', form)).statusCode, 200)
  const { status, challenge } = await call(sender, 'songs_index')
  t.strictSame(
    [status, challenge],
    [401, `Bearer resource_metadata="${resource}", scope="api", error="invalid_token"`],
  )
})
