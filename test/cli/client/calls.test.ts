/** The client against the running server: what an action is given is what the caller gave, and back. */
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { serveWithClient } from './served-client.ts'

t.setTimeout(240_000)

const { baseUrl, module } = await serveWithClient(t, null)
const { createClient, dataOf, UnexpectedAnswer, FailedAnswer } = module
const api = createClient({ baseUrl, headers: { 'x-tenant': 'all' } })

const isSame = (
  t: { pass(): unknown; strictSame(found: unknown, wanted: unknown): unknown },
  found: unknown,
  wanted: unknown,
): void => {
  if (!isDeepStrictEqual(found, wanted)) t.strictSame(found, wanted)
  else t.pass()
}

const kinds = {
  text: 'ä , " \\ \u2028 𝄞',
  float: -1.5e-7,
  int: -(2 ** 31),
  big: -(10n ** 40n),
  int64: 2n ** 63n - 1n,
  isOn: false,
  at: new Date('2024-02-29T10:00:00.123Z'),
  when: '2024-01-01T10:00:00+02:00',
  id: '0190163d-8694-739b-aea5-966c26f8ad91',
  mail: 'ada@example.org',
  url: 'https://example.org',
  home: new URL('https://example.org/a?b=c#d'),
  choice: true,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the enum has it
  color: 'it\'s "quoted" `so` ${it} is',
  level: 2,
  list: ['', ',', '[', 'a,b'],
  dates: [new Date(0)],
  set: new Set([1n, -1n]),
  pair: ['a', new Date(1)],
  rest: [1, 2n, 3n],
  map: new Map([['constructor', 1n]]),
  record: { toString: new URL('https://a.example/') },
  bytes: new Uint8Array([0, 255, 1]),
  buffer: new Uint8Array([]),
  either: new Date(5),
  shape: { kind: 'square', side: 5n },
  untagged: { b: 6n, c: 'x' },
  orNull: null,
  optional: new Date(6),
  holes: [null, new Date(7)],
  version: 'v7',
  any: { a: [1, { b: null }] },
  json: [{ a: ['x', 1, true, null] }],
  anything: [1, 'a'],
  box: { value: new Date(8), next: { value: new Date(9), next: null } },
  prefixed: { 'x-a': new Date(10) },
  stamped: { id: '2024-01-01T00:00:00.000Z', 'at-a': new Date(11), 'n-1': 12n },
  mixed: { id: 1, other: 2 },
  node: null,
}

t.test('client: a value of every kind comes back as it was given', async (t) => {
  const answer = await api.kinds?.create?.({ kinds: { ...kinds, node: { ...kinds, either: 'text' } } })
  t.equal(answer?.status, 201)
  isSame(t, answer?.data, { ...kinds, node: { ...kinds, either: 'text' } })
})

t.test('client: what cannot be told apart in JSON is said openly', async (t) => {
  const provided = { ...kinds, either: new Date(5).toISOString(), holes: [undefined], float: -0 }
  const data = (await dataOf(api.kinds?.create?.({ kinds: provided }))) as typeof kinds // of what was sent
  t.strictSame(data.either, new Date(5), 'a text as toISOString() writes it is a Date where both may be')
  t.strictSame(data.holes, [null], 'a list of JSON holds no undefined')
  t.ok(Object.is(data.float, 0), 'nor has it a negative zero')
})

const texts = ['ä', 'a,b', 'a/b', 'a b+c%20&d=e#f?g', '..a', '[1]', '"', '%2e%2e', 'x'.repeat(480), '=;"\\']

t.test('client: any text of a path, query, header and cookie arrives as it is', async (t) => {
  for (const text of texts) {
    const provided = { id: text, tags: [text], filter: { color: kinds.color }, basket: [text] }
    const data = await dataOf(api.kinds?.query?.({ ...provided, id2: kinds.at, constructorInQuery: text }))
    const filter = { color: kinds.color }
    t.strictSame(data, [text, null, [text], null, filter, null, null, kinds.at.toISOString(), [text], text])
  }
})

t.test(
  'the typed client: lists of a query: empty, of one, of several, of texts that look like others',
  async (t) => {
    const lists = [
      [],
      ['a'],
      ['a', 'b'],
      [''],
      ['', ''],
      ['a,b'],
      ['[]', 'a,b'],
      ['[', '"'],
      ['["a"]'],
      [' '],
    ]
    for (const tags of lists) {
      const [, , read] = (await dataOf(api.kinds?.query?.({ id: 'a', tags }))) as unknown[] // as the action answers
      t.strictSame(read, tags)
    }
    const more = {
      days: new Set([kinds.at, new Date(0)]),
      shapes: [kinds.shape],
      mixed: ['1', 1, 'a,b'],
      page: 7,
    }
    t.strictSame(await dataOf(api.kinds?.query?.({ id: 'a', ...more })), [
      ...['a', 7, null, [kinds.at.toISOString(), new Date(0).toISOString()], null],
      ...[[{ kind: 'square', side: '5' }], ['1', 1, 'a,b'], null, null, null],
    ])
  },
)

t.test('client: a rest of a path, fields beside a body, and twins of one name', async (t) => {
  const provided = { id: -1n, rest: 'a b/%2f/ä', 'an-other': kinds.at, flag: false, list: [], 'trace-id': 5n }
  t.strictSame(await dataOf(api.kinds?.places?.(provided)), {
    ...{ id: '-1', rest: 'a b/%2f/ä', other: kinds.at.toISOString(), flag: false, list: [] },
  })
  t.strictSame(await dataOf(api.kinds?.twice?.({ tenant: 'a', given: 'b' })), { tenant: 'a', given: 'b' })
  const traced = await api.kinds?.create?.({ kinds, 'trace-id': 5n, theme: 'dark' })
  t.equal(traced?.status, 201)
  const wrong = await api.kinds?.create?.({ kinds, 'trace-id': 'x' })
  t.match([wrong?.status, wrong?.data], [400, { parameter: 'trace-id' }], 'a field beside a body is sent')
})

t.test('client: nothing that is given leads to another route', async (t) => {
  const refused = [{ id: '..' }, { id: '.' }, { id: '' }, {}]
  for (const provided of refused)
    await t.rejects(async () => api.kinds?.query?.(provided), { name: 'TypeError' })
  for (const rest of ['/evil.example', 'a/../../b', 'a//b', '', 'a/', './a'])
    await t.rejects(async () => api.kinds?.places?.({ id: 1n, rest, 'an-other': kinds.at }), {
      name: 'TypeError',
    })
  for (const base of [`${baseUrl}/?a=`, `${baseUrl}#`])
    await t.rejects(async () => createClient({ baseUrl: base }).class?.then?.(), { name: 'TypeError' })
  const urls: string[] = []
  const watched = createClient({
    baseUrl: 'https://a.example/api//',
    fetch: async (url: string) => {
      urls.push(url)
      return new Response(null, { status: 500 })
    },
  })
  await watched.kinds?.query?.({ id: '%2e%2e', constructorInQuery: '#&?/' }).catch(() => {})
  t.strictSame(urls, ['https://a.example/api/kinds/query/%252e%252e?constructor=%23%26%3F%2F'])
  for (const provided of ['a\r\nb: c', 'a\nb', 'a\0'])
    await t.rejects(async () => api.kinds?.names?.({ tenant: provided }), { name: 'TypeError' })
  t.equal((await api.kinds?.names?.({ theme: 'dark; other=light\r\n' }))?.status, 400, 'a cookie is encoded')
})

t.test('client: a header that holds a list or one value has what was given', async (t) => {
  const given: readonly (readonly [ids: unknown, counts: unknown])[] = [
    ['a', 1],
    [['a'], [1]],
    ['a, b', [1, 2]],
    [['a, b', 'c', ''], [1]],
    ['"a"', 2],
    ['a\\"b', 2],
    ['', 0],
    ['[a', 0],
  ]
  for (const [ids, counts] of given)
    t.strictSame((await api.kinds?.either?.({ ids, counts }))?.data, [ids, counts])
  const sent: [string, string][] = [
    ['x-ids', 'a, "b, c"'],
    ['x-counts', '1,2'],
    ['x-ids', 'd'],
    ['x-tenant', 'all'],
  ]
  const answer = await fetch(`${baseUrl}/kinds/either`, { headers: sent })
  t.strictSame(await answer.json(), [
    ['a', 'b, c', 'd'],
    [1, 2],
  ])
})

t.test('client: answers by status, and what there is without a body', async (t) => {
  const { answers } = api
  const seen = await Promise.all([
    answers?.create?.({ isLate: false }),
    answers?.create?.({ isLate: true }),
    answers?.remove?.(),
    answers?.maybe?.({ isThere: true }),
    answers?.maybe?.({ isThere: false }),
    answers?.table?.(),
    answers?.rendered?.(),
    answers?.elsewhere?.(),
    api.kinds?.severalPost?.(),
    createClient({ baseUrl }).kinds?.names?.(),
  ])
  t.strictSame(
    seen.map((item) => [item?.ok, item?.status, item?.data]),
    [
      [true, 201, { kind: 'made', id: 1n }],
      [false, 423, { until: new Date(0) }],
      [true, 200, undefined],
      [true, 200, new Date(0)],
      [true, 200, undefined],
      [true, 200, 'a,b\n'],
      [true, 200, 1],
      [true, 303, undefined],
      [true, 200, undefined],
      [false, 401, { error: 'unauthorized' }],
    ].map((item, place) => (place === 9 ? [false, 401, seen[9]?.data] : item)),
  )
  const failed = await dataOf(answers?.create?.({ isLate: true })).catch((error: unknown) => error)
  t.ok(failed instanceof FailedAnswer)
  t.ok(UnexpectedAnswer.prototype instanceof Error)
})

t.test('client: files have names and types, and may be several', async (t) => {
  const file = new File(['a'], 'ä b.txt', { type: 'text/plain' })
  const files = {
    file,
    more: [new Blob(['b']), file],
    title: 'a,b [',
    tags: ['x,y'],
    note: { at: new Date(0) },
  }
  t.strictSame(await dataOf(api.answers?.files?.(files)), 'ä b.txt 2 x,y [object Object] a,b [')
  t.strictSame(await dataOf(api.answers?.files?.({ file })), 'ä b.txt 0 undefined undefined undefined')
  await t.rejects(
    async () => api.answers?.files?.({}),
    { name: 'UnexpectedAnswer', status: 500 },
    'no part at all is no form',
  )
})

t.test('client: bytes and events are read as they come', async (t) => {
  const pieces: Uint8Array[] = []
  for (const call of [api.answers?.bytes, api.answers?.stream, api.answers?.blob])
    for await (const piece of (await dataOf(call?.())) as AsyncIterable<Uint8Array>) pieces.push(piece)
  t.strictSame(Buffer.concat(pieces), Buffer.from('\u0001\u0002aba'))
  const events: unknown[] = []
  for await (const event of (await dataOf(api.answers?.events?.())) as AsyncIterable<unknown>)
    events.push(event)
  t.strictSame(events, [{ data: { at: new Date(0) }, event: 'message', id: '' }])
})

t.test('client: 20 MB of bytes are base64 without a stack', async (t) => {
  const bytes = new Uint8Array(20_000_000).map((_, place) => place)
  const client = createClient({
    baseUrl,
    fetch: async (_url: string, { body }: { body: string }) =>
      new Response(body, { status: 201, headers: { 'content-type': 'application/json' } }),
  })
  const back = (await dataOf(client.kinds?.create?.({ kinds: { bytes } }))) as { bytes: Uint8Array }
  t.ok(Buffer.from(bytes.buffer).equals(back.bytes))
})
