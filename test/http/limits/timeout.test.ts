/** How long a route may take until its answer begins, and what becomes of it afterwards. */
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import { gate, readAll } from '../support/one-route.ts'
import { buildStudio, openStudio, type Reported } from './studio.ts'

t.setTimeout(240_000)

const bundle = await buildStudio()
const plugin: AppPlugin = async (app) => {
  app.addHook('onRequest', async () => {})
}

interface Held {
  /** Resolves when the route waits, with its signal. */
  readonly waits: Promise<AbortSignal>
  /** Lets it go on. */
  readonly open: () => void
  /** Makes it fail. */
  readonly fail: (error: Error) => void
}

interface Gates {
  gates?: Record<string, (signal: AbortSignal) => Promise<unknown>>
  seen?: string[]
}
const shared = globalThis as Gates // the application looks there

/** Holds the route of that name until the end of the test. */
function hold(t: Test, name: string): Held {
  const { opened, open } = gate()
  let fail = (_: Error): void => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  let report = (_: AbortSignal): void => {}
  const waits = new Promise<AbortSignal>((resolve) => {
    report = resolve
  })
  shared.gates = {
    ...shared.gates,
    [name]: (signal) => {
      report(signal)
      return Promise.race([opened.then(() => name), failed])
    },
  }
  t.teardown(() => {
    delete shared.gates?.[name]
    open()
  })
  return { waits, open, fail }
}

function seen(t: Test): readonly string[] {
  const all: string[] = []
  shared.seen = all
  t.teardown(() => {
    shared.seen = []
  })
  return all
}

/** After whatever an answer or a gate has set off. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
}

const tooLong = (seconds: number): Reported => [
  503,
  null,
  { error: `the route took longer than ${seconds} s and was stopped` },
]
const reportedTooLong: Reported = [
  200,
  null,
  'error: 503 Service Unavailable\nthe route took longer than 30 s and was stopped',
]

t.test(
  'time of a call is up: 503 when the time is up, the signal is aborted, the rest is discarded',
  async (t) => {
    const { ask, advance } = await openStudio(t, bundle)
    const did = seen(t)
    const { waits, open } = hold(t, 'index')
    const answer = ask('/slow')
    const signal = await waits
    await advance(29.9)
    t.notOk(signal.aborted)
    await advance(1)
    t.strictSame(await answer, tooLong(30))
    t.ok(signal.aborted)
    open()
    await settled()
    t.strictSame(did, ['index is over'], 'it ran on, unheard')
    t.strictSame(await ask('/slow'), [200, null, { done: 'index' }], 'in time')
  },
)

t.test('timeout: what fails after its time is nobody’s, no rejection is unhandled', async (t) => {
  const { ask, advance } = await openStudio(t, bundle)
  const { waits, fail } = hold(t, 'index')
  const answer = ask('/slow')
  await waits
  await advance(31)
  t.strictSame(await answer, tooLong(30))
  fail(new Error('late'))
  await settled() // tap fails a test with an unhandled rejection
})

t.test('timeout: a filter has of the same time, and what it holds up never begins', async (t) => {
  const { ask, advance } = await openStudio(t, bundle)
  const did = seen(t)
  const held = hold(t, 'held')
  const answer = ask('/slow/held')
  await held.waits
  await advance(31)
  t.strictSame(await answer, tooLong(30))
  held.open()
  await settled()
  t.strictSame(did, [])
})

t.test('timeout: an around filter that waits is abandoned', async (t) => {
  const { ask, advance } = await openStudio(t, bundle)
  const did = seen(t)
  const { waits, open } = hold(t, 'enclosed')
  const answer = ask('/slow/enclosed')
  await waits
  await advance(31)
  t.strictSame(await answer, tooLong(30))
  t.strictSame(did, ['before'])
  open()
  await settled()
  t.strictSame(did, ['before', 'after'], 'it may clean up')
})

t.test('timeout: uploads are deleted with the answer', async (t) => {
  const { ask, advance } = await openStudio(t, bundle)
  const did = seen(t)
  const { waits } = hold(t, 'take')
  const payload = [
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n',
    'text\r\n--b--\r\n',
  ].join('')
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const answer = ask('/slow/file', { method: 'POST', headers, payload })
  await waits
  const [path = ''] = did
  t.ok(existsSync(path))
  await advance(31)
  t.strictSame(await answer, tooLong(30))
  while (existsSync(path)) await settled()
})

t.test('timeout: each has its own time; what has begun is not cut; none has no end', async (t) => {
  const { ask, advance } = await openStudio(t, bundle)
  const short = hold(t, 'short')
  const free = hold(t, 'free')
  const bytes = hold(t, 'bytes')
  const answers = [ask('/slow/short'), ask('/slow/free'), ask('/slow/bytes')] as const
  await Promise.all([short.waits, free.waits, bytes.waits])
  await advance(1.1)
  t.strictSame(await answers[0], tooLong(1))
  await advance(60)
  free.open()
  bytes.open()
  t.strictSame(await answers[1], [200, null, 'free'])
  t.strictSame(await answers[2], [200, null, 'late'])
})

t.test(
  'time of a call is up: a tool call ends with words for the model, whatever it goes through',
  async (t) => {
    for (const config of [{}, { plugins: [plugin] }]) {
      for (const era of ['legacy', 'modern'] as const) {
        const { callTool, advance } = await openStudio(t, bundle, { config, production: true })
        for (const proxied of [false, true]) {
          const { waits, open } = hold(t, 'index')
          const answer = proxied
            ? callTool('call_read_only', { name: 'slow_index', arguments: {} }, { era })
            : callTool('slow_index', {}, { era })
          const signal = await waits
          await advance(31)
          t.strictSame(await answer, reportedTooLong)
          t.ok(signal.aborted)
          open()
          await settled()
        }
      }
    }
  },
)

t.test('timeout: of it and toolCallSeconds the shorter one ends a tool call', async (t) => {
  const { callTool, advance } = await openStudio(t, bundle, { config: { limits: { toolCallSeconds: 5 } } })
  const { waits } = hold(t, 'index')
  const answer = callTool('slow_index')
  const signal = await waits
  await advance(6.1)
  t.strictSame(await answer, [
    200,
    null,
    'error: 504 Gateway Timeout\nthe call took too long and was stopped',
  ])
  t.ok(signal.aborted)
})

t.test(
  'a wall clock that is set forward cuts no call short, one that is set back prolongs none',
  async (t) => {
    const { ask, callTool, advance, setClock } = await openStudio(t, bundle, {
      config: { limits: { toolCallSeconds: 20 } },
    })
    for (const seconds of [86_400, -86_400]) {
      const routes = [hold(t, 'index'), hold(t, 'free')]
      const answers: Reported[] = []
      const requested = [ask('/slow'), callTool('slow_free')].map(async (answer) =>
        answers.push(await answer),
      )
      await Promise.all(routes.map(({ waits }) => waits))
      setClock(seconds)
      await advance(19.9)
      await settled()
      t.strictSame(answers, [], 'in time')
      await advance(1)
      t.match(answers, [[200, null, 'error: 504 Gateway Timeout\nthe call took too long and was stopped']])
      await advance(9)
      t.equal(answers.length, 1)
      await advance(1)
      await Promise.all(requested)
      t.strictSame(answers[1], tooLong(30))
    }
  },
)

t.test('timeout: the configuration has a default; a tag, and none, win over it', async (t) => {
  const { ask, advance } = await openStudio(t, bundle, { config: { limits: { routeSeconds: 2 } } })
  const index = hold(t, 'index')
  const tagged = ask('/slow')
  await index.waits
  const free = hold(t, 'free')
  const freed = ask('/slow/free')
  await free.waits
  await advance(3)
  index.open()
  free.open()
  t.strictSame(await tagged, [200, null, { done: 'index' }])
  t.strictSame(await freed, [200, null, 'free'])
  const routes = bundle.routes.map(({ timeoutSeconds: _, ...route }) => route)
  const bare = await openStudio(t, { ...bundle, routes }, { config: { limits: { routeSeconds: 2 } } })
  const unsaid = hold(t, 'free')
  const answer = bare.ask('/slow/free')
  await unsaid.waits
  await bare.advance(3)
  t.strictSame(await answer, tooLong(2))
})

t.test('timeout: a client that leaves before ends nothing twice', async (t) => {
  const { application, advance, ask } = await openStudio(t, bundle)
  const { port } = new URL(await application.server.listen({ port: 0, host: '127.0.0.1' }))
  const { waits } = hold(t, 'index')
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost:3000\r\n\r\n')
  const signal = await waits
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  socket.destroy()
  await aborted
  await advance(31)
  t.strictSame(await ask('/songs/count'), [200, null, { count: 3 }])
})

t.test('timeout: the connection of a late answer serves the next request', async (t) => {
  const { application, advance } = await openStudio(t, bundle)
  const { port } = new URL(await application.server.listen({ port: 0, host: '127.0.0.1' }))
  const { waits, open } = hold(t, 'index')
  const socket = connect(Number(port), '127.0.0.1')
  const all = readAll(socket)
  const first = new Promise<void>((resolve) => socket.once('data', () => resolve()))
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost:3000\r\n\r\n')
  await waits
  await advance(31)
  await first
  open()
  await settled()
  socket.write('GET /songs/count HTTP/1.1\r\nHost: localhost:3000\r\nConnection: close\r\n\r\n')
  const answers = [...(await all).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  t.strictSame(answers, ['503', '200'])
})
