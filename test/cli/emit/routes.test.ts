/** Paths, sockets, TLS, statuses, uploads and streams: what the build refuses, and what it writes. */
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { built, folderOf, typeErrors } from '../support/built-app.ts'
import { type Case, judge, method, short } from '../support/judge.ts'
import { memoryHost, notesWith } from '../support/memory-host.ts'

t.setTimeout(240_000)

const union = 'show(): string | Missing { return "" }'

const cases: readonly Case[] = [
  { sentence: 'a path without a slash', members: method('@get show'), expected: ['ACM113 11:4'] },
  { sentence: 'text after a path', members: method('@get /show it'), expected: ['ACM113 11:4'] },
  {
    sentence: 'a variable twice in a path',
    members: method('@get /:id/:id', 'show(id: string): void { void id }'),
    expected: ['ACM113 11:4'],
  },
  {
    sentence: 'the rest before the end',
    members: method('@get /*:a/b', 'show(a: string): void { void a }'),
    expected: ['ACM113 11:4'],
  },
  {
    sentence: 'a variable inside a segment',
    members: method('@get /a:b', 'show(b: string): void { void b }'),
    expected: ['ACM113 11:4'],
  },
  {
    sentence: 'an optional segment for a required parameter',
    members: method('@get /?:id', 'show(id: string): void { void id }'),
    expected: ['ACM214 13:6'],
  },
  {
    sentence: 'a route that an optional segment serves too',
    members: `${method('@get /a/?:id', 'one(id?: string): void { void id }')}\n${method('@get /a', 'two(): void {}')}`,
    expected: ['ACM201 11:4', 'ACM201 17:4'],
  },
  {
    sentence: 'a WebSocket route that does not take the socket',
    members: method('@websocket /'),
    expected: ['ACM130 13:1'],
  },
  {
    sentence: 'a WebSocket route that serves requests too',
    members: method('@websocket /\n@get /plain', 'show(socket: object): void { void socket }'),
    expected: ['ACM131 12:4'],
  },
  {
    sentence: 'a WebSocket route as a tool (warning)',
    members: method('@websocket /\n@mcp root', 'show(socket: object): void { void socket }'),
    expected: ['ACM217 12:4'],
  },
  {
    sentence: 'two statuses that no class tells apart',
    members: method('@get /\n@returns {string} 200\n@returns {Missing} 404', union),
    after: 'export interface Missing { missing: true }',
    expected: ['ACM135 13:14'],
  },
  {
    sentence: 'a status for a class that is not exported',
    members: method('@get /\n@returns {Own} 404', 'show(): string | Own { return "" }'),
    after: 'class Own { missing = true }',
    expected: ['ACM117 12:14'],
  },
  {
    sentence: 'one status for each exported class is fine: it',
    members: method(
      '@get /\n@returns {Absent} 404\n@returns {Past} 410',
      'show(): string | Absent | Past { return "" }',
    ),
    after: 'export class Absent { missing = true }\nexport class Past { gone = true }',
    expected: [],
  },
  {
    sentence: 'statuses that the method renders itself are fine: it',
    members: method(
      '@get /\n@returns {string} 200\n@returns {number} 202',
      'show(): string | Rendered { return "" }',
    ),
    expected: [],
  },
  {
    sentence: 'a file where there is no body',
    members: method('@get /', 'show(file?: UploadedFile): void { void file }'),
    expected: ['ACM209 13:6'],
  },
  {
    sentence: 'a file inside a value',
    members: method('@post /', 'show(b: { file: UploadedFile }): void { void b }'),
    expected: ['ACM120 13:11'],
  },
  {
    sentence: 'a required file of a root tool (warning)',
    members: method('@post /\n@mcp root', 'show(file: UploadedFile): void { void file }'),
    expected: ['ACM217 12:4'],
  },
  {
    sentence: 'events of a root tool (warning)',
    members: method('@get /\n@mcp root', 'async *show(): AsyncIterable<number> { yield 1 }'),
    expected: ['ACM217 12:4'],
  },
  {
    sentence: 'a stream inside a value',
    members: method('@get /', 'show(): { bytes: ReadableStream } { return { bytes: new ReadableStream() } }'),
    expected: ['ACM120 13:11'],
  },
  {
    sentence: 'an enum of text that is not exported is fine: it',
    members: method('@get /', 'show(c: Color): void { void c }'),
    after: "enum Color { Red = 'red', Blue = 'blue' }",
    expected: [],
  },
]
const judged = judge(cases)

for (const [index, { sentence, expected }] of cases.entries()) {
  t.test(`${sentence} is what the build says`, async (t) => {
    t.strictSame(judged[index]?.map(short), expected)
  })
}

/** A controller with a handler of the class `name`, which `head` imports or `after` declares. */
const handling = (
  name: string,
  head: string,
  after = '',
): string => `import { Controller } from 'acmcp'; ${head}
/** Handles. */
export class Of${name} extends Controller {
${method('@get /')}
${method(`@exception {${name}} 404`, `gone(e: ${name}): string { return e.name }`)}
}
${after}`

t.test(
  'names of error classes: a class of a tag that is exported under another name is told where it is',
  async (t) => {
    const { diagnostics } = compile(
      memoryHost({
        'app/named.ts': 'export default class Named extends Error {}\n',
        'app/bare.ts': '\nexport default class extends Error {}\n',
        'app/controllers/bare.ts': handling('Bare', "import Bare from '../bare.ts'"),
        'app/controllers/both.ts': handling(
          'Both',
          '',
          'export class Both extends Error {}\nexport default Both\n',
        ),
        'app/controllers/later.ts': handling(
          'Later',
          '',
          'class Later extends Error {}\nexport default Later\n',
        ),
        'app/controllers/named.ts': handling('Named', "import Named from '../named.ts'"),
        'app/controllers/none.ts': handling('None', '', 'class None extends Error {}\n'),
        'app/controllers/other.ts': handling(
          'Other',
          '',
          'class Other extends Error {}\nexport { Other as Also }\n',
        ),
        'app/controllers/status.ts': `import { Controller } from 'acmcp'
/** Answers. */
export class Statuses extends Controller {
${method('@get /\n@returns {Kept} 404', 'show(): string | Kept { return "" }')}
}
export default class Kept { a = 1 }
`,
      }),
    )
    const own = (at: string, name: string, user: string): string =>
      `${at} ACM153 the class ${name} is not exported by its name | Write \`export class\`, neither \`default\` nor renamed, and import it so: app/controllers/${user} needs it.`
    t.strictSame(
      diagnostics.map(
        ({ code, at, message, hint }) => `${at.file}:${at.line}:${at.column} ${code} ${message} | ${hint}`,
      ),
      [
        own('app/bare.ts:2:8', 'Bare', 'bare.ts:13'),
        own('app/controllers/later.ts:18:8', 'Later', 'later.ts:13'),
        'app/controllers/none.ts:13:16 ACM117 the class None is not exported | The generated table imports it: export it.',
        own('app/controllers/other.ts:18:19', 'Other', 'other.ts:13'),
        own('app/controllers/status.ts:12:8', 'Kept', 'status.ts:8'),
        own('app/named.ts:1:8', 'Named', 'named.ts:13'),
      ],
    )
  },
)

t.test('@base takes required variables only, and @requireTls and @skipFilter name methods', async (t) => {
  const { diagnostics } = compile(
    memoryHost({
      'app/controllers/a.ts': `import { Controller } from 'acmcp'
/**
 * A.
 *
 * @base /a/?:id
 * @requireTls only=nothing
 * @requireTls sometimes
 */
export class A extends Controller {
${method('@get /')}
}
`,
    }),
  )
  t.strictSame(diagnostics.map(short), ['ACM113 5:4', 'ACM207 6:4', 'ACM113 7:16'])
})

const files = notesWith(
  `${method('@post /', 'one(file: UploadedFile, title: string): void { void [file, title] }')}
${method('@put /', 'many(files: UploadedFile[] = [], title?: string): void { void [files, title] }')}
${method('@get /raw', 'raw(): ReadableStream { return new ReadableStream() }')}
${method('@get /image\n@produces image/png', 'async image(): Promise<Blob> { return new Blob() }')}
${method('@get /events', 'async *events(): AsyncGenerator<{ n: Int32 }> { yield { n: 1 } }')}`,
  'Controller, type UploadedFile, type Int32',
)
const compilation = compile(memoryHost(files))
const textOf = (path: string): string => compilation.files.find((file) => file.path === path)?.text ?? ''

t.test('files travel as multipart/form-data, and only optional ones leave a tool', async (t) => {
  t.strictSame(compilation.diagnostics, [])
  const { paths } = parse(textOf('generated/openapi.yml'))
  const file = { type: 'string', format: 'binary' }
  t.strictSame(paths['/api/notes'].post.requestBody, {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { file, title: { type: 'string' } },
          required: ['file', 'title'],
        },
      },
    },
  })
  t.match(compilation.codecs, `c.param('file','field',1,c.file)`)
  t.match(compilation.codecs, `c.param('files','field',0,c.array(c.file))`)
  const { tools } = loadCatalogue(compilation.catalogue)
  t.strictSame(
    tools.map((tool: { name: string; inputSchema: { properties: object } }) => [
      tool.name,
      Object.keys(tool.inputSchema.properties),
    ]),
    [
      ['notes_many', ['title']],
      ['notes_raw', []],
      ['notes_image', []],
    ],
  )
})

t.test('bytes and events have content types of their own, which are never negotiated', async (t) => {
  const { paths } = parse(textOf('generated/openapi.yml'))
  const contentOf = (path: string): unknown => paths[path].get.responses['200'].content
  t.strictSame(contentOf('/api/notes/raw'), {
    'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
  })
  t.strictSame(contentOf('/api/notes/image'), {
    'image/png': { schema: { type: 'string', format: 'binary' } },
  })
  t.strictSame(contentOf('/api/notes/events'), {
    'text/event-stream': {
      schema: { type: 'object', properties: { n: { type: 'integer', format: 'int32' } }, required: ['n'] },
    },
  })
  t.strictSame(
    [...textOf('generated/routes.ts').matchAll(/id: '(\w+)'.*produces: '(.*?)'/g)].map(
      ([, ...found]) => found,
    ),
    [
      ['notes_raw', 'application/octet-stream'],
      ['notes_image', 'image/png'],
      ['notes_events', 'text/event-stream'],
    ],
  )
})

t.test('path helpers import nothing, and methods with further paths have one helper for each', async (t) => {
  const { files: made } = compile(
    memoryHost(
      notesWith(
        method(
          '@post /find\n@get /find\n@get /search/?:word',
          'find(word?: string): string { return word ?? "" }',
        ),
      ),
    ),
  )
  const [head = ''] = (made.find(({ path }) => path === 'generated/paths.ts')?.text ?? '').split(
    '\ntype Parameters',
  )
  t.equal(
    head,
    `// Generated by \`acmcp build\` from the controllers: do not edit.

/** The addresses of the routes. What is no part of the path goes into the query. */
export const paths = {
  notes: {
    find: (parameters: { word?: string | undefined } = {}): string => address('/api/notes/find', parameters, ['word']),
    findGet: (parameters: { word?: string | undefined } = {}): string => address('/api/notes/search/?:word', parameters, []),
  },
}
`,
  )
})

t.test('null inside a wrapper is decoded, and the route table compiles', async (t) => {
  const root = folderOf(t, {
    'app/controllers/notes.ts': `import { type Body, Controller, type Header, type Int32, type Named } from 'acmcp'
export interface NewNote { text: string }
/** Some notes of a shop. */
export class Notes extends Controller {
  /**
   * Adds.
   *
   * @post /
   */
  add(note: Body<NewNote | null>): void { void note }
  /**
   * Sets.
   *
   * @put /
   */
  set(note?: Body<NewNote | null>): void { void note }
  /**
   * Lists.
   *
   * @get /
   * @mcp hide
   */
  list(page: Named<'p', Int32 | null>, tag: Header<'X-Tag', 'a' | null>, own: Named<'m', Int32> | null): void {
    void [page, tag, own]
  }
}
`,
  })
  t.strictSame((await built(root)).stderr, '')
  t.equal(typeErrors(root), '')
  const { codecs } = await import(pathToFileURL(`${root}/.acmcp/app.mjs`).href)
  const { codec } = codecs.notes_add.params[0]
  t.strictSame([codec.fromJson(null, ''), codec.fromJson({ text: 'a' }, '')], [null, { text: 'a' }])
  const absent = ['add', 'set', 'list'].map((name) =>
    codecs[`notes_${name}`].params.map((param: { absent: unknown }) => param.absent),
  )
  t.strictSame(absent, [[null], [undefined], [null, null, null]], 'what stands for what is not there')
})

t.test(
  'types of other files: a type that a file exports as default is read, and the table compiles',
  async (t) => {
    const root = folderOf(t, {
      'app/address.ts': `export default interface Address { street: string; kind: Kind }
export enum Kind { Home = 'home', Work = 'work' }
`,
      'app/size.ts': `enum Size { Small = 'small', Large = 'large' }\nexport default Size\n`,
      'app/point.ts': `class Point { x = 1 }\nexport { Point as default }\n`,
      'app/controllers/notes.ts': `import { type Body, Controller } from 'acmcp'
import type Address from '../address.ts'
import type Point from '../point.ts'
import type Size from '../size.ts'
/** Some notes of a shop. */
export class Notes extends Controller {
  /**
   * Adds.
   *
   * @post /
   */
  add(address: Body<Address>): Point { return { x: address.street.length } }
  /**
   * Lists.
   *
   * @get /
   * @param size - how large
   */
  list(size: Size): Size { return size }
}
`,
    })
    t.strictSame((await built(root)).stderr, '')
    t.equal(typeErrors(root), '')
  },
)
