/** Calls that take long: their client takes them back, and balancers see that somebody is there. Source: rules.md, cancellation and slow
 *  answers; MCP 2025-11-25, Cancellation. */
import t from 'tap'
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import type { AuthInfo } from '../../../runtime/contract/store.ts'
import { json, message, rpc, type Sent, serve, serveAll, time } from '../support/support.ts'

/** An application whose routes answer when they are told to; `signals` of those that run, in their order. */
function waiting() {
  const signals: AbortSignal[] = []
  const ends: ((answer: HttpResponse) => void)[] = []
  const invoke = (_: string, request: HttpRequest): Promise<HttpResponse> => {
    signals.push(request.signal)
    return new Promise((resolve) => void ends.push(resolve))
  }
  const finish = (answer: HttpResponse = json(200, {})): void => {
    for (const end of ends.splice(0)) end(answer)
  }
  return { invoke, signals, finish }
}

const turn = (): Promise<void> => new Promise(setImmediate)

/** Turns of the loop until that is so; the time of the test bounds them. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn()
}

function called(id: unknown, headers: Record<string, string> = {}, others: Partial<Sent> = {}): Sent {
  const params = { name: 'notes_index' }
  return { message: { jsonrpc: '2.0', id, method: 'tools/call', params }, headers, ...others }
}

const cancelled = (
  requestId: unknown,
  headers: Record<string, string> = {},
  others: Partial<Sent> = {},
): Sent => ({
  message: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'gone' } },
  headers,
  ...others,
})

const ada = { authorization: 'Bearer ada' }
const bob = { authorization: 'Bearer bob' }

const findAuthInfo = async (token: string): Promise<AuthInfo | null> => ({
  user: null,
  subject: token.startsWith('ada') ? 'ada' : 'bob',
  clientId: 'c',
  grantId: token.startsWith('ada') ? 'g1' : 'g2',
  scopes: ['api'],
  expiresAt: Number.POSITIVE_INFINITY,
})

t.test('decisions, cancellation: a 2025 client takes back the call that it sent under that id', async (t) => {
  for (const isSdkOnly of [false, true]) {
    const { invoke, signals, finish } = waiting()
    const app = serve({ invoke, findAuthInfo, isSdkOnly })
    const running = [app(called(3, ada)), app(called('3', ada)), app(called(4, ada)), app(called(3, bob))]
    await until(() => signals.length >= 4)
    const aborted = (): readonly boolean[] => signals.map((signal) => signal.aborted)
    for (const [sent, seen] of [
      [cancelled(5, ada), [false, false, false, false]],
      [cancelled(null, ada), [false, false, false, false]],
      [cancelled({}, ada), [false, false, false, false]],
      [cancelled(3), [false, false, false, false]],
      [cancelled(3, { authorization: 'Bearer ada later' }), [true, false, false, false]],
      [cancelled('3', ada), [true, true, false, false]],
      [cancelled(3, bob), [true, true, false, true]],
      [cancelled(3, bob), [true, true, false, true]],
    ] as const) {
      const { status, text } = await app(sent)
      t.strictSame([status, text, aborted()], [202, '', seen], JSON.stringify(sent))
    }
    finish()
    for (const answer of await Promise.all(running)) t.equal(rpc(answer).result.isError, undefined)
    await app(cancelled(4, ada))
    t.equal(signals[2]?.aborted, false, 'what has ended is not there any more')
  }
})

t.test(
  'decisions, cancellation: without credentials the address counts; of two nobody can say which',
  async (t) => {
    const { invoke, signals, finish } = waiting()
    const app = serve({ invoke })
    const key = { 'x-api-key': 'k' }
    const elsewhere = { ip: '198.51.100.1' }
    const running = [
      app(called(0)),
      app(called(0, key)),
      app(called(0, {}, elsewhere)),
      app(called(9)),
      app(called(9)),
    ]
    await until(() => signals.length >= 5)
    await app(cancelled(0, { 'x-api-key': 'other' }))
    await app(cancelled(9))
    t.strictSame(
      signals.map(({ aborted }) => aborted),
      [false, false, false, false, false],
    )
    await app(cancelled(0))
    t.strictSame(
      signals.map(({ aborted }) => aborted),
      [true, false, false, false, false],
    )
    finish()
    await Promise.all(running)
  },
)

t.test('decisions, cancellation: by the other methods that run a route, and in a batch', async (t) => {
  const { invoke, signals, finish } = waiting()
  const app = serve({ invoke })
  const running = app(called(1))
  await until(() => signals.length >= 1)
  await app({ message: [cancelled(1).message] })
  t.equal(signals[0]?.aborted, true)
  finish()
  await running
})

t.test(
  'decisions, slow answers: after 15 seconds a stream with comments, in both eras, however the call ends',
  async (t) => {
    const unauthorized = { code: -32600, message: 'Refused' }
    for (const era of ['legacy', 'modern'] as const)
      for (const isSdkOnly of [false, true])
        for (const [answer, error] of [
          [json(200, { done: true }), undefined],
          [json(401, {}), unauthorized],
        ] as const) {
          const { clock, monotonic, every, advance, running } = time()
          const { invoke, signals, finish } = waiting()
          const { open } = serveAll({ invoke, clock, monotonic, every, isSdkOnly, authenticator: () => true })
          const sent = message(era, 'tools/call', { name: 'notes_index' })
          let stream: Awaited<ReturnType<typeof open>> | null = null
          void open(sent).then((opened) => {
            stream = opened
          })
          const text = (): string => stream?.text() ?? 'no byte'
          const ended = (): boolean => stream?.isEnded() ?? false
          await until(() => signals.length >= 1)
          await advance(14)
          t.equal(text(), 'no byte')
          await advance(1)
          t.equal(text(), ': keepalive\n\n')
          await advance(30)
          t.equal(text(), ': keepalive\n\n'.repeat(3))
          finish(answer)
          await until(() => ended())
          const [data = ''] = text().match(/^data: .*$/m) ?? []
          const plain = error ?? rpc(await serve({ invoke: async () => answer })(sent))
          t.strictSame(
            error === undefined ? JSON.parse(data.slice(6)) : JSON.parse(data.slice(6)).error,
            plain,
          )
          await advance(2)
          t.equal(running.size, 0, 'nothing ticks on')
        }
  },
)

t.test(
  'decisions, slow answers: nothing changes for what is ready in time, nor for who takes no stream',
  async (t) => {
    const { clock, monotonic, every, advance } = time()
    const { invoke, signals, finish } = waiting()
    const app = serve({ invoke, clock, monotonic, every })
    const sent = message('legacy', 'tools/call', { name: 'notes_index' })
    const plain = app({ ...sent, headers: { accept: 'application/json' } })
    await until(() => signals.length >= 1)
    await advance(40)
    const inTime = app(sent)
    await until(() => signals.length >= 2)
    await advance(14)
    finish(json(200, { done: true }))
    for (const answer of [await plain, await inTime]) {
      t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
      t.strictSame(rpc(answer).result.structuredContent, { result: { done: true } })
    }
  },
)

t.test('decisions, slow answers: comments between reports of progress', async (t) => {
  const { clock, monotonic, every, advance } = time()
  const end: { finish: () => void; progress: (done: number) => void } = {
    finish: () => {},
    progress: () => {},
  }
  let calls = 0
  const invoke = (_: string, request: HttpRequest): Promise<HttpResponse> =>
    new Promise((resolve) => {
      const { mcp } = request as unknown as { mcp: { progress(done: number): void } } // what a tool's request has
      end.progress = (done) => mcp.progress(done)
      end.finish = () => resolve(json(200, {}))
      calls += 1
    })
  for (const [run, first] of [5, 20].entries()) {
    const { open } = serveAll({ invoke, clock, monotonic, every })
    const params = { name: 'notes_index', _meta: { progressToken: 1 } }
    const opening = open(message('legacy', 'tools/call', params))
    await until(() => calls > run)
    await advance(first)
    end.progress(1)
    const stream = await opening
    await advance(20)
    end.progress(2)
    end.finish()
    await until(() => stream.isEnded())
    const kinds = stream
      .text()
      .split('\n\n')
      .flatMap((event) =>
        event === ''
          ? []
          : [
              event.startsWith(':')
                ? 'comment'
                : (JSON.parse(event.split('data: ')[1] ?? '').method ?? 'answer'),
            ],
      )
    const progress = 'notifications/progress'
    t.strictSame(
      kinds,
      first === 5
        ? [progress, 'comment', progress, 'answer']
        : ['comment', progress, 'comment', progress, 'answer'],
      `${first}`,
    )
  }
})
