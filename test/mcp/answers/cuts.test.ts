/** Answers above their budget: text of whole items, whole lines, whole characters, and one sentence about what was left out. */
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
const blocks = (...texts: readonly string[]) => texts.map((shown) => ({ type: 'text', text: shown }))
const less = `ask for less, or read all of it at ${address}`

t.test('whole items stay of the list that is the answer, or its only one', async (t) => {
  const shown = async (value: unknown, chars: number) => answered(json(200, value), budget(chars))
  t.strictSame(await shown(numbers, 30), {
    content: blocks(JSON.stringify(numbers.slice(0, 13)), `The first 13 of 100 items are shown; ${less}.`),
  })
  t.strictSame(await shown({ of: 'x', items: numbers, all: 100 }, 40), {
    content: blocks(
      '{"of":"x","items":[0,1,2,3,4],"all":100}',
      `The first 5 of 100 items are shown; ${less}.`,
    ),
  })
})

t.test('else characters', async (t) => {
  for (const value of [
    { a: numbers, b: numbers },
    { data: { rows: numbers } },
    { items: ['abcdefghij'.repeat(10)], all: 1 },
    'abcdefghij'.repeat(10),
    Object.fromEntries(numbers.map((number) => [`key-${number}`, number])),
  ]) {
    const body = JSON.stringify(value)
    t.strictSame(await answered(json(200, value), budget(30)), {
      content: blocks(body.slice(0, 30), `The first 30 of ${body.length} characters are shown; ${less}.`),
    })
  }
})

t.test('a tool that promises structured content says that only its answer failed', async (t) => {
  const done = 'The call was done, and only its answer is too long: '
  const tool = { outputSchema: { type: 'array', items: integer } }
  t.strictSame(await answered(json(200, numbers), { ...budget(30), tool }), {
    content: blocks(
      JSON.stringify(numbers.slice(0, 13)),
      `${done}the first 13 of 100 items are shown; ${less}.`,
    ),
    isError: true,
  })
  const hints = { readOnly: false, destructive: false, idempotent: false, openWorld: false }
  const takes = { from: integer }
  const paging = { offset: 'from', items: '' }
  const never = 'do not call it again for the rest, for it may change something.'
  const written = await answered(json(200, numbers), {
    ...budget(30),
    tool: { ...tool, hints },
    takes,
    paging,
  })
  t.equal(written.content[1].text, `${done}the first 13 of 100 items are shown; ${never}`)
  const large = { ...json(200, numbers), body: Buffer.from(JSON.stringify(numbers)), isCut: true }
  t.strictSame(await answered(large, { tool: { ...tool, hints } }), {
    content: blocks(
      `${done}the answer (more than 4194304 bytes of application/json) is too large and was left out; ${never}`,
    ),
    isError: true,
  })
})

t.test('the call for the rest, or for what comes after all of it', async (t) => {
  const rest = async (how: Answering, value: object = numbers): Promise<string> => {
    const { content } = await answered(json(200, value), { ...budget(30), ...how })
    t.equal(content.length, 2)
    return content[1].text.replace(/^The first \d+ of 100 items are shown; /, '')
  }
  const call = (args: object): string => `for the rest call files_answer with ${JSON.stringify(args)}.`
  const after = (args: object): string =>
    `; for what comes after all of it call files_answer with ${JSON.stringify(args)}.`
  const takes = { from: integer, page: integer, size: integer, cursor: text }
  const offset = { takes, paging: { offset: 'from', items: '' } }
  t.equal(await rest(offset), call({ from: 13 }))
  t.equal(await rest({ ...offset, args: { from: 20 } }), call({ from: 33 }))
  t.equal(
    await rest({ ...offset, isProxied: true }),
    'for the rest call call_read_only with {"name":"files_answer","arguments":{"from":13}}.',
  )
  const paged = { takes, paging: { page: 'page', limit: 'size', items: '' }, args: { page: 3 } }
  t.equal(
    await rest(paged),
    `ask for less by 'size', or read all of it at ${address}?page=3${after({ page: 4 })}`,
  )
  const cursor = { takes, paging: { cursor: 'cursor', next: 'nextCursor' }, ...budget(40) }
  t.equal(await rest(cursor, { items: numbers, nextCursor: 'b' }), less + after({ cursor: 'b' }))
  t.equal(await rest(cursor, { items: numbers, nextCursor: null }), `${less}.`)
  const linked = { ...json(200, numbers), headers: { ...json(200, 0).headers, link: '<?page=2>; rel=next' } }
  const { content } = await answered(linked, { ...budget(30), takes })
  t.match(content[1].text, after({ page: 2 }))
})

t.test('JSON that is too deep to be written again is its text alone', async (t) => {
  const body = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const outcome = { status: 200, headers: { 'content-type': 'application/problem+json' }, body }
  t.strictSame(await answered(outcome), { content: [{ type: 'text', text: body }] })
})

t.test('text is cut at the end of a line, else of a character', async (t) => {
  const shown = async (body: string, chars: number) => {
    const outcome: HttpResponse = { status: 200, headers: { 'content-type': 'text/plain' }, body }
    return (await answered(outcome, budget(chars))).content
  }
  t.strictSame(
    await shown('one two\nthree\nfour five six', 20),
    blocks('one two\nthree\n', `The first 14 of 27 characters are shown; ${less}.`),
  )
  t.strictSame(
    await shown(`${'a'.repeat(9)}😀😀`, 10),
    blocks('a'.repeat(9), `The first 9 of 13 characters are shown; ${less}.`),
  )
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
  t.strictSame(await once(video.outcome()), {
    content: [
      {
        type: 'text',
        text: `The answer (more than 4194304 bytes of video/mp4) is too large and was left out; ${less}.`,
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
    ['äb,c\näb,c\n', `The first 10 of more than 3500000 characters are shown; ${less}.`],
  )
  const image = { status: 200, headers: { 'content-type': 'image/png' }, body: new Uint8Array(11) }
  t.strictSame((await answered(image, { options: { answerBytes: 10 } })).content, [
    { type: 'text', text: `The answer (11 bytes of image/png) is too large and was left out; ${less}.` },
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

t.test('where the route is a resource, it is told', async (t) => {
  const uriOf = async (uri: string, args: object, options: object = {}) => {
    const takes = { path: text, word: text }
    const how = {
      takes,
      args: { ...args },
      resources: [resource(uri)],
      options: { answerChars: 30, ...options },
    }
    const { content } = await answered(json(200, numbers), how)
    return content[1].text.split('ask for less, or ')[1]
  }
  const whole = (uri: string) => `read all of it as the resource ${uri}.`
  t.strictSame(await uriOf('files://{path}', { path: 'a/b c' }), whole('files://a%2Fb%20c'))
  t.strictSame(await uriOf('files://{+path}', { path: 'a/b c' }), whole('files://a/b%20c'))
  t.strictSame(await uriOf('/f{?path,word}', { word: 'x' }), whole('https://notes.example/f?word=x'))
  t.strictSame(await uriOf('files://all', {}), whole('files://all'))
  const served = (query: string) => `read all of it at ${address}${query}.`
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
    JSON.parse(
      (await answered(json(200, numbers), { tool, options: { answerChars: 30, answerCharsOf } })).content[0]
        .text,
    ).length
  t.equal(await kept(new Map(), {}), 13)
  t.equal(await kept(new Map(), { budget: 50 }), 19)
  t.equal(await kept(new Map([['files_answer', 1000]]), { budget: 50 }), 100)
  t.throws(() => serve({ answerCharsOf: new Map([['nothing', 1]]) }), {
    message: "mcp.answerCharsOf: there is no tool 'nothing'",
  })
})

t.test('any JSON: never longer than its budget, and all that is said of it is true', async (t) => {
  const countOf = (value: unknown): number =>
    [value, ...Object.values(Object(value))].find(Array.isArray)?.length ?? 0
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
      const [, shown, of, kind] =
        /^The first (\d+) of (\d+) (items|characters) are shown; /.exec(content[1].text) ?? []
      const left: string = content[0].text
      const isWithin = left.length <= answerChars && !hasHalf(left)
      const isTrue =
        kind === 'items'
          ? countOf(JSON.parse(left)) === Number(shown) && countOf(whole) === Number(of)
          : body.startsWith(left) && left.length === Number(shown) && body.length === Number(of)
      return isWithin && isTrue && structuredContent === undefined
    }),
    { numRuns: 300 },
  )
  t.pass()
})
