/** One client cannot hurt another: limits, shares and the time of calls. Source: rules.md, rate limits, authentication cache
 *  and batches of 2025-03-26. */
import t from 'tap'
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import type { AuthInfo } from '../../../runtime/contract/store.ts'
import { CallTime } from '../../../runtime/http/limits/call-time.ts'
import { toolCallOf } from '../../../runtime/http/pipeline/controller.ts'
import { costs } from '../../support/report/growth.ts'
import {
  type Answer,
  type App,
  catalogue,
  json,
  message,
  quiet,
  rpc,
  type Sent,
  serve,
  serveAll,
  time,
} from '../support/support.ts'

const jwt = (user: string): string =>
  `e30.${Buffer.from(JSON.stringify({ sub: user })).toString('base64url')}.sig`
const bearer = (user: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${jwt(user)}` })
const findAuthInfo = async (token: string): Promise<AuthInfo | null> => {
  const { sub: id } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return id === undefined
    ? null
    : {
        user: { id, name: id, email: null },
        subject: id,
        clientId: 'c',
        grantId: 'g',
        scopes: ['api'],
        expiresAt: Infinity,
      }
}

const calling = (headers: object = {}, name = 'notes_show'): Sent => {
  const sent = message('modern', 'tools/call', { name })
  return { ...sent, headers: { ...sent.headers, ...headers } }
}
const listening = (headers: object = {}): Sent => ({
  method: 'GET',
  headers: { accept: 'text/event-stream', ...headers },
})

/** Takes the three headers together as a good credential when one of them is. */
function guarded() {
  const probes: HttpRequest[] = []
  const isGood = ({ headers }: HttpRequest): boolean =>
    /^Bearer e30/.test(String(headers.authorization)) || String(headers['x-api-key']).startsWith('good')
  const invoke = async (route: string, request: HttpRequest): Promise<HttpResponse> => {
    if (route !== 'users_current') return json(200, {})
    probes.push(request)
    return isGood(request) ? json(200, {}) : json(401, {})
  }
  return { authProbe: 'users_current', invoke, findAuthInfo, probes }
}

const statuses = async (app: App, sent: readonly Sent[]): Promise<readonly number[]> => {
  const all: number[] = []
  for (const item of sent) all.push((await app(item)).status)
  return all
}

t.test('calls count by the user of our token, whatever else is sent with it', async (t) => {
  const app = serve({ ...guarded(), toolCallsPerMinute: 2 })
  const ada = bearer('ada')
  t.strictSame(
    await statuses(app, [
      calling(ada),
      calling({ ...ada, 'x-api-key': 'invented' }),
      calling({ ...ada, cookie: 'invented=1' }),
      calling({ ...ada, 'x-api-key': 'another' }),
      calling(bearer('grace')),
    ]),
    [200, 200, 429, 429, 200],
  )
  const elsewhere = { ...calling(ada), ip: '198.51.100.1' }
  t.equal((await app(elsewhere)).status, 429, 'a user is one at every address')
})

t.test(
  'fair shares: without authentication our token counts too, and made-up credentials do not',
  async (t) => {
    const app = serve({ toolCallsPerMinute: 1, findAuthInfo })
    t.strictSame(
      await statuses(app, [
        calling(),
        calling({ 'x-api-key': 'invented' }),
        calling({ cookie: 'a=1' }),
        calling({ authorization: 'Bearer invented' }),
        calling({ authorization: 'Bearer e30.e30.invented' }),
        calling(bearer('ada')),
        calling({ ...bearer('ada'), cookie: 'a=1' }),
        { ...calling(), ip: '2001:db8::1' },
        { ...calling(), ip: '2001:db8::2' },
      ]),
      [200, 429, 429, 429, 429, 200, 429, 200, 429],
    )
  },
)

t.test(
  'fair shares: accepted credentials count by themselves, above a hundred new ones by the address',
  async (t) => {
    const { probes, ...settings } = guarded()
    const app = serve({ ...settings, toolCallsPerMinute: 1 })
    const invented = Array.from({ length: 100 }, (_, at) =>
      calling({ 'x-api-key': 'good', cookie: `a=${at}` }),
    )
    t.strictSame([...new Set(await statuses(app, invented))], [200])
    t.strictSame([...new Set(await statuses(app, invented))], [429], 'each has its own limit')
    t.equal(probes.length, 100, 'and its place in the cache')
    const more = ['b', 'c', 'd'].map((name) => calling({ 'x-api-key': 'good', cookie: `${name}=1` }))
    t.strictSame(await statuses(app, more), [200, 429, 429], 'further ones share one limit')
    const other = { ...calling({ 'x-api-key': 'good other' }), ip: '198.51.100.9' }
    t.equal((await app(other)).status, 200)
  },
)

t.test('made-up credentials take no places in the cache, nor checks without end', async (t) => {
  let now = 0
  const { probes, ...settings } = guarded()
  const app = serve({ ...settings, clock: () => now })
  const ping = (headers: Readonly<Record<string, string>>, ip = '192.0.2.7'): Promise<Answer> =>
    app({ ...message('legacy', 'ping'), headers, ip })
  t.equal((await ping({ 'x-api-key': 'good' })).status, 200)
  for (let at = 0; at < 100; at++) t.equal((await ping({ 'x-api-key': `bad ${at}` })).status, 401)
  now = 59_000
  const requested = probes.length
  const refused = await ping({ 'x-api-key': 'bad again' })
  t.strictSame(
    [refused.status, refused.headers['retry-after'], rpc(refused).error.message],
    [429, '1', 'Too many unknown credentials'],
  )
  t.equal(probes.length, requested, 'nothing was asked')
  t.equal((await ping({})).status, 401, 'without a credential the challenge comes as ever')
  t.equal((await ping(bearer('ada'))).status, 200, 'nor does a token of ours ever wait for others')
  t.equal((await ping({ 'x-api-key': 'good' })).status, 200, 'nor who has passed before')
  const beside = (at: number) => ping({ ...bearer('ada'), 'x-api-key': `invented ${at}` })
  for (let at = 1; at < 100; at++) t.equal((await beside(at)).status, 200)
  t.strictSame([(await beside(100)).status, (await beside(1)).status], [429, 200], 'of one token a hundred')
  t.equal((await ping(bearer('ada'))).status, 200)
  t.equal((await ping({ 'x-api-key': 'good too' }, '198.51.100.9')).status, 200, 'nor another address')
  now = 60_000
  t.equal((await ping({ 'x-api-key': 'good' })).status, 200)
  t.equal((await ping({ 'x-api-key': 'good third' })).status, 200, 'in the next minute all is as before')
})

t.test(
  'decisions, refused credentials: a token that we signed is no guess, however old; what comes beside it may be one',
  async (t) => {
    const expired = (at: number): object => ({ authorization: `Bearer expired ${at}` })
    const settings = { ...guarded(), isSignedHere: async (token: string) => token.startsWith('expired') }
    const noOne = { ...settings, findAuthInfo: async () => null, clock: () => 0 }
    const app = serve(noOne)
    const refused = async (headers: object, count: number): Promise<number[]> => {
      const all = await statuses(
        app,
        Array.from({ length: count }, (_, at) => calling({ ...expired(at), ...headers })),
      )
      return [...new Set(all)]
    }
    t.strictSame(await refused({}, 150), [401], 'of one address')
    t.strictSame(await refused(expired(0), 150), [401], 'one again and again')
    t.strictSame(await refused({ cookie: 'balancer=1' }, 150), [401], 'each with what a proxy adds')
    const keys = Array.from({ length: 101 }, (_, at) => calling({ ...expired(0), 'x-api-key': `bad ${at}` }))
    t.strictSame([...new Set(await statuses(app, keys))], [401, 429], 'keys that are tried out beside it')
    const guesses = Array.from({ length: 101 }, (_, at) => calling({ authorization: `Bearer made up ${at}` }))
    t.strictSame([...new Set(await statuses(app, guesses))], [401, 429], 'guesses still wait')
    t.strictSame(await refused({}, 3), [401], 'and keep nobody from the 401 by which a client refreshes')
  },
)

t.test('one client takes a hundred streams at most, and others have theirs', async (t) => {
  const { open } = serveAll({ ...guarded(), streamsPerUser: 2 })
  const of = async (headers: object): Promise<number> => (await open(listening(headers))).status
  const first = await open(listening(bearer('ada')))
  t.strictSame(
    [first.status, await of({ ...bearer('ada'), cookie: 'a=1' }), await of(bearer('ada'))],
    [200, 200, 429],
  )
  t.equal(await of(bearer('grace')), 200)
  first.leave()
  first.leave()
  t.strictSame([await of(bearer('ada')), await of(bearer('ada'))], [200, 429], 'one place was given back')
})

t.test('one client takes a share of the calls that run, and others have theirs', async (t) => {
  let finish = (_: HttpResponse): void => {}
  const slow = new Promise<HttpResponse>((resolve) => {
    finish = resolve
  })
  const settings = { ...guarded(), concurrentToolCallsPerUser: 1, concurrentToolCalls: 2 }
  const invoke = async (route: string, request: HttpRequest): Promise<HttpResponse> =>
    route === 'files_answer' ? slow : settings.invoke(route, request)
  const app = serve({ ...settings, invoke })
  const running = app(calling(bearer('ada'), 'files_answer'))
  await app(message('legacy', 'ping')) // a turn of the loop later it runs
  const refused = await app(calling(bearer('ada')))
  t.strictSame(
    [refused.status, refused.headers['retry-after'], rpc(refused).error],
    [429, '1', { code: 429, message: 'Too many tool calls' }],
  )
  t.equal((await app(calling(bearer('grace')))).status, 200)
  finish(json(200, {}))
  t.equal((await running).status, 200)
  t.equal((await app(calling(bearer('ada')))).status, 200, 'the place is given back when the work ends')
})

t.test(
  'fair shares: a call that takes too long ends with a text, its signal fires, its place is free',
  async (t) => {
    for (const era of ['modern', 'legacy'] as const) {
      const { clock, monotonic, every, advance, running } = time()
      let signal: AbortSignal | null = null
      let heard = 0
      const hanging = (_: string, request: HttpRequest): Promise<HttpResponse> => {
        signal = request.signal
        request.onDisconnect?.(() => {
          heard += 1
        })
        return new Promise(() => {})
      }
      const lines: unknown[] = []
      const log = { ...quiet, warn: (...line: unknown[]) => void lines.push(line) }
      const settings = { concurrentToolCalls: 1, toolCallSeconds: 300, clock, monotonic, every, log }
      const app = serve({ ...settings, invoke: hanging })
      const answer = app(message(era, 'tools/call', { name: 'notes_show' }))
      await app(message(era, 'tools/list'))
      await advance(299)
      t.strictSame([Object(signal).aborted, heard], [false, 0])
      t.equal((await app(message(era, 'tools/call', { name: 'notes_show' }))).status, 503)
      await advance(1)
      const { result } = rpc(await answer)
      t.match(result, {
        content: [{ type: 'text', text: '504 Gateway Timeout\nthe call took too long and was stopped' }],
        isError: true,
      })
      t.strictSame([Object(signal).aborted, heard], [true, 1])
      t.strictSame(lines, [[{ tool: 'notes_show' }, 'a tool call took too long']])
      await advance(1)
      t.equal(running.size, 0, 'nothing ticks for nobody')
      t.equal((await app(message(era, 'tools/call', { name: 'list_toolboxes' }))).status, 200)
    }
  },
)

t.test('an authenticator that judges the URL is asked for each', async (t) => {
  let checks = 0
  const authenticator = ({ query }: HttpRequest): boolean => {
    checks += 1
    return query.get('key') === 'right'
  }
  const app = serve({ authenticator })
  const at = (url: string): Sent => ({ ...message('legacy', 'ping'), url, headers: { cookie: 'a=1' } })
  t.strictSame(
    await statuses(app, [at('/mcp?key=right'), at('/mcp'), at('/mcp?key=wrong'), at('/mcp?key=right')]),
    [200, 401, 401, 200],
  )
  t.equal(checks, 3, 'and remembered for each')
})

const batchOf = (messages: readonly object[]): Sent => ({
  headers: { 'mcp-protocol-version': '2025-03-26' },
  message: messages,
})
const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
const answersIn = ({ text }: Answer) =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))

t.test('decisions, batches of 2025-03-26: at most 10 messages, each counted by the limits', async (t) => {
  const app = serve({ toolCallsPerMinute: 12 })
  const pings = (count: number) => Array.from({ length: count }, (_, id) => request(id, 'ping'))
  const refused = await app(batchOf(pings(11)))
  t.strictSame(
    [refused.status, rpc(refused)],
    [
      400,
      {
        jsonrpc: '2.0',
        error: { code: -32600, message: 'Invalid Request: Batch must not exceed 10 messages' },
        id: null,
      },
    ],
  )
  t.strictSame(
    answersIn(await app(batchOf(pings(10)))).map(({ id, result }) => [id, result]),
    pings(10).map(({ id }) => [id, {}]),
  )
  const { status, text } = await app(
    batchOf([
      request(1, 'tools/list'),
      request(2, 'tools/call', { name: 'notes_index' }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request(3, 'tools/call', { name: 'notes_index' }),
    ]),
  )
  const answers = answersIn({ status, text, headers: {} })
  t.strictSame(
    [status, answers.map(({ id, result, error }) => [id, error?.message ?? Object.keys(result)[0]])],
    [
      200,
      [
        [1, 'tools'],
        [2, 'content'],
        [3, 'Too many tool calls'],
      ],
    ],
  )
})

t.test(
  'a batch is judged as a whole where it is wrong, and its answer is a refusal where one is',
  async (t) => {
    const { probes, ...settings } = guarded()
    const late = async (route: string, httpRequest: HttpRequest): Promise<HttpResponse> =>
      route === 'notes_index' ? json(401, {}) : settings.invoke(route, httpRequest)
    const app = serve({ ...settings, invoke: late })
    const send = (messages: readonly object[], headers: object = {}) =>
      app({ ...batchOf(messages), headers: { ...batchOf([]).headers, ...bearer('ada'), ...headers } })
    const modern = Object(message('modern', 'tools/list').message)
    for (const wrong of [
      [],
      [modern],
      [{ id: 1 }],
      [request(1, 'initialize'), request(2, 'ping')],
      [[request(1, 'ping')]],
    ])
      t.equal((await send(wrong)).status, 400, JSON.stringify(wrong))
    t.equal((await send([request(1, 'ping')], { accept: 'text/html' })).status, 406)
    t.equal((await send([request(1, 'ping')], { 'content-type': 'text/plain' })).status, 415)
    const nothing = await send([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
    t.strictSame([nothing.status, nothing.text], [202, ''])
    const signIn = await send([request(1, 'ping'), request(2, 'tools/call', { name: 'notes_index' })])
    t.strictSame([signIn.status, signIn.headers['www-authenticate']], [401, 'Bearer'])
    const noted = await send([
      request(1, 'tools/call', { name: 'notes_show', _meta: { progressToken: 1 } }),
      request(2, 'tools/call', { name: 'no_such_tool' }),
      request(3, 'no/such/method'),
    ])
    t.strictSame(
      answersIn(noted).map(({ id, error }) => [id, error?.code]),
      [
        [1, undefined],
        [2, -32602],
        [3, -32601],
      ],
    )
  },
)

/** A catalogue of so many tools, all of them listed. */
const large = (tools: number) => ({
  ...catalogue,
  tools: Array.from({ length: tools }, (_, at) => ({
    ...Object(catalogue.tools[1]),
    name: `notes_tool_${at}`,
    description: `Tool ${at}. ${'What it does is told at length. '.repeat(15)}`,
    root: true,
  })),
})

t.test('lists in a batch are the kept bytes, and all together are bounded', async (t) => {
  const app = serve({ catalogue: large(1000) })
  const alone = await app(message('legacy', 'tools/list'))
  const lists = Array.from({ length: 10 }, (_, id) => request(id, 'tools/list'))
  const { status, text } = await app(batchOf(lists))
  t.ok(alone.text.length > 500_000, 'a list is long')
  t.ok(text.length < 2_500_000, `${text.length} bytes for ten`)
  const answers = answersIn({ status, text, headers: {} })
  t.strictSame(
    answers.map(({ id }) => id),
    lists.map(({ id }) => id),
  )
  t.strictSame(answers[0].result, JSON.parse(alone.text).result)
  t.strictSame(answers[9], {
    jsonrpc: '2.0',
    error: {
      code: 413,
      message: 'The answers to this batch are larger than 1048576 bytes: send this message by itself',
    },
    id: 9,
  })
})

const odds = { legacy: { taskId: 'x' }, modern: 'info' }

t.test('a list in a form that only the SDK knows is answered from the kept bytes', async (t) => {
  const app = serve({ catalogue: large(1000) })
  for (const era of ['legacy', 'modern'] as const) {
    const sent = message(era, 'tools/list')
    const { params } = Object(sent.message)
    const _meta = {
      ...params._meta,
      [`io.modelcontextprotocol/${era === 'legacy' ? 'related-task' : 'logLevel'}`]: odds[era],
    }
    const odd = { ...sent, message: { ...Object(sent.message), params: { ...params, _meta } } }
    t.strictSame(rpc(await app(odd)).result, rpc(await app(sent)).result, era)
    const cursor = {
      ...odd,
      message: { ...odd.message, params: { ...odd.message.params, cursor: 'made-up' } },
    }
    t.equal(rpc(await app(cursor)).error.code, -32602)
    const [work, control] = [() => app(odd), async () => JSON.parse((await app(sent)).text)]
    await costs(t, { name: `${era}, beside a list that is sent and read`, work, control, times: 4 })
  }
})

t.test('looking for near names costs next to nothing, and finds them', async (t) => {
  const names = Array.from({ length: 1000 }, (_, at) => `${'tools_of_a_very_long_name_'.repeat(2)}_${at}`)
  const tools = names.map((name) => ({ ...Object(catalogue.tools[1]), name }))
  const app = serve({ catalogue: { ...catalogue, tools } })
  const ask = async (name: string): Promise<string> =>
    rpc(await app(message('modern', 'tools/call', { name: 'call_tool', arguments: { name } }))).result
      .content[0].text
  const name = `${names[7]}x`.replace('very', 'vrey')
  t.match(await ask(name), /did you mean: .*_7\b/)
  const control = () => JSON.parse(JSON.stringify(tools))
  let at = 0
  const work = () => ask(`${name}${++at}`)
  await costs(t, { name: 'beside the tools, written and read', work, control, times: 1 })
})

t.test('a subscription in a form that only the SDK knows is a stream of ours, with our limits', async (t) => {
  const { every, clock, advance } = time()
  let isSignedIn = true
  const settings = { authenticator: () => isSignedIn, every, clock, streamsPerUser: 1 }
  const { open, streams } = serveAll(settings)
  const odd = message('modern', 'subscriptions/listen', {
    notifications: { toolsListChanged: true, resourceSubscriptions: ['test://a'] },
    _meta: {},
  })
  Object(odd.message).params._meta['io.modelcontextprotocol/logLevel'] = 'info'
  const sent = { ...odd, headers: { ...odd.headers, 'x-api-key': 'a' } }
  const stream = await open(sent)
  t.match(stream.text(), /subscriptions\/acknowledged/)
  t.equal((await open(sent)).status, 429)
  streams.toolsChanged()
  t.match(stream.text(), /tools\/list_changed/)
  isSignedIn = false
  await advance(61)
  t.ok(stream.isEnded(), 'and our checks')
  stream.leave()
  isSignedIn = true
  const last = await open(sent)
  streams.close()
  t.ok(last.isEnded(), 'and ends with the server')
  last.leave()
  t.ok((await open(sent)).isEnded(), 'and what opens then is over at once')
})

t.test('a stream whose client does not take what is written is left', async (t) => {
  const { every, clock, advance, running } = time()
  const { handle } = serveAll({ every, clock })
  const outcome = await handle(listening())
  const { body } = outcome
  if (typeof body !== 'object' || body === null || !('open' in body)) throw new Error('a stream')
  body.open({ write: () => false, offer: () => {}, end: () => {} })
  t.equal(running.size, 1)
  await advance(25)
  t.equal(running.size, 0)
})

t.test('an error after the first progress ends the stream with an answer, and with a line', async (t) => {
  const lines: unknown[] = []
  const error = (fields: object, text: string): void => {
    if (text === 'a tool call threw') throw new Error('the first line cannot be written')
    lines.push([fields, text])
  }
  const invoke = async (_: string, httpRequest: HttpRequest): Promise<HttpResponse> => {
    toolCallOf(httpRequest)?.mcp.progress(1)
    throw new Error('secret detail')
  }
  const sent = message('modern', 'tools/call', { name: 'notes_index' })
  const { params } = Object(sent.message)
  const asking = {
    ...sent,
    message: {
      ...Object(sent.message),
      params: { ...params, _meta: { ...params._meta, progressToken: 'p' } },
    },
  }
  const [progress, last] = answersIn(await serve({ invoke, log: { ...quiet, error } })(asking))
  t.equal(progress.method, 'notifications/progress')
  t.strictSame(last, { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } })
  t.strictSame(lines, [
    [{ tool: 'notes_index', error: 'Error' }, 'a tool call failed after it had reported progress'],
  ])
})

t.test('what has been revoked is checked anew at once, on streams too', async (t) => {
  const { every, clock } = time()
  const revoked = new Set<string>()
  const good = async (token: string): Promise<AuthInfo | null> => {
    const auth = await findAuthInfo(token)
    return auth === null || revoked.has(auth.subject) ? null : auth
  }
  const authenticator = async ({ headers }: HttpRequest): Promise<boolean> =>
    (await good(String(headers.authorization).slice('Bearer '.length))) !== null
  const { app, open, userRevoked } = serveAll({ authenticator, findAuthInfo: good, every, clock })
  const ping = async (user: string): Promise<number> =>
    (await app({ ...message('legacy', 'ping'), headers: bearer(user) })).status
  const [ada, grace] = [await open(listening(bearer('ada'))), await open(listening(bearer('grace')))]
  t.strictSame([await ping('ada'), await ping('grace')], [200, 200])
  revoked.add('ada')
  t.equal(await ping('ada'), 200, 'remembered')
  userRevoked('ada')
  t.strictSame([await ping('ada'), await ping('grace')], [401, 200])
  t.strictSame([ada.isEnded(), grace.isEnded()], [true, false])
})

t.test('a check that began before a revocation is not remembered', async (t) => {
  let pass = (): void => {}
  let checks = 0
  const authenticator = (): Promise<boolean> => {
    checks += 1
    return checks > 1
      ? Promise.resolve(false)
      : new Promise((resolve) => {
          pass = () => resolve(true)
        })
  }
  const { app, userRevoked } = serveAll({ authenticator, findAuthInfo })
  const ping = () => app({ ...message('legacy', 'ping'), headers: bearer('ada') })
  const first = ping()
  while (checks === 0) await new Promise(setImmediate)
  userRevoked('ada')
  pass()
  t.equal((await first).status, 200)
  t.equal((await ping()).status, 401)
})

t.test('who asks for the end of a time that is up is told at once, and once', async (t) => {
  const callTime = new CallTime()
  let reported = 0
  callTime.end()
  callTime.whenUp(() => {
    reported += 1
  })
  callTime.end()
  t.equal(reported, 1)
})
