/** How the work for what a stranger sends grows: twice as much of it takes twice the time. */
import t from 'tap'
import * as c from '../../../runtime/http/codec/codec.ts'
import { cookiesOf } from '../../../runtime/http/input/cookies.ts'
import { parseMultipart } from '../../../runtime/http/input/multipart.ts'
import { Uploads } from '../../../runtime/http/input/uploads.ts'
import { redactText, redactUrl } from '../../../runtime/http/log/redact.ts'
import { ShapeReader } from '../../../templates/client/reader.ts'
import { growth } from '../../support/report/growth.ts'

t.setTimeout(240_000)

const outcomeOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error
  }
}

/** As deep as asked, the last level `last`. */
const nested = (depth: number, last: unknown): string => {
  let value = last
  for (let level = 0; level < depth; level++) value = { left: value, note: 'n', op: 'not' }
  return JSON.stringify(value)
}

const tag = (name: string): ReturnType<typeof c.literal> => c.literal([name])
const unions = (): Readonly<Record<string, ReturnType<typeof c.union>>> => {
  const untagged: ReturnType<typeof c.union> = c.union([c.ref(() => a), c.ref(() => b), c.string])
  const a = c.object({ left: c.optional(untagged), right: c.optional(untagged), note: c.string })
  const b = c.object({ left: c.optional(untagged), note: c.string, more: c.optional(c.string) })
  const mutual: ReturnType<typeof c.union> = c.union([c.ref(() => decoder), c.ref(() => two)])
  const decoder = c.object({ left: c.ref(() => pair) })
  const two = c.object({ left: mutual, note: c.string })
  const pair: ReturnType<typeof c.union> = c.union([c.ref(() => decoder), c.ref(() => two), c.string])
  const last: ReturnType<typeof c.union> = c.union([c.ref(() => and), c.ref(() => not), c.string])
  const and = c.object({ left: last, right: c.optional(last), op: tag('and') })
  const not = c.object({ left: last, op: tag('not') })
  const lists: ReturnType<typeof c.union> = c.union([
    c.array(c.ref(() => and)),
    c.ref(() => not),
    c.string,
    c.record(c.ref(() => last)),
  ])
  return { untagged, mutual, 'the tag last': last, 'lists, records': lists }
}

t.test('twice the depth of a union without a tag takes twice the time, whether it fits or not', async (t) => {
  for (const [name, decoder] of Object.entries(unions()))
    for (const [how, last] of [
      ['fits', 'x'],
      ['fails', 1],
    ] as const)
      await growth(t, {
        name: `union, ${name}, ${how}`,
        sizes: [16, 32, 64],
        input: (depth) => nested(depth, last),
        work: (text) => outcomeOf(() => decoder.fromJson(JSON.parse(text), '')),
        control: (text) => JSON.parse(text),
        maxMs: 20,
      })
})

/** A template type, and what people write as `@pattern`: repeats that may share a text. */
const sharing: readonly (readonly [pattern: string, text: string])[] = [
  ['^[\\s\\S]*@[\\s\\S]*\\.[\\s\\S]*:$', '@.'],
  ['^[\\s\\S]*a[\\s\\S]*a[\\s\\S]*a[\\s\\S]*b$', 'a'],
  ['^x-[\\s\\S]*-[\\s\\S]*--?(?:0|[1-9]\\d*)(?:\\.\\d+)?$', '-1'],
  ['^(a+)+$', 'a'],
  ['\\d+-\\d+$', '1'],
]

t.test('twice the text takes twice the time, whatever pattern it is held against', async (t) => {
  for (const [pattern, piece] of sharing) {
    const decoder = c.refine(c.string, { pattern })
    const names = c.object({}, null, [[c.textPattern(pattern), c.string]])
    await growth(t, {
      name: `${pattern}, a text and a name: characters`,
      sizes: [10_000, 40_000],
      input: (count) => `x-${piece.repeat(count / piece.length)}!`,
      work: (text) => [
        outcomeOf(() => decoder.fromJson(text, '')),
        outcomeOf(() => names.fromJson({ [text]: '' }, '')),
      ],
      control: (text) => encodeURIComponent(text),
      maxMs: 100,
    })
  }
})

const pieces = [
  'a',
  'b',
  '-',
  '[ab]',
  '[^a]',
  '.',
  '\\d',
  '[\\s\\S]',
  '\\.',
  '\\P{CWL}',
  'é',
  '😀',
  '\\u{1F600}',
]
const written = ['a', 'b', '-', '1', 'é', '😀', '\n', 'A']
const repeats = ['*', '+', '?', '{2}', '{1,3}', '{2,}', '*?']

t.test('a pattern matches what the engine says that it matches', (t) => {
  let seed = 7
  const drawn = (count: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % count
  }
  const oneOf = (list: readonly string[]): string => list[drawn(list.length)] ?? ''
  const made = (depth: number): string => {
    const kind = depth === 0 ? 0 : drawn(10)
    if (kind < 4) return oneOf(pieces)
    if (kind < 6) return made(depth - 1) + made(depth - 1)
    if (kind === 6) return `(?:${made(depth - 1)}|${made(depth - 1)}|)`
    return `(${made(depth - 1)})${oneOf(repeats)}`
  }
  const differing = Array.from({ length: 4_000 }, () => {
    const pattern = `${oneOf(['^', ''])}(?:${made(3)}){1}${oneOf(['$', ''])}`
    const text = Array.from({ length: drawn(9) }, () => oneOf(written)).join('')
    return c.textPattern(pattern).test(text) === new RegExp(pattern, 'u').test(text) ? [] : [pattern, text]
  }).flat()
  t.strictSame(differing, [])
  t.end()
})

t.test('twice the depth of lists of unique items takes twice the time', async (t) => {
  const unique = { uniqueItems: true }
  const tree = c.object({ kids: c.optional(c.refine(c.array(c.ref(() => tree)), unique)), note: c.string })
  const treeOf = (depth: number): string => {
    let value: object = { note: 'leaf' }
    for (let level = 0; level < depth; level++) {
      const others = Array.from({ length: 100 }, (_, at) => ({ note: `${level}, ${at}` }))
      value = { kids: [...others, value], note: 'n' }
    }
    return JSON.stringify(value)
  }
  await growth(t, {
    name: 'lists of unique items in one another: levels',
    sizes: [32, 64, 128],
    input: treeOf,
    work: (text) => outcomeOf(() => tree.fromJson(JSON.parse(text), '')),
    control: (text) => JSON.parse(text),
    maxMs: 100,
  })
  const inside = treeOf(64).replace('"31, 7"', '"31, 8"')
  t.match(
    outcomeOf(() => tree.fromJson(JSON.parse(treeOf(64)), '')),
    { note: 'n' },
  )
  t.match(
    outcomeOf(() => tree.fromJson(JSON.parse(inside), '')),
    { message: /must not have an item twice/ },
  )
})

const letters = (count: number): string =>
  String.fromCodePoint(...Array.from({ length: count }, (_, at) => 0x4e00 + (at % 20_000)))

t.test('twice the address takes twice the time, whatever the letters of its host', async (t) => {
  const uri = c.format('uri')
  const uris = c.array(uri)
  const hosts: Readonly<Record<string, (host: string) => string>> = {
    'its host': (host) => `https://${host}/`,
    'a host behind a user': (host) => `https:user:@${host}:80?a`,
    'a host in pieces': (host) => ` h\tttp:\\\\${host}\\a`,
    'no host': (host) => `https://a.example/${host}`,
  }
  for (const [name, addressOf] of Object.entries(hosts))
    await growth(t, {
      name: `an address, ${name}: letters`,
      sizes: [8_000, 16_000, 64_000],
      input: (count) => addressOf(letters(count)),
      work: (text) => outcomeOf(() => uri.fromJson(text, '')),
      control: (text) => encodeURIComponent(text),
      maxMs: 50,
    })
  await growth(t, {
    name: 'addresses: bytes',
    sizes: [250_000, 500_000, 1_000_000],
    input: (bytes) => Array.from({ length: bytes / 770 }, () => `http://${letters(250)}`),
    work: (list) => uris.fromJson(list, ''),
    control: (list) => JSON.stringify(list),
    maxMs: 350,
  })
  for (const [taken, text] of [
    [true, `https://user:${'p'.repeat(300)}@${letters(100)}.example:8080/?a`],
    [true, `data:text/plain,${'a'.repeat(1_000)}`],
    [true, `foo://${'a'.repeat(253)}/`],
    [false, `https://${'a'.repeat(254)}/`],
    [false, 'https://'],
    [false, '/a'],
  ] as const)
    t.equal(outcomeOf(() => uri.fromJson(text, '')) === text, taken, text.slice(0, 20))
})

t.test('a union without a tag is read 64 levels deep, nothing lost', async (t) => {
  const { untagged, 'the tag last': last } = unions()
  for (const decoder of [untagged, last]) {
    const value = JSON.parse(nested(64, 'x'))
    const read = JSON.stringify(decoder?.fromJson(value, ''))
    t.equal(read.match(/"left"/g)?.length, 64)
  }
})

t.test(
  'the typed client reads a deep union without a tag in twice the time for twice the depth',
  async (t) => {
    const shapes = {
      A: '{"object":{"left":{"named":"U"},"note":"string"},"required":[]}',
      B: '{"object":{"left":{"named":"U"},"op":"string","note":"date"},"required":[]}',
      U: '{"union":[{"named":"A"},{"named":"B"},{"list":{"named":"U"}},"string","date"]}',
    }
    const listed = (depth: number): string => `${'['.repeat(depth)}"x"${']'.repeat(depth)}`
    for (const [name, input] of [
      ['objects', (depth: number) => nested(depth, 'x')],
      ['lists', listed],
    ] as const)
      await growth(t, {
        name: `typed client, union of ${name}`,
        sizes: [8, 16, 32],
        input,
        work: (text) => new ShapeReader(shapes).read({ named: 'U' }, JSON.parse(text)),
        control: (text) => JSON.parse(text),
        maxMs: 20,
      })
  },
)

const names = new Set(['token', 'code'])
const texts: Readonly<Record<string, (size: number) => string>> = {
  'pairs of an address': (size) => `/?${'a=b&'.repeat(size / 4)}`,
  'an address without an end': (size) => `/?${'a?#'.repeat(size / 3)}`,
  'encoded over and over': (size) => `/?a=${'%2525'.repeat(size / 5)}`,
  quotes: (size) => '"'.repeat(size),
  'names of JSON': (size) => '"a":"\\"'.repeat(size / 7),
  'spaces behind a name': (size) => `"a"${' '.repeat(size)}`,
  letters: (size) => 'a'.repeat(size),
  'names and values': (size) => 'name=value '.repeat(size / 11),
  secrets: (size) => 'code=x "token":"x" '.repeat(size / 19),
}

t.test('twice the text of a log line takes twice the time to mask', async (t) => {
  for (const [name, input] of Object.entries(texts))
    await growth(t, {
      name: `mask, ${name}`,
      sizes: [250_000, 500_000, 1_000_000],
      input,
      work: (text) => [redactUrl(text, names), redactText(text, names)],
      control: (text) => encodeURIComponent(text),
    })
})

t.test('twice the cookies, fields or parts of a form take twice the time', async (t) => {
  await growth(t, {
    name: 'cookies',
    sizes: [4_000, 8_000, 16_000],
    input: (size) => 'a=b; '.repeat(size / 5),
    work: (text) => cookiesOf({ cookie: text }),
    control: (text) => text.split('; ').join(),
  })
  const limits = { fields: 10_000, fieldBytes: 1e6, bodyBytes: 1e6, files: 0, fileBytes: 1 }
  const contentType = 'multipart/form-data; boundary=x'
  await growth(t, {
    name: 'multipart, fields',
    sizes: [250, 500, 1000], // as many as a form may have
    input: (fields) => {
      const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n'
      return Buffer.from(`${part.repeat(fields)}--x--\r\n`)
    },
    work: async (bytes) => {
      const source = (async function* () {
        yield bytes
      })()
      await parseMultipart(source, { contentType, limits, uploads: new Uploads() })
    },
    control: (bytes) => JSON.stringify(bytes.toString().split('\r\n')),
    maxMs: 60,
  })
})
