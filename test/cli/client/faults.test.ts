/** The client against what a network makes of answers: a plain server that writes them piece by piece. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { type Answer, type AnyClient, serveWithClient } from './served-client.ts'

t.setTimeout(240_000)

const served = await serveWithClient(t, null)
const { createClient, UnexpectedAnswer } = served.module

type Handler = (response: ServerResponse, request: IncomingMessage) => void

/** What the next request is answered with. */
let next: Handler = () => {}
const server = createServer((request, response) => next(response, request)).listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => server.close().closeAllConnections())
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port

const client = (options: object = {}): AnyClient => createClient({ baseUrl: origin, ...options })

/** Answers with this. */
const answerWith = (status: number, headers: Record<string, string>, body = ''): void => {
  next = (response) => void response.writeHead(status, headers).end(body)
}

const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }

/** Sends each piece when the last one is on its way. */
const sendPieces = (pieces: readonly (string | Uint8Array)[], isWhole = true): void => {
  next = (response) => {
    response.writeHead(200, events)
    const [first = '', ...others] = pieces
    const write = (piece: string | Uint8Array, rest: readonly (string | Uint8Array)[]): void =>
      void response.write(piece, () => {
        const [following, ...more] = rest
        if (following !== undefined) setImmediate(write, following, more)
        else if (isWhole) response.end()
        else response.destroy()
      })
    write(first, others)
  }
}

/** The events of an answer that is known to have them. */
const eventsIn = (answer: Answer | undefined): AsyncIterable<Record<string, unknown>> =>
  answer?.data as AsyncIterable<Record<string, unknown>> // else the test fails

async function eventsOf(api = client()): Promise<readonly unknown[]> {
  const answer = await api.answers?.events?.()
  const all: unknown[] = []
  for await (const { data, event, id } of eventsIn(answer)) all.push([data, event, id])
  return all
}

const when = '1970-01-01T00:00:00.000Z'
const at = { at: new Date(0) }
const data = `data: {"at":"${when}"}`

t.test('client: events, however the stream is cut and its lines end', async (t) => {
  const plain = [at, 'message', '']
  const cases: readonly (readonly [pieces: readonly (string | Uint8Array)[], events: readonly unknown[]])[] =
    [
      [[`${data}\n\n`], [plain]],
      [[`${data}\r\n\r\n${data}\r\n\r\n`], [plain, plain]],
      [[`${data}\r\r${data}\r\r`], [plain, plain]],
      [
        [`${data}\r`, '\n\r', `\n${data}\r`, '\r', `${data}\n\r\n`],
        [plain, plain, plain],
      ],
      [[...`\ufeff: comment\n\n${data}\n\n`].map((char) => Buffer.from(char)), [plain]],
      [
        [`event: änderung\nid: 7\n${data}\n\n${data}\n\n`],
        [
          [at, 'änderung', '7'],
          [at, 'message', '7'],
        ],
      ],
      [[`event:a\nevent\nid:a\0\nretry: 1\n:x\nother: y\n${data.replace(' ', '')}\n\n`], [plain]],
      [[`data: {"at":\ndata:  "${when}"\ndata: }\n\n`], [plain]],
      [[`event: gone\n\n${data}\n\n`], [plain]],
      [[`${data}\n\n${data}`], [plain]],
      [[`${data}\n\n${data}\n`], [plain]],
      [[''], []],
    ]
  const umlaut = Buffer.from(`event: ä\n${data}\n\n`)
  const cut = umlaut.indexOf(0xc3) + 1
  for (const [pieces, expected] of [
    ...cases,
    [[umlaut.subarray(0, cut), umlaut.subarray(cut)], [[at, 'ä', '']]] as const,
  ]) {
    sendPieces(pieces)
    t.strictSame(await eventsOf(), expected, JSON.stringify(pieces.map(String)))
  }
})

t.test('client: an event that is no JSON, and a stream that breaks off', async (t) => {
  sendPieces(['data: {\n\n'])
  await t.rejects(eventsOf(), UnexpectedAnswer)
  sendPieces([`${data}\n\n`, data], false)
  await t.rejects(eventsOf(), { name: 'TypeError' })
  sendPieces([`${data}\n\n`, 'event: error\ndata: {"error":"invalid_token"}\n\n'])
  await t.rejects(
    eventsOf(),
    { name: 'UnexpectedAnswer', text: '{"error":"invalid_token"}' },
    'the token has ended',
  )
  answerWith(200, json, '[]')
  await t.rejects(eventsOf(), UnexpectedAnswer, 'what is no stream of events is none')
})

t.test('client: a reader that stops half way ends the stream at the server', async (t) => {
  const api = createClient({ baseUrl: served.baseUrl })
  const answer = await api.answers?.endless?.()
  for await (const { data } of eventsIn(answer)) if (data === 3n) break
  t.equal((await api.answers?.ended?.())?.data, 'ended')
})

t.test('client: a signal ends a call before, during and after its answer', async (t) => {
  const aborted = { name: 'AbortError' }
  let requests = 0
  const stop = new AbortController()
  next = () => {
    requests += 1
    stop.abort()
  }
  await t.rejects(async () => client().answers?.remove?.({}, { signal: AbortSignal.abort() }), aborted)
  t.equal(requests, 0, 'before: nothing is sent')
  await t.rejects(async () => client().answers?.remove?.({}, { signal: stop.signal }), aborted)
  t.equal(requests, 1)

  const late = new AbortController()
  next = (response) => void response.writeHead(200, events).write(`${data}\n\n`)
  const answer = await client().answers?.events?.({}, { signal: late.signal })
  const read = async (): Promise<void> => {
    for await (const _event of eventsIn(answer)) late.abort()
  }
  await t.rejects(read(), aborted)

  const waiting = new AbortController()
  const token = (): Promise<string> => {
    setImmediate(() => waiting.abort())
    return new Promise(() => {})
  }
  await t.rejects(async () => client({ token }).answers?.remove?.({}, { signal: waiting.signal }), aborted)
  const done = new AbortController()
  answerWith(200, json)
  t.equal((await client({ token: () => null }).answers?.remove?.({}, { signal: done.signal }))?.ok, true)
  done.abort()
})

t.test('client: tokens, cookies and headers, each once', async (t) => {
  const seen: unknown[] = []
  next = (response, { headers }) => {
    seen.push([headers.authorization, headers.cookie, headers['x-a'], headers.accept])
    response.writeHead(200).end()
  }
  const own = { headers: { Cookie: 'sid=1', 'X-A': 'client' } }
  await client({ token: 'a', ...own }).kinds?.several?.({ theme: 'dark' }, { headers: { 'x-a': 'call' } })
  await client({ token: async () => 'b' }).kinds?.several?.()
  await client({ token: 'a', headers: { Authorization: 'Basic x' } }).kinds?.several?.()
  await client({ token: () => null }).kinds?.several?.()
  const accept = 'application/json, application/json;q=0.9, */*;q=0.1'
  t.strictSame(seen, [
    ['Bearer a', 'sid=1; theme=dark', 'call', accept],
    ['Bearer b', undefined, undefined, accept],
    ['Basic x', undefined, undefined, accept],
    [undefined, undefined, undefined, accept],
  ])
  await t.rejects(async () => client({ token: 'a\r\nx: y' }).answers?.remove?.(), { name: 'TypeError' })
  const refuse = (): never => {
    throw new RangeError('no token')
  }
  await t.rejects(async () => client({ token: refuse }).answers?.remove?.(), { name: 'RangeError' })
})

t.test('client: what is not documented is an UnexpectedAnswer, and nothing else', async (t) => {
  const html = { 'content-type': 'text/html' }
  const { kinds, class: own } = client()
  const cases: readonly (readonly [status: number, headers: Record<string, string>, body: string])[] = [
    [200, html, '<p>proxy</p>'],
    [200, html, '"text"'],
    [200, json, '"cut'],
    [200, json, ''],
    [204, {}, ''],
    [299, json, '"text"'],
    [304, {}, ''],
    [502, html, '<p>bad gateway</p>'],
    [500, json, '{"error":"Error"}'],
  ]
  for (const [status, headers, body] of cases) {
    answerWith(status, headers, body)
    const found = await own?.then?.().catch((error: unknown) => error)
    t.ok(found instanceof UnexpectedAnswer, `${status} ${body}`)
    t.match(found, { status, text: body })
  }
  answerWith(409, { 'content-type': 'application/problem+json' }, `{"type":"a","detail":"b","at":"${when}"}`)
  t.match((await kinds?.names?.())?.data, { type: 'a', at: new Date(0) })
  answerWith(200, {}, '"no type"')
  t.equal((await own?.then?.())?.data, 'no type')
  answerWith(200, { 'content-type': 'text/csv' })
  t.equal((await client().answers?.table?.())?.data, '', 'an empty table is a text')
  next = (response) => {
    response.writeHead(200, { ...json, 'content-length': '100' }).write('"cut')
    setImmediate(() => response.destroy())
  }
  await t.rejects(
    async () => own?.then?.(),
    { name: 'TypeError' },
    'a connection that breaks is what fetch says of it',
  )
})

t.test('client: redirects are followed where none is documented', async (t) => {
  next = (response, { url }) => {
    if (url === '/elsewhere') response.writeHead(200, json).end('"there"')
    else response.writeHead(302, { location: '/elsewhere' }).end()
  }
  t.equal((await client().class?.then?.())?.data, 'there')
  await t.rejects(async () => client().answers?.elsewhere?.(), UnexpectedAnswer, 'documented is 303')
  answerWith(303, { location: '/elsewhere' })
  t.equal((await client().answers?.elsewhere?.())?.response.headers.get('location'), '/elsewhere')
})

t.test('client: an answer pollutes no prototype, and a hostile one costs no time', async (t) => {
  const evil =
    '{"a":{"__proto__":{"polluted":1},"constructor":"x","Map":""},"b":{"map":{"__proto__":"x"}},"c":{"__proto__":"7"},"d":null}'
  answerWith(200, json, evil)
  const answer = await client().kinds?.names?.()
  const { a = {}, c = {} } = { ...(answer?.data as Record<string, Record<string, unknown>> | undefined) } // as it is sent
  t.equal(a.polluted, undefined)
  t.equal(Object.getPrototypeOf(a), Object.prototype)
  t.strictSame(Object.entries(c), [['__proto__', 7n]])
  t.equal(({} as Record<string, unknown>).polluted, undefined)
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  answerWith(200, json, deep)
  const found = await client()
    .kinds?.names?.()
    .catch((error: unknown) => error)
  t.ok(found instanceof UnexpectedAnswer || typeof found === 'object')
})
