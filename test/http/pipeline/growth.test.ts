/** What a whole request costs, from its first byte to the line in the log: in proportion to what it brings. */
import t from 'tap'
import type { Codec, ParamDecoder } from '../../../runtime/contract/route.ts'
import * as c from '../../../runtime/http/codec/codec.ts'
import { Chance } from '../../flow/permission/support/random-scopes.ts'
import { growth } from '../../support/report/growth.ts'
import { openProbe } from '../support/one-route.ts'

t.setTimeout(240_000) // a busy machine

type Decoder = ReturnType<typeof c.union>

const param = (name: string, from: ParamDecoder['from'], codec: Codec, required = false): ParamDecoder => ({
  ...{ name, from, required, codec },
})
const control = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** As deep as asked, in as many bytes a level. */
const nested = (depth: number): string => `${'{"left":'.repeat(depth)}"x"${'}'.repeat(depth)}`
const brackets = (depth: number): string => `a${'[b]'.repeat(depth)}`

const tree: Decoder = c.union([c.ref(() => node), c.string])
const node = c.object({ left: c.optional(tree), right: c.optional(tree) })

type Inputs = readonly (readonly [name: string, input: (bytes: number) => string])[]

/** Pairs of names and values, in so many bytes. */
const pairs: Inputs = [
  [
    'names',
    (bytes) => Array.from({ length: bytes / 8 }, (_, at) => `n${String(at).padStart(5, '0')}=1`).join('&'),
  ],
  ['one name', (bytes) => 'list=1&'.repeat(bytes / 7)],
  ['a long value', (bytes) => `text=${'a'.repeat(bytes)}`],
  ['an encoded value', (bytes) => `text=${'%C3%A9'.repeat(bytes / 6)}`],
  ['what is no encoding', (bytes) => `text=${'%zz'.repeat(bytes / 3)}`],
  ['a long list', (bytes) => `list=${'1,'.repeat(bytes / 2)}1`],
  ['brackets', (bytes) => `${brackets(bytes / 3)}=1`],
  ['names with brackets', (bytes) => `list${'[]'.repeat(8)}=1&`.repeat(bytes / 23)],
  ['JSON', (bytes) => `tree=${encodeURIComponent(nested(Math.floor(bytes / 25)))}`],
]

const fields = (from: 'query' | 'field'): readonly ParamDecoder[] => [
  param('text', from, c.string),
  param('list', from, c.array(c.string)),
  param('tree', from, tree),
]

t.test('twice the query takes twice the time', async (t) => {
  const app = await openProbe(t, { params: fields('query'), call: () => 'read' })
  const client = app.client()
  t.equal((await client.get('/probe?text=1&list=2&tree=%22x%22')).statusCode, 200)
  for (const [name, input] of pairs)
    await growth(t, {
      name: `query, ${name}: bytes`,
      sizes: [3_000, 6_000, 12_000], // a head has 16 kB
      input: (bytes) => `/probe?${input(bytes)}`,
      work: (url) => client.get(url),
      control: (url) => encodeURIComponent(url),
    })
})

t.test('twice the url-encoded form takes twice the time, by field and as a whole', async (t) => {
  const whole = c.object({
    text: c.optional(c.string),
    list: c.optional(c.array(c.string)),
    tree: c.optional(tree),
  })
  const routes = {
    'by field': fields('field'),
    'as a map': [param('body', 'body', c.record(c.union([c.string, c.array(c.string)])))],
    'as a union': [param('body', 'body', c.union([whole, c.object({ other: c.string })]))],
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [how, params] of Object.entries(routes)) {
    const client = (await openProbe(t, { verb: 'POST', params, call: () => 'read' })).client()
    for (const [name, input] of pairs)
      await growth(t, {
        name: `form ${how}, ${name}: bytes`,
        sizes: [250_000, 500_000],
        input,
        work: (payload) => client.request({ method: 'POST', url: '/probe', headers, payload }),
        control: (payload) => encodeURIComponent(payload),
      })
  }
})

/** Types that hold one another through unions without a tag. */
function randomUnion(chance: Chance): Decoder {
  const types: Decoder[] = []
  const some = (): Decoder => c.ref(() => types[chance.below(3)] ?? c.string)
  const holder = (): Decoder =>
    [some, () => c.array(some()), () => c.record(some())][chance.below(6)]?.() ?? some()
  for (let number = 0; number < 3; number += 1) {
    const members = Array.from({ length: 2 + chance.below(3) }, () => {
      const [left, right] = [holder(), holder()]
      const note = chance.below(2) === 0 ? { note: c.optional(c.string) } : { note: c.string }
      const object = c.object({ left: c.optional(left), right: c.optional(right), ...note })
      return chance.below(4) === 0 ? c.array(object) : object
    })
    types.push(c.union([...members, c.string]))
  }
  return types[0] ?? c.string
}

/** As deep as asked, in as many bytes a level, the same outside however deep: objects, and what else such types may hold. */
function randomText(seed: number, depth: number, last: unknown): string {
  const chance = new Chance(seed)
  const levels = Array.from({ length: depth }, () => ({
    side: chance.below(2) === 0 ? 'left' : 'right',
    kind: chance.below(12),
  }))
  const value = levels.reduceRight<unknown>((inner, { side, kind }) => {
    const held = kind === 0 ? [inner] : kind === 1 ? { key: inner } : inner
    return { [side]: held, note: 'n' }
  }, last)
  return JSON.stringify(value)
}

const seeds = Array.from({ length: 40 }, (_, seed) => seed)

t.test('twice the depth of generated unions without a tag takes a route twice the time', async (t) => {
  let judge: Decoder = c.string
  const provided: Codec = {
    restriction: 'generated',
    fromText: (texts, path) => judge.fromText(texts, path),
    fromJson: (value, path) => judge.fromJson(value, path),
    fromFields: (form, path) => judge.fromFields(form, path),
  }
  const params = [param('body', 'body', provided, true)]
  const client = (await openProbe(t, { verb: 'POST', params, call: () => 'read' })).client()
  const headers = { 'content-type': 'application/json' }
  const judges = seeds.map((seed) => randomUnion(new Chance(seed)))
  const sendAll = async (payloads: readonly string[]): Promise<readonly number[]> => {
    const statuses: number[] = []
    for (const [at, payload] of payloads.entries()) {
      judge = judges[at] ?? c.string
      const { statusCode } = await client.request({ method: 'POST', url: '/probe', headers, payload })
      statuses.push(statusCode)
    }
    return statuses
  }
  for (const [how, last] of Object.entries({ text: 'x', number: 1 }))
    await growth(t, {
      name: `${seeds.length} generated unions, a ${how} at the end: levels`,
      sizes: [8, 16, 32],
      input: (depth) => seeds.map((seed) => randomText(seed, depth, last)),
      work: sendAll,
      control: (payloads) => payloads.map((text) => JSON.parse(text)),
      maxMs: 200,
    })
  const statuses = await sendAll(seeds.map((seed) => randomText(seed, 32, 'x')))
  const fitting = statuses.filter((status) => status === 200).length
  t.ok(fitting >= 5 && fitting <= 35, `${fitting} of ${statuses.length} fit, 32 levels deep`)
})

interface Raised {
  readonly name: string
  readonly sizes: readonly number[]
  readonly raised: (size: number) => unknown
}

const raised: readonly Raised[] = [
  {
    name: 'causes of causes: errors',
    sizes: [500, 1_000, 2_000],
    raised: (count) => {
      let error = new Error('first')
      for (let left = count; left > 1; left -= 1) error = new Error('next', { cause: error })
      return error
    },
  },
  ...['an error', 'a text'].map((kind) => ({
    name: `${kind} of names and values: characters`,
    sizes: [262_144, 524_288, 1_000_000],
    raised: (length: number) => {
      const text = 'name=value '.repeat(length / 11)
      return kind === 'an error' ? new Error(text, { cause: new Error(text) }) : text
    },
  })),
]

t.test(
  'an exception is logged, and shown in development, in time that its length does not decide',
  async (t) => {
    let error: unknown = null
    const throws = (): never => {
      throw error
    }
    const lines: string[] = []
    const logged = (await openProbe(t, { logged: (line) => void lines.push(line), call: throws })).client()
    const shown = (await openProbe(t, { call: throws })).client()
    for (const { name, sizes, raised: input } of raised)
      await growth(t, {
        name: `exception, ${name}`,
        sizes,
        input,
        work: async (provided) => {
          error = provided
          lines.length = 0
          const [{ statusCode }, page] = [await logged.get('/probe'), await shown.get('/probe')]
          if (statusCode !== 500 || page.statusCode !== 500) throw new Error('it was not raised')
        },
        control: (provided) => control(String(provided)),
        maxMs: 60,
      })
    t.match(lines.join(''), 'more characters', 'what is left out is said')
  },
)

const heads: readonly (readonly [name: string, url: (size: number) => string, header: string])[] = [
  ['a long address', (size) => `/probe?${'name=value&'.repeat(size / 11)}`, ''],
  ['secrets', (size) => `/probe?${'code=x&'.repeat(size / 7)}`, ''],
  ['what is encoded over and over', (size) => `/probe?a=${'%2525'.repeat(size / 5)}`, ''],
  ['marks', (size) => `/probe?${'a?#'.repeat(size / 3)}`, ''],
  ['no route', (size) => `/${'a/'.repeat(size / 2)}`, ''],
  ...[
    ['accept', 'a/b;q=0.5,'],
    ['accept', 'text/html;a="\\";q=,'],
    ['accept-language', 'de-CH;q=0.9,'],
    ['accept-encoding', 'gzip;q=0.1,'],
    ['cookie', 'a=b; '],
    ['cookie', 'a="%C3%A9'],
    ['if-none-match', 'W/"a", '],
    ['if-none-match', '"W/'],
    ['if-match', '"a", '],
    ['range', 'bytes=0-1,'],
    ['range', `bytes=${'1'.repeat(10)}`],
    ['content-type', 'a/b; a="\\"; '],
    ['content-type', 'a/b;a '],
    ['authorization', 'Bearer a.b.'],
    ['authorization', 'Basic a:'],
    ['x-forwarded-for', '127.0.0.1, '],
    ['forwarded', 'for=a;by=b,'],
    ['traceparent', '00-a-'],
    ['baggage', 'a=b,'],
    ['x-request-id', 'a.'],
    ['origin', 'http://a'],
  ].map(([header = '', piece = '']): readonly [string, (size: number) => string, string] => [
    `${header} of ${JSON.stringify(piece)}`,
    (size) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size),
    header,
  ]),
]

t.test('a request, and the line it has in the log, takes time in proportion to its head', async (t) => {
  const lines: string[] = []
  const logged = (line: string): void => void lines.push(line)
  const own = await openProbe(t, { logged, call: () => ({ a: 1 }) })
  const client = own.client()
  for (const [name, textOf, header] of heads)
    await growth(t, {
      name: `head, ${name}: bytes`,
      sizes: [8_000, 16_000, 32_000],
      input: textOf,
      work: (text) => {
        lines.length = 0
        return header === '' ? client.get(text) : client.get('/probe', { [header]: text })
      },
      control: (text) => encodeURIComponent(text),
      maxMs: 40,
    })
  lines.length = 0
  await client.get(`/probe?${'name=value&'.repeat(3_000)}code=x`)
  t.ok(lines.join('').length < 10_000, 'a line has a bounded length')
})
