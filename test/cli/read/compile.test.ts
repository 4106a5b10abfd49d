import t from 'tap'
import { parse } from 'yaml'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import type { RouteCodec } from '../../../runtime/contract/route.ts'
import { loadCatalogue, loadCodecs } from '../codecs/printed.ts'
import { type Files, memoryHost, notesWith, shop } from '../support/memory-host.ts'

const textOf = (compilation: Compilation, path: string): string =>
  compilation.files.find((file) => file.path === path)?.text ?? ''
const build = (files: Files): Compilation => compile(memoryHost(files))

t.test('the example has no diagnostics and makes four files', async (t) => {
  const compilation = build(shop)
  t.strictSame(compilation.diagnostics, [])
  t.strictSame(
    compilation.files.map(({ path }) => path),
    ['generated/routes.ts', 'generated/paths.ts', 'generated/openapi.yml', 'generated/mcp.yml'],
  )
})

t.test('decisions, results: an output schema is promised only where every success keeps it', async (t) => {
  const action = (name: string, type: string, tag = ''): string => `
  /**
   * Answers ${name}.
   *
   * @get /${name}${tag}
   */
  ${name}(): ${type} { throw new Conflict() }
`
  const members = [
    action('always', '{ x: string }'),
    action('rendered', '{ x: string } | Rendered'),
    action('nothing', 'Promise<{ x: string } | undefined>'),
    action('several', 'One | Other', '\n   * @returns {One} 200 one\n   * @returns {Other} 202 the other'),
  ].join('')
  const classes =
    '\nexport class One { readonly x: string = "" }\nexport class Other { readonly y: string = "" }\n'
  const files = notesWith(members, 'Conflict, Controller, type Rendered')
  const path = 'app/controllers/notes.ts'
  const { catalogue, diagnostics } = build({ [path]: `${files[path]}${classes}` })
  t.strictSame(diagnostics, [])
  const x = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] }
  t.strictSame(
    loadCatalogue(catalogue).tools.map((tool: { name: string; outputSchema: object | null }) => [
      tool.name,
      tool.outputSchema,
    ]),
    [
      ['notes_always', x],
      ['notes_rendered', null],
      ['notes_nothing', null],
      ['notes_several', null],
    ],
  )
})

t.test('the catalogue holds the visible tools with closed schemas', async (t) => {
  const catalogue = loadCatalogue(build(shop).catalogue)
  t.equal(catalogue.instructions, 'notes: Notes of a person.')
  t.strictSame(
    catalogue.tools.map((tool: { name: string; root: boolean }) => [tool.name, tool.root]),
    [
      ['notes_index', false],
      ['notes_create', false],
      ['notes_remove', false],
      ['users_current', true],
    ],
  )
  t.strictSame(catalogue.tools[1].inputSchema, {
    type: 'object',
    properties: {
      note: {
        type: 'object',
        properties: { text: { type: 'string' }, color: { type: 'string', enum: ['red', 'blue'] } },
        required: ['text'],
        additionalProperties: false,
      },
    },
    required: ['note'],
    additionalProperties: false,
  })
  t.strictSame(catalogue.tools[2].hints, {
    readOnly: false,
    destructive: true,
    idempotent: true,
    openWorld: false,
  })
})

t.test('a tool whose verb replaces or changes may destroy; POST adds; the comment has the last word', (t) => {
  const said: Readonly<Record<string, readonly string[]>> = {
    get: ['', 'destructive'],
    post: ['', 'destructive', 'readOnly'],
    put: ['', 'destructive=false', 'readOnly'],
    patch: ['', 'destructive=false', 'readOnly'],
    delete: ['', 'destructive=false'],
  }
  const members = Object.entries(said).flatMap(([verb, words]) =>
    words.map(
      (word, at) => `
  /**
   * Does it.
   *
   * @${verb} /${verb}${at}${word === '' ? '' : `\n   * @mcp ${word}`}
   */
  ${verb}${at}(): string { return '' }`,
    ),
  )
  const { catalogue } = build(notesWith(members.join('\n')))
  const tools: readonly { readonly name: string; readonly hints: { readonly destructive: boolean } }[] =
    loadCatalogue(catalogue).tools
  t.strictSame(Object.fromEntries(tools.map(({ name, hints }) => [name, hints.destructive])), {
    ...{ notes_get0: false, notes_get1: true, notes_post0: false, notes_post1: true, notes_post2: false },
    ...{ notes_put0: true, notes_put1: false, notes_put2: false },
    ...{ notes_patch0: true, notes_patch1: false, notes_patch2: false },
    ...{ notes_delete0: true, notes_delete1: false },
  })
  t.end()
})

t.test(
  'decoders say where every argument comes from, and what leaves; they import nothing but the runtime',
  async (t) => {
    t.equal(
      build(shop).codecs,
      `import * as c from 'acmcp/codec'
const d_CommonResponse=c.named('CommonResponse',c.object({error:c.string,backtrace:c.optional(c.array(c.string))}))
const d_NewNote=c.named('NewNote',c.object({text:c.string,color:c.optional(c.literal(['red','blue']))}))
const d_Note=c.named('Note',c.object({id:c.bigint,text:c.string,at:c.optional(c.date),replies:c.array(c.ref(()=>d_Note))}))
export const codecs = {
hidden_things_show:c.route([],[],[],c.answers({200:c.literal(['ok'])})),
notes_index:c.route([c.param('limit','query',0,c.int32)],[[c.param('Authorization','header',0,c.string)]],[[]],c.answers({200:c.array(c.ref(()=>d_Note))}),[c.answers({404:c.ref(()=>d_CommonResponse)})]),
notes_create:c.route([c.param('note','body',1,c.ref(()=>d_NewNote))],[[c.param('Authorization','header',0,c.string)]],[[]],c.answers({201:c.ref(()=>d_Note)}),[c.answers({404:c.ref(()=>d_CommonResponse)})]),
notes_remove:c.route([c.param('id','path',1,c.string)],[[c.param('Authorization','header',0,c.string)]],[[]],undefined,[c.answers({404:c.ref(()=>d_CommonResponse)})]),
users_current:c.route([],[[c.param('Authorization','header',0,c.string)]],[[]],c.answers({200:c.object({name:c.string})}),[c.answers({404:c.ref(()=>d_CommonResponse)})]),
}
`,
    )
  },
)

t.test('the document holds defaults, handler answers, recursion and big integers as text', async (t) => {
  const document = parse(textOf(build(shop), 'generated/openapi.yml'))
  t.strictSame(document.paths['/api/notes'].get.parameters, [
    {
      name: 'limit',
      in: 'query',
      description: 'how many',
      schema: { type: 'integer', format: 'int32', default: 20 },
    },
  ])
  t.strictSame(Object.keys(document.paths['/api/notes/{id}'].delete.responses), ['200', '404'])
  t.strictSame(document.components.schemas.Note, {
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^-?[0-9]+$' },
      text: { type: 'string' },
      at: { type: 'string', format: 'date-time' },
      replies: { type: 'array', items: { $ref: '#/components/schemas/Note' } },
    },
    required: ['id', 'text', 'replies'],
  })
})

t.test('the order in which files are found does not change a byte', async (t) => {
  const reversed = Object.fromEntries(Object.entries(shop).reverse())
  const { reading: _first, ...found } = compile(memoryHost(reversed, 'reversed'))
  const { reading: _second, ...expected } = build(shop)
  t.strictSame(found, expected)
})

t.test('a changed doc comment changes exactly its text', async (t) => {
  const changed = Object.fromEntries(
    Object.entries(shop).map(([path, text]) => [path, text.replace('Adds a note.', 'Keeps a note.')]),
  )
  const [before, after] = [build(shop), build(changed)]
  t.equal(textOf(after, 'generated/routes.ts'), textOf(before, 'generated/routes.ts'))
  for (const path of ['generated/openapi.yml', 'generated/mcp.yml']) {
    const lines = textOf(before, path).split('\n')
    const differing = textOf(after, path)
      .split('\n')
      .filter((line, index) => line !== lines[index] && !/digest|tokens|all:|fingerprint/.test(line))
    t.strictSame(
      differing.map((line) => line.trim().replace(/^\w+: /, '')),
      ['Keeps a note.'],
    )
  }
})

t.test('ancestors come first, an untagged override keeps its place and inherits its text', async (t) => {
  const { model, diagnostics } = build({
    'app/base.ts': `import { Controller } from 'acmcp'
export abstract class Base<T> extends Controller {
  /** @filter before */
  first(): void {}
  /**
   * Reads one.
   *
   * @get /:id
   */
  show(id: T): T { return id }
}
`,
    'app/controllers/numbers.ts': `import type { Int32 } from 'acmcp'
import { Base } from '../base.ts'
/** Numbers. */
export class Numbers extends Base<Int32> {
  /** @filter around except=show */
  async timed(next: () => Promise<void>): Promise<void> { await next() }
  /** @filter after */
  last(): void {}
  override show(id: Int32): Int32 { return id }
}
`,
  })
  t.strictSame(diagnostics, [])
  const [action] = model.controllers[0]?.actions ?? []
  t.strictSame(
    [
      action?.path,
      action?.doc.summary,
      action?.params[0]?.schema,
      action?.filters.map(({ member }) => member),
    ],
    ['/numbers/:id', 'Reads one.', { kind: 'integer', format: 'int32' }, ['first', 'last']],
  )
})

t.test('several routes of a method are one tool, the GET', async (t) => {
  const { model } = build(
    notesWith('/**\n * Finds.\n *\n * @post /find\n * @get /find\n */\nfind(): string { return "" }'),
  )
  t.strictSame(
    model.controllers[0]?.actions.map(({ id, verb, tool }) => [id, verb, tool?.name ?? null]),
    [
      ['notes_find_post', 'POST', null],
      ['notes_find', 'GET', 'notes_find'],
    ],
  )
})

t.test('wrappers, nullable and rendered types are read', async (t) => {
  const { codecs, diagnostics, files } = build(
    notesWith(
      `/**
 * Reads.
 *
 * @get /
 * @mcp hide
 */
read(a: Header<'X-A', 'x' | 'y'> | undefined, b: Cookie<'b'> | null, c?: Named<'perPage', Int32>): 'x' | Rendered { return this.head(a === b || c ? 204 : 200) }`,
      'Controller, type Header, type Cookie, type Named, type Int32, type Rendered',
    ),
  )
  t.strictSame(diagnostics, [])
  t.match(codecs, `param('X-A','header',0,c.literal(['x','y']))`)
  t.match(codecs, `param('b','cookie',2,c.string)`)
  t.match(codecs, `param('perPage','query',0,c.int32)`)
  t.match(files[0]?.text, 'c.read(a[0], a[1], a[2])')
})

t.test(
  'examples are judged by the input schema, with the path that fails, reach models in it, and stand in mcp.yml',
  async (t) => {
    const withExample = (example: string): Files =>
      notesWith(
        `/**
 * Adds.
 *
 * @post /
 * @mcp example ${example}
 */
add(note: { text: string; tags: string[] }): void { void note }`,
      )
    const good = { note: { text: 'milk @ {home}', tags: ['a'] } }
    const fine = build(withExample(JSON.stringify(good)))
    t.strictSame(fine.diagnostics, [])
    const [{ inputSchema }] = loadCatalogue(fine.catalogue).tools
    t.strictSame(inputSchema.examples, [good])
    const [{ digest, tools }] = parse(textOf(fine, 'generated/mcp.yml')).toolboxes
    const tokens = Math.ceil(('Adds.'.length + JSON.stringify(inputSchema).length) / 4)
    t.strictSame([tools[0].examples, tools[0].schema, tools[0].tokens], [[good], undefined, tokens])
    const other = build(withExample(JSON.stringify({ note: { text: 'bread', tags: [] } })))
    t.not(parse(textOf(other, 'generated/mcp.yml')).toolboxes[0].digest, digest)
    t.strictSame(build(withExample('{"note":{"text":"x","tags":[1]}}')).diagnostics, [
      {
        code: 'ACM210',
        severity: 'error',
        message:
          "the example does not fit the tool notes_add: invalid parameter value for 'note.tags.0': expected string, got 1",
        hint: "Write arguments that the tool's input schema accepts.",
        at: { file: 'app/controllers/notes.ts', line: 12, column: 4 },
      },
    ])
  },
)

t.test(
  'a handler that never runs is a warning and is not documented; one before a wider one is',
  async (t) => {
    const compilation = build({
      'app/errors.ts': `export class Lost extends Error {}
export class Gone extends Lost {}
`,
      'app/controllers/notes.ts': `import { Controller } from 'acmcp'
import { Gone, Lost } from '../errors.ts'
abstract class Parent extends Controller {
  /** @exception {Lost} 404 */
  lost(error: Lost): string { return error.message }
}
/** Notes. */
export class Notes extends Parent {
  /** @exception {Gone} 410 */
  gone(error: Gone): string { return error.message }
  /** @exception {Error} 500 */
  other(error: Error): string { return error.message }
  /**
   * Shows.
   *
   * @get /
   */
  show(): void {}
}
`,
    })
    t.strictSame(
      compilation.diagnostics.map(({ code, severity, message }) => [code, severity, message]),
      [
        [
          'ACM213',
          'warning',
          'the handler gone of Gone never runs: Parent.lost (app/controllers/notes.ts:4) answers before it',
        ],
      ],
    )
    const { paths } = parse(textOf(compilation, 'generated/openapi.yml'))
    t.strictSame(Object.keys(paths['/notes'].get.responses), ['200', '404', '500'])
  },
)

t.test('@throws with a status is documented, without one it is for readers of the source', async (t) => {
  const compilation = build(
    notesWith(
      `/**
 * Shows.
 *
 * @get /
 * @throws {NotFound} 404 there is no such note
 * @throws {NotFound} 410
 * @throws {Error} when the disk is full
 */
show(): void {}`,
      'Controller, NotFound',
    ),
  )
  t.strictSame(compilation.diagnostics, [])
  t.strictSame(parse(textOf(compilation, 'generated/openapi.yml')).paths['/api/notes'].get.responses, {
    200: { description: 'Success' },
    404: { description: 'there is no such note' },
    410: { description: 'NotFound' },
  })
})

t.test('@mcp describe and header change what the model gets, not the API', async (t) => {
  const compilation = build(
    notesWith(
      `/**
 * Shows.
 *
 * @get /
 * @mcp describe Shows one note of a tenant.
 * @mcp header tenant=Tenant
 */
show(tenant: string): void { void tenant }`,
    ),
  )
  t.strictSame(compilation.diagnostics, [])
  const [tool] = loadCatalogue(compilation.catalogue).tools
  const said = 'Shows one note of a tenant.'
  t.strictSame(
    [tool.description, tool.summary, tool.inputSchema.properties],
    [said, said, { tenant: { type: 'string', 'x-mcp-header': 'Tenant' } }],
    'the summary is what open_toolbox shows',
  )
  const { get } = parse(textOf(compilation, 'generated/openapi.yml')).paths['/api/notes']
  t.strictSame([get.summary, get.parameters[0].schema], ['Shows.', { type: 'string' }])
})

t.test('names that JavaScript or the printer knows are properties and types like others', async (t) => {
  const { codecs, diagnostics } = build({
    'app/controllers/notes.ts': `import { type Body, Controller } from 'acmcp'
export interface $string { at: number }
export interface Odd { b?: string; names?: string[]; ['__proto__']?: { z: string }; data?: unknown }
export class Notes extends Controller {
  /** @post /a */
  first(one: Body<$string>): void { void one }
  /** @post /b */
  second(odd: Body<Odd>): void { void odd }
}
`,
  })
  t.strictSame(
    diagnostics.filter(({ severity }) => severity === 'error'),
    [],
  )
  const { notes_first: first, notes_second: second } = await loadCodecs(codecs)
  const decode = (route: RouteCodec | undefined, provided: unknown): unknown =>
    route?.params.find(({ from }) => from === 'body')?.codec.fromJson(provided, '')
  t.strictSame(decode(first, { at: 1 }), { at: 1 })
  const provided = JSON.parse('{"b":"x","__proto__":{"z":"own"}}')
  const made = decode(second, provided) as object
  t.strictSame([Object.keys(made), Object.getPrototypeOf(made)], [['b', '__proto__'], Object.prototype])
  for (const data of [{ '\0': 1 }, { '\ud800': 1 }])
    t.throws(() => decode(second, { data }), /invalid parameter value for 'data'/)
})
