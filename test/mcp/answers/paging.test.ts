/** The call for the next page, where an answer, its arguments or a header say what it is. Source: RFC 8288. */
import t from 'tap'
import { json } from '../support/support.ts'
import { type Answering, answered, integer, noteOf } from './answering.ts'

const items = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const [text, counted] = [{ type: 'string' }, { type: 'integer', default: 10 }]
const next = (args: object): string => `For the next page call files_answer with ${JSON.stringify(args)}.`
const maybe = (args: object): string => `There may be more: call files_answer with ${JSON.stringify(args)}.`

type Case = readonly [says: string, answer: unknown, how: Answering, hint: string | null]

const [offset, page] = [
  { offset: integer, limit: counted, word: text },
  { page: { type: 'integer', minimum: 1, default: 1 }, per_page: counted },
]
const cursor = { cursor: text, limit: integer }

const cases: readonly Case[] = [
  ['a full page by offset', items(10), { takes: offset }, maybe({ offset: 10 })],
  [
    'further on',
    items(5),
    { takes: offset, args: { word: 'x', offset: 20, limit: 5 } },
    maybe({ word: 'x', offset: 25, limit: 5 }),
  ],
  ['a page that is not full is the last', items(9), { takes: offset }, null],
  ['an empty one too', [], { takes: { offset: integer } }, null],
  ['a total says it for certain', { items: items(7), total: 8 }, { takes: offset }, next({ offset: 7 })],
  ['and where it ends', { items: items(7), total: 27 }, { takes: offset, args: { offset: 20 } }, null],
  [
    'in an object of its own',
    { data: items(2), meta: { total_count: 9 } },
    { takes: offset },
    next({ offset: 2 }),
  ],
  ['so does hasMore', { rows: items(2), hasMore: true }, { takes: { skip: integer } }, next({ skip: 2 })],
  ['and its opposite', { rows: items(10), has_more: false }, { takes: offset }, null],
  ['without a limit or a total nobody knows', items(10), { takes: { offset: integer } }, null],
  ['two lists: nobody knows which', { a: items(10), b: items(10) }, { takes: offset }, null],
  [
    'of two lists the one with the usual name',
    { a: [], items: items(10) },
    { takes: offset },
    maybe({ offset: 10 }),
  ],
  [
    'what the server made of the limit counts',
    { items: items(5), limit: 5 },
    { takes: offset, args: { limit: 900 } },
    maybe({ limit: 900, offset: 5 }),
  ],

  ['a full page by number', items(10), { takes: page }, maybe({ page: 2 })],
  [
    'the next after it',
    items(3),
    { takes: page, args: { page: 4, per_page: 3 } },
    maybe({ page: 5, per_page: 3 }),
  ],
  ['the last by pages', { items: items(1), totalPages: 2 }, { takes: page, args: { page: 2 } }, null],
  ['not the last', { items: items(1), totalPages: 2 }, { takes: page }, next({ page: 2 })],
  [
    'by total and size',
    { items: items(10), page: 1, perPage: 10, total: 11 },
    { takes: page },
    next({ page: 2 }),
  ],
  [
    'and its end',
    { items: items(1), page: 2, perPage: 10, total: 11 },
    { takes: page, args: { page: 2 } },
    null,
  ],
  [
    'pages from 0 on',
    { items: items(10), total: 20 },
    { takes: { page: { type: 'integer', minimum: 0 }, limit: counted }, args: { page: 1 } },
    null,
  ],
  [
    'the first page from 0 on',
    items(10),
    { takes: { page: { type: 'integer', minimum: 0 }, limit: counted } },
    maybe({ page: 1 }),
  ],
  ['nobody knows where pages begin', items(10), { takes: { page: integer, limit: counted } }, null],
  [
    'but the answer may say it',
    { items: items(10), page: 0 },
    { takes: { page: integer, limit: counted } },
    maybe({ page: 1 }),
  ],
  [
    'and the last may be one',
    { items: items(10), totalPages: 3 },
    { takes: { page: integer }, args: { page: 2 } },
    maybe({ page: 3 }),
  ],
  ['a page that is a text is no number', items(10), { takes: { page: text, limit: counted } }, null],
  [
    'null beside a type',
    items(10),
    { takes: { offset: { anyOf: [integer, { type: 'null' }] }, limit: counted } },
    maybe({ offset: 10 }),
  ],

  [
    'a cursor',
    { items: items(2), nextCursor: 'b' },
    { takes: cursor, args: { limit: 2 } },
    next({ limit: 2, cursor: 'b' }),
  ],
  ['its end', { items: items(2), nextCursor: null }, { takes: { ...cursor, ...offset } }, null],
  [
    'page tokens',
    { items: [], next_page_token: 't' },
    { takes: { pageToken: text } },
    next({ pageToken: 't' }),
  ],
  [
    'in meta',
    { data: items(2), meta: { next_cursor: 'c' } },
    { takes: { after: text } },
    next({ after: 'c' }),
  ],
  [
    'of GraphQL',
    { edges: items(2), pageInfo: { hasNextPage: true, endCursor: 'e' } },
    { takes: { after: text } },
    next({ after: 'e' }),
  ],
  [
    'its last page has one too',
    { edges: items(2), pageInfo: { hasNextPage: false, endCursor: 'e' } },
    { takes: { after: text } },
    null,
  ],
  [
    'next is a page where pages count',
    { items: items(2), next: 7 },
    { takes: page, args: { page: 3 } },
    next({ page: 7 }),
  ],
  [
    'next is no cursor of a filter',
    { items: items(2), next: '2026-11-23' },
    { takes: { after: text } },
    null,
  ],
  ['an answer that is no object', 'x', { takes: cursor }, null],
  [
    'the same cursor again leads nowhere',
    { items: items(2), nextCursor: 'b' },
    { takes: cursor, args: { cursor: 'b' } },
    null,
  ],

  [
    'an address',
    { items: items(2), next: '/files/answer?offset=2&word=x' },
    { takes: offset, args: { word: 'x' } },
    next({ offset: 2, word: 'x' }),
  ],
  [
    'an address under links',
    { data: items(2), links: { next: { href: 'https://cdn.example/files/answer?offset=2' } } },
    { takes: offset },
    next({ offset: 2 }),
  ],
  [
    'the address of another route',
    { data: items(2), links: { next: '/elsewhere?offset=2' } },
    { takes: { offset: integer } },
    null,
  ],
  [
    'an address with what is no argument',
    { data: items(2), links: { next: '?offset=2&secret=1' } },
    { takes: { offset: integer } },
    null,
  ],

  [
    'told by its author',
    { rows: items(2), last: { id: 9 } },
    { takes: { since: integer }, says: { cursor: 'since', next: 'last.id' } },
    next({ since: 9 }),
  ],
  [
    'which ends',
    { rows: [], last: null },
    { takes: { since: integer }, says: { cursor: 'since', next: 'last.id' } },
    null,
  ],
  [
    'other names for numbers',
    items(3),
    {
      takes: { from: integer, amount: counted },
      args: { amount: 3 },
      says: { offset: 'from', limit: 'amount' },
    },
    maybe({ amount: 3, from: 3 }),
  ],
  ['no paging', items(10), { takes: offset, says: 'none' }, null],
  [
    'nobody is told to call what may change something',
    items(10),
    {
      takes: offset,
      tool: { hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false } },
    },
    null,
  ],
]

/** An output type that declares all that an answer has. */
function typeOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null) return {}
  if (Array.isArray(value)) return { type: 'array', items: {} }
  if (typeof value !== 'object') return { type: typeof value }
  const properties = Object.entries(value).map(([name, inner]) => [name, typeOf(inner)])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

const list = { outputSchema: typeOf([]) }

t.test('the call for the next page, with its arguments', async (t) => {
  for (const [says, answer, how, hint] of cases) {
    const tool = { ...how.tool, outputSchema: typeOf(answer) }
    t.equal(await noteOf(json(200, answer), { ...how, tool }), hint, says)
  }
})

t.test('data that a user stored does not write the sentence about the next page', async (t) => {
  const schemas: readonly (Readonly<Record<string, unknown>> | null)[] = [
    null,
    typeOf({ id: 1, data: 1 }),
    { type: 'object', properties: { data: { type: 'object', additionalProperties: text } } },
    { type: 'object', properties: { data: { $ref: '#/$defs/Stored' } }, $defs: { Stored: {} } },
    {
      oneOf: [
        { ...typeOf({ data: 1 }), required: ['kind'], properties: { kind: { const: 'note' }, data: {} } },
        { required: ['kind'], properties: { kind: { const: 'page' }, data: typeOf({ nextCursor: 1 }) } },
      ],
      type: 'object',
    },
  ]
  const reported = async (stored: object, takes: NonNullable<Answering['takes']> = cursor) => {
    const made = (outputSchema: Readonly<Record<string, unknown>> | null) =>
      noteOf(json(200, { kind: 'note', data: stored, links: stored }), { takes, tool: { outputSchema } })
    return Promise.all(schemas.map((schema) => made(schema)))
  }
  const none = schemas.map(() => null)
  t.strictSame(await reported({ nextCursor: 'other-tenant' }), none)
  t.strictSame(await reported({ meta: { next: 'other-tenant' } }), none)
  t.strictSame(await reported({ items: items(10), total: 900 }, offset), none)
  t.strictSame(await reported({ next: { href: '/files/answer?cursor=other-tenant' } }), none)
  const address = { next: { href: '/files/answer?cursor=other-tenant' } }
  t.equal(
    await noteOf(json(200, address), { takes: cursor }),
    null,
    'an address in an object is declared too',
  )
  t.equal(
    await noteOf(json(200, { data: { nextCursor: 'b' } }), {
      takes: cursor,
      tool: {
        outputSchema: {
          ...typeOf({ data: 1 }),
          properties: { data: { $ref: '#/$defs/Page' } },
          $defs: { Page: typeOf({ nextCursor: 1 }) },
        },
      }, // as above
    }),
    next({ cursor: 'b' }),
    'what the type declares is told',
  )
})

t.test('the answer itself stays as it is', async (t) => {
  const answer = { items: items(2), nextCursor: 'b' }
  t.strictSame(await answered(json(200, answer), { takes: cursor, tool: { outputSchema: typeOf(answer) } }), {
    content: [
      { type: 'text', text: JSON.stringify(answer) },
      { type: 'text', text: next({ cursor: 'b' }) },
    ],
    structuredContent: answer,
  })
})

t.test('whoever came by a proxy is told to call the proxy', async (t) => {
  t.equal(
    await noteOf(json(200, items(10)), { takes: offset, tool: list, args: { word: 'x' }, isProxied: true }),
    'There may be more: call call_read_only with {"name":"files_answer","arguments":{"word":"x","offset":10}}.',
  )
})

t.test('long arguments are not repeated', async (t) => {
  const word = 'x'.repeat(1000)
  t.equal(
    await noteOf(json(200, items(10)), { takes: offset, tool: list, args: { word } }),
    'There may be more: call files_answer with the same arguments and {"offset":10}.',
  )
})

t.test('Link: rel="next" says it of any answer (RFC 8288)', async (t) => {
  const takes = {
    page: text,
    word: text,
    tag: { type: 'array', items: text },
    all: { type: 'boolean' },
    n: integer,
  }
  const linked = (link: string | readonly string[], args = {}) =>
    noteOf({ status: 200, headers: { 'content-type': 'text/csv', link }, body: 'a,b' }, { takes, args })
  t.equal(await linked('</files/answer?page=2>; rel="next"'), next({ page: '2' }))
  t.equal(
    await linked(
      '<https://x.example/files/answer?page=9>; rel=last; title="a, <b>", <?page=c%2Fd&n=3&all=true&tag=a&tag=b>; rel="prefetch NEXT"',
      { word: 'gone', n: 2 },
    ),
    next({ page: 'c/d', n: 3, all: true, tag: ['a', 'b'] }),
    'what the address leaves out is left out',
  )
  t.equal(
    await linked(['<?page=1>; rel="prev"', '<?page=3>; rel="next"'], { page: '2' }),
    next({ page: '3' }),
  )
  for (const none of [
    '<?page=1>; rel="prev"',
    '</else?page=2>; rel=next',
    '<http://[>; rel=next',
    'nonsense',
    '',
  ]) {
    t.equal(await linked(none), null, none)
  }
  t.equal(await linked('<?page=2>; rel=next', { page: '2' }), null, 'the same page again')
  const inJson = {
    ...json(200, { items: items(1) }),
    headers: { ...json(200, 1).headers, link: '<?page=2>; rel=next' },
  }
  t.equal(await noteOf(inJson, { takes }), next({ page: '2' }), 'of JSON without another word too')
})
