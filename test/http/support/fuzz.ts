/** Mutated requests against the example in production mode: no 5xx, no crash, no leaked stack. */
import { connect } from 'node:net'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'

export interface FuzzReport {
  readonly requests: number
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** What was wrong, with the request. */
  readonly failures: readonly string[]
}

const paths = [
  '/health',
  '/api/notes',
  '/api/notes/',
  '/api/users/current',
  '/auth/',
  '/auth/dev',
  '/auth/nobody',
  '/auth/nobody/callback',
  '/oauth/authorize',
  '/oauth/token',
  '/oauth/register',
  '/oauth/revoke',
  '/mcp',
  '/mcp/notes',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/mcp',
]

const hostile = [
  '',
  '%',
  '%00',
  '%E0%A4%A',
  '%2e%2e%2f',
  '..',
  '//',
  '\\',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  '💥',
  'null',
  '-1',
  '1e999',
  "';--",
  '<script>',
  '{{7*7}}',
  'a'.repeat(600),
  'x'.repeat(9000),
]

const piece: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...paths) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...paths), piece).map(([at, tail]) => `${at}/${tail}`) },
  { weight: 1, arbitrary: piece.map((text) => `/${text}`) },
)

const names = [
  'text',
  'code',
  'state',
  'client_id',
  'redirect_uri',
  'grant_type',
  'scope',
  'resource',
  'response_type',
  'toolboxes',
  '__proto__',
]
const name = fc.oneof(fc.constantFrom(...names), piece)
const query = fc
  .array(fc.tuple(name, piece, fc.boolean()), { maxLength: 4 })
  .map((pairs) =>
    pairs
      .map(([key, value, raw]) => (raw ? `${key}=${value}` : `${encodeLoosely(key)}=${encodeLoosely(value)}`))
      .join('&'),
  )

const encodeLoosely = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

const json: fc.Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }).map((value) => JSON.stringify(value)),
  fc.record({ text: piece }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '{',
    '{"text":',
    '[[[[',
    '"',
    '{"__proto__":{"text":"x"}}',
    '{"text":1e400}',
    '\ufeff{}',
    'nul',
    '['.repeat(5000),
  ),
  fc
    .record({
      method: fc.constantFrom('initialize', 'tools/call', 'tools/list', 'ping', 'x'),
      params: fc.jsonValue({ maxDepth: 3 }),
    })
    .map((message) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })),
)

const body: fc.Arbitrary<string | Buffer> = fc.oneof(
  json,
  query,
  piece,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constant('--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nx\r\n--b--\r\n'),
)

const types = [
  'application/json',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'multipart/form-data',
  'text/plain',
  'application/yaml',
  'x',
  '/',
  'application/json;;;',
  '',
]

const headerText = piece.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''))

const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'accept-encoding',
    'origin',
    'if-none-match',
    'range',
    'x-api-key',
    'x-forwarded-proto',
    'mcp-protocol-version',
    'mcp-method',
    'expect-ct',
    'te',
    'forwarded',
  ),
  fc.oneof(
    headerText,
    fc.constantFrom(
      '*/*',
      'application/yaml',
      'text/html;q=0.9, */*;q=x',
      ';;;,,,',
      'bytes=0-',
      'http://localhost:3000',
      '2026-07-28',
      '2025-06-18',
    ),
  ),
  { maxKeys: 4 },
)

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const

interface Mutation {
  readonly method: (typeof methods)[number]
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

/** `credentials` are what a client may hold: tokens and session cookies, right and wrong. */
function mutation(credentials: readonly Readonly<Record<string, string>>[]): fc.Arbitrary<Mutation> {
  return fc
    .record({
      method: fc.constantFrom(...methods, 'GET', 'POST', 'POST'),
      path,
      query,
      headers,
      type: fc.constantFrom(...types, null, 'application/json', 'application/json'),
      credential: fc.constantFrom(...credentials),
      body: fc.option(body),
    })
    .map((parts) => ({
      method: parts.method,
      url: parts.query === '' ? parts.path : `${parts.path}?${parts.query}`,
      headers: {
        ...parts.headers,
        ...(parts.type === null ? {} : { 'content-type': parts.type }),
        ...parts.credential,
      },
      body: parts.body,
    }))
}

/** What the example answers well, with one thing changed. */
function nearlyRight(authorization: string): fc.Arbitrary<Mutation> {
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const right = fc.constantFrom<Mutation>(
    { method: 'POST', url: '/api/notes', headers: { authorization, ...json }, body: '{"text":"a"}' },
    { method: 'POST', url: '/api/notes', headers: { authorization, ...form }, body: 'text=a' },
    { method: 'GET', url: '/api/notes/', headers: { authorization }, body: null },
    {
      method: 'POST',
      url: '/oauth/register',
      headers: json,
      body: '{"redirect_uris":["http://127.0.0.1/cb"]}',
    },
    { method: 'POST', url: '/oauth/token', headers: form, body: 'grant_type=refresh_token&client_id=a' },
    {
      method: 'POST',
      url: '/mcp',
      headers: { authorization, accept: '*/*', ...json },
      body: '{"jsonrpc":"2.0"}',
    },
  )
  const change = fc.oneof(
    fc.record({ body }),
    fc.record({ method: fc.constantFrom(...methods) }),
    query.map((text) => ({ query: text })),
    headers.map((more) => ({ more })),
    fc.constant({}),
  )
  return fc
    .tuple(
      right,
      change as fc.Arbitrary<
        Partial<Mutation> & { readonly query?: string; readonly more?: Mutation['headers'] }
      >,
    )
    .map(([base, { query: text, more, ...changed }]) => ({
      ...base,
      ...changed,
      url: text === undefined ? base.url : `${base.url}?${text}`,
      headers: { ...base.headers, ...more },
    }))
}

const leaks = /\bat .+\.[jt]s:\d+|node:internal|node_modules|runtime\/http/

/** Sends `count` mutated requests without a socket, and `raw` over one each; the same seed sends the same. */
export async function fuzz(count: number, raw: number, seed: number): Promise<FuzzReport> {
  const app = await openTestApp({ environment: { production: true } })
  const statuses = new Map<number, number>()
  const failures: string[] = []
  const judge = (status: number, text: string, sent: Mutation | string): void => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status < 500 && !leaks.test(text)) return
    failures.push(`${status} ${JSON.stringify(sent).slice(0, 2000)} ${text.slice(0, 300)}`)
  }
  try {
    const credentials = await credentialsOf(app)
    const anyOf = fc.oneof(mutation(credentials), nearlyRight(credentials[1]?.authorization ?? ''))
    const mutations = fc.sample(anyOf, { numRuns: count, seed })
    for (const sent of mutations) {
      const answer = await inject(app, sent)
      judge(answer.status, answer.text, sent)
    }
    await overSocket(app, fc.sample(bytes, { numRuns: raw, seed }), judge)
  } finally {
    await app.close()
  }
  return { requests: count + raw, statuses, failures }
}

async function credentialsOf(app: TestApp): Promise<readonly Readonly<Record<string, string>>[]> {
  const client = app.client()
  await client.signIn()
  const cookie = [...client.cookies].map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('; ')
  const authorization = `Bearer ${await app.accessToken()}`
  return [
    {},
    { authorization },
    { authorization },
    { cookie },
    { cookie: `${cookie}x` },
    { authorization: 'Bearer x' },
    { cookie: ';;=;%;a' },
  ]
}

async function inject(
  app: TestApp,
  { method, url, headers: sent, body: payload }: Mutation,
): Promise<{ status: number; text: string }> {
  const options: InjectOptions = {
    method,
    url: latin1(url),
    headers: { ...sent },
    ...(payload === null ? {} : { payload }),
  }
  const answer = await app.application.server.inject(options)
  return { status: answer.statusCode, text: answer.body }
}

/** What Node could have read as a request target (no space, no control character) and `inject` can take. */
const latin1 = (url: string): string => {
  const seen = Buffer.from(url)
    .toString('latin1')
    .replace(/[\s\p{Cc}]/gu, '')
  const isTaken = !/^\/[/\\]/.test(seen) && URL.canParse(seen, 'http://localhost')
  return isTaken ? seen : `/${encodeURIComponent(seen)}`
}

/** Requests with something wrong in their bytes. */
const bytes: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...methods, 'BREW', 'get', ''),
    fc.oneof(path, piece),
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', 'HTTP', ''),
    fc.array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom(
            'Host',
            'Content-Length',
            'Transfer-Encoding',
            'Content-Type',
            'Cookie',
            'Authorization',
            'Expect',
            'Connection',
            'Upgrade',
          ),
          piece,
        ),
        fc.oneof(
          piece,
          fc.constantFrom(
            '0',
            '5',
            '-1',
            'chunked',
            'close',
            'websocket',
            '100-continue',
            'application/json',
          ),
        ),
      ),
      { maxLength: 5 },
    ),
    fc.oneof(piece, json),
  )
  .map(([method, target, version, lines, tail]) =>
    [
      `${method} ${target} ${version}`,
      'Host: localhost',
      ...lines.map(([key, value]) => `${key}: ${value}`),
      '',
      tail,
    ].join('\r\n'),
  )

async function overSocket(
  app: TestApp,
  texts: readonly string[],
  judge: (status: number, text: string, sent: string) => void,
): Promise<void> {
  const { port } = new URL(await app.application.server.listen({ port: 0, host: '127.0.0.1' }))
  for (const text of texts) {
    const answer = await exchange(Number(port), text)
    for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) judge(Number(status), answer, text)
  }
  const alive = await exchange(
    Number(port),
    'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  )
  if (!alive.startsWith('HTTP/1.1 200 ')) judge(599, alive, 'the server does not answer any more')
}

/** Everything that comes back: the client ends its side at once, so that nothing is waited for. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.on('end', () => socket.destroy())
    socket.end(text, 'latin1')
  })
}
