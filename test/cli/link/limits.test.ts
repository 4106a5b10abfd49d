/** `@limit`, `@timeout` and `@audit`, from the tag to the table, the document and every mistake. */
import t from 'tap'
import { parse } from 'yaml'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { emitOpenapi } from '../../../cli/compiler/emit/openapi/openapi.ts'
import { readDocument } from '../emit/read-document.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

const method = (tags: string, code: string): string =>
  `  /**\n   * Does it.\n   *\n${tags.replace(/^/gm, '   * ')}\n   */\n  ${code}\n`

const plain = (tags: string, name: string): string => method(tags, `${name}(): void {}`)

const application: Files = {
  'app/base.ts': `import { Controller } from 'acmcp'
/**
 * @limit 60/min
 * @timeout 2min
 * @audit strict
 */
export abstract class Base extends Controller {
${plain('@get /inherited', 'inherited')}
${plain('@get /own\n@limit 1000/h\n@timeout 5s', 'own')}
${plain('@get /free\n@limit none\n@timeout none', 'free')}
}
`,
  'app/controllers/far.ts': `import { Base } from '../base.ts'
/** Far. */
export class Far extends Base {
${plain('@get /\n@options /', 'plain')}
${plain('@options /own\n@limit 7/day', 'preflight')}
${method('@websocket /talk', 'talk(socket: { close(): void }): void { socket.close() }')}
${method('@get /news', 'async *news(): AsyncIterable<string> { yield "a" }')}
}
`,
  'app/controllers/near.ts': `import { Base } from '../base.ts'
/**
 * Near.
 *
 * @limit 10/s
 * @timeout none
 */
export class Near extends Base {
${plain('@get /', 'plain')}
}
`,
  'app/controllers/others.ts': `import { Controller } from 'acmcp'
/** Others. */
export class Others extends Controller {
${plain('@get /', 'plain')}
${plain('@get /limited\n@limit 5000/day', 'limited')}
}
`,
}

const textOf = ({ files, diagnostics }: Compilation, name: string): string => {
  const text = files.find(({ path }) => path === `generated/${name}`)?.text
  if (text === undefined) throw new Error(JSON.stringify(diagnostics))
  return text
}

t.test(
  'a method wins over its class, the nearest class over the further; the table says what is said',
  async (t) => {
    const rows = textOf(compile(memoryHost(application)), 'routes.ts').split('\n')
    const said = rows.flatMap((row) => {
      const [, verb, path, fields] = /verb: '(\w+)', path: '([^']+)', (.*?)call: /.exec(row) ?? []
      return verb === undefined ? [] : [`${verb} ${path} ${fields?.replace(/, $/, '')}`.trimEnd()]
    })
    const sixty = 'limit: { calls: 60, windowSeconds: 60 }'
    t.strictSame(said, [
      `GET /far/inherited ${sixty}, timeoutSeconds: 120, audit: 'strict'`,
      "GET /far/own limit: { calls: 1000, windowSeconds: 3600 }, timeoutSeconds: 5, audit: 'strict'",
      "GET /far/free limit: false, timeoutSeconds: false, audit: 'strict'",
      `GET /far/ ${sixty}, timeoutSeconds: 120, audit: 'strict'`,
      "OPTIONS /far/ timeoutSeconds: 120, audit: 'strict'",
      "OPTIONS /far/own limit: { calls: 7, windowSeconds: 86400 }, timeoutSeconds: 120, audit: 'strict'",
      `GET /far/talk websocket: true, ${sixty}, audit: 'strict', produces: '*/*'`,
      `GET /far/news ${sixty}, audit: 'strict', produces: 'text/event-stream'`,
      "GET /near/inherited limit: { calls: 10, windowSeconds: 1 }, timeoutSeconds: false, audit: 'strict'",
      "GET /near/own limit: { calls: 1000, windowSeconds: 3600 }, timeoutSeconds: 5, audit: 'strict'",
      "GET /near/free limit: false, timeoutSeconds: false, audit: 'strict'",
      "GET /near/ limit: { calls: 10, windowSeconds: 1 }, timeoutSeconds: false, audit: 'strict'",
      'GET /others/',
      'GET /others/limited limit: { calls: 5000, windowSeconds: 86400 }',
    ])
  },
)

const anyError = {
  type: 'object',
  properties: { error: { type: 'string' } },
  required: ['error'],
}

t.test(
  'the document says 429 with Retry-After and 503 where the tags do, with the body of a handler',
  async (t) => {
    const { paths } = readDocument(textOf(compile(memoryHost(application)), 'openapi.yml'))
    const { 200: _, ...refusals } = paths['/far/own'].get.responses
    const retry = {
      'Retry-After': {
        description: 'Seconds until the next call.',
        required: true,
        schema: { type: 'integer', minimum: 1 },
      },
    }
    t.strictSame(refusals, {
      429: {
        description: 'Too many requests: at most 1000 per hour.',
        content: { 'application/json': { schema: anyError } },
        headers: retry,
      },
      503: {
        description: 'The answer did not begin within 5 seconds.',
        content: { 'application/json': { schema: anyError } },
      },
    })
    t.strictSame(Object.keys(paths['/far/free'].get.responses), ['200'])
    t.strictSame(Object.keys(paths['/near'].get.responses), ['200', '429'])
    const handled = {
      'app/controllers/own.ts': `import { Controller, TooManyRequests } from 'acmcp'
/** Own. */
export class Own extends Controller {
${plain('@get /\n@limit 1/s', 'plain')}
${method('@exception {TooManyRequests} 429', 'slow(error: TooManyRequests): { wait: number } { return { wait: error.retryAfterSeconds } }')}
}
`,
    }
    const document = readDocument(textOf(compile(memoryHost(handled)), 'openapi.yml'))
    const { 429: own } = document.paths['/own'].get.responses
    t.strictSame(own.content['application/json'].schema, {
      type: 'object',
      properties: { wait: { type: 'number' } },
      required: ['wait'],
    })
    t.strictSame(own.headers, retry)
  },
)

t.test('the document has the numbers, mcp.yml the words of the tags', async (t) => {
  const compiled = compile(memoryHost(application))
  const { paths } = readDocument(emitOpenapi(compiled.model))
  const said = Object.entries<Record<string, Record<string, unknown>>>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => [
      `${verb} ${path}`,
      Object.fromEntries(Object.entries(operation).filter(([name]) => name.startsWith('x-'))),
    ]),
  )
  const perMinute = { 'x-acmcp-limit': { calls: 60, windowSeconds: 60 } }
  const own = { 'x-acmcp-limit': { calls: 1000, windowSeconds: 3600 }, 'x-acmcp-timeout': 5 }
  const free = { 'x-acmcp-limit': 'none', 'x-acmcp-timeout': 'none' }
  const near = { 'x-acmcp-limit': { calls: 10, windowSeconds: 1 }, 'x-acmcp-timeout': 'none' }
  t.strictSame(Object.fromEntries(said), {
    'get /far/inherited': { ...perMinute, 'x-acmcp-timeout': 120 },
    'get /far/own': own,
    'options /far/own': { 'x-acmcp-limit': { calls: 7, windowSeconds: 86_400 }, 'x-acmcp-timeout': 120 },
    'get /far/free': free,
    'get /far': { ...perMinute, 'x-acmcp-timeout': 120 },
    'options /far': { 'x-acmcp-timeout': 120 },
    'get /far/talk': perMinute,
    'get /far/news': perMinute,
    'get /near/inherited': near,
    'get /near/own': own,
    'get /near/free': free,
    'get /near': near,
    'get /others': {},
    'get /others/limited': { 'x-acmcp-limit': { calls: 5000, windowSeconds: 86_400 } },
  })
  const { toolboxes } = parse(textOf(compiled, 'mcp.yml'))
  const lines = toolboxes.flatMap(({ tools }: Toolbox) =>
    tools.map(({ path, limit = '', timeout = '' }) => `${path} ${limit} ${timeout}`.trimEnd()),
  )
  t.strictSame(lines, [
    ...['/far/inherited 60/min 120s', '/far/own 1000/h 5s', '/far/free none none', '/far/ 60/min 120s'],
    '/far/own 7/day 120s',
    ...['/near/inherited 10/s none', '/near/own 1000/h 5s', '/near/free none none', '/near/ 10/s none'],
    ...['/others/', '/others/limited 5000/day'],
  ])
})

t.test('mcp.yml says the same of a prompt', async (t) => {
  const prompt = method('@mcp prompt\n@limit 3/h\n@timeout 2s', 'ask(): string { return "Please." }')
  const files = {
    'app/controllers/asked.ts': `import { Controller } from 'acmcp'\n/** Asked. */\nexport class Asked extends Controller {\n${prompt}\n}\n`,
  }
  const [{ digest: _digest, ...said }] = parse(textOf(compile(memoryHost(files)), 'mcp.yml')).prompts
  t.strictSame(said, { name: 'asked_ask', limit: '3/h', timeout: '2s', description: 'Does it.' })
})

interface Toolbox {
  readonly tools: readonly { readonly path: string; readonly limit?: string; readonly timeout?: string }[]
}

const notes = 'app/controllers/notes.ts'

/** `line:column message | hint` of each mistake of a controller with this method, or these members. */
const reported = (
  tags: string,
  code = 'index(): void {}',
  classTags = '@base /notes',
  more: Files = {},
): readonly string[] =>
  compile(
    memoryHost({
      [notes]: `import { Controller } from 'acmcp'\n/**\n * Notes.\n *\n * ${classTags}\n */\nexport class Notes extends Controller {\n${method(tags, code)}\n}\n`,
      ...more,
    }),
  ).diagnostics.map(({ at, message, hint }) => `${at.line}:${at.column} ${message} | ${hint}`)

const usualLimit = 'Write calls per s, min, h or day, such as @limit 60/min, or @limit none.'
const usualTime = 'Write whole seconds or minutes, such as @timeout 30s or @timeout 2min, or @timeout none.'

t.test('what nobody can read is told with what was meant', async (t) => {
  const item = (tag: string): readonly string[] => reported(`@get /\n${tag}`)
  const at = (text: string): readonly string[] => [`12:6 ${text}`]
  t.strictSame(item('@limit'), at(`@limit: says nothing | ${usualLimit}`))
  t.strictSame(item('@limit 60'), at(`@limit: cannot read '60' | ${usualLimit}`))
  t.strictSame(item('@limit 60/m'), at(`@limit: cannot read '60/m' | ${usualLimit} Did you mean 60/min?`))
  t.strictSame(
    item('@limit 5 per hour'),
    at(`@limit: cannot read '5 per hour' | ${usualLimit} Did you mean 5/h?`),
  )
  t.strictSame(item('@limit 1.5/s'), at(`@limit: cannot read '1.5/s' | ${usualLimit}`))
  t.strictSame(item('@limit 60/min 5/s'), at(`@limit: cannot read '60/min 5/s' | ${usualLimit}`))
  t.strictSame(
    item('@limit 0/min'),
    at("@limit: '0/min' allows no call at all | Write 1 to 1000000 calls, or @limit none."),
  )
  t.strictSame(
    item('@limit 1000001/day'),
    at("@limit: '1000001/day' allows more than 1000000 calls | Write 1 to 1000000 calls, or @limit none."),
  )
  t.strictSame(item('@timeout'), at(`@timeout: says nothing | ${usualTime}`))
  t.strictSame(item('@timeout 30'), at(`@timeout: cannot read '30' | ${usualTime} Did you mean 30s?`))
  t.strictSame(
    item('@timeout 2 minutes'),
    at(`@timeout: cannot read '2 minutes' | ${usualTime} Did you mean 2min?`),
  )
  t.strictSame(item('@timeout 500ms'), at(`@timeout: cannot read '500ms' | ${usualTime}`))
  t.strictSame(item('@timeout 1h'), at(`@timeout: cannot read '1h' | ${usualTime}`))
  t.strictSame(
    item('@timeout 0s'),
    at("@timeout: '0s' leaves no time at all | Write 1s to 60min, or @timeout none."),
  )
  t.strictSame(
    item('@timeout 61min'),
    at("@timeout: '61min' is more than an hour | Write 1s to 60min, or @timeout none."),
  )
  t.strictSame(item('@timeout 60min'), [])
  const strict = 'Write @audit strict: the record is written before the answer.'
  t.strictSame(item('@audit'), at(`@audit: says nothing | ${strict}`))
  t.strictSame(item('@audit none'), at(`@audit: cannot read 'none' | ${strict}`))
  t.match(item('@limits 60/min'), [/^12:6 .*@limits.* Did you mean @limit\?|@limit/])
  t.strictSame(reported('@get /', undefined, '@limit x'), [`5:4 @limit: cannot read 'x' | ${usualLimit}`])
})

t.test('a tag that does nothing is told: twice, on no route, on what has no end', async (t) => {
  const twice = 'stands twice | Remove one of the two.'
  t.strictSame(reported('@get /\n@limit 1/s\n@limit 1/s'), [`13:6 @limit: ${twice}`])
  t.strictSame(reported('@get /', undefined, '@timeout 1s\n * @timeout none'), [`6:4 @timeout: ${twice}`])
  const places = 'a controller class, an abstract one for those that extend it, a route'
  const idle = `Remove it, or move it: it may stand on ${places}, a WebSocket route, a prompt or a method with @complete.`
  const untimed = `Remove it, or move it: it may stand on ${places}, a prompt or a method with @complete.`
  const noRoute = 'on a method that is no route has no effect'
  t.strictSame(reported('@limit 1/s'), [`11:6 @limit ${noRoute} | ${idle}`])
  t.strictSame(reported('@filter before\n@timeout 1s'), [
    `12:6 @timeout on a filter has no effect | ${untimed}`,
  ])
  t.strictSame(reported('@audit strict'), [`11:6 @audit ${noRoute} | ${idle}`])
  const endless = 'Remove it: end the stream in the method itself.'
  t.strictSame(
    reported('@websocket /\n@timeout 1s', 'talk(socket: { close(): void }): void { socket.close() }'),
    [`12:6 @timeout on a WebSocket route has no effect | ${untimed}`],
  )
  t.strictSame(reported('@get /\n@timeout 1s', 'async *news(): AsyncIterable<string> { yield "" }'), [
    `12:6 @timeout: a stream of events goes on as long as its client wants | ${endless}`,
  ])
})

t.test('other code has the words to itself, a misplaced one near a controller is told', async (t) => {
  const code =
    '/** A client. */\nexport class Client {\n  /**\n   * Asks.\n   *\n   * @timeout 5000\n   */\n  ask(): void {}\n}\n// @limit of the peer\n'
  t.strictSame(reported('@get /', undefined, undefined, { 'app/client.ts': code }), [])
  t.strictSame(reported('@get /', 'index(): void {} // @limit 1/s'), [
    '13:23 @limit in this comment has no effect | Move it to the last doc comment before the declaration, which must begin on a line of its own.',
  ])
  t.match(reported('@get /', undefined, undefined, { 'app/controllers/client.ts': code }), [
    /^2:1 Client has tags of a controller but does not extend Controller/,
    /@limit in this comment/,
  ])
})
