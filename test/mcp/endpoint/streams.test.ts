import t from 'tap'
import type { HttpRequest, Session } from '../../../runtime/contract/http.ts'
import { growth } from '../../support/report/growth.ts'
import { catalogue, createApplication, message, type Sent, serveAll, time } from '../support/support.ts'

const get = (headers: Readonly<Record<string, string>> = {}): Sent => ({
  method: 'GET',
  headers: { accept: 'text/event-stream', ...headers },
})
const listen = (notifications: object = { toolsListChanged: true }): Sent =>
  message('modern', 'subscriptions/listen', { notifications })
const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` })
const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
const tag = '"_meta":{"io.modelcontextprotocol/subscriptionId":1}'
const acknowledged = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},${tag}}}\n\n`
const changedFor = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{${tag}}}\n\n`

t.test(
  'decisions, notification stream: the GET stream of the initialize revisions hears of changes',
  async (t) => {
    const { open, streams } = serveAll()
    const old = await open(get())
    const primed = await open(get({ 'mcp-protocol-version': '2025-11-25' }))
    t.strictSame([old.status, old.text()], [200, ''])
    t.match(primed.text(), /^id: [0-9a-f]{16}\.0\.1\ndata: \n\n$/, 'primed from 2025-11-25 on (SEP-1699)')
    streams.toolsChanged()
    t.match(old.text(), /^id: [0-9a-f]{16}\.0\.2\nevent: message\n/)
    t.match(old.text(), `data: ${changed}\n\n`)
    old.leave()
    streams.toolsChanged()
    t.equal(old.text().split(changed).length, 2, 'nothing after the client has gone')
    streams.close()
    t.ok(primed.isEnded())
  },
)

t.test('a client that comes back to another build hears at once that the list has changed', async (t) => {
  const before = await serveAll().open(get({ 'mcp-protocol-version': '2025-11-25' }))
  const [, lastEventId = ''] = /^id: (.*)$/m.exec(before.text()) ?? []
  const back = get({ 'mcp-protocol-version': '2025-06-18', 'last-event-id': lastEventId })
  t.equal((await serveAll().open(back)).text(), '', 'the same build')
  const next = serveAll({ catalogue: { ...catalogue, instructions: 'a new build' } })
  t.match((await next.open(back)).text(), changed)
})

t.test('the id that a client comes back with takes time in proportion to its length', async (t) => {
  const { open } = serveAll()
  for (const piece of ['0.', 'a', '0123456789abcdef.0.1.', ' ,'])
    await growth(t, {
      name: `Last-Event-ID of ${JSON.stringify(piece)}: bytes`,
      sizes: [3_000, 6_000, 12_000], // a head has 16 kB
      input: (bytes) => piece.repeat(bytes / piece.length),
      work: async (id) => {
        const stream = await open(get({ 'mcp-protocol-version': '2025-11-25', 'last-event-id': id }))
        stream.leave()
      },
      control: (id) => JSON.parse(JSON.stringify(id)),
    })
})

t.test('GET without an event stream, and a GET of 2026-07-28, are 405', async (t) => {
  const { app } = serveAll()
  for (const sent of [get({ accept: 'application/json' }), get({ 'mcp-protocol-version': '2026-07-28' })]) {
    const { status, headers } = await app(sent)
    t.strictSame([status, headers.allow], [405, 'GET, POST'])
  }
})

t.test(
  'decisions, notification stream: subscriptions/listen is acknowledged first, tagged, ended with a result',
  async (t) => {
    const { open, streams } = serveAll()
    const stream = await open(listen())
    t.equal(stream.text(), acknowledged)
    streams.toolsChanged()
    t.equal(stream.text(), acknowledged + changedFor)
    streams.close()
    const end = `event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1,"io.modelcontextprotocol/serverInfo":{"name":"notes","version":"1.2.3"}}}}\n\n`
    t.strictSame([stream.text(), stream.isEnded()], [acknowledged + changedFor + end, true])
  },
)

t.test('a stream that opens after the server has begun to close ends at once, in good order', async (t) => {
  const { running, clock, every } = time()
  const { handle, streams } = serveAll({ clock, every })
  const granted = [await handle(get()), await handle(listen())]
  streams.close()
  granted.push(await handle(get()), await handle(listen()))
  const written = granted.map(({ body }) => {
    if (body === null || typeof body !== 'object' || !('open' in body))
      throw new Error('no stream was granted')
    const events: string[] = []
    const leave = body.open({
      write: (text) => events.push(text) > 0,
      offer: (text) => void events.push(text()),
      end: () => void events.push('end'),
    })
    leave()
    return events
  })
  const both = [['end'], [acknowledged, /"id":1,"result":\{"resultType":"complete"/, 'end']]
  t.match(written, [...both, ...both])
  t.strictSame(
    [written.map(({ length }) => length), running.size],
    [[1, 3, 1, 3], 0],
    'and nothing ticks for it',
  )
})

for (const isTold of [true, false])
  t.test(
    `a credential that is refused once its stream was granted ends that stream: the server is ${isTold ? 'told' : 'not told'}`,
    async (t) => {
      const { clock, every } = time()
      let isGood = true
      const asked: string[] = []
      const { handle, open, app, userRevoked } = serveAll({
        authenticator: ({ headers }) => {
          asked.push(String(headers.authorization))
          return isGood
        },
        ...{ clock, every },
      })
      const stays = await open(get(bearer('other')))
      const plain = message('modern', 'tools/list')
      const beside = (sent: Sent): Sent => ({ ...sent, headers: { ...sent.headers, ...bearer('a') } })
      for (let n = 0; n < 2; n += 1) await app(beside(plain))
      t.equal(asked.filter((sent) => sent === 'Bearer a').length, 1, 'a plain message goes by the cache')
      const granted = [await handle(get(bearer('a'))), await handle(beside(listen()))]
      isGood = false
      if (isTold) userRevoked('somebody')
      const ended = granted.map(({ body }) => {
        if (body === null || typeof body !== 'object' || !('open' in body))
          throw new Error('no stream was granted')
        return new Promise((resolve) => {
          body.open({ write: () => true, offer: () => {}, end: () => resolve('ended') })
        })
      })
      t.strictSame(await Promise.all(ended), ['ended', 'ended'])
      t.equal(asked.filter((sent) => sent === 'Bearer a').length, 3, 'once for each stream')
      t.notOk(stays.isEnded(), 'of nobody who is told of: it is looked at in its time')
    },
  )

t.test('a subscription to what there is not is acknowledged empty and ended', async (t) => {
  const { text } = await serveAll().app(listen({ promptsListChanged: true }))
  t.strictSame(text.match(/"method":"[^"]*"|"notifications":\{[^}]*\}|"resultType":"complete"/g), [
    '"method":"notifications/subscriptions/acknowledged"',
    '"notifications":{}',
    '"resultType":"complete"',
  ])
})

t.test('spec, Authentication 1: streams are authenticated when they open', async (t) => {
  const { open } = serveAll({ authProbe: '/api/users/current' })
  t.equal((await open(get())).status, 401)
  t.equal((await open(listen())).status, 401)
  t.equal((await open({ ...listen(), headers: { ...listen().headers, ...bearer('good') } })).status, 200)
})

t.test('a stream ends when its credential no longer passes, and lives on while it does', async (t) => {
  const { clock, every, running, advance } = time()
  let isSignedIn = true
  const authenticator = (): boolean => isSignedIn
  const { open } = serveAll({ authenticator, clock, every })
  const stream = await open(get(bearer('key')))
  await advance(61)
  t.notOk(stream.isEnded(), 'checked again after the cache time, and passed')
  isSignedIn = false
  await advance(58)
  t.notOk(stream.isEnded(), 'not yet due')
  await advance(2)
  t.ok(stream.isEnded())
  stream.leave()
  t.equal(running.size, 0, 'nothing ticks for nobody')
})

t.test('a bearer that expires ends its stream at that second', async (t) => {
  const { clock, every, advance } = time()
  const token = `e30.${Buffer.from('{"exp":10}').toString('base64url')}.sig`
  const { invoke } = createApplication()
  const expiring: typeof invoke = async (routeId, request) => {
    const isOver = clock() >= 10_000
    return invoke(routeId, isOver ? { ...request, headers: bearer('bad') } : request)
  }
  const { open } = serveAll({ authProbe: 'users_current', invoke: expiring, clock, every })
  const stream = await open(get(bearer(token)))
  await advance(9)
  t.notOk(stream.isEnded())
  await advance(1)
  t.ok(stream.isEnded())
})

t.test('a comment every 25 seconds keeps a stream open', async (t) => {
  const { clock, every, advance } = time()
  const stream = await serveAll({ clock, every }).open(get())
  await advance(24)
  t.equal(stream.text(), '')
  await advance(26)
  t.equal(stream.text(), ': keepalive\n\n: keepalive\n\n')
})

t.test('no more than 10,000 streams are open at once', async (t) => {
  const { open } = serveAll()
  const streams = await Promise.all(Array.from({ length: 10_000 }, () => open(get())))
  t.equal((await open(get())).status, 503)
  streams[0]?.leave()
  t.equal((await open(get())).status, 200)
})

t.test('a session is read anew for every check', async (t) => {
  const { clock, every, advance } = time()
  const kept = new Map([['user_id', '1']])
  let seen = new Map(kept)
  const session: Session = {
    get: (name) => seen.get(name),
    set: () => {},
    remove: () => {},
    regenerate: async () => {},
    read: async () => {
      seen = new Map(kept)
    },
  }
  const authenticator = (request: HttpRequest): boolean => request.session.get('user_id') !== undefined
  const { open } = serveAll({ authenticator, clock, every })
  const requested = { ...get({ cookie: 'sid=1' }), session }
  const stream = await open(requested)
  await advance(61)
  t.notOk(stream.isEnded())
  kept.clear()
  await advance(61)
  t.ok(stream.isEnded())
})
