/** Answers above their budget: whole items, whole lines, whole characters; what was left out is said, with the way to it. */
import fc from 'fast-check'
import t from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import { toolContentType } from '../../../runtime/http/output/tool-result.ts'
import { json, serve } from '../support/support.ts'
import { type Answering, answered, integer } from './answering.ts'

/** Whether JSON has half of a surrogate pair alone: it is written as an escape then. */
const hasHalf = (text: string): boolean => /\\ud[89a-f]/i.test(text)

const numbers = Array.from({ length: 100 }, (_, index) => index)
const address = 'https://notes.example/files/answer'
const text = { type: 'string' }
const budget = (answerChars: number) => ({ options: { answerChars } })
const link = (size: number, more: object = {}) => ({
  type: 'resource_link',
  uri: address,
  name: 'files_answer',
  mimeType: 'application/json',
  size,
  ...more,
})

const cut = (structuredContent: unknown, note: string, ...blocks: readonly object[]) => ({
  content: [
    { type: 'text', text: JSON.stringify(structuredContent) },
    { type: 'text', text: note },
    ...blocks,
  ],
  structuredContent,
})

t.test('whole items stay, in the list that is the answer or wherever it is', async (t) => {
  const shown = numbers.slice(0, 13)
  t.strictSame(
    await answered(json(200, numbers), budget(30)),
    cut(
      shown,
      `13 of 100 items are shown. The whole answer has 291 characters. The whole answer is at ${address}.`,
      link(291),
    ),
  )
  t.strictSame(
    await answered(json(200, { of: 'x', items: numbers }), budget(30)),
    cut(
      { of: 'x', items: [0, 1, 2, 3, 4] },
      `5 of 100 items of 'items' are shown. The whole answer has 310 characters. The whole answer is at ${address}.`,
      link(310),
    ),
  )
  const nested = await answered(json(200, { data: { rows: numbers, total: 100 }, ok: true }), budget(60))
  t.strictSame(nested.structuredContent, { data: { rows: numbers.slice(0, 9), total: 100 }, ok: true })
  t.match(nested.content[1].text, /^9 of 100 items of 'data\.rows' are shown\. /)
  const both = await answered(json(200, { a: numbers, b: numbers, c: 1 }), budget(60))
  t.match(both.content[1].text, /^10 of 100 items of 'a' are shown\. 10 of 100 items of 'b' are shown\. /)
})

t.test('JSON that is too deep to be written again is its text alone', async (t) => {
  const body = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const outcome = { status: 200, headers: { 'content-type': 'application/problem+json' }, body }
  t.strictSame(await answered(outcome), { content: [{ type: 'text', text: body }] })
})

t.test('only what is too long alone is cut inside', async (t) => {
  const letters = 'abcdefghij'.repeat(10)
  const value = await answered(json(200, { items: [{ id: 1, body: letters }, { id: 2 }] }), budget(60))
  t.strictSame(value.structuredContent, { items: [{ id: 1, body: letters.slice(0, 30) }] })
  t.match(
    value.content[1].text,
    /^1 of 2 items of 'items' are shown\. 30 of 100 characters of 'items\[0\]\.body' are shown\. /,
  )
  const map = Object.fromEntries(numbers.map((number) => [`key-${number}`, number]))
  const entries = await answered(json(200, map), budget(60))
  t.strictSame(entries.structuredContent, { 'key-0': 0, 'key-1': 1, 'key-2': 2, 'key-3': 3, 'key-4': 4 })
  t.match(entries.content[1].text, /^5 of 100 entries are shown\. /)
  const scalar = await answered(json(200, letters), budget(30))
  t.equal(scalar.structuredContent, letters.slice(0, 28))
  t.match(scalar.content[1].text, /^28 of 100 characters are shown\. /)
})

t.test('the call for the rest is told where arguments ask for it', async (t) => {
  const counted = { type: 'integer', default: 100 }
  const page = { type: 'integer', minimum: 1 }
  const rest = async (how: Answering): Promise<string> => {
    const tool = { outputSchema: { type: 'array', items: integer } }
    const { content } = await answered(json(200, numbers), { ...budget(30), tool, ...how })
    t.equal(content.length, how.takes === undefined ? 3 : 2, 'no link beside the call')
    return content[1].text.replace('13 of 100 items are shown. The whole answer has 291 characters. ', '')
  }
  const call = (args: object): string => `For the rest call files_answer with ${JSON.stringify(args)}.`
  const again = (args: object): string =>
    `The next page begins after those left out: for pages that fit call files_answer with ${JSON.stringify(args)}.`
  t.equal(await rest({ takes: { offset: integer, limit: counted } }), call({ offset: 13 }))
  t.equal(await rest({ takes: { skip: integer }, args: { skip: 20 } }), call({ skip: 33 }))
  t.equal(await rest({ takes: { page, limit: counted } }), call({ limit: 13, page: 2 }))
  t.equal(
    await rest({ takes: { page, limit: counted }, args: { page: 3 } }),
    call({ page: 22, limit: 10 }),
    'of 213 items 210 fill pages of ten: three are shown again',
  )
  t.equal(await rest({ takes: { cursor: text, limit: counted } }), again({ limit: 13 }))
  t.equal(
    await rest({ takes: { cursor: text, limit: counted, offset: integer }, args: { cursor: 'x' } }),
    again({ cursor: 'x', limit: 13 }),
  )
  t.equal(
    await rest({ takes: { page: integer, limit: counted } }),
    again({ limit: 13 }),
    'no first page is known',
  )
  t.equal(
    await rest({ takes: { offset: integer }, isProxied: true }),
    'For the rest call call_read_only with {"name":"files_answer","arguments":{"offset":13}}.',
  )
})

t.test('where none do, narrower arguments and a link; nothing of what may change something', async (t) => {
  const { content } = await answered(json(200, numbers), {
    ...budget(30),
    takes: { word: text, page: integer },
    args: { word: 'é' },
  })
  t.strictSame(content.slice(1), [
    {
      type: 'text',
      text: `13 of 100 items are shown. The whole answer has 291 characters. Call files_answer again with narrower 'word'. The whole answer is at ${address}?word=%C3%A9.`,
    },
    link(291, { uri: `${address}?word=%C3%A9` }),
  ])
  const hints = { readOnly: false, destructive: false, idempotent: false, openWorld: false }
  const written = await answered(json(200, numbers), {
    ...budget(30),
    tool: { hints },
    takes: { offset: integer },
  })
  t.strictSame(written.content.slice(1), [
    {
      type: 'text',
      text: '13 of 100 items are shown. The whole answer has 291 characters. Do not call it again for the rest: it may change something.',
    },
  ])
})

t.test('structured content fits its schema, or is left to the text', async (t) => {
  const of = async (outputSchema: object) => {
    const found = await answered(json(200, { items: numbers }), {
      ...budget(30),
      tool: { outputSchema: { type: 'object', ...outputSchema } },
    })
    t.equal(found.content[0].text, '{"items":[0,1,2,3,4,5,6,7,8]}')
    return found.structuredContent
  }
  const items = { type: 'array', items: { type: 'integer' } }
  t.strictSame(await of({ properties: { items } }), { items: [0, 1, 2, 3, 4, 5, 6, 7, 8] })
  t.equal(await of({ properties: { items: { ...items, minItems: 50 } } }), undefined)
  t.equal(
    await of({ properties: { items: { $ref: '#/$defs/all' } }, $defs: { all: { ...items, minItems: 10 } } }),
    undefined,
  )
  t.equal(await of({ $ref: '#/$defs/nothing' }), undefined, 'a schema that cannot be judged by')
})

t.test('text is cut at the end of a line, else of a character', async (t) => {
  const plain = (body: string): HttpResponse => ({
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body,
  })
  const shown = async (body: string, chars: number) => {
    const { content } = await answered(plain(body), budget(chars))
    return [content[0].text, content[1].text]
  }
  const where = `The whole answer is at ${address}.`
  t.strictSame(await shown('one two\nthree\nfour five six', 20), [
    'one two\nthree\n',
    `The first 14 of 27 characters are shown. ${where}`,
  ])
  t.strictSame(await shown(`${'a'.repeat(9)}😀😀`, 10), [
    'a'.repeat(9),
    `The first 9 of 13 characters are shown. ${where}`,
  ])
  const { content } = await answered(plain('y'.repeat(31)), budget(30))
  t.strictSame(content[2], link(31, { mimeType: 'text/plain' }))
})

/** What a stream tells of itself. */
const streamed = (type: string, chunk: Uint8Array, headers: Readonly<Record<string, string>> = {}) => {
  const state = { isCancelled: false }
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk),
      cancel: () => {
        state.isCancelled = true
      },
    })
  const outcome = (): HttpResponse => ({
    status: 200,
    headers: { 'content-type': type, ...headers },
    body: body(),
  })
  return { state, outcome }
}

const once = async (outcome: HttpResponse, options = {}) => {
  const app = serve({ invoke: async () => outcome, ...options })
  const { call } = await import('../support/support.ts')
  return call(app, 'modern', 'files_answer')
}

t.test('a stream is read up to a bound; bytes above it are a link with name, type and size', async (t) => {
  const megabyte = new Uint8Array(1024 * 1024).fill(97)
  const video = streamed('video/mp4', megabyte)
  const where = `The whole answer is at ${address}.`
  const narrower = "Call files_answer again with narrower 'status'."
  t.strictSame(await once(video.outcome()), {
    content: [
      {
        type: 'text',
        text: `The answer (more than 4194304 bytes of video/mp4) is too large and was left out. ${narrower} ${where}`,
      },
      { type: 'resource_link', uri: address, name: 'files_answer', mimeType: 'video/mp4' },
    ],
  })
  t.ok(video.state.isCancelled)
  const named = streamed('application/zip', megabyte, {
    'content-length': '9000000',
    'content-disposition': 'attachment; filename="all.zip"; filename*=UTF-8\'\'%C3%A4ll.zip',
  })
  t.strictSame((await once(named.outcome())).content[1], {
    type: 'resource_link',
    uri: address,
    name: 'äll.zip',
    mimeType: 'application/zip',
    size: 9000000,
  })
  const csv = streamed('text/csv', Buffer.from('äb,c\n'.repeat(1000)))
  const [shown, note] = (await once(csv.outcome(), { answerChars: 10 })).content
  t.strictSame(
    [shown.text, note.text],
    ['äb,c\näb,c\n', `The first 10 of more than 3500000 characters are shown. ${narrower} ${where}`],
  )
  const image = { status: 200, headers: { 'content-type': 'image/png' }, body: new Uint8Array(11) }
  t.strictSame((await answered(image, { options: { answerBytes: 10 } })).content, [
    { type: 'text', text: `The answer (11 bytes of image/png) is too large and was left out. ${where}` },
    link(11, { mimeType: 'image/png' }),
  ])
  const inline = await answered(image, { options: { answerBytes: 11, answerChars: 1 } })
  t.strictSame(inline.content, [{ type: 'image', mimeType: 'image/png', data: 'AAAAAAAAAAAAAAA=' }])
})

const resource = (uri: string) => ({
  name: 'files_answer',
  route: 'files_answer',
  toolbox: 'files',
  title: null,
  description: 'Files.',
  arguments: [],
  uri,
  mimeType: null,
})

t.test('where the route is a resource, the link is its address', async (t) => {
  const uriOf = async (uri: string, args: object, options: object = {}) => {
    const takes = { path: text, word: text }
    const how = {
      takes,
      args: { ...args },
      resources: [resource(uri)],
      options: { answerChars: 30, ...options },
    }
    const { content } = await answered(json(200, numbers), how)
    return [content[1].text.split('narrower ')[1], content[2].uri]
  }
  const names = "'path', 'word'."
  const whole = (uri: string) => [`${names} The whole answer is the resource ${uri}.`, uri]
  t.strictSame(await uriOf('files://{path}', { path: 'a/b c' }), whole('files://a%2Fb%20c'))
  t.strictSame(await uriOf('files://{+path}', { path: 'a/b c' }), whole('files://a/b%20c'))
  t.strictSame(await uriOf('/f{?path,word}', { word: 'x' }), whole('https://notes.example/f?word=x'))
  t.strictSame(await uriOf('files://all', {}), whole('files://all'))
  const served = (query: string) => [
    `${names} The whole answer is at ${address}${query}.`,
    `${address}${query}`,
  ]
  t.strictSame(await uriOf('files://{path}', {}), served(''), 'a part is missing')
  t.strictSame(await uriOf('files://all', { word: 'x' }), served('?word=x'), 'it is not the same')
  t.strictSame(await uriOf('files://all', {}, { answerBytes: 290 }), served(''), 'larger than what is read')
})

t.test('blocks of toolResult have the same bounds', async (t) => {
  const blocks = [
    { type: 'text', text: 'first line\nsecond' },
    { type: 'text', text: 'third line\nfourth' },
    { type: 'image', data: Buffer.alloc(9).toString('base64'), mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'x://y', mimeType: 'text/plain', text: 'long enough' } },
    { type: 'resource', resource: { uri: 'x://z', blob: Buffer.alloc(8).toString('base64') } },
    { type: 'resource_link', uri: 'x://l', name: 'l' },
  ]
  const outcome = { status: 200, headers: { 'content-type': toolContentType }, body: JSON.stringify(blocks) }
  t.strictSame(await answered(outcome, { options: { answerChars: 30, answerBytes: 8 } }), {
    content: [
      blocks[0],
      { type: 'text', text: 'third line\n' },
      { type: 'text', text: 'The first 11 of 17 characters are shown.' },
      { type: 'text', text: 'An answer of 9 bytes of image/png is too large and was left out.' },
      { type: 'text', text: 'The resource x://y of 11 bytes is too large and was left out.' },
      { type: 'resource_link', uri: 'x://y', name: 'x://y', size: 11, mimeType: 'text/plain' },
      blocks[4],
      blocks[5],
    ],
  })
  t.strictSame((await answered(outcome)).content, blocks)
})

t.test('a refusal is cut too, and says so', async (t) => {
  const refused = { status: 409, headers: { 'content-type': 'text/plain' }, body: 'because of this and that' }
  t.strictSame(await answered(refused, budget(7)), {
    content: [{ type: 'text', text: '409 Conflict\nbecause\n(the first 7 of 24 characters)' }],
    isError: true,
  })
})

t.test('per tool: the configuration, then the tool, then all', async (t) => {
  const kept = async (answerCharsOf: ReadonlyMap<string, number>, tool: object) =>
    (await answered(json(200, numbers), { tool, options: { answerChars: 30, answerCharsOf } }))
      .structuredContent.length
  t.equal(await kept(new Map(), {}), 13)
  t.equal(await kept(new Map(), { budget: 50 }), 19)
  t.equal(await kept(new Map([['files_answer', 1000]]), { budget: 50 }), 100)
  t.throws(() => serve({ answerCharsOf: new Map([['nothing', 1]]) }), {
    message: "mcp.answerCharsOf: there is no tool 'nothing'",
  })
})

t.test('any JSON: never longer than its budget, and all that is said of it is true', async (t) => {
  const at = (value: unknown, place: string): unknown =>
    [...place.matchAll(/[^.[\]]+/g)].reduce<unknown>((found, [name]) => Object(found)[name], value)
  const word = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(...'abcdef') })
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string({ maxLength: 80, unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('any'), { maxLength: 30 }),
      fc.dictionary(word, tie('any'), { maxKeys: 20 }),
    ),
  })).any
  await fc.assert(
    fc.asyncProperty(value, fc.integer({ min: 10, max: 400 }), async (whole, answerChars) => {
      const body = JSON.stringify(whole)
      const outcome = { status: 200, headers: json(200, 0).headers, body }
      const { content, structuredContent } = await once(outcome, { answerChars })
      if (body.length <= answerChars) return content.length === 1 && content[0].text === body
      if (content[0].text.startsWith('The answer (')) return structuredContent === undefined
      const isWithin = content[0].text.length <= answerChars && !hasHalf(content[0].text)
      const reported = [
        ...content[1].text.matchAll(/(\d+) of (\d+) (items|entries|characters)(?: of '([^']+)')? are shown/g),
      ]
      const source: unknown = JSON.parse(body)
      const isTrue = reported.every(([, shown, of, , place = '']) => {
        const sizes = [at(structuredContent, place), at(source, place)].map((item) =>
          typeof item === 'object' ? Object.keys(Object(item)).length : String(item).length,
        )
        return sizes[0] === Number(shown) && sizes[1] === Number(of)
      })
      return (
        isWithin && isTrue && reported.length > 0 && JSON.stringify(structuredContent) === content[0].text
      )
    }),
    { numRuns: 300 },
  )
  t.pass()
})
