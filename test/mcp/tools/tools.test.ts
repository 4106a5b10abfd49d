import t from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import type { Catalogue } from '../../../runtime/contract/mcp.ts'
import {
  call,
  catalogue,
  createApplication,
  json,
  message,
  noteSchema,
  quiet,
  rpc,
  serve,
} from '../support/support.ts'

const eras = ['legacy', 'modern'] as const
const closed = { type: 'object', additionalProperties: false }
const readHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const writeHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
}
const deleteHints = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }
const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
const failed = (value: string) => ({ ...text(value), isError: true })

const list = async (era: 'legacy' | 'modern', url = '/mcp', options = {}) =>
  rpc(await serve(options)({ ...message(era, 'tools/list'), url })).result
const names = (result: { tools: readonly { name: string }[] }) => result.tools.map(({ name }) => name)

t.test('decisions, what is listed: root tools in full, then the meta tools', async (t) => {
  for (const era of eras) {
    const result = await list(era)
    t.strictSame(names(result), [
      'users_current',
      'list_toolboxes',
      'open_toolbox',
      'find_tools',
      'call_read_only',
      'call_tool',
    ])
    t.strictSame(result.tools[0], {
      name: 'users_current',
      title: 'Current user',
      description: 'users_current in full.',
      inputSchema: closed,
      annotations: readHints,
    })
    t.strictSame(
      result.tools.slice(1).map((tool: { annotations: object }) => tool.annotations),
      [readHints, readHints, readHints, readHints, { ...writeHints, destructiveHint: true }],
    )
    t.strictSame(await list(era), result, 'the same for every request')
  }
  const { ttlMs, cacheScope, resultType } = await list('modern')
  t.strictSame([ttlMs, cacheScope, resultType], [300_000, 'public', 'complete'])
})

t.test('each tool states all four hints, and each of the endpoint has a title', async (t) => {
  for (const era of eras) {
    for (const url of ['/mcp', '/mcp/notes', '/mcp?toolboxes=all']) {
      for (const { name, title, annotations } of (await list(era, url)).tools) {
        t.strictSame(Object.keys(annotations).sort(), Object.keys(readHints).sort(), name)
        for (const hint of Object.values(annotations)) t.type(hint, 'boolean', name)
        if (!name.includes('notes_') && !name.includes('files_')) t.type(title, 'string', name)
      }
    }
  }
})

t.test(
  'decisions, what is listed: a toolbox has an address of its own, ?toolboxes=all lists everything flat',
  async (t) => {
    const own = ['notes_index', 'notes_show', 'notes_create', 'notes_import', 'notes_delete']
    t.strictSame(names(await list('modern', '/mcp/notes')), own)
    t.strictSame(names(await list('legacy', '/mcp/users')), ['users_current'], 'root tools included')
    t.strictSame(names(await list('modern', '/mcp?toolboxes=all')), ['users_current', ...own, 'files_answer'])
    t.strictSame(names(await list('modern', '/x/notes', { path: '/x' })), own, 'at any path')
    const unknown = await serve()({ ...message('modern', 'tools/list'), url: '/mcp/note' })
    t.strictSame(
      [unknown.status, JSON.parse(unknown.text)],
      [404, { error: 'unknown toolbox "note", did you mean: notes' }],
    )
  },
)

t.test(
  'no list has output schemas; opening a toolbox gives them, wrapped for the legacy era where they are no objects',
  async (t) => {
    const array = { type: 'array', items: { type: 'string' } }
    const wrapped = { type: 'object', properties: { result: array }, required: ['result'] }
    for (const era of eras) {
      for (const url of ['/mcp', '/mcp/notes', '/mcp?toolboxes=all']) {
        const { tools } = await list(era, url)
        t.notOk(
          tools.some((tool: object) => 'outputSchema' in tool),
          `${era} ${url}`,
        )
      }
      const { tools } = (await call(serve(), era, 'open_toolbox', { name: 'notes' })).structuredContent
      t.strictSame(tools[0].outputSchema, era === 'legacy' ? wrapped : array)
      const { structuredContent } = await call(serve(), era, 'notes_index')
      t.strictSame(
        structuredContent,
        era === 'legacy' ? { result: ['first', 'second'] } : ['first', 'second'],
      )
    }
  },
)

t.test(
  'decisions, a toolbox whose only visible tools are root tools: list_toolboxes leaves it out',
  async (t) => {
    const structured = {
      toolboxes: [
        { name: 'notes', description: 'Notes.', tools: 5 },
        { name: 'files', description: 'Files.', tools: 1 },
      ],
    }
    for (const era of eras) {
      const expected = { ...text(JSON.stringify(structured)), structuredContent: structured }
      t.strictSame(await call(serve(), era, 'list_toolboxes'), expected)
    }
  },
)

t.test(
  'decisions, close_toolbox: it has nothing to close; open_toolbox describes tools and the proxy to use',
  async (t) => {
    const described = (name: string, proxy: string, annotations: object, schemas: object = {}) => ({
      name,
      summary: `${name} in short.`,
      proxy,
      inputSchema: closed,
      ...schemas,
      annotations,
    })
    const array = { type: 'array', items: { type: 'string' } }
    const wrapped = { type: 'object', properties: { result: array }, required: ['result'] }
    const structuredIn = (era: 'legacy' | 'modern') => ({
      name: 'notes',
      description: 'Notes.',
      tools: [
        described('notes_index', 'call_read_only', readHints, {
          outputSchema: era === 'legacy' ? wrapped : array,
        }),
        described('notes_show', 'call_read_only', readHints),
        described('notes_create', 'call_tool', writeHints, { inputSchema: noteSchema }),
        described('notes_import', 'call_tool', writeHints),
        described('notes_delete', 'call_tool', deleteHints),
      ],
    })
    for (const era of eras) {
      const structured = structuredIn(era)
      const open = (args: unknown) => call(serve(), era, 'open_toolbox', args)
      const expected = { ...text(JSON.stringify(structured)), structuredContent: structured }
      t.strictSame(await open({ name: 'notes' }), expected)
      t.strictSame(await open({ name: 'file' }), failed('unknown toolbox "file", did you mean: files'))
      t.strictSame(await open({ name: 'users' }), failed('unknown toolbox "users"'))
      t.strictSame(await open({}), failed("'name' must be the name of a toolbox"))
      t.strictSame(await call(serve(), era, 'close_toolbox', { name: 'notes' }), text('nothing to close'))
    }
  },
)

t.test('spec, What the service does 1: proxies and direct calls run the same route', async (t) => {
  const called = { called: 'GET /api/notes/7/all' }
  const expected = { ...text(JSON.stringify(called)), structuredContent: called }
  const args = { id: 7, part: 'all' }
  for (const era of eras) {
    t.strictSame(await call(serve(), era, 'notes_show', args), expected)
    for (const proxy of ['call_read_only', 'call_tool']) {
      t.strictSame(await call(serve(), era, proxy, { name: 'notes_show', arguments: args }), expected, proxy)
    }
  }
})

t.test('call_read_only refuses a tool that is not read-only', async (t) => {
  const { calls, invoke } = createApplication()
  const result = await call(serve({ invoke }), 'modern', 'call_read_only', {
    name: 'notes_delete',
    arguments: { id: 1 },
  })
  t.strictSame([result, calls.length], [failed('notes_delete is not read-only: use call_tool'), 0])
})

t.test('unknown names are answered with near matches', async (t) => {
  for (const era of eras) {
    const error = async (name: string) => (await call(serve(), era, name)).error
    t.strictSame(await error('Notes_sow'), {
      code: -32602,
      message: 'unknown tool "Notes_sow", did you mean: notes_show',
    })
    t.strictSame(await error('notes_inde'), {
      code: -32602,
      message: 'unknown tool "notes_inde", did you mean: notes_index',
    })
    t.strictSame(await error('x"y'), { code: -32602, message: 'unknown tool "x\\"y"' })
    t.strictSame(await error('z'.repeat(500)), { code: -32602, message: `unknown tool "${'z'.repeat(64)}"` })
    const proxied = (args: unknown) => call(serve(), era, 'call_tool', args)
    t.strictSame(
      await proxied({ name: 'note_show' }),
      failed('unknown tool "note_show", did you mean: notes_show'),
    )
    t.strictSame(await proxied({}), failed("'name' must be the name of a tool"))
    t.strictSame(
      await proxied({ name: 'files_answer', arguments: [] }),
      failed(`'arguments' must be an object. Input schema of files_answer: ${JSON.stringify(closed)}`),
    )
  }
})

t.test('decisions, tool names: a tool may not be named after a meta tool', async (t) => {
  const [first] = catalogue.tools
  const clash: Catalogue = {
    ...catalogue,
    tools: first === undefined ? [] : [{ ...first, name: 'call_tool' }],
  }
  t.throws(() => serve({ catalogue: clash }), {
    message: "the tool name 'call_tool' is taken by the MCP endpoint itself",
  })
})

/** What the route saw of a tool call. */
async function seen(name: string, args: unknown, headers: Record<string, string> = {}) {
  const { calls, invoke } = createApplication()
  await call(serve({ invoke }), 'modern', name, args, headers)
  const [request] = calls
  if (request === undefined) throw new Error('the route did not run')
  const { method, url, path, params, headers: sent, body } = request
  return {
    method,
    url,
    path,
    params,
    headers: sent,
    body: body.kind === 'value' ? body.value : (await body.read()).length,
  }
}

const accept = 'application/json'

t.test('a GET takes its arguments in the query, arrays repeated, objects as JSON', async (t) => {
  const args = { tag: ['a', null, 'b c'], filter: { x: 1 }, unknown: 1 }
  t.strictSame(await seen('notes_index', args), {
    method: 'GET',
    url: '/api/notes/?tag%5B%5D=a&tag%5B%5D=b+c&filter=%7B%22x%22%3A1%7D',
    path: '/api/notes/',
    params: {},
    headers: { accept },
    body: 0,
  })
  const few = await seen('notes_index', { tag: null, filter: [] })
  t.equal(few.url, '/api/notes/?filter=%5B%5D', 'an empty list arrives as one')
})

t.test(
  'path parameters are encoded in the path and plain in params; a missing one stays missing',
  async (t) => {
    const full = await seen('notes_show', { id: 'a/b ?é', part: '\ud800' })
    t.strictSame(
      [full.path, full.params],
      ['/api/notes/a%2Fb%20%3F%C3%A9/%EF%BF%BD', { id: 'a/b ?é', part: '\ufffd' }],
    )
    const missing = await seen('notes_show', { part: 0 })
    t.strictSame([missing.path, missing.params], ['/api/notes//0', { part: '0' }])
  },
)

t.test('fields of a POST travel in the body, never in the URL; a body argument is the body', async (t) => {
  const created = await seen('notes_create', {
    title: 'Secret',
    tags: null,
    dry_run: true,
    __proto__: 1,
    toString: 2,
  })
  t.strictSame([created.url, created.body], ['/api/notes/?dry_run=true', { title: 'Secret', tags: null }])
  t.strictSame((await seen('notes_create', {})).body, {}, "missing fields are the route's to find")
  t.strictSame((await seen('notes_import', { body: [1, { a: 2 }] })).body, [1, { a: 2 }])
  t.strictSame((await seen('notes_import', { body: null })).body, null)
  t.strictSame((await seen('notes_import', {})).body, 0, 'no body at all')
  t.strictSame((await seen('notes_delete', { id: 3 })).body, 0)
})

t.test(
  'spec, What the service does 1: credentials are forwarded, nothing else, and no argument overrides them',
  async (t) => {
    const args = { locale: 'de\r\nX-Evil: 1', key: 'forged', theme: 'dark; sid=9', sid: 'forged' }
    const credentials = { authorization: 'Bearer t', cookie: 'sid=1; a=b', 'x-api-key': 'mine' }
    t.strictSame((await seen('notes_index', args, { ...credentials, 'x-forwarded-for': '::1' })).headers, {
      accept,
      authorization: 'Bearer t',
      cookie: 'sid=1; a=b; theme=dark%3B%20sid%3D9',
      'x-api-key': 'mine',
      'x-locale': 'de X-Evil: 1',
    })
    t.strictSame(
      (await seen('notes_index', { key: 'forged' })).headers,
      { accept },
      'not even where none was sent',
    )
  },
)

const bytes = new Uint8Array([0, 1, 255])
const of = (type: string, body: HttpResponse['body'], status = 200): HttpResponse => ({
  status,
  headers: { 'content-type': type },
  body,
})
const stream = () => new Blob(['first ', 'second']).stream()

/** What `files_answer` comes to when its route answers `outcome`. */
const mapped = (outcome: HttpResponse, era: 'legacy' | 'modern' = 'modern', options = {}) =>
  call(serve({ invoke: async () => outcome, ...options }), era, 'files_answer')

t.test('decisions, results: successes', async (t) => {
  const structured = (value: unknown) => ({ ...text(JSON.stringify(value)), structuredContent: value })
  for (const era of eras) t.strictSame(await mapped(json(200, { a: 1 }), era), structured({ a: 1 }))
  for (const value of [[1, 2], 'text', 5, true, null]) {
    t.strictSame(await mapped(json(200, value)), structured(value), 'modern: as it is')
    const legacy = { ...text(JSON.stringify(value)), structuredContent: { result: value } }
    t.strictSame(await mapped(json(200, value), 'legacy'), legacy, 'legacy: wrapped')
  }
  const data = 'AAH/'
  const blob = { uri: 'https://notes.example/files/answer', mimeType: 'application/pdf', blob: data }
  const cases: readonly (readonly [HttpResponse, unknown])[] = [
    [of('application/problem+json; charset=utf-8', '{"a":1}'), structured({ a: 1 })],
    [of('application/json', Buffer.from('{')), text('{')],
    [of('text/html; charset=utf-8', '<p>'), text('<p>')],
    [of('application/yaml', 'a: 1'), text('a: 1')],
    [of('text/plain', stream()), text('first second')],
    [{ status: 200, headers: {}, body: 'plain' }, text('plain')],
    [{ status: 204, headers: {}, body: null }, text('204 No Content')],
    [{ status: 201, headers: {}, body: '' }, text('201 Created')],
    [of('image/PNG', bytes), { content: [{ type: 'image', data, mimeType: 'image/png' }] }],
    [of('audio/wav', bytes), { content: [{ type: 'audio', data, mimeType: 'audio/wav' }] }],
    [of('application/pdf', bytes), { content: [{ type: 'resource', resource: blob }] }],
    [
      { status: 303, headers: { location: 'https://notes.example/a' }, body: 'moved' },
      text('303 See Other\nLocation: https://notes.example/a'),
    ],
  ]
  for (const [outcome, expected] of cases) t.strictSame(await mapped(outcome), expected)
})

t.test(
  'decisions, results: failures start with status and reason, and keep the body of the route',
  async (t) => {
    const error = { error: 'no' }
    const withStructure = (value: string) => ({ ...failed(value), structuredContent: error })
    const schema = `\nInput schema of files_answer: ${JSON.stringify(closed)}`
    for (const era of eras) {
      t.strictSame(await mapped(json(404, error), era), withStructure('404 Not Found\n{"error":"no"}'))
      t.strictSame(
        await mapped(json(400, error), era),
        withStructure(`400 Bad Request\n{"error":"no"}${schema}`),
      )
      t.strictSame(
        await mapped(json(422, error), era),
        withStructure(`422 Unprocessable Entity\n{"error":"no"}${schema}`),
      )
      t.strictSame(await mapped({ status: 409, headers: {}, body: null }, era), failed('409 Conflict'))
      t.strictSame(
        await mapped(of('image/png', bytes, 403), era),
        failed('403 Forbidden\n(3 bytes of image/png)'),
      )
      const limited = { status: 429, headers: { 'retry-after': '7' }, body: 'slow down' }
      t.strictSame(
        await mapped(limited, era),
        failed(
          '429 Too Many Requests\nRetry-After: 7\nslow down\nWait 7 seconds before the next call of this tool.',
        ),
      )
    }
    const declared = await call(serve({ invoke: async () => json(404, error) }), 'modern', 'users_current')
    t.strictSame(
      declared,
      failed('404 Not Found\n{"error":"no"}'),
      'an output schema forbids another structure',
    )
  },
)

t.test('a 5xx is generic in production, whatever the route said', async (t) => {
  for (const era of eras) {
    const generic = failed('500 Internal Server Error\ninternal error')
    t.strictSame(await mapped(json(500, { backtrace: ['a.ts:1'] }), era), generic)
    const development = await mapped(of('text/plain', 'it broke', 500), era, { production: false })
    t.strictSame(development, failed('500 Internal Server Error\nit broke'))
    const logged: unknown[] = []
    const log = { ...quiet, error: (fields: object) => void logged.push(fields) }
    t.strictSame(
      await call(serve({ log }), era, 'notes_show', {}, { authorization: 'Bearer explodes' }),
      generic,
    )
    t.strictSame(logged, [{ tool: 'notes_show', error: 'Error' }], 'the log holds no detail either')
  }
})
