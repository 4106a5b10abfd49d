/** Sockets and streams that a token has opened end with it. */
import { once } from 'node:events'
import t, { type Test } from 'tap'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import type { Socket } from '../../../runtime/http/websocket/socket.ts'
import { StoreUnavailable } from '../../../runtime/store/store.ts'
import type { TestApp, TestAppOptions } from '../../../runtime/testing.ts'
import {
  ada,
  bearer,
  dialSocket,
  type GuardedRoute,
  listen,
  needs,
  openGuarded,
  revoke,
  tokenOf,
} from '../support/guarded.ts'
import { gate } from '../support/one-route.ts'

t.setTimeout(120_000)

const hourMs = 3_600_000
const lastEvent = 'event: error\ndata: {"error":"invalid_token"}\n\n'

/** What has ended of the sources that the routes stream from. */
const ended: string[] = []

async function* ticks(name: string): AsyncGenerator<object> {
  try {
    yield { at: 0 }
    await new Promise(() => {}) // nothing comes any more
  } finally {
    ended.push(name)
  }
}

const endless = (name: string): ReadableStream<string> =>
  new ReadableStream({
    start: (controller) => controller.enqueue('first\n'),
    cancel: () => void ended.push(name),
  })

const heard: string[] = []

const routes: Readonly<Record<string, GuardedRoute>> = {
  events: { ...needs('notes:read'), call: (made) => made.render({ events: ticks('events') }) },
  lines: {
    ...needs('notes:read'),
    call: (made) => made.render({ body: endless('lines'), contentType: 'text/plain' }),
  },
  asked: {
    call: (made) => {
      made.requireScopes('notes:read')
      return made.render({ body: endless('asked'), contentType: 'text/event-stream' })
    },
  },
  free: { call: (made) => made.render({ body: endless('free'), contentType: 'text/event-stream' }) },
  either: {
    scope: { names: ['notes:read'], unless: ['key'] },
    filters: [{ when: 'before', name: 'check', call: () => undefined }],
    call: (made) => made.render({ body: endless('either'), contentType: 'text/event-stream' }),
  },
  chat: {
    ...needs('notes:read'),
    websocket: true,
    call: (_made, socket) => {
      ;(socket as Socket).on('message', (data) => heard.push(String(data))) // the pipeline puts it first
    },
  },
}

interface Open {
  readonly app: TestApp
  readonly port: number
  readonly token: string
  /** An hour and more goes by. */
  readonly wait: () => void
  readonly later: (milliseconds: number) => void
  readonly clock: () => number
}

async function open(t: Test, more: typeof routes = {}, options: TestAppOptions = {}): Promise<Open> {
  ended.length = 0
  heard.length = 0
  let now = Date.UTC(2026, 10, 23)
  const clock = (): number => now
  const app = await openGuarded(t, { routes: { ...routes, ...more }, options: { ...options, clock } })
  const port = await listen(app)
  const later = (milliseconds: number): void => {
    now += milliseconds
  }
  const wait = (): void => later(hourMs)
  return { app, port, token: await tokenOf(app, 'notes:read'), wait, later, clock }
}

/** What comes until the answer ends, and whether it was cut. */
async function readAll(body: Response['body']): Promise<readonly [string, 'ended' | 'cut']> {
  let text = ''
  try {
    for await (const piece of body ?? []) text += Buffer.from(piece).toString()
    return [text, 'ended']
  } catch {
    return [text, 'cut']
  }
}

const fetched = (port: number, path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers })

for (const [how, pass] of [
  ['expires', async ({ wait }: Open) => wait()],
  ['is revoked here', async ({ app, token }: Open) => revoke(app, token)],
] as const) {
  t.test(`guard: a socket is closed with 1008 when its token ${how}`, async (t) => {
    const opened = await open(t)
    const { seen, socket } = await dialSocket(opened.port, '/chat', bearer(opened.token))
    t.equal(seen[0], 101)
    const closed = once(socket, 'close')
    await pass(opened)
    const [code] = await closed
    t.equal(code, 1008)
  })

  t.test(
    `the guard of scopes: events end with a last one when their token ${how}, other streams are cut`,
    async (t) => {
      const opened = await open(t)
      const { port, token } = opened
      const answers = await Promise.all(
        ['/events', '/asked', '/lines'].map((path) => fetched(port, path, bearer(token))),
      )
      await pass(opened)
      const [events, requested, lines] = await Promise.all(answers.map(({ body }) => readAll(body)))
      t.match(
        events?.[0],
        /^(:\n\n)*data: {"at":0}\n\n(:\n\n)*event: error\ndata: {"error":"invalid_token"}\n\n$/,
      )
      t.equal(events?.[1], 'ended')
      t.strictSame(requested, [`first\n${lastEvent}`, 'ended'])
      t.strictSame(lines, ['first\n', 'cut'])
      t.strictSame(ended.toSorted(), ['asked', 'lines'], 'a generator that waits ends when that comes')
    },
  )
}

t.test(
  'the guard of scopes: what a token opened ends within a minute when another instance revokes it',
  async (t) => {
    const options = { environment: { databaseUrl: `sqlite:${t.testdir()}/app.db` } }
    const { app, port, token, later, clock } = await open(t, {}, options)
    const other = await openGuarded(t, { routes, options: { ...options, clock } })
    const { socket } = await dialSocket(port, '/chat', bearer(token))
    const closed = once(socket, 'close')
    const events = await fetched(port, '/events', bearer(token))
    await revoke(other, token)
    later(60_000)
    t.equal((await closed)[0], 1008)
    const [text] = await readAll(events.body)
    t.ok(text.endsWith(lastEvent))
    await app.close()
  },
)

t.test('guard: what no token has opened goes on', async (t) => {
  const { app, port, token, wait } = await open(t)
  const answers = await Promise.all([
    fetched(port, '/free', bearer(token)),
    fetched(port, '/either', { 'x-api-key': 'k' }),
    fetched(port, '/events', bearer(token)),
  ])
  wait()
  const [free, either, events] = answers
  await readAll(events?.body ?? null) // it has ended: the others were looked at too
  t.strictSame(ended, [])
  for (const answer of [free, either]) await answer?.body?.cancel()
  await app.close()
})

t.test(
  'the guard of scopes: a token that was revoked while the route ran opens nothing that stays',
  async (t) => {
    const running = gate()
    const goOn = gate()
    const slow: GuardedRoute = {
      ...needs('notes:read'),
      call: async (made: Controller) => {
        running.open()
        await goOn.opened
        return made.render({ body: endless('slow'), contentType: 'text/event-stream' })
      },
    }
    const { app, port, token } = await open(t, { slow })
    const answer = fetched(port, '/slow', bearer(token))
    await running.opened
    await revoke(app, token)
    goOn.open()
    const [text, end] = await readAll((await answer).body)
    t.equal(end, 'ended')
    t.ok(text.endsWith(lastEvent))
  },
)

t.test('guard: a closed socket is not heard, whatever its client still sends', async (t) => {
  const { app, port, token } = await open(t)
  const { socket } = await dialSocket(port, '/chat', bearer(token))
  socket.send('before')
  while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve))
  socket.pause() // its close frame is not answered
  await revoke(app, token)
  socket.send('after')
  socket.resume()
  await once(socket, 'close')
  t.strictSame(heard, ['before'])
})

t.test('guard: whether a token is still good is asked again when nobody could say', async (t) => {
  const requested = [gate(), gate()]
  let calls = 0
  const verifyToken = async (): Promise<unknown> => {
    calls += 1
    if (calls === 1) return { user: ada, client: null, grant: null, scopes: ['notes:read'] }
    requested[calls - 2]?.open()
    if (calls === 2) throw new StoreUnavailable()
    return null
  }
  const app = await openGuarded(t, { routes, config: { verifyToken } })
  const port = await listen(app)
  const { body } = await fetched(port, '/lines', bearer('foreign'))
  await revoke(app, await tokenOf(app, 'notes:read'))
  for (const { opened } of requested) await opened
  t.strictSame(await readAll(body), ['first\n', 'cut'])
  t.equal(calls, 3)
})

t.test('requireScopes: in the action of a socket it closes it with 1008', async (t) => {
  const more: GuardedRoute = {
    websocket: true,
    call: (made) => made.requireScopes('notes:delete'),
  }
  const { port, token } = await open(t, { more })
  const { socket } = await dialSocket(port, '/more', bearer(token))
  const [code] = await once(socket, 'close')
  t.equal(code, 1008)
})

t.test('this.services: an answer that stays open is told of a revocation', async (t) => {
  const asking = gate()
  const reported: (string | undefined)[] = []
  let token = ''
  async function* users({ services }: Controller): AsyncGenerator<string | null> {
    reported.push((await services.userOfAccessToken(token))?.id)
    yield 'one'
    await asking.opened
    reported.push((await services.userOfAccessToken(token))?.id)
    yield 'two'
  }
  const live: GuardedRoute = { call: (made) => made.render({ events: users(made) }) }
  const { app, port, token: made } = await open(t, { live })
  token = made
  const answer = await fetched(port, '/live', bearer(token))
  const reader = answer.body?.getReader()
  await reader?.read()
  await revoke(app, token)
  asking.open()
  while ((await reader?.read())?.done === false);
  t.strictSame(reported, ['dev:ada', undefined])
})

t.test("verifyToken: one that never answers keeps nobody's stream open who is blocked", async (t) => {
  let isSilent = false
  const verifyToken = (): Promise<unknown> =>
    isSilent
      ? new Promise(() => {})
      : Promise.resolve({ user: ada, client: null, grant: null, scopes: ['notes:read'] })
  const app = await openGuarded(t, { routes, config: { verifyToken } })
  const port = await listen(app)
  for (let count = 0; count < 40; count += 1) await fetched(port, '/lines', bearer('foreign'))
  const { body } = await fetched(port, '/free', bearer(await tokenOf(app, 'notes:read')))
  isSilent = true
  t.equal(await app.services.users.block(ada.id), true)
  t.strictSame(await readAll(body), [`first\n${lastEvent}`, 'ended'])
})
