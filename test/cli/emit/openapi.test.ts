/** What `generated/openapi.yml` says about routes, and what a linter that we did not write says about it. */
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { type Files, memoryHost, notesWith } from '../support/memory-host.ts'
import { redocly } from '../support/redocly.ts'

t.test('decisions, OpenAPI: the document passes @redocly/cli lint without errors and warnings', async (t) => {
  t.strictSame(redocly(['generated/openapi.yml']), [])
})

/** The document's operations by path and verb. */
function operations(files: Files): Record<string, Record<string, Record<string, unknown>>> {
  const { files: made, diagnostics } = compile(memoryHost(files))
  if (made.length === 0) throw new Error(JSON.stringify(diagnostics))
  return parse(made.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '').paths
}

const text = { type: 'string' }
const json = (schema: object): object => ({ 'application/json': { schema } })

t.test('what filters take and answer stands on every route that they cover, and on no other', async (t) => {
  const paths = operations(
    notesWith(
      `/**
 * Needs a tenant.
 *
 * @filter before only=one
 * @param tenant - whose notes
 * @throws {Conflict} 402 not paid
 * @returns {Problem} 403 not yours
 */
before(tenant: Header<'X-Tenant'>): Rendered | undefined { return tenant === '' ? this.head(403) : undefined }
/**
 * One.
 *
 * @get /one
 * @mcp hide
 * @throws {NotFound} 404 no such note
 */
one(): string { return '' }
/**
 * Two.
 *
 * @get /two
 */
two(): string { return '' }
}
export interface Problem { title: string }
export class More {`,
      'Controller, Conflict, NotFound, type Header, type Rendered',
    ),
  )
  const ok = { 200: { description: 'Success', content: json(text) } }
  t.strictSame(paths['/api/notes/one']?.get?.parameters, [
    { name: 'X-Tenant', in: 'header', required: true, description: 'whose notes', schema: text },
  ])
  t.strictSame(paths['/api/notes/one']?.get?.responses, {
    ...ok,
    402: { description: 'not paid' },
    403: {
      description: 'not yours',
      content: json({ $ref: '#/components/schemas/Problem' }),
    },
    404: { description: 'no such note' },
  })
  t.strictSame(paths['/api/notes/two']?.get?.responses, ok)
})

t.test("an override's own @param and @returns stand before those of the method above it", async (t) => {
  const paths = operations({
    'app/base.ts': `import { Controller } from 'acmcp'
export abstract class Base extends Controller {
  /**
   * Shows.
   *
   * @get /:id
   * @param id - which one
   * @param more - the parent's text
   * @returns 200 as the parent says
   */
  show(id: string, more?: string): string { return id + more }
}
`,
    'app/controllers/notes.ts': `import { Base } from '../base.ts'
/** Notes. */
export class Notes extends Base {
  /**
   * @param more - its own text
   * @returns 202 as the override says
   */
  override show(id: string, more?: string): string { return id + more }
}
`,
  })
  const { summary, parameters, responses } = paths['/notes/{id}']?.get ?? {}
  t.strictSame(
    [summary, parameters, responses],
    [
      'Shows.',
      [
        { name: 'id', in: 'path', required: true, description: 'which one', schema: text },
        { name: 'more', in: 'query', description: 'its own text', schema: text },
      ],
      { 202: { description: 'as the override says', content: json(text) } },
    ],
  )
})

t.test("bodies stand as JSON and in the application's own types, answers as well", async (t) => {
  const paths = operations({
    'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({ parsers: { 'application/msgpack': String }, responders: { 'text/csv': String } })
`,
    ...notesWith(
      `/**
 * Adds.
 *
 * @post /
 */
add(note: Body<{ a: string }>): string { return note.a }
/**
 * Renames.
 *
 * @put /
 */
rename(name: Body<string>): void { void name }
/**
 * Lists.
 *
 * @patch /
 * @produces application/json
 */
list(all: Body<string[]>, where?: { a: string }): string[] { return [...all, String(where)] }
`.replace(', where?: { a: string }', ''),
      'Controller, type Body',
    ),
  })
  const contentOf = (verb: string): unknown => paths['/api/notes']?.[verb]?.requestBody
  const object = { schema: { type: 'object', properties: { a: text }, required: ['a'] } }
  const list = { schema: { type: 'array', items: text } }
  t.strictSame(contentOf('post'), {
    required: true,
    content: {
      'application/json': object,
      'application/msgpack': object,
    },
  })
  t.strictSame(contentOf('put'), {
    required: true,
    content: {
      'application/json': { schema: text },
      'application/msgpack': { schema: text },
    },
  })
  t.strictSame(contentOf('patch'), {
    required: true,
    content: { 'application/json': list, 'application/msgpack': list },
  })
  const answers = (verb: string): unknown => paths['/api/notes']?.[verb]?.responses
  t.strictSame(answers('post'), {
    200: { description: 'Success', content: { ...json(text), 'text/csv': { schema: text } } },
  })
  t.strictSame(answers('patch'), {
    200: { description: 'Success', content: { 'application/json': list } },
  })
})

t.test('objects, tuples and lists of them in the query are one JSON text, other lists are not', async (t) => {
  const paths = operations(
    notesWith(
      `/**
 * Finds.
 *
 * @get /
 */
find(where: { a: string }, pair?: [string, string], many?: Where[], tags?: string[], tree?: Tree): void { void [where, pair, many, tags, tree] }
}
export interface Where { a: string }
export type Tree = string | Tree[]
export class Other {`,
    ),
  )
  const parameters = paths['/api/notes']?.get?.parameters as readonly { name: string; content?: object }[] // as OpenAPI says
  t.strictSame(
    parameters.map(({ name, content }) => [name, content === undefined ? 'schema' : Object.keys(content)]),
    [
      ['where', ['application/json']],
      ['pair', ['application/json']],
      ['many', ['application/json']],
      ['tags', 'schema'],
      ['tree', 'schema'],
    ],
  )
  t.strictSame(parameters[0]?.content, json({ type: 'object', properties: { a: text }, required: ['a'] }))
})

/** The whole document. */
function documentOf(files: Files): Json {
  const { files: made, diagnostics } = compile(memoryHost(files))
  if (made.length === 0) throw new Error(JSON.stringify(diagnostics))
  return parse(made.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '')
}

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into as a reader of YAML does
type Json = any

/** A base with a handler for each error of the framework. */
const base: Files = {
  'app/base.ts': `import { ApplicationController, JsonParseError, NotAcceptable, UnsupportedMediaType, ValueError } from 'acmcp'
export interface Wrong { error: string }
export abstract class Base extends ApplicationController {
  /**
   * It is wrong.
   *
   * @exception {ValueError} 400
   * @exception {JsonParseError} 400
   * @exception {NotAcceptable} 406
   * @exception {UnsupportedMediaType} 415
   */
  wrong(error: ValueError | JsonParseError | NotAcceptable | UnsupportedMediaType): Wrong { return { error: error.message } }
}
`,
}

/** Notes below that base. */
const notesOfBase = (members: string, imports = 'Controller'): Files => ({
  ...base,
  ...Object.fromEntries(
    Object.entries(notesWith(members, imports)).map(([path, text]) => [
      path,
      `import { Base } from '../base.ts'\n${text.replace('extends Controller', 'extends Base')}`,
    ]),
  ),
})

const shipped = notesOfBase(
  `/**
 * Says that it lives.
 *
 * @get /
 */
ping(): string { return '' }
/**
 * Says it as text.
 *
 * @get /text
 * @produces text/plain
 */
plain(): string { return '' }
/**
 * Shows.
 *
 * @get /:id
 */
show(id: string): string { return id }
/**
 * Adds.
 *
 * @post /
 */
add(note: Body<{ a: string }>): string { return note.a }
/**
 * Sends.
 *
 * @post /file
 * @mcp hide
 */
send(file: UploadedFile): string { return file.filename ?? '' }
/**
 * Looks up.
 *
 * @get /found/:id
 * @throws {NotFound} 404 no such note
 */
found(id: string): string { return id }
/**
 * Looks up, and is called often.
 *
 * @get /other/:id
 * @throws {NotFound} 404 no such note
 */
other(id: string): string { return id }
/**
 * Looks elsewhere.
 *
 * @get /else/:id
 * @throws {NotFound} 404 nothing there
 */
elsewhere(id: string): string { return id }`,
  'NotFound, type Body, type UploadedFile',
)

t.test('errors of bodies, parameters and negotiation stand where they can be raised alone', async (t) => {
  const { paths } = documentOf(shipped)
  const statuses = (path: string, verb = 'get'): string => Object.keys(paths[path][verb].responses).join(' ')
  t.strictSame(
    [
      statuses('/api/notes'),
      statuses('/api/notes/text'),
      statuses('/api/notes/{id}'),
      statuses('/api/notes', 'post'),
      statuses('/api/notes/file', 'post'),
    ],
    [
      '200 404 406 409',
      '200 404 409',
      '200 400 404 406 409 422',
      '200 400 404 406 409 415 422',
      '200 400 404 406 409 415 422',
    ],
  )
  t.strictSame(paths['/api/notes/{id}'].get.responses['400'], { $ref: '#/components/responses/ValueError' })
  t.strictSame(paths['/api/notes'].post.responses['400'], {
    $ref: '#/components/responses/ValueErrorOrJsonParseError',
  })
  t.strictSame(Object.keys(paths['/api/notes/file'].post.requestBody.content), ['multipart/form-data'])
})

t.test(
  'a filter that reads a parameter, or the body, brings its errors to the routes it covers',
  async (t) => {
    const { paths } = documentOf(
      notesOfBase(
        `/** @filter before only=one */
tenant(tenant: Header<'X-Tenant'>): void { void tenant }
/** @filter before only=two */
note(note: Body<{ a: string }>): void { void note }
/**
 * One.
 *
 * @get /one
 * @mcp hide
 */
one(): string { return '' }
/**
 * Two.
 *
 * @post /two
 */
two(): string { return '' }
/**
 * Three.
 *
 * @get /three
 */
three(): string { return '' }`,
        'type Body, type Header',
      ),
    )
    const statuses = (path: string, verb: string): string[] => Object.keys(paths[path][verb].responses)
    t.strictSame(
      ['400', '415', '422'].map((status) => [
        statuses('/api/notes/one', 'get').includes(status),
        statuses('/api/notes/two', 'post').includes(status),
        statuses('/api/notes/three', 'get').includes(status),
      ]),
      [
        [true, true, false],
        [false, true, false],
        [true, true, false],
      ],
    )
  },
)

t.test(
  'what handlers answer is one component for all operations, also what two of them document',
  async (t) => {
    const { paths, components } = documentOf(shipped)
    const refused = (description: string): object => ({
      description,
      content: json({ $ref: '#/components/schemas/CommonResponse' }),
    })
    const at404 = (path: string): unknown => paths[path].get.responses['404']
    t.strictSame(at404('/api/notes'), { $ref: '#/components/responses/NotFound' })
    t.strictSame(components.responses.NotFound, refused('The request is refused.'))
    t.strictSame(at404('/api/notes/found/{id}'), { $ref: '#/components/responses/NotesNotFound' })
    t.strictSame(at404('/api/notes/other/{id}'), at404('/api/notes/found/{id}'))
    t.strictSame(components.responses.NotesNotFound, refused('The request is refused. / no such note'))
    t.strictSame(at404('/api/notes/else/{id}'), refused('The request is refused. / nothing there'))
  },
)

t.test('two bases with other answers for one error have a component each', async (t) => {
  const { paths, components } = documentOf({
    'app/base.ts': `import { Controller, NotFound } from 'acmcp'
/** @base /admin */
export abstract class Admin extends Controller {
  /** @exception {NotFound} 404 */
  gone(error: NotFound): { gone: string } { return { gone: error.message } }
}
/** @base /shop */
export abstract class Shop extends Controller {
  /** @exception {NotFound} 404 */
  missing(error: NotFound): { missing: string } { return { missing: error.message } }
}
`,
    'app/controllers/all.ts': `import { Admin, Shop } from '../base.ts'
/** Users. */
export class Users extends Admin {
  /**
   * Lists.
   *
   * @get /
   */
  list(): string { return '' }
}
/** Wares. */
export class Wares extends Shop {
  /**
   * Lists.
   *
   * @get /
   */
  list(): string { return '' }
}
`,
  })
  const operations: readonly Json[] = Object.values(paths)
  t.strictSame(
    operations.map((path) => path.get.responses['404'].$ref.split('/').at(-1)),
    ['NotFound', 'NotFound2'],
  )
  const property = (name: string): object =>
    Object.keys(components.responses[name].content['application/json'].schema.properties)
  t.strictSame([property('NotFound'), property('NotFound2')], [['gone'], ['missing']])
})

t.test(
  'a union that a property tells apart says so wherever it stands, and texts say what a parameter can be',
  async (t) => {
    const files = notesWith(
      `/**
 * Takes shapes.
 *
 * @post /shapes
 */
shapes(shape: Body<{ one: Circle | Square; all: (Circle | Square)[]; last: Circle | Square | null }>): string { return String(shape) }
/**
 * Takes texts.
 *
 * @get /texts
 * @mcp hide
 */
texts(a: 'now' | Circle, b: string | number, c: (string | number)[], d?: Date | Circle | null, e?: unknown, f?: '1' | 1, g: string | void): string { return String([a, b, c, d, e, f, g]) }
/**
 * Takes a form.
 *
 * @post /form
 * @consumes application/x-www-form-urlencoded
 * @mcp hide
 */
form(pair: [number, number], name: string): string { return String([pair, name]) }
}
export interface Circle { kind: 'circle'; radius: number }
export interface Square { kind: 'square' | 'quadrat'; side: number }
export class More {`,
      'type Body, Controller',
    )
    const paths = operations(files)
    const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
    const number = { type: 'number' }
    const tagged = {
      oneOf: [ref('Circle'), ref('Square')],
      discriminator: {
        propertyName: 'kind',
        mapping: {
          circle: '#/components/schemas/Circle',
          square: '#/components/schemas/Square',
          quadrat: '#/components/schemas/Square',
        },
      },
    }
    t.strictSame(Object(paths['/api/notes/shapes']?.post?.requestBody).content, {
      ...json({
        type: 'object',
        properties: {
          one: tagged,
          all: { type: 'array', items: tagged },
          last: { anyOf: [tagged, { type: 'null' }] },
        },
        required: ['one', 'all', 'last'],
      }),
    })
    const inText = { type: 'string', contentMediaType: 'application/json', contentSchema: ref('Circle') }
    const parameter = (name: string, isRequired: boolean, how: object): object => ({
      name,
      in: 'query',
      ...(isRequired ? { required: true } : {}),
      ...how,
    })
    t.strictSame(paths['/api/notes/texts']?.get?.parameters, [
      parameter('a', true, { schema: { anyOf: [{ type: 'string', const: 'now' }, inText] } }),
      parameter('b', true, { schema: text }),
      parameter('c', true, { content: json({ type: 'array', items: { anyOf: [text, number] } }) }),
      parameter('d', false, {
        schema: { anyOf: [{ type: 'string', format: 'date-time' }, inText, { type: 'null' }] },
      }),
      parameter('e', false, { schema: text }),
      parameter('f', false, { schema: { type: 'number', enum: [1] } }),
      parameter('g', false, { schema: text }),
    ])
    const pair = { type: 'array', prefixItems: [number, number], minItems: 2, maxItems: 2 }
    t.strictSame(Object(paths['/api/notes/form']?.post?.requestBody).content, {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: { pair, name: text }, required: ['pair', 'name'] },
        encoding: { pair: { contentType: 'application/json' } },
      },
    })
  },
)

t.test(
  'a union of which no text tells the members apart is an error where it is a text, and none in JSON',
  async (t) => {
    const member = (tag: string, parameters: string, name: string): string =>
      `/**\n * Takes it.\n *\n * ${tag} /${name}\n * @mcp hide\n */\n${name}(${parameters}): void {}\n`
    const members = [
      member('@get', 'v: number | bigint', 'one'),
      member('@get', "v: Header<'X-V', boolean | Uint8Array>", 'two'),
      member('@post', 'v: number | bigint', 'three'),
      member('@post', 'v: Body<number | bigint>', 'four'),
      member('@get', "v: 'a' | 1n | Date | string[]", 'five'),
    ]
    const { diagnostics } = compile(
      memoryHost(notesWith(members.join(''), 'Controller, type Body, type Header')),
    )
    t.strictSame(
      diagnostics.flatMap(({ code, message }) => (code === 'ACM239' ? [message] : [])),
      [
        'no text of v in a query tells a number from a bigint',
        'no text of X-V in a header tells a boolean from base64',
      ],
    )
  },
)
