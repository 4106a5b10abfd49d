/** The client repeats what may be repeated, as often as it is asked to, and nothing else. */
import t, { type Test } from 'tap'
import { faultyServer, type Reaction, running } from './faulty-server.ts'
import { type AnyClient, applicationFolder, buildWithClient, loadClient } from './served-client.ts'

t.setTimeout(240_000)

const root = applicationFolder(t, {
  'package.json': '{"name":"notes","version":"1.0.0","private":true,"type":"module"}',
  'tsconfig.json': '{"compilerOptions":{"types":["node"]}}',
  'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({})\n`,
  'app/controllers/notes.ts': `import { Controller, type UploadedFile } from 'acmcp'
import { Readable } from 'node:stream'

/** Notes. */
export class Notes extends Controller {
  /** @get / */
  show(): string { return '' }

  /** @post / */
  create(text: string): string { return text }

  /** @patch / */
  change(text: string): string { return text }

  /** @put / */
  replace(text: string, picture: UploadedFile): string { return text + picture.name }

  /** @delete / */
  remove(): string { return '' }

  /**
   * @get /export
   * @produces text/csv
   */
  table(): Readable { return Readable.from([]) }
}
`,
})
const { createClient, UnexpectedAnswer } = await loadClient(root, await buildWithClient(root))
const server = await faultyServer(t)
const client = (options: object = {}): AnyClient => createClient({ baseUrl: server.origin, ...options })

const verbs = (): readonly string[] => server.received().map(({ verb }) => verb)
const busy: Reaction = [503, { 'retry-after': '0' }, 'busy']
const done: Reaction = [200]

t.test('retries: an answer that is lost, cut off or put off is asked for again', async (t) => {
  server.react('drop', busy, done)
  t.equal((await client().notes?.show?.({}, { retries: 2 }))?.data, 'done')
  t.strictSame(verbs(), ['GET', 'GET', 'GET'])
  server.react('cut', done)
  t.equal((await client().notes?.remove?.({}, { retries: 1 }))?.data, 'done')
  t.strictSame(verbs(), ['DELETE', 'DELETE'])
})

t.test('retries: a form with a file is the same each time, with the token of that time', async (t) => {
  let tokens = 0
  const token = (): string => `t${++tokens}`
  server.react(busy, done)
  const picture = new Blob(['a plum'])
  const answer = await client({ token }).notes?.replace?.({ text: 'plums', picture }, { retries: 1 })
  t.equal(answer?.data, 'done')
  const sent = server.received().map(({ authorization, body }) => ({
    authorization,
    fields: body.match(/plums|a plum/g),
  }))
  t.strictSame(sent, [
    { authorization: 'Bearer t1', fields: ['plums', 'a plum'] },
    { authorization: 'Bearer t2', fields: ['plums', 'a plum'] },
  ])
})

t.test('retries: none unless somebody asks; the call goes before the client', async (t) => {
  const { notes: plain } = client()
  server.react('drop', done)
  await t.rejects(async () => plain?.show?.(), { name: 'TypeError' })
  t.strictSame(verbs(), ['GET'])
  const { notes } = client({ retries: 1 })
  server.react(busy, done)
  t.equal((await notes?.show?.())?.data, 'done')
  server.react(busy, done)
  await t.rejects(async () => notes?.show?.({}, { retries: 0 }), UnexpectedAnswer)
  t.strictSame(verbs(), ['GET'])
})

t.test('retries: what came last is what the call comes to', async (t) => {
  const { notes } = client({ retries: 1 })
  server.react(busy, [503, { 'retry-after': '0' }, 'still busy'])
  await t.rejects(async () => notes?.show?.(), {
    name: 'UnexpectedAnswer',
    status: 503,
    text: '"still busy"',
  })
  server.react(busy, 'drop')
  await t.rejects(async () => notes?.show?.(), { name: 'TypeError' })
  t.strictSame(verbs(), ['GET', 'GET'])
})

t.test('retries: POST and PATCH without a key are sent once, whatever is asked for', async (t) => {
  const { notes } = client({ retries: 3 })
  for (const reaction of ['drop', 'cut', busy, running({ 'retry-after': '0' })] as const) {
    server.react(reaction, done)
    await t.rejects(async () => notes?.create?.({ text: 'a' }, { retries: 3, idempotencyKey: 'mine' }))
    t.match(server.received(), [{ verb: 'POST', key: null }])
    server.react(reaction, done)
    await t.rejects(async () => notes?.change?.({ text: 'a' }))
    t.match(server.received(), [{ verb: 'PATCH', key: null }])
  }
})

t.test('retries: an answer that is one stands', async (t) => {
  const { notes } = client({ retries: 3 })
  const answers: readonly Reaction[] = [
    [500],
    [502, { 'retry-after': '0' }],
    [503],
    [503, { 'retry-after': '31' }],
    [503, { 'retry-after': 'later' }],
    [429, { 'retry-after': '0' }],
    [409, { 'retry-after': '0' }, { type: 'urn:acmcp:idempotency-unknown' }],
    [409, {}, null],
    [200, {}, { no: 'text' }],
  ]
  for (const answer of answers) {
    server.react(answer, done)
    await notes?.show?.().catch((error: unknown) => t.ok(error instanceof UnexpectedAnswer))
    t.strictSame(verbs(), ['GET'], JSON.stringify(answer))
  }
})

t.test('retries: a stream that has begun is its reader’s', async (t) => {
  server.react('cut', done)
  const { data } = { ...(await client({ retries: 3 }).notes?.table?.()) }
  const read = async (): Promise<void> => {
    for await (const _piece of data as AsyncIterable<unknown>); // what its route returns
  }
  await t.rejects(read(), { name: 'TypeError' })
  t.strictSame(verbs(), ['GET'])
})

t.test('retries: what cannot be sent, or has no token, is not tried again', async (t) => {
  server.react(done)
  let tokens = 0
  const token = (): never => {
    tokens += 1
    throw new RangeError('no token')
  }
  await t.rejects(async () => client({ token, retries: 3 }).notes?.show?.(), { name: 'RangeError' })
  await t.rejects(async () => client({ baseUrl: 'http://a/?b', retries: 3 }).notes?.show?.(), TypeError)
  t.strictSame([tokens, verbs()], [1, []])
})

t.test('retries: who leaves while it is sent asks for nothing more', async (t) => {
  const leaving = new AbortController()
  const { signal } = leaving
  let sent = 0
  const cut = (url: string, init: RequestInit): Promise<Response> => {
    sent += 1
    leaving.abort()
    return fetch(url, init)
  }
  const { notes } = client({ fetch: cut, retries: 3 })
  await t.rejects(async () => notes?.show?.({}, { signal }), { name: 'AbortError' })
  t.equal(sent, 1)
})

t.test('retries: who leaves in a pause does not wait for its end', { timeout: 20_000 }, async (t) => {
  const leaving = new AbortController()
  const { signal } = leaving
  let sent = 0
  const busyFetch = async (): Promise<Response> => {
    sent += 1
    return new Response('', { status: 503, headers: { 'retry-after': '30' } })
  }
  const real = globalThis.setTimeout
  t.intercept(globalThis, 'setTimeout', {
    value() {
      queueMicrotask(() => leaving.abort(new RangeError('left')))
      return real(() => {}, 0) // this pause has no end
    },
  })
  const { notes } = client({ fetch: busyFetch, retries: 3 })
  await t.rejects(async () => notes?.show?.({}, { signal }), { name: 'RangeError', message: 'left' })
  t.equal(sent, 1)
})

/** How long a call waits each time, in milliseconds; here no time passes. */
async function pausesOf(t: Test, retries: number, answer: () => Response): Promise<readonly unknown[]> {
  const pauses: unknown[] = []
  const real = globalThis.setTimeout
  const timers = t.intercept(globalThis, 'setTimeout', {
    value: (done: () => void, ms: number) => {
      pauses.push(ms)
      return real(done, 0)
    },
  })
  const api = client({ fetch: async () => answer() })
  await api.notes?.show?.({}, { retries }).catch(() => {})
  timers.restore()
  return pauses
}

t.test('retries: a pause is as long as the server says, else twice the last one', async (t) => {
  const lost = (): never => {
    throw new TypeError('fetch failed')
  }
  const after = (seconds: string) => (): Response =>
    new Response('', { status: 503, headers: { 'retry-after': seconds } })
  t.strictSame(await pausesOf(t, 8, lost), [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  t.strictSame(await pausesOf(t, 2, after('7')), [7000, 7000])
  t.strictSame(await pausesOf(t, 2, after('30')), [30_000, 30_000])
  t.strictSame(await pausesOf(t, Number.NaN, lost), [])
  const [dated] = await pausesOf(t, 1, after(new Date(Date.now() + 20_000).toUTCString()))
  t.ok(Number(dated) > 0 && Number(dated) <= 20_000, 'a date is one, too')
})
