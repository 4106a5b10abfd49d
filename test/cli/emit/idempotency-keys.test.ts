/** What tools and documents say of `@idempotencyKey`. Whole values. */
import t from 'tap'
import { parse } from 'yaml'
import { type Compilation, type CompileOptions, compile } from '../../../cli/compiler/compile.ts'
import type { ToolEntry } from '../../../runtime/contract/mcp.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { memoryHost } from '../support/memory-host.ts'
import { readDocument } from './read-document.ts'

t.setTimeout(240_000)

const member = (tags: string, code: string): string =>
  `  /**\n   * Does it.\n   *\n${tags.replace(/^/gm, '   * ')}\n   */\n  ${code}\n`

const handler = `  /**
   * It is there.
   *
   * @exception {Conflict} 409
   */
  conflict(error: Conflict): { why: string } { return { why: error.message } }
}
`

/** `key`: stands in the place of the tag of its number. */
const ordersWith = (
  key: (rule: string) => string,
): string => `import { type Body, Conflict, Controller } from 'acmcp'
/** Orders. */
export class Orders extends Controller {
${member(`@post /\n@returns 201 the order${key('required')}`, 'add(name: string): string { return name }')}
${member(`@patch /:id${key('')}`, 'change(id: string, name?: string): void { void [id, name] }')}
${member(`@put /:id`, 'replace(id: string): void { void id }')}
${member(`@post /:id/paid\n@mcp idempotent=false\n@mcp brief id${key('transaction required')}`, 'pay(id: string): { id: string; cents: number } { return { id, cents: 1 } }')}
${member(`@post /closed${key('transaction')}`, 'closed(/** @schema ./closed.json */ order: Body<{ city: string }>): void { void order }')}
${member(`@post /open${key('required')}`, 'open(/** @schema ./open.json */ order: Body<{ city: string }>): void { void order }')}
${member(`@post /nothing\n@approval Do it\n@limit 5/s${key('')}`, 'nothing(): void {}')}
}
`

const filesOf = (orders: string): Readonly<Record<string, string>> => ({
  'app/controllers/orders.ts': orders,
  'app/controllers/closed.json':
    '{ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"], "additionalProperties": false }',
  'app/controllers/open.json':
    '{ "type": "object", "properties": { "city": { "type": "string" } }, "additionalProperties": true }',
})

const build = (orders: string, options: CompileOptions = {}): Compilation =>
  compile(memoryHost(filesOf(orders)), options)

const keyed = ordersWith((rule) => `\n@idempotencyKey ${rule}`.trimEnd())
const compiled = build(keyed)

function textOf({ files, diagnostics }: Compilation, name: string): string {
  const text = files.find(({ path }) => path.endsWith(name))?.text
  if (text === undefined) throw new Error(JSON.stringify(diagnostics))
  return text
}

const sentence =
  'One value per intended effect, such as a new UUID. Use the same value again when the answer did not come; another value does it again.'
const text = { type: 'string' }
const key = { type: 'string', minLength: 1, maxLength: 255, description: sentence }
const keyPlace = { argument: 'idempotencyKey', from: 'header', name: 'Idempotency-Key' }
const field = (name: string): object => ({ argument: name, from: 'field', name })
const closed = { additionalProperties: false }

t.test('idempotency: a tool takes the key as an argument, which is sent as a header', async (t) => {
  t.strictSame(compiled.diagnostics, [])
  const tools: readonly ToolEntry[] = loadCatalogue(compiled.catalogue).tools
  const told = tools.map(({ name, inputSchema, arguments: places, hints, ...more }) => ({
    [name]: [inputSchema, places, hints.idempotent, 'idempotencyKey' in more],
  }))
  const fields = {
    type: 'array',
    items: { type: 'string', enum: ['cents'] },
    description: 'Properties to answer beside id.',
  }
  const id = { argument: 'id', from: 'path', name: 'id' }
  const segment = { ...text, minLength: 1 }
  t.strictSame(Object.assign({}, ...told), {
    orders_add: [
      {
        type: 'object',
        properties: { name: text, idempotencyKey: key },
        required: ['name', 'idempotencyKey'],
        ...closed,
      },
      [field('name'), keyPlace],
      true,
      false,
    ],
    orders_change: [
      {
        type: 'object',
        properties: { id: segment, name: text, idempotencyKey: key },
        required: ['id'],
        ...closed,
      },
      [id, field('name'), keyPlace],
      false,
      false,
    ],
    orders_replace: [
      { type: 'object', properties: { id: segment }, required: ['id'], ...closed },
      [id],
      true,
      false,
    ],
    orders_pay: [
      {
        type: 'object',
        properties: { id: segment, fields, idempotencyKey: key },
        required: ['id', 'idempotencyKey'],
        ...closed,
      },
      [id, keyPlace],
      false,
      false,
    ],
    orders_closed: [
      {
        type: 'object',
        properties: { city: text, idempotencyKey: key },
        required: ['city'],
        ...closed,
      },
      [field('city'), keyPlace],
      false,
      false,
    ],
    orders_open: [
      {
        type: 'object',
        properties: { city: text, idempotencyKey: key },
        required: ['idempotencyKey'],
        additionalProperties: true,
      },
      [field('city'), keyPlace],
      true,
      false,
    ],
    orders_nothing: [
      { type: 'object', properties: { idempotencyKey: key }, ...closed },
      [keyPlace],
      false,
      false,
    ],
  })
})

t.test('idempotency: mcp.yml has the argument with its text, and what the tag says', async (t) => {
  const [{ tools }] = parse(textOf(compiled, 'mcp.yml')).toolboxes
  const said = tools.map(
    (tool: { name: string; params: Record<string, unknown>; idempotencyKey?: string }) => [
      tool.name,
      tool.idempotencyKey,
      tool.params.idempotencyKey,
    ],
  )
  const shown = (required: boolean): object => ({
    in: 'header',
    ...(required ? { required: true } : {}),
    ...key,
  })
  t.strictSame(said, [
    ['orders_add', 'required', shown(true)],
    ['orders_change', 'optional', shown(false)],
    ['orders_replace', undefined, undefined],
    ['orders_pay', 'required transaction', shown(true)],
    ['orders_closed', 'optional transaction', shown(false)],
    ['orders_open', 'required', shown(true)],
    ['orders_nothing', 'optional', shown(false)],
  ])
})

const problem = (status: number, description: string, more: object = {}): object => ({
  description,
  content: {
    'application/problem+json': {
      schema: {
        type: 'object',
        properties: {
          type: { type: 'string', format: 'uri' },
          title: text,
          status: { type: 'number', const: status },
          detail: text,
        },
        required: ['type', 'title', 'status', 'detail'],
      },
    },
  },
  ...more,
})

const conflicts =
  'The first call with this key is still running, its outcome is unknown, or its answer was not kept: `type` says which.'
const tooMany = 'Too many keys of this user are kept.'

t.test('idempotency: OpenAPI has the header, its refusals, and how a kept answer is told', async (t) => {
  const { paths } = readDocument(textOf(build(keyed), 'openapi.yml'))
  const parameter = {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: sentence,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }
  const replayed = {
    'Idempotent-Replayed': {
      description: 'It is the answer of the first call with this key, which was not run again.',
      schema: { type: 'string', const: 'true' },
    },
  }
  const later = {
    headers: {
      'Retry-After': {
        description: 'Seconds until it is worth asking again; absent where the first call no longer runs.',
        schema: { type: 'integer', minimum: 1 },
      },
    },
  }
  const { post } = paths['/orders']
  t.strictSame(post['x-acmcp-idempotency-key'], { required: true, transaction: false })
  t.strictSame(post.parameters, [parameter])
  const none = problem(
    400,
    'The key is missing where one is required, is none, or comes without credentials: keys are kept for a caller.',
  )
  const other = problem(422, 'The key was used for another call.')
  t.strictSame(post.responses, {
    201: {
      description: 'the order',
      content: { 'application/json': { schema: text } },
      headers: replayed,
    },
    400: none,
    409: problem(409, conflicts, later),
    422: other,
    429: problem(429, tooMany),
  })
  const { patch, put } = paths['/orders/{id}']
  const { required: _required, ...optional } = parameter
  t.strictSame(patch['x-acmcp-idempotency-key'], { required: false, transaction: false })
  t.strictSame(patch.parameters.at(-1), optional)
  t.strictSame([put['x-acmcp-idempotency-key'], Object.keys(put.responses)], [undefined, ['200']])
  t.strictSame(paths['/orders/closed'].post['x-acmcp-idempotency-key'], {
    required: false,
    transaction: true,
  })
  const { 409: spent, 429: often } = paths['/orders/nothing'].post.responses
  t.strictSame(
    spent,
    problem(409, `${conflicts} / This very call was approved and has run less than a minute ago.`, later),
    'beside those of approvals',
  )
  t.strictSame(Object.keys(often.content), ['application/problem+json', 'application/json'])
  t.match(often.headers, { 'Retry-After': { required: true } }, 'beside those of a limit')
})

t.test(
  'idempotency: a handler of the same status, and errors of the method, stand beside the refusals',
  async (t) => {
    const own = keyed
      .replace('@post /\n', '@post /\n   * @throws {Conflict} 409 it is there\n')
      .replace(/\}\n$/, handler)
    const { paths } = readDocument(textOf(build(own), 'openapi.yml'))
    const { 409: conflict } = paths['/orders'].post.responses
    t.strictSame(conflict.description, `It is there. / it is there / ${conflicts}`)
    t.strictSame(Object.keys(conflict.content), ['application/json', 'application/problem+json'])
  },
)

t.test('idempotency: without the tag no file says a word of it', async (t) => {
  const bare = build(ordersWith(() => ''))
  t.strictSame(bare.diagnostics, [])
  t.notMatch([...bare.files.map((file) => file.text), bare.catalogue].join(''), /idempotency|replayed/i)
})

t.test('idempotency: a field of the name is like any other where there is no tag', async (t) => {
  const { files, catalogue, diagnostics } = build(
    `import { Controller } from 'acmcp'
/** Orders. */
export class Orders extends Controller {
${member('@post /', 'add(idempotencyKey: string): string { return idempotencyKey }')}
}
`,
  )
  t.strictSame(diagnostics, [])
  t.strictSame(loadCatalogue(catalogue).tools[0].arguments, [field('idempotencyKey')])
  const [{ tools }] = parse(files.find(({ path }) => path.endsWith('mcp.yml'))?.text ?? '').toolboxes
  t.strictSame(tools[0].params, { idempotencyKey: { in: 'field', required: true, type: 'string' } })
})
