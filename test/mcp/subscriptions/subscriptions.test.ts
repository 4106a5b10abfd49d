/** Resources that clients subscribe to. Source: MCP 2026-07-28, Subscriptions. */
import t from 'tap'
import type { Catalogue, ResourceEntry, TextArgument } from '../../../runtime/contract/mcp.ts'
import type { McpEndpointOptions } from '../../../runtime/mcp/server.ts'
import { scopedApp, tokenOf, withCredential } from '../support/scoped.ts'
import { catalogue, message, rpc, type Sent, serveAll, time } from '../support/support.ts'

const argument = (name: string, from: TextArgument['from'] = 'path'): TextArgument => ({
  ...{
    argument: name,
    from,
    name,
    description: '',
    required: from === 'path',
    values: null,
    completion: null,
  },
})
const resource = (route: string, uri: string, all: readonly TextArgument[] = []): ResourceEntry => ({
  ...{ name: route, route, uri, toolbox: 'notes', title: null, description: 'Reads.', mimeType: null },
  arguments: all,
})
const withResources: Catalogue = {
  ...catalogue,
  prompts: [resource('notes_index', '')],
  resources: [
    resource('users_current', 'users://me'),
    resource('notes_show', 'notes://{id}/{+part}{?lines,upper}', [
      argument('id'),
      argument('part'),
      argument('lines', 'query'),
      argument('upper', 'query'),
    ]),
    resource('files_answer', '/files/answer'),
  ],
}
const open: Partial<McpEndpointOptions> = { catalogue: withResources }

const listen = (notifications: object): Sent => message('modern', 'subscriptions/listen', { notifications })
const to = (...resourceSubscriptions: readonly unknown[]): Sent => listen({ resourceSubscriptions })
const get: Sent = { method: 'GET', headers: { accept: 'text/event-stream' } }

/** A form that the endpoint's own path leaves to the SDK. */
function forSdk({ headers, message: sent }: Sent): Sent {
  const { params, ...rest } = Object(sent)
  const _meta = { ...params._meta, 'io.modelcontextprotocol/logLevel': 'info' }
  return { ...(headers === undefined ? {} : { headers }), message: { ...rest, params: { ...params, _meta } } }
}

const tag = '"_meta":{"io.modelcontextprotocol/subscriptionId":1}'
const event = (method: string, params: string): string =>
  `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/${method}","params":{${params}${tag}}}\n\n`
const acknowledged = (filter: object): string =>
  event('subscriptions/acknowledged', `"notifications":${JSON.stringify(filter)},`)
const updated = (uri: string): string => event('resources/updated', `"uri":${JSON.stringify(uri)},`)
const end = `event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1,"io.modelcontextprotocol/serverInfo":{"name":"notes","version":"1.2.3"}}}}\n\n`

t.test(
  'who subscribed to a resource is told of it under the address that it wrote, and nobody else',
  async (t) => {
    for (const form of [(sent: Sent) => sent, forSdk]) {
      const app = serveAll(open)
      const mine = ["notes://1/it's%20mine", 'notes://1/it%27s%20mine', 'users://me', 'users://me']
      const own = await app.open(form(to(...mine)))
      const other = await app.open(form(to('notes://2/a?upper=true&lines=4')))
      const lists = await app.open(form(listen({ toolsListChanged: true, resourceSubscriptions: [] })))
      const old = await app.open(get)
      const first = [
        acknowledged({ resourceSubscriptions: mine.slice(0, 3) }),
        acknowledged({ resourceSubscriptions: ['notes://2/a?upper=true&lines=4'] }),
        acknowledged({ toolsListChanged: true }),
        '',
      ]
      let before = first.map(() => 0)
      const reported = (): readonly string[] => {
        const texts = [own, other, lists, old].map((stream) => stream.text())
        const news = texts.map((text, at) => text.slice(before[at]))
        before = texts.map((text) => text.length)
        return news
      }
      t.strictSame(reported(), first)
      app.streams.resourceChanged("notes://1/it's mine")
      t.strictSame(reported(), [mine.slice(0, 2).map(updated).join(''), '', '', ''])
      app.streams.resourceChanged('notes://2/a?lines=4&upper=true')
      t.strictSame(
        reported(),
        ['', updated('notes://2/a?upper=true&lines=4'), '', ''],
        'whatever the order of its query',
      )
      for (const uri of ['notes://3/a', 'notes://2/a', 'nothing://at/all', ''])
        app.streams.resourceChanged(uri)
      t.strictSame(reported(), ['', '', '', ''])
      own.leave()
      app.streams.resourceChanged('users://me')
      t.strictSame(reported(), ['', '', '', ''], 'it has gone')
      app.streams.close()
      t.strictSame([reported(), other.isEnded()], [['', end, end, ''], true])
    }
  },
)

t.test(
  'of what a client asks for, that is honored which there is; to nothing the stream ends at once',
  async (t) => {
    const { open: openStream, app } = serveAll(open)
    const requested = { toolsListChanged: false, promptsListChanged: true, resourcesListChanged: true }
    const stream = await openStream(
      listen({
        ...requested,
        resourceSubscriptions: ['notes://1', 'https://notes.example/files/answer', 'x'],
      }),
    )
    const { toolsListChanged: _, ...honored } = requested
    t.equal(
      stream.text(),
      acknowledged({ ...honored, resourceSubscriptions: ['https://notes.example/files/answer'] }),
    )
    for (const form of [(sent: Sent) => sent, forSdk])
      for (const nothing of [to('notes://1', ''), to(), listen({}), listen({ toolsListChanged: false })])
        t.equal((await app(form(nothing))).text, acknowledged({}) + end)
    const without = serveAll()
    t.equal(
      (await without.app(to('users://me'))).text,
      acknowledged({}) + end,
      'no resources, no subscriptions',
    )
    without.streams.resourceChanged('users://me')
  },
)

t.test('lists are told of as that of tools, and after a gap everything', async (t) => {
  const { open: openStream, streams } = serveAll(open)
  const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
  const reported = [
    await openStream(listen(all)),
    await openStream(
      listen({ resourcesListChanged: true, resourceSubscriptions: ['users://me', 'notes://1/2'] }),
    ),
    await openStream(get),
  ]
  const methods = (): readonly string[] =>
    reported.map((stream) =>
      (stream.text().match(/notifications\/(?!subscriptions)[^"]*/g) ?? [])
        .map((method) => method.slice('notifications/'.length))
        .join(' '),
    )
  const lists = 'tools/list_changed prompts/list_changed resources/list_changed'
  streams.toolsChanged()
  t.strictSame(methods(), ['tools/list_changed', '', 'tools/list_changed'])
  streams.listsChanged()
  t.strictSame(methods(), [
    `tools/list_changed ${lists}`,
    'resources/list_changed',
    `tools/list_changed ${lists}`,
  ])
  streams.anythingChanged()
  t.strictSame(methods(), [
    `tools/list_changed ${lists} ${lists}`,
    'resources/list_changed resources/list_changed resources/updated resources/updated',
    `tools/list_changed ${lists} ${lists}`,
  ])
})

t.test('a GET stream that comes back with another version hears of every list that there is', async (t) => {
  const back = { ...get, headers: { ...get.headers, 'last-event-id': 'another.0.1' } }
  const stream = await serveAll(open).open(back)
  const ids = stream.text().match(/^id: .*$/gm) ?? []
  t.strictSame(
    [new Set(ids).size, stream.text().match(/notifications\/\w+\/list_changed/g)],
    [3, ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`)],
  )
})

t.test('more than a hundred addresses, and one without end, are refused with the reason', async (t) => {
  const { app } = serveAll(open)
  const many = Array.from({ length: 101 }, (_, id) => `notes://${id}/a`)
  const wrong: readonly (readonly [Sent, string])[] = [
    [to(...many), 'resourceSubscriptions has 101 addresses, one subscription may have 100: open another'],
    [
      to(`notes://1/${'a'.repeat(2039)}`),
      'an address in resourceSubscriptions has 2049 characters, at most 2048 are possible',
    ],
    [
      to(...many.slice(0, 17).map((uri) => uri.padEnd(2_000, 'a'))),
      'resourceSubscriptions has 34000 characters, at most 32768 are possible',
    ],
  ]
  for (const form of [(sent: Sent) => sent, forSdk])
    for (const [sent, text] of wrong)
      t.strictSame(rpc(await app(form(sent))), {
        ...{ jsonrpc: '2.0', id: 1 },
        error: { code: -32602, message: text },
      })
  const right = await serveAll(open).open(to(...many.slice(0, 100), 'notes://0/a'))
  t.match(right.text(), '"notes://99/a"', 'the same twice counts once')
})

t.test('what is no filter is refused as the SDK does', async (t) => {
  const own = serveAll(open)
  const sdk = serveAll({ ...open, isSdkOnly: true })
  const wrong = [
    ...[1, 'notes://1/2', { 0: 'notes://1/2' }, [1], [null], [['notes://1/2']]].map((resourceSubscriptions) =>
      listen({ resourceSubscriptions }),
    ),
    listen({ resourcesListChanged: 'yes', resourceSubscriptions: ['users://me'] }),
    message('modern', 'subscriptions/listen', { resourceSubscriptions: ['users://me'] }),
    message('modern', 'subscriptions/listen', { notifications: null }),
    message('legacy', 'subscriptions/listen', { notifications: { resourceSubscriptions: ['users://me'] } }),
    message('legacy', 'resources/subscribe', { uri: 'users://me' }),
  ]
  for (const sent of wrong) {
    const [first, second] = [await own.app(sent), await sdk.app(sent)]
    t.strictSame([first.status, rpc(first)], [second.status, rpc(second)], JSON.stringify(sent))
    t.ok(rpc(first).error)
  }
})

t.test(
  'subscriptions are announced in the revision that has them alone, and by an application that has resources',
  async (t) => {
    const capabilities = async (options: Partial<McpEndpointOptions>): Promise<readonly object[]> => {
      const { app } = serveAll(options)
      const clientInfo = { name: 'c', version: '1' }
      const requested = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
      const answers = [
        rpc(await app(message('modern', 'server/discover'))),
        rpc(await app(message('legacy', 'initialize', requested))),
      ]
      return answers.map(({ result }) => result.capabilities)
    }
    const changes = { listChanged: true }
    t.strictSame(await capabilities(open), [
      { tools: changes, prompts: changes, resources: { subscribe: true, listChanged: true } },
      { tools: changes, prompts: changes, resources: changes },
    ])
    t.strictSame(await capabilities({}), [{ tools: changes }, { tools: changes }])
  },
)

const note = 'notes://1/a'
const file = 'https://notes.example/files/answer'
const wanted = listen({ resourceSubscriptions: ['users://me', note, file] })
const honoredBy = (text: string): unknown => JSON.parse(/"notifications":(\{.*?\})/.exec(text)?.[1] ?? 'null')

t.test('nobody hears of a resource that scopes keep from them, listed or not', async (t) => {
  const may: readonly (readonly [string, readonly string[]])[] = [
    [tokenOf(['notes:read']), ['users://me', note]],
    [tokenOf(['files:read']), ['users://me', file]],
    [tokenOf(['notes:delete']), ['users://me']],
    ['key', ['users://me', note, file]],
    ['session', ['users://me', file]],
  ]
  for (const listed of ['permitted', 'all'] as const)
    for (const isOn of [true, false]) {
      const app = serveAll(scopedApp(isOn, { ...open, listed }).options)
      for (const [credential, uris] of isOn ? may : [...may, ['', ['users://me']] as const]) {
        const stream = await app.open(withCredential(wanted, credential))
        t.strictSame(
          honoredBy(stream.text()),
          { resourceSubscriptions: uris },
          `${listed} ${isOn} ${credential}`,
        )
        for (const uri of ['users://me', note, file]) app.streams.resourceChanged(uri)
        const reported = stream.text().match(/(?<="uri":")[^"]*/g)
        t.strictSame(reported, uris)
        stream.leave()
      }
      const hidden = withCredential(to(note), tokenOf(['files:read']))
      t.equal((await app.app(hidden)).text, acknowledged({}) + end, 'as what is not there')
    }
})

t.test('who may do less from now on hears of less, who may do nothing of nothing', async (t) => {
  for (const isOn of [true, false]) {
    const { clock, every, advance } = time()
    let scopes: readonly string[] | null = ['notes:read', 'files:read']
    const user = { id: 'dev:ada', name: 'Ada', email: null }
    const findAuthInfo = async () =>
      scopes && {
        user,
        subject: user.id,
        clientId: 'client-1',
        grantId: 'grant',
        scopes,
        expiresAt: 3_600_000,
      }
    const check = isOn ? { authenticator: () => scopes !== null } : {}
    const app = serveAll(scopedApp(isOn, { ...open, ...check, clock, every, findAuthInfo }).options)
    const stream = await app.open(withCredential(wanted, tokenOf([])))
    const other = await app.open(withCredential(to('users://me'), tokenOf([])))
    const reported = (): unknown => {
      for (const uri of ['users://me', note, file]) app.streams.resourceChanged(uri)
      return stream.text().match(/(?<="uri":")[^"]*/g)
    }
    const all = ['users://me', note, file]
    t.strictSame(reported(), all)
    scopes = ['files:read']
    await advance(61)
    const less = [...all, 'users://me', file]
    t.strictSame(reported(), less, 'its time was up, and it may do less')
    scopes = null
    app.userRevoked('dev:ada')
    await advance(1)
    t.strictSame(stream.isEnded(), isOn, 'it was revoked')
    if (!isOn)
      t.strictSame(reported(), [...less, 'users://me'], 'everybody may be there, and reads what all may')
    t.equal(other.isEnded(), isOn)
  }
})
