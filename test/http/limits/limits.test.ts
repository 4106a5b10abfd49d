/** How often a route may be called, by whom, through every entrance. */
import t from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import { call, json, serveAll } from '../../mcp/support/support.ts'
import { dialSocket } from '../support/guarded.ts'
import { buildStudio, openStudio, type Reported, type Studio } from './studio.ts'

t.setTimeout(240_000)

const bundle = await buildStudio()
const plugin: AppPlugin = async (app) => {
  app.addHook('onRequest', async () => {})
}
const counted: Reported = [200, null, { count: 3 }]
const spent = (seconds: number): Reported => [
  429,
  String(seconds),
  { error: `too many requests: wait ${seconds} s` },
]
const reported = (seconds: number): Reported => [
  200,
  null,
  `error: 429 Too Many Requests\nRetry-After: ${seconds}\n{"error":"too many requests: wait ${seconds} s"}\nWait ${seconds} seconds before the next call of this tool.`,
]

const times = async <T>(count: number, work: () => Promise<T>): Promise<readonly T[]> => {
  const all: T[] = []
  for (let done = 0; done < count; done += 1) all.push(await work())
  return all
}

t.test('limits: a window of calls each, then 429 until the next', async (t) => {
  const { ask, advance } = await openStudio(t, bundle)
  t.strictSame(await times(5, () => ask('/songs/count')), [counted, counted, counted, spent(60), spent(60)])
  await advance(20.5)
  t.strictSame(await ask('/songs/count'), spent(40))
  await advance(39.5)
  t.strictSame(await ask('/songs/count'), counted, 'the next minute')
  const { headers } = await (await openStudio(t, bundle)).application.server.inject('/charts')
  t.equal(headers['retry-after'], undefined)
})

t.test(
  'limits of routes: who is known counts alone, whoever shares the address; the others share it',
  async (t) => {
    const { ask, bearer, session } = await openStudio(t, bundle)
    const ada = await bearer('ada')
    const bob = await session('bob')
    const drain = (headers: object): Promise<readonly Reported[]> =>
      times(4, () => ask('/songs/count', { headers: { ...headers } }))
    const four = [counted, counted, counted, spent(60)]
    t.strictSame(await drain(ada), four)
    t.strictSame(await drain(bob), four)
    t.strictSame(await drain({}), four, 'nobody')
    t.strictSame(
      await ask('/songs/count', { headers: { authorization: 'Bearer x' } }),
      spent(60),
      'a false token',
    )
    t.strictSame(await ask('/songs/count', { headers: { 'x-api-key': 'k' } }), spent(60), 'a key')
    t.strictSame(await ask('/songs/count', { headers: ada, from: '192.0.2.9' }), spent(60), 'wherever she is')
    t.strictSame(await ask('/songs/count', { from: '192.0.2.9' }), counted)
    t.strictSame(
      await ask('/songs/count', { headers: await session('ada') }),
      spent(60),
      'one user, however signed in',
    )
  },
)

t.test('limits: what stands beside a session makes its user nobody else', async (t) => {
  const { ask, session } = await openStudio(t, bundle)
  const bob = await session('bob')
  await times(3, () => ask('/songs/count', { headers: bob }))
  const others = ['Basic eDp5', 'Bearer x', 'anything']
  for (const [at, authorization] of others.entries())
    t.strictSame(
      await ask('/songs/count', { headers: { ...bob, authorization }, from: `198.51.100.${at}` }),
      spent(60),
      authorization,
    )
})

t.test(
  'limits: addresses of a network of IPv6 count together, behind a trusted proxy those that it names',
  async (t) => {
    const { ask } = await openStudio(t, bundle, { config: { trustProxy: 1 } })
    const via = (address: string): Promise<Reported> =>
      ask('/songs/count', { headers: { 'x-forwarded-for': address } })
    const all = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4', '2001:db8:0:1::1', '192.0.2.7']
    const answers: Reported[] = []
    for (const address of all) answers.push(await via(address))
    t.strictSame(answers, [counted, counted, counted, spent(60), counted, counted])
  },
)

t.test(
  'limits of routes: each route counts for itself, all addresses of one together; none lifts it',
  async (t) => {
    const { ask } = await openStudio(t, bundle)
    const shown = (id: string): Reported => [200, null, { id }]
    t.strictSame(
      [
        await ask('/songs/show'),
        await ask('/songs/show/2'),
        await ask('/songs/show/'),
        await ask('/songs/show/4'),
      ],
      [shown('1'), shown('2'), shown('1'), spent(60)],
    )
    t.strictSame(await ask('/songs/count'), counted)
    const added = await times(5, () =>
      ask('/songs?title=a', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        payload: '{}',
      }),
    )
    t.strictSame(added, Array(5).fill([200, null, { title: 'a' }]))
    t.strictSame(await times(2, () => ask('/songs/1', { method: 'DELETE' })), [
      [200, null, { removed: '1' }],
      spent(3600),
    ])
  },
)

t.test('limits: what a filter refuses was counted: guessing has an end', async (t) => {
  const { ask } = await openStudio(t, bundle)
  const guess = (): Promise<Reported> => ask('/songs/count', { headers: { 'x-api-key': 'wrong' } })
  const wrong: Reported = [403, null, { error: 'wrong key' }]
  t.strictSame(await times(4, guess), [wrong, wrong, wrong, spent(60)])
})

t.test('limits: a handler words it; status and Retry-After are not its to change', async (t) => {
  const { ask, application } = await openStudio(t, bundle)
  t.strictSame(await times(2, () => ask('/charts')), [
    [200, null, { charts: ['one'] }],
    [429, '60', { slowDown: 60 }],
  ])
  t.strictSame(await ask('/charts/busy'), [429, '7', { slowDown: 7 }], 'raised by the application')
  const { headers } = await application.server.inject('/charts/busy')
  t.match(headers, { 'x-seen': 'yes', 'cache-control': 'no-store', 'content-type': /^application\/json/ })
  t.strictSame(await ask('/plain'), [429, '7', { error: 'too many requests: wait 7 s' }])
})

t.test(
  'limits of routes: a tool call is a call, direct, through a proxy, in a batch, in both eras',
  async (t) => {
    for (const plugins of [[], [plugin]]) {
      const { ask, callTool, bearer, application } = await openStudio(t, bundle, { config: { plugins } })
      const ada = { headers: await bearer('ada') }
      const said: Reported = [200, null, '{"count":3}']
      t.strictSame(await ask('/songs/count', ada), counted)
      t.strictSame(await callTool('songs_count', {}, { ...ada, era: 'legacy' }), said)
      t.strictSame(await callTool('call_read_only', { name: 'songs_count', arguments: {} }, ada), said)
      t.strictSame(await callTool('songs_count', {}, ada), reported(60))
      t.strictSame(await callTool('songs_count', {}, { ...ada, era: 'legacy' }), reported(60))
      t.strictSame(
        await callTool('call_read_only', { name: 'songs_count', arguments: {} }, ada),
        reported(60),
      )
      t.strictSame(await ask('/songs/count', ada), spent(60))
      const sent = [1, 2, 3, 4].map((id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'songs_count', arguments: {} },
      }))
      const { body } = await application.server.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          host: 'localhost:3000',
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': '2025-03-26',
          ...(await bearer('bob')),
        },
        payload: JSON.stringify(sent),
      })
      const found = [...body.matchAll(/"text":"(\{|4\d\d)/g)].map(([, first]) => first)
      t.strictSame(found, ['{', '{', '{', '429'], 'a batch counts each call once')
    }
  },
)

t.test('limits: those who watch calls are told 429', async (t) => {
  const records: unknown[] = []
  const invoke = async (): Promise<HttpResponse> => ({
    ...json(429, { error: 'too many requests: wait 5 s' }),
    headers: { 'content-type': 'application/json; charset=utf-8', 'retry-after': '5' },
  })
  const { app } = serveAll({
    invoke,
    observers: [({ decision, status, isError }) => void records.push([decision, status, isError])],
  })
  for (const era of ['legacy', 'modern'] as const) await call(app, era, 'notes_index')
  t.strictSame(records, [
    [429, 429, true],
    [429, 429, true],
  ])
})

t.test('limits: an upgrade to a WebSocket counts', async (t) => {
  const { application, advance } = await openStudio(t, bundle)
  const { port } = new URL(await application.server.listen({ port: 0, host: '127.0.0.1' }))
  const dial = async () => (await dialSocket(Number(port), '/songs/talk')).seen
  t.strictSame(await dial(), [101, null, ''])
  t.strictSame(await dial(), [429, null, '{"error":"too many requests: wait 1 s"}'])
  await advance(1)
  t.strictSame(await dial(), [101, null, ''])
})

t.test('limits: the configuration has a default for routes that say nothing', async (t) => {
  const { ask, callTool } = await openStudio(t, bundle, { config: { limits: { routeCalls: '2/h' } } })
  const busy = await times(3, () => ask('/slow'))
  t.strictSame(busy, [[200, null, { done: null }], [200, null, { done: null }], spent(3600)])
  t.strictSame(
    await times(4, () => ask('/songs/count')),
    [counted, counted, counted, spent(60)],
    'its own wins',
  )
  const created = await times(3, () => callTool('songs_create', { title: 'a' }))
  t.strictSame(created, Array(3).fill([200, null, '{"title":"a"}']), 'none lifts the default too')
})

t.test(
  'decisions, 401: a probe that answers 429 refuses, as with every other failure but an outage',
  async (t) => {
    const probed: Studio = await openStudio(t, bundle, {
      config: { mcp: { path: '/mcp', authProbe: 'songs_count' } },
    })
    const sent = async (token: string): Promise<number> =>
      (await probed.callTool('songs_show', {}, { headers: { authorization: `Bearer ${token}` } }))[0]
    t.strictSame([await sent('a'), await sent('b'), await sent('c'), await sent('d')], [200, 200, 200, 401])
  },
)
