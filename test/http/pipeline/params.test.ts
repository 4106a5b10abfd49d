/** Where arguments come from, and what hostile input meets. Source: language.md, Parameters; rules.md, parameter conversion. */
import { fastifyCookie } from '@fastify/cookie'
import fc from 'fast-check'
import { fastify } from 'fastify'
import t from 'tap'
import type { HttpRequest } from '../../../runtime/contract/http.ts'
import type { Codec, ParamDecoder } from '../../../runtime/contract/route.ts'
import { JsonParseError, MissingError, ParamError } from '../../../runtime/errors.ts'
import * as c from '../../../runtime/http/codec/codec.ts'
import { ParameterResponse } from '../../../runtime/http/pipeline/error-responses.ts'
import { filter, type Parts, post, request, run } from '../support/probe.ts'

// @fastify/cookie loads its parser when it is registered, as the server does
await fastify().register(fastifyCookie).ready()

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'

/** The arguments of a route with these parameters, or what its error tells. */
async function read(params: readonly ParamDecoder[], requested: HttpRequest): Promise<unknown> {
  let args: readonly unknown[] = []
  try {
    const call: Parts['call'] = (_probe, provided) => {
      args = provided
    }
    await run({ params, call }, requested)
    return args
  } catch (error) {
    if (error instanceof JsonParseError) return 'no JSON'
    if (!(error instanceof ParamError)) throw error
    const kind = error instanceof MissingError ? 'missing' : 'invalid'
    return `${kind} ${error.parameter}: ${error.restriction}`
  }
}

const param = (from: ParamDecoder['from'], codec: Codec, more: Partial<ParamDecoder> = {}): ParamDecoder => ({
  name: 'p',
  from,
  required: true,
  codec,
  ...more,
})

t.test('every source is read, by its public name', async (t) => {
  const params = [
    param('path', c.int32, { name: 'id' }),
    param('query', c.int32, { name: 'perPage' }),
    param('header', c.string, { name: 'X-Tenant' }),
    param('field', c.string, { name: 'text' }),
  ]
  const parts = { url: '/probe?perPage=20', params: { id: '7' }, headers: { 'x-tenant': 'a' } }
  t.strictSame(await read(params, post(form, 'text=b', parts)), [7, 20, 'a', 'b'])
  t.strictSame(await read(params, post(json, '{"text":"b"}', parts)), [7, 20, 'a', 'b'])
})

t.test(
  'a list in a header: blanks around its parts and empty parts say nothing, quotes hold a part together, lines of one name are one list',
  async (t) => {
    const ints = c.array(c.int32)
    const texts = c.array(c.string)
    const cases: readonly (readonly [Codec, string | readonly string[], unknown])[] = [
      [ints, '1, 2', [1, 2]],
      [ints, ['1, 2', '3'], [1, 2, 3]],
      [ints, ' 1 ,\t2,, ', [1, 2]],
      [ints, '', []],
      [ints, '[1, 2]', [1, 2]],
      [ints, '1 2', 'invalid X-Ids.0: Int32'],
      [c.nullable(ints), '1, 2', [1, 2]],
      [c.transform(ints, (all: number[]) => new Set(all)), '1, 1, 2', new Set([1, 2])],
      [c.refine(ints, { maxItems: 1 }), '1, 2', 'invalid X-Ids: Int32[]'],
      [c.ref(() => ints), '1, 2', [1, 2]],
      [texts, 'a b, \u00a0c', ['a b', '\u00a0c']],
      [texts, '["a, b"]', ['a, b']],
      [texts, '"a, b", c', ['a, b', 'c']],
      [texts, ['"a, b"', ' c, "d,e" '], ['a, b', 'c', 'd,e']],
      [texts, '"a, b"', ['a, b']],
      [texts, ' ,"a\\"b, \\\\", ', ['a"b, \\']],
      [texts, '""', ['']],
      [texts, '"[1]"', ['[1]']],
      [texts, '"", a', ['', 'a']],
      [texts, 'text/html;q="a,b", c', ['text/html;q="a,b"', 'c']],
      [texts, '"a, b', ['"a', 'b']],
      [c.array(c.literal(['red', 'blue, dark'])), 'red, "blue, dark"', ['red', 'blue, dark']],
      [c.array(c.date), '2026-01-31, "2026-02-01"', [new Date('2026-01-31'), new Date('2026-02-01')]],
      [ints, '"1", 2', [1, 2]],
      [c.string, '"a, b"', '"a, b"'],
      [c.string, 'a, b', 'a, b'],
      [c.union([c.int32, ints]), '1, 2', [1, 2]],
      [c.union([c.int32, ints]), ' 1 ', 1],
      [c.union([c.int32, ints]), '1,', 1],
      [c.union([c.int32, ints]), '[1]', [1]],
      [c.union([c.int32, ints]), ['1', '2'], [1, 2]],
      [c.union([c.int32, ints]), '1, x', 'invalid X-Ids.1: Int32'],
      [c.union([c.string, texts]), 'a', 'a'],
      [c.union([c.string, texts]), '', ''],
      [c.union([c.string, texts]), 'a, "b, c"', ['a', 'b, c']],
      [c.union([c.string, texts]), '"a, b"', 'a, b'],
      [c.union([c.string, texts]), '["a, b"]', ['a, b']],
      [c.union([c.literal(['none']), texts]), '"a, b"', ['a, b']],
      [c.union([c.literal(['none']), texts]), 'none', 'none'],
      [c.nullable(c.union([c.boolean, c.array(c.boolean)])), 'true, false', [true, false]],
      [c.ref(() => c.union([c.date, c.array(c.date)])), '2026-01-31', new Date('2026-01-31')],
      [c.union([c.object({ x: c.int32 }), ints]), '{"x":1}', { x: 1 }],
    ]
    for (const [codec, sent, expected] of cases) {
      const got = await read(
        [param('header', codec, { name: 'X-Ids' })],
        request({ headers: { 'x-ids': sent } }),
      )
      t.strictSame(got, Array.isArray(got) ? [expected] : expected, JSON.stringify(sent))
    }
    const tags = '"a,b", W/"c\\", "d"'
    const ofTags = [param('header', texts, { name: 'If-None-Match' })]
    t.strictSame(await read(ofTags, request({ headers: { 'if-none-match': tags } })), [
      ['"a,b"', 'W/"c\\"', '"d"'],
    ])
  },
)

t.test('a missing or wrong value is named with its type: parameter and restriction', async (t) => {
  t.strictSame(
    await read([param('query', c.int32, { name: 'perPage' })], request()),
    'missing perPage: Int32',
  )
  const wrong = request({ url: '/probe?perPage=many' })
  t.strictSame(await read([param('query', c.int32, { name: 'perPage' })], wrong), 'invalid perPage: Int32')
  const messages: string[] = []
  for (const headers of [{}, { 'x-count': 'many' }]) {
    const params = [param('header', c.int32, { name: 'X-Count' })]
    await run({ params }, request({ headers })).catch((error: ParamError) => {
      messages.push(JSON.stringify(new ParameterResponse(error)))
    })
  }
  t.strictSame(messages, [
    `{"error":"missing required header 'X-Count'","parameter":"X-Count","restriction":"Int32"}`,
    `{"error":"invalid header value for 'X-Count': expected Int32, got text","parameter":"X-Count","restriction":"Int32"}`,
  ])
})

t.test('the query comes before the body, which then stays unread', async (t) => {
  const unread = post(json, '', { url: '/probe?p=query', body: noBodyMayBeRead })
  t.strictSame(await read([param('field', c.string)], unread), ['query'])
  t.strictSame(await read([param('field', c.string)], post(json, '{"p":"body"}')), ['body'])
})

const noBodyMayBeRead: HttpRequest['body'] = {
  kind: 'bytes',
  contentType: json,
  read: () => Promise.reject(new Error('the body was read')),
}

t.test('of a repeated name a scalar takes the first value, a list takes all', async (t) => {
  const requested = request({ url: '/probe?p=1&p=2' })
  t.strictSame(await read([param('query', c.int32)], requested), [1])
  t.strictSame(await read([param('query', c.array(c.int32))], requested), [[1, 2]])
  t.strictSame(await read([param('query', c.array(c.int32))], request({ url: '/probe?p=1,2' })), [[1, 2]])
  t.strictSame(await read([param('query', c.array(c.int32))], request({ url: '/probe?p=' })), [[]])
  t.strictSame(await read([param('field', c.array(c.int32))], post(form, 'p=1&p=2')), [[1, 2]])
})

t.test('required, optional and nullable', async (t) => {
  const optional = { required: false }
  t.strictSame(await read([param('field', c.string, optional)], post(json, '{}')), [undefined])
  t.strictSame(
    await read([param('field', c.string, optional)], post(json, '{"p":null}')),
    'invalid p: string',
  )
  t.strictSame(await read([param('field', c.nullable(c.string))], post(json, '{"p":null}')), [null])
  t.strictSame(
    await read([param('query', c.nullable(c.int32))], request({ url: '/probe?p=x' })),
    'invalid p: Int32',
  )
  t.strictSame(
    await read([param('query', c.int32, optional)], request({ url: '/probe?p=' })),
    'invalid p: Int32',
  )
  t.strictSame(await read([param('body', c.object({}), optional)], post(json, '')), [undefined])
  t.strictSame(await read([param('body', c.object({}))], post(json, '')), 'missing p: object')
})

t.test('a whole body may be a form: each field is read as its property', async (t) => {
  const note = c.ref(() =>
    c.object({
      title: c.string,
      count: c.optional(c.int32),
      tags: c.optional(c.array(c.string)),
    }),
  )
  t.strictSame(await read([param('body', note)], post(form, 'title=a&count=7&tags=x&tags=y&other=1')), [
    { title: 'a', count: 7, tags: ['x', 'y'] },
  ])
  t.strictSame(await read([param('body', note)], post(form, 'count=7')), 'missing title: string')
  t.strictSame(await read([param('body', note)], post(form, 'title=a&count=many')), 'invalid count: Int32')
  const either = c.union([c.object({ a: c.int32 }), note])
  t.strictSame(await read([param('body', either)], post(form, 'title=a')), [{ title: 'a' }])
})

t.test('what a converter throws is a ValueError, never the raw error', async (t) => {
  const broken: Codec = {
    restriction: 'Amount',
    fromText: () => BigInt('many'),
    fromJson: () => Symbol('x').description?.at(0)?.repeat(-1),
    fromFields: () => BigInt('few'),
  }
  t.strictSame(await read([param('query', broken)], request({ url: '/probe?p=1' })), 'invalid p: Amount')
  t.strictSame(await read([param('field', broken)], post(json, '{"p":1}')), 'invalid p: Amount')
  t.strictSame(await read([param('body', broken)], post(form, 'a=1')), 'invalid p: Amount')
})

t.test('names of Object.prototype are absent unless they were sent', async (t) => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    const missing = `missing ${name}: string`
    for (const from of ['path', 'query', 'header', 'cookie', 'field'] as const) {
      const requested = post(json, '{"other":1}', { url: '/probe?other=1' })
      t.strictSame(await read([param(from, c.string, { name })], requested), missing, `${name} in ${from}`)
    }
    const property = c.object(Object.fromEntries([[name, c.unknown]]))
    t.strictSame(await read([param('body', property)], post(json, '{}')), `missing ${name}: unknown`)
  }
  t.strictSame(
    await read([param('field', c.int32, { name: 'length' })], post(json, '[]')),
    'missing length: Int32',
  )
  const sent = post(json, '{"constructor":"sent"}')
  t.strictSame(await read([param('field', c.string, { name: 'constructor' })], sent), ['sent'])
})

t.test('__proto__ never becomes a prototype or a key', async (t) => {
  const body = '{"a":1,"__proto__":{"admin":true}}'
  const known = c.object({ a: c.int32 })
  t.strictSame(await read([param('body', known)], post(json, body)), [{ a: 1 }])
  t.strictSame(await read([param('body', c.record(c.unknown))], post(json, body)), 'invalid p: object')
  t.strictSame(await read([param('body', c.unknown)], post(json, `[{"b":${body}}]`)), 'invalid 0.b: unknown')
  t.strictSame(
    await read([param('body', c.record(c.string))], post(form, '__proto__=x')),
    'invalid p: object',
  )
})

const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth)

t.test('JSON nested 10,000 levels deep is refused, whatever type is expected', async (t) => {
  const tree: c.Decoder = c.object({ child: c.optional(c.ref(() => tree)) })
  const list: c.Decoder = c.array(c.ref(() => list))
  const any: c.Decoder = c.union([c.string, c.ref(() => list), c.record(c.ref(() => any))])
  const objects = nested(10_000, '{"child":', '}').replace('{"child":}', '{}')
  const arrays = nested(10_000, '[', ']')
  for (const codec of [c.unknown, tree, list, any, c.record(c.unknown), c.array(c.unknown)]) {
    for (const body of [objects, arrays]) {
      t.match(await read([param('body', codec)], post(json, body)), /^invalid /)
    }
  }
  for (const codec of [tree, list, c.record(c.unknown)]) {
    for (const body of [objects, arrays]) {
      t.match(await read([param('field', codec)], post(form, `p=${encodeURIComponent(body)}`)), /^invalid /)
    }
  }
  const shallow = nested(100, '{"child":', '}').replace('{"child":}', '{}')
  t.strictSame(await read([param('body', tree)], post(json, shallow)), [JSON.parse(shallow)])
})

t.test('unions that hold themselves cannot be made to work for ever', async (t) => {
  const optional = c.optional(c.ref(() => either))
  const either: c.Decoder = c.union([
    c.object({ next: optional, left: c.int32 }),
    c.object({ next: optional, right: c.int32 }),
  ])
  const body = `${'{"next":'.repeat(60)}{}${'}'.repeat(60)}`
  t.match(await read([param('body', either)], post(json, body)), /^invalid p: /, 'not after 2^60 steps')
  const fits = `${'{"right":1,"next":'.repeat(5)}{"left":1}${'}'.repeat(5)}`
  t.strictSame(await read([param('body', either)], post(json, fits)), [JSON.parse(fits)])
})

t.test('huge numbers, NUL, lone surrogates and malformed percent-encoding are refused', async (t) => {
  const digits = '9'.repeat(100_000)
  for (const codec of [c.int32, c.int64, c.integer, c.bigint, c.number]) {
    t.match(await read([param('field', codec)], post(form, `p=${digits}`)), /^invalid p: /)
    t.match(await read([param('field', codec)], post(json, `{"p":${digits}}`)), /^invalid p: /)
    t.match(await read([param('field', codec)], post(json, '{"p":1e999}')), /^invalid p: /)
  }
  for (const text of ['a\\u0000b', '\\ud800', '\\udc00\\ud800']) {
    for (const codec of [c.string, c.format('email'), c.format('other'), c.nullable(c.string)]) {
      t.match(await read([param('field', codec)], post(json, `{"p":"a@${text}"}`)), /^invalid p: /)
    }
    t.match(await read([param('body', c.record(c.int32))], post(json, `{"${text}":1}`)), /^invalid /)
  }
  t.strictSame(await read([param('field', c.string)], post(json, '{"p":"\\ud83d\\ude00"}')), ['\u{1f600}'])
  for (const raw of ['%E0%A4%A', '%', '%zz', '%ff', 'a%00b']) {
    t.strictSame(
      await read([param('query', c.string)], request({ url: `/probe?p=${raw}` })),
      'invalid p: string',
    )
  }
  t.strictSame(await read([param('query', c.string)], request({ url: '/probe?p=%EF%BF%BD' })), ['\ufffd'])
})

t.test(
  'types: 64-bit integers are bigint within their range, and decimal texts in JSON, as their schema says',
  async (t) => {
    const read64 = (value: string): Promise<unknown> =>
      read([param('field', c.int64)], post(json, `{"p":${value}}`))
    t.strictSame(
      [await read64('"9223372036854775807"'), await read64('"-9223372036854775808"'), await read64('"7"')],
      [[9223372036854775807n], [-9223372036854775808n], [7n]],
    )
    for (const value of [
      '"9223372036854775808"',
      '7',
      '9007199254740993',
      '1.5',
      'true',
      '"0x10"',
      '""',
      '" 1"',
    ]) {
      t.strictSame(await read64(value), 'invalid p: Int64')
    }
  },
)

const order: c.Decoder = c.object({
  id: c.int64,
  lines: c.array(
    c.object({
      sku: c.uuid,
      note: c.optional(c.nullable(c.string)),
    }),
  ),
  kind: c.optional(c.literal(['new', 'used', 3])),
  at: c.optional(c.union([c.date, c.bytes, c.nullValue])),
  parent: c.optional(c.ref(() => order)),
  rest: c.optional(c.record(c.tuple([c.boolean, c.number], 1))),
})

t.test(
  'whatever JSON or text arrives is read or refused with a ParamError, by body, query, header and cookie',
  async (t) => {
    let refused = 0
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.jsonValue(), fc.object()),
        fc.string({ unit: 'binary' }),
        async (value, text) => {
          const texts = request({
            url: `/probe?p=${encodeURIComponent(Buffer.from(text).toString())}`,
            headers: { p: text, cookie: `p=${text}` },
          })
          const results = [
            await read([param('body', order)], request({ body: { kind: 'value', value } })),
            await read([param('field', order)], request({ body: { kind: 'value', value: { p: value } } })),
            await read([param('query', order)], texts),
            await read([param('header', c.array(c.union([c.int64, c.date])))], texts),
            await read([param('cookie', c.format('uri'))], texts),
          ]
          refused += results.filter((result) => typeof result === 'string').length
        },
      ),
      { numRuns: 1000 },
    )
    t.ok(refused > 1000)
  },
)

t.test('a filter and the action read the same parameter alike', async (t) => {
  const seen: unknown[] = []
  const params = [param('query', c.array(c.date))]
  const filters = [filter('before', 'seen', (_probe, [value]) => void seen.push(value), params)]
  await run(
    { filters, params, call: (_probe, [value]) => void seen.push(value) },
    request({ url: '/probe?p=2026-01-02' }),
  )
  const day = [new Date('2026-01-02')]
  t.strictSame(seen, [day, day])
})
