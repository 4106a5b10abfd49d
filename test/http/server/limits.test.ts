/** What is refused before any handler, over raw sockets: sizes, times, and what is not HTTP. Every refusal is JSON.
 *  Source: RFC 9110, 9112. */
import { once } from 'node:events'
import t from 'tap'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { answerTo, lastAnswer, listening, rawClient } from '../support/raw.ts'

const lines = (...all: readonly string[]): string => `${all.join('\r\n')}\r\n\r\n`
const post = (...headers: readonly string[]): string =>
  lines('POST /api/notes HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers)

const readBody = async ({ request }: Controller): Promise<number> =>
  request.body.kind === 'bytes' ? (await request.body.read()).length : -1

t.test('a body above the limit is 413 before it is read, and the connection ends', async (t) => {
  const { app, port } = await listening({ limits: { bodyBytes: 10 } }, { call: readBody })
  t.teardown(app.close)
  const tooLarge = { status: 413, body: { error: 'the request body is larger than 10 bytes' } }
  t.strictSame(
    lastAnswer(await answerTo(port, post('Content-Length: 11'))),
    tooLarge,
    'not one byte was sent',
  )
  const chunked = `${post('Transfer-Encoding: chunked')}6\r\n123456\r\n6\r\n123456\r\n`
  t.strictSame(lastAnswer(await answerTo(port, chunked)), tooLarge, 'chunked')
  const just = await answerTo(port, `${post('Content-Length: 10', 'Connection: close')}1234567890`)
  t.strictSame(lastAnswer(just), { status: 201, body: 10 })
})

t.test('a long address is 414, long headers are 431', async (t) => {
  const { app, port } = await listening({ limits: { urlBytes: 100, headerBytes: 2000 } })
  t.teardown(app.close)
  const get = (path: string, ...headers: readonly string[]): string =>
    lines(`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers)
  const tooLong = { status: 414, body: { error: 'the address is too long' } }
  t.strictSame(lastAnswer(await answerTo(port, get(`/health?a=${'x'.repeat(100)}`))), tooLong)
  t.strictSame(lastAnswer(await answerTo(port, get(`/nowhere/${'x'.repeat(100)}`))), tooLong, 'no route')
  t.strictSame(
    lastAnswer(await answerTo(port, get(`/${'x'.repeat(3000)}`))),
    tooLong,
    'above the header limit',
  )
  const large = await answerTo(port, get('/health', `X-Long: ${'x'.repeat(3000)}`))
  t.strictSame(lastAnswer(large), { status: 431, body: { error: 'the headers are too large' } })
  t.equal(lastAnswer(await answerTo(port, get('/health'))).status, 200)
})

const readable = (text: string): readonly unknown[] => {
  const [head = ''] = text.split('\r\n\r\n', 1)
  const sent = head.split('\r\n').map((line) => line.split(/: (.*)/))
  const names = ['access-control-allow-origin', 'access-control-expose-headers', 'vary']
  return [
    Number(head.slice(9, 12)),
    ...names.map((name) => sent.find(([own]) => own?.toLowerCase() === name)?.[1]),
  ]
}

t.test(
  'decisions, origins: a page that may call an address reads what the server answers in its place',
  async (t) => {
    const page = 'https://page.example'
    const config = {
      limits: { headerBytes: 2000, urlBytes: 500 },
      mcp: { path: '/mcp', serverName: 'A', allowedOrigins: [page] },
    }
    const { app, port } = await listening(config)
    t.teardown(app.close)
    const of = async (request: string, origin: string, ...headers: readonly string[]) =>
      readable(
        await answerTo(
          port,
          lines(`${request} HTTP/1.1`, 'Host: x', `Origin: ${origin}`, 'Connection: close', ...headers),
        ),
      )
    const long = 'x'.repeat(600)
    const large = `X-Long: ${'x'.repeat(3000)}`
    const refused: readonly (readonly [number, string, ...string[]])[] = [
      [431, 'POST {}', large],
      [414, `POST {}?a=${long}`],
      [414, `POST {}?a=${'x'.repeat(3000)}`],
      [400, 'POST {}', 'Host: y'],
      [400, 'POST {}', 'Content-Length: 3x'],
      [501, 'POST {}', 'Transfer-Encoding: gzip, chunked'],
    ]
    const exposed = 'WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After'
    const nothing = [undefined, undefined, undefined]
    for (const [status, request, ...headers] of refused) {
      for (const address of ['/mcp', '/mcp/notes']) {
        const at = request.replace('{}', address)
        t.strictSame(
          await of(at, page, ...headers),
          [status, page, exposed, 'Origin'],
          `${status} ${at.slice(0, 40)}`,
        )
        const [, origin] = await of(at, 'https://evil.example', ...headers)
        t.equal(origin, undefined, 'foreign')
      }
    }
    const programs = [
      '/oauth/register',
      '/oauth/token',
      '/oauth/revoke',
      '/.well-known/oauth-authorization-server/mcp',
    ]
    for (const address of programs) {
      for (const [status, request, ...headers] of [
        ...refused,
        [405, 'PUT {}'] as const,
        [405, 'DELETE {}/'] as const,
      ])
        t.strictSame(
          await of(request.replace('{}', address), 'https://anywhere.example', ...headers),
          [status, '*', 'www-authenticate, retry-after', undefined],
          `${status} ${request.slice(0, 20)} ${address}`,
        )
    }
    for (const address of ['/oauth/authorize', '/auth', '/auth/dev', '/api/notes', '/nowhere'])
      for (const [, request, ...headers] of [...refused, [405, 'PUT {}'] as const]) {
        const [status, ...cors] = await of(request.replace('{}', address), page, ...headers)
        t.strictSame(cors, nothing, `${status} ${request.slice(0, 20)} ${address}`)
      }
  },
)

t.test('decisions, origins: of a failed endpoint and of an unknown document too', async (t) => {
  const resourceMetadata = ({ headers }: { readonly headers: object }): object => {
    if ('x-fails' in headers) throw new Error('unexpected')
    return { authorizationServers: ['https://as.example'], scopesSupported: [] }
  }
  const page = 'https://page.example'
  const mcp = { path: '/mcp', serverName: 'A', allowedOrigins: [page], resourceMetadata }
  const { app, port } = await listening({ mcp })
  t.teardown(app.close)
  const of = async (request: string, ...headers: readonly string[]) =>
    readable(
      await answerTo(
        port,
        lines(`${request} HTTP/1.1`, 'Host: x', `Origin: ${page}`, 'Connection: close', ...headers),
      ),
    ).slice(0, 2)
  t.strictSame(await of('GET /mcp', 'X-Fails: 1'), [500, page])
  t.strictSame(await of('GET /mcp'), [401, page])
  const resource = '/.well-known/oauth-protected-resource'
  t.strictSame(await of(`GET ${resource}/mcp`, 'X-Fails: 1'), [500, '*'])
  const documents: readonly (readonly [number, string])[] = [
    [200, `GET ${resource}/mcp`],
    [404, `GET ${resource}/mcp/nowhere`],
    [404, `GET ${resource}/elsewhere`],
    [404, `GET ${resource}/elsewhere/mcp`],
    [405, `POST ${resource}/mcp`],
    [204, `OPTIONS ${resource}/elsewhere`],
  ]
  for (const [status, request] of documents) t.strictSame(await of(request), [status, '*'], request)
})

t.test(
  'decisions, missing required OAuth parameter: no answer of the token endpoint is kept, whoever refuses',
  async (t) => {
    const { app, port } = await listening({ limits: { headerBytes: 2000 } })
    t.teardown(app.close)
    const post = (...headers: readonly string[]): string =>
      lines('POST /oauth/token HTTP/1.1', 'Host: x', 'Connection: close', ...headers)
    const answers: readonly (readonly [number, string])[] = [
      [431, post(`X-Long: ${'x'.repeat(3000)}`)],
      [400, post('Content-Length: 3x')],
      [400, post('Content-Length: 0')],
      [417, post('Expect: something', 'Content-Length: 0')],
      [400, lines('POST /oauth/token/%zz HTTP/1.1', 'Host: x', 'Connection: close')],
    ]
    for (const [status, text] of answers) {
      const answer = await answerTo(port, text)
      t.equal(lastAnswer(answer).status, status)
      t.match(answer, /\r\ncache-control: no-store\r\n/i, text.slice(0, 80))
    }
  },
)

t.test('slow headers and slow bodies are 408', async (t) => {
  const limits = { headersSeconds: 0.05, requestSeconds: 0.1 }
  const { app, port } = await listening({ limits }, { call: readBody })
  t.teardown(app.close)
  const slow = { status: 408, body: { error: 'the request came too slowly' } }
  t.strictSame(lastAnswer(await answerTo(port, 'GET /health HTTP/1.1\r\nHost:')), slow, 'headers')
  t.strictSame(lastAnswer(await answerTo(port, `${post('Content-Length: 10')}12`)), slow, 'body')
  const chunked = `${post('Transfer-Encoding: chunked')}2\r\n12\r\n`
  t.strictSame(lastAnswer(await answerTo(port, chunked)), slow, 'chunked body')
})

t.test('what is not HTTP, and what could smuggle a request, is 400 and ends the connection', async (t) => {
  const { app, port } = await listening({}, { call: readBody })
  t.teardown(app.close)
  const refused = { status: 400, body: { error: 'the request is not HTTP' } }
  const wrong: readonly (readonly [string, string])[] = [
    ['no request line', 'hello\r\n\r\n'],
    ['both lengths', `${post('Transfer-Encoding: chunked', 'Content-Length: 3')}0\r\n\r\n`],
    ['two lengths', `${post('Content-Length: 3', 'Content-Length: 4')}1234`],
    ['a length that is no number', post('Content-Length: 3x')],
    ['chunked not last', `${post('Transfer-Encoding: chunked, identity')}0\r\n\r\n`],
    ['a space before the colon', lines('GET /health HTTP/1.1', 'Host : x')],
    ['a folded header', lines('GET /health HTTP/1.1', 'Host: x', 'X-A: 1', ' 2')],
    ['a chunk size that is no number', `${post('Transfer-Encoding: chunked')}zz\r\n`],
    ['a control character in a header', lines('GET /health HTTP/1.1', 'Host: x', 'X-A: \u0001')],
  ]
  for (const [name, text] of wrong) t.strictSame(lastAnswer(await answerTo(port, text)), refused, name)
  const noHost = await answerTo(port, lines('GET /health HTTP/1.1', 'Connection: close'))
  t.strictSame(lastAnswer(noHost), { status: 400, body: { error: 'the Host header is missing' } })
})

t.test('a Host that is no host, and a coding of the way that nobody knows, are refused', async (t) => {
  const { app, port } = await listening({})
  t.teardown(app.close)
  const asked = async (host: string, ...more: readonly string[]): Promise<unknown> =>
    lastAnswer(
      await answerTo(port, lines('GET /health HTTP/1.1', `Host: ${host}`, 'Connection: close', ...more)),
    )
  const malformed = { status: 400, body: { error: 'the Host header is malformed' } }
  for (const host of [
    'a b',
    'u@a',
    'a/b',
    'a?b',
    'a#b',
    '[::1',
    'a:b',
    'a:999999',
    '<a>',
    'a"b',
    'a\tb',
    '\u00e9',
    'a%zz',
  ])
    t.strictSame(await asked(host), malformed, host)
  const served = { status: 200, body: { status: 'ok' } }
  for (const host of ['a_b', 'A.Example.', 'a:', 'a:80', '[::1]', '[::1]:80', '1.2.3.4', 'a%2db', 'a,b', ''])
    t.strictSame(await asked(host), served, host)
  const unknown = { status: 501, body: { error: 'no transfer coding but chunked is known' } }
  for (const coding of ['gzip, chunked', 'deflate,chunked'])
    t.strictSame(await asked('a', `Transfer-Encoding: ${coding}`, '', '0', ''), unknown, coding)
})

t.test(
  'a body longer than its Content-Length is not a part of it, a shorter one is never taken',
  async (t) => {
    const { app, port } = await listening({ limits: { requestSeconds: 0.1 } }, { call: readBody })
    t.teardown(app.close)
    const long = await answerTo(port, `${post('Content-Length: 3')}123456\r\n\r\n`)
    t.match(long, /^HTTP\/1\.1 201 [\s\S]*\r\n\r\n3HTTP\/1\.1 400 /, 'three bytes, then no HTTP')
    const client = await rawClient(port)
    client.write(`${post('Content-Length: 5')}123`)
    client.socket.end()
    t.notMatch(await client.closed(), /201/)
  },
)

t.test('connections are kept and requests may be pipelined', async (t) => {
  const { app, port } = await listening({}, { call: readBody })
  t.teardown(app.close)
  const client = await rawClient(port)
  client.write(`${post('Content-Length: 2')}12${post('Content-Length: 3')}123`)
  const both = await client.until(/\r\n\r\n2[\s\S]*\r\n\r\n3/)
  t.equal(both.match(/HTTP\/1\.1 201/g)?.length, 2)
  client.write(`${post('Content-Length: 4', 'Connection: close')}1234`)
  t.match(await client.closed(), /\r\n\r\n4$/, 'the same connection, a third time')
})

t.test('an answer under way is not broken by what follows it on its connection', async (t) => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let arrived = (): void => {}
  const isRunning = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const wait = async (): Promise<string> => {
    arrived()
    await released
    return 'late'
  }
  const { app, port } = await listening({}, { call: wait })
  t.teardown(app.close)
  const client = await rawClient(port)
  client.write(lines('GET /health HTTP/1.1', 'Host: x'))
  await isRunning
  const parsed = once(app.application.server.server, 'clientError')
  client.write('this is not HTTP\r\n\r\n')
  await parsed
  t.equal(client.text(), '')
  release()
  t.match(await client.closed(), /^HTTP\/1\.1 200 [\s\S]*"late"HTTP\/1\.1 400 /)
})

t.test('Expect: 100-continue is answered when the body is read, and only then', async (t) => {
  const read = async (controller: Controller): Promise<unknown> =>
    controller.request.headers['x-read'] === undefined ? controller.head(403) : readBody(controller)
  const { app, port } = await listening({ limits: { bodyBytes: 10 } }, { call: read })
  t.teardown(app.close)
  const client = await rawClient(port)
  client.write(post('Content-Length: 3', 'Expect: 100-continue', 'X-Read: 1', 'Connection: close'))
  t.equal(await client.until(/\r\n\r\n/), 'HTTP/1.1 100 Continue\r\n\r\n')
  client.write('123')
  t.strictSame(lastAnswer(await client.closed()), { status: 201, body: 3 })
  const unread = await answerTo(port, post('Content-Length: 3', 'Expect: 100-continue'))
  t.match(unread, /^HTTP\/1\.1 403 /, 'refused without the body; the connection ends')
  const large = await answerTo(port, post('Content-Length: 11', 'Expect: 100-continue', 'X-Read: 1'))
  t.equal(lastAnswer(large).status, 413)
  const other = await answerTo(port, post('Content-Length: 3', 'Expect: 200-maybe'))
  t.strictSame(lastAnswer(other), { status: 417, body: { error: 'the expectation cannot be met' } })
})

t.test('closing waits for the answer under way and ends idle connections', async (t) => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let arrived = (): void => {}
  const isRunning = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const { app, port } = await listening(
    {},
    {
      call: async () => {
        arrived()
        await released
        return 'done'
      },
    },
  )
  const [busy, idle, spare] = [await rawClient(port), await rawClient(port), await rawClient(port)]
  idle.write(lines('GET /nowhere HTTP/1.1', 'Host: x'))
  const before = await idle.until(/not found"}$/)
  busy.write(lines('GET /health HTTP/1.1', 'Host: x'))
  await isRunning
  const closing = app.close()
  t.strictSame([await idle.closed(), await spare.closed()], [before, ''])
  release()
  t.match(await busy.closed(), /^HTTP\/1\.1 200 [\s\S]*"done"$/)
  await closing
  t.notOk(app.application.server.server.listening)
})
