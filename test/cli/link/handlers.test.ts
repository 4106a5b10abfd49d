/** What the build says about exception handlers, and how it documents them. */
import t from 'tap'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { readDocument } from '../emit/read-document.ts'
import { type Case, judge, method, short } from '../support/judge.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

const on = (tags: string, code: string): string => method(tags, code)
const twins = 'class Twin extends Error {}\nexport class Other extends Error {}'
const generic = `export class ApiError<S extends number> extends Error {
  readonly status: S
  constructor(status: S) { super(); this.status = status }
}
export class Vague<S> extends Error { status?: S }`

const cases: readonly Case[] = [
  {
    sentence: 'spec, Exception handlers 2: a first argument of another class of equal shape',
    members: on('@exception {NotFound} 404', 'a(error: Conflict): void { void error }'),
    expected: ['ACM132 13:3'],
  },
  {
    sentence: 'a union with the class, or a base class, or unknown, is accepted: it',
    members: [
      on('@exception {NotFound} 404', 'a(error: Conflict | NotFound): void { void error }'),
      on('@exception {Conflict} 409', 'b(error: Error): void { void error }'),
      on('@exception {Other} 400', 'c(error: unknown): void { void error }'),
    ].join('\n'),
    after: twins,
    expected: [],
  },
  {
    sentence: 'spec, Exception handlers 2: a required extra argument',
    members: on('@exception {NotFound} 404', 'a(error: NotFound, id: string): void { void [error, id] }'),
    expected: ['ACM124 13:20'],
  },
  {
    sentence: 'spec, Exception handlers 2: Body<> as an extra argument',
    members: on(
      '@exception {NotFound} 404',
      'a(error: NotFound, b?: Body<{ x: 1 }>): void { void [error, b] }',
    ),
    expected: ['ACM216 13:20'],
  },
  {
    sentence: 'spec, Exception handlers 4: a floating answer in an arrow body whose value nobody takes',
    members: on('@get /', 'a(list: string[]): void { list.forEach(() => this.head(404)) }'),
    expected: ['ACM119 13:46'],
  },
  {
    sentence: 'a floating answer in a nested callback, in branches and through another name',
    members: on(
      '@get /',
      `a(list: string[]): void {
  const self = this
  list.forEach((one) => { if (one) { self.redirectTo(one) } })
  list.length > 1 ? this.head(404) : this.render({})
  list.length && this.head(405)
  list.map((one) => { return () => { void this.head(one.length) } })
}`,
    ),
    expected: ['ACM119 15:38', 'ACM119 16:21', 'ACM119 16:38', 'ACM119 17:18', 'ACM119 18:43'],
  },
  {
    sentence: 'spec, Exception handlers 4: an answer that is returned, kept or mapped is fine: it',
    members: on(
      '@get /',
      `a(list: string[]): Rendered {
  const [first = this.head(404)] = list.map(() => this.head(405))
  return list.length > 3 ? this.redirectTo('/') : first
}`,
    ),
    expected: [],
  },
  {
    sentence: 'spec, Exception handlers 5: no status (warning)',
    members: on('@exception {NotFound}', 'a(error: NotFound): void { void error }'),
    expected: ['ACM205 11:4'],
  },
  {
    sentence: 'spec, Exception handlers 5: a type without a responder',
    members: on('@exception {NotFound} 404 type=text/csv', 'a(error: NotFound): void { void error }'),
    expected: ['ACM218 11:4'],
  },
  {
    sentence: 'spec, Exception handlers 5: a built-in type, and one of app/config.ts, is fine: it',
    members: `${on('@exception {NotFound} 404 type=text/plain', 'a(error: NotFound): void { void error }')}\n${on('@exception {Conflict} 409 type=text/html', 'b(error: Conflict): void { void error }')}`,
    expected: [],
  },
  {
    sentence: 'spec, Exception handlers 5: a status outside 100-599',
    members: on('@exception {NotFound} 600', 'a(error: NotFound): void { void error }'),
    expected: ['ACM115 11:4', 'ACM205 11:4'],
  },
  {
    sentence: 'spec, Exception handlers 6: a base class listed before its subclass (warning)',
    members: on(
      '@exception {Error} 500\n@exception {NotFound} 404',
      'a(error: Error): void { void error }\n/**\n * Shows.\n *\n * @get /\n */\nshow(): void {}',
    ),
    expected: ['ACM213 12:4'],
  },
  {
    sentence: 'a literal type argument, found through a readonly property, is fine: it',
    members: on('@exception {ApiError<404>} 404', 'a(error: ApiError<404>): void { void error }'),
    after: generic,
    expected: [],
  },
  {
    sentence: 'spec, Exception handlers 8: a generic class declared above its special case (warning)',
    members: `${on('@exception {ApiError} 500', 'a(error: ApiError<number>): void { void error }')}\n${on('@exception {ApiError<404>} 404', 'b(error: ApiError<404>): void { void error }')}\n${method('@get /')}`,
    after: generic,
    expected: ['ACM213 17:4'],
  },
  {
    sentence: 'spec, Exception handlers 8: a special case covers the subclasses that fix it (warning)',
    members: `${on('@exception {ApiError<404>} 404', 'a(error: ApiError<404>): void { void error }')}\n${on('@exception {Gone} 410\n@exception {Lost} 404', 'b(error: ApiError<number>): void { void error }')}\n${method('@get /')}`,
    after: `${generic}\nexport class Gone extends ApiError<410> {}\nexport class Lost extends ApiError<404> {}`,
    expected: ['ACM213 18:4'],
  },
  {
    sentence: 'spec, Exception handlers 8: a generic class without such a property',
    members: on('@exception {Vague<404>} 404', 'a(error: Error): void { void error }'),
    after: generic,
    expected: ['ACM133 11:16'],
  },
  {
    sentence: 'spec, Exception handlers 8: a type argument that is not one literal',
    members: on('@exception {ApiError<404 | 410>} 404', 'a(error: Error): void { void error }'),
    after: generic,
    expected: ['ACM134 11:16'],
  },
  {
    sentence: 'spec, Exception handlers 10: one class handled twice in one controller',
    members: `${method('@get /')}\n${on('@exception {NotFound} 404', 'a(error: NotFound): void { void error }')}\n${on('@exception {NotFound} 410', 'b(error: NotFound): void { void error }')}`,
    expected: ['ACM215 23:4'],
  },
]

/** A class that serves something: that its handlers cover no route is another mistake. */
const served = cases.map((item) => ({
  ...item,
  members: `${item.members}\n${on('@get /other', 'other(): void {}')}`,
}))

const judged = judge(served, {
  'app/config.ts': `import { defineApp } from 'acmcp'
export const config: object = defineApp({ responders: { 'text/html': (value: unknown): string => String(value) } })
`,
})

for (const [index, { sentence, expected }] of cases.entries()) {
  t.test(`${sentence} is what the build says`, async (t) => {
    t.strictSame(judged[index]?.map(short), expected)
  })
}

const errors = `export class Lost extends Error {}
export class Gone extends Lost {}
export class ApiError<S extends number> extends Error {
  constructor(readonly status: S) { super() }
}
`
const family: Files = {
  'app/errors.ts': errors,
  'app/base.ts': `import { Controller, type Rendered } from 'acmcp'
import { ApiError, Gone, Lost } from './errors.ts'
export abstract class Base extends Controller {
  /** @exception {Lost} 404 */
  lost(error: Lost): { lost: string } { return { lost: error.message } }
  /** @exception {ApiError<404>} 404 */
  missing(error: ApiError<404>): string[] { return [error.message] }
  /** @exception {ApiError} default */
  api(error: ApiError<number>): Rendered { return this.head(error.status) }
  /** @exception {TypeError} */
  own(error: TypeError): Rendered { return this.head(error.message.length) }
  /** @exception {RangeError} 416 */
  range(error: RangeError): void { void error }
  void(): Gone | null { return null }
}
`,
  'app/controllers/shelf.ts': `import type { Rendered } from 'acmcp'
import { Base } from '../base.ts'
import { Gone } from '../errors.ts'
/** Shelves. */
export abstract class Shelf extends Base {
  /**
   * Shows one.
   *
   * @get /:id
   * @post /:id
   */
  show(id: string): { id: string } { return { id } }
}
/** Books. */
export class Books extends Shelf {
  /** @exception {Gone} 410 */
  gone(error: Gone): string { return error.message }
}
/** Maps. */
export class Maps extends Shelf {
  /** @exception {SyntaxError} default
   * @returns {string} 422 */
  syntax(error: SyntaxError): Rendered { return this.head(error.message.length) }
}
`,
  'app/controllers/plain.ts': `import { Controller } from 'acmcp'
/** Plain. */
export class Plain extends Controller {
  /**
   * Shows.
   *
   * @get /
   */
  show(): number { return 1 }
}
`,
}

const globals = ['TypeError', 'RangeError', 'SyntaxError']
const withGlobals: Files = Object.fromEntries(
  Object.entries(family).map(([path, text]) => [
    path,
    globals.reduce((so, name) => so.replaceAll(name, `My${name}`), text),
  ]),
)
const compilation: Compilation = compile(
  memoryHost({
    ...withGlobals,
    'app/errors.ts': errors + globals.map((name) => `export class My${name} extends Error {}\n`).join(''),
    'app/base.ts': (withGlobals['app/base.ts'] ?? '').replace(
      'ApiError, Gone, Lost',
      'ApiError, Gone, Lost, MyTypeError, MyRangeError',
    ),
    'app/controllers/shelf.ts': (withGlobals['app/controllers/shelf.ts'] ?? '').replace(
      '{ Gone }',
      '{ Gone, MySyntaxError }',
    ),
  }),
)
const textOf = (path: string): string => compilation.files.find((file) => file.path === path)?.text ?? ''
const { paths } = readDocument(textOf('generated/openapi.yml'))
const json = (schema: object): object => ({ 'application/json': { schema } })

t.test('a child handler behind a broad parent one is reported and absent', async (t) => {
  t.strictSame(
    compilation.diagnostics.map(({ code, severity, at }) => [code, severity, `${at.file}:${at.line}`]),
    [
      ['ACM205', 'warning', 'app/base.ts:10'],
      ['ACM213', 'warning', 'app/controllers/shelf.ts:16'],
    ],
  )
  t.strictSame(Object.keys(paths['/books/{id}'].get.responses), ['200', '404', '416', 'default'])
})

t.test('spec, Exception handlers 7: handlers stand beside what the route answers', async (t) => {
  t.strictSame(paths['/books/{id}'].get.responses, {
    200: {
      description: 'Success',
      content: json({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
    },
    404: {
      description: 'Error',
      content: json({
        anyOf: [
          { type: 'object', properties: { lost: { type: 'string' } }, required: ['lost'] },
          { type: 'array', items: { type: 'string' } },
        ],
      }),
    },
    416: { description: 'Error' },
    default: { description: 'Error' },
  })
})

t.test('spec, Exception handlers 6: each entry of a handler with several tags is documented', async (t) => {
  const { files } = compile(
    memoryHost({
      'app/controllers/a.ts': `import { Conflict, Controller, NotFound } from 'acmcp'
/** A. */
export class A extends Controller {
  /**
   * Refused.
   *
   * @exception {NotFound} 404
   * @exception {Conflict} 409
   */
  refused(error: NotFound | Conflict): string { return error.message }
  /**
   * Shows.
   *
   * @get /
   */
  show(): void {}
}
`,
    }),
  )
  const document = readDocument(files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '')
  const refused = { description: 'Refused.', content: json({ type: 'string' }) }
  t.strictSame(document.paths['/a'].get.responses, {
    200: { description: 'Success' },
    404: refused,
    409: refused,
  })
})

t.test('a route of a controller without the handler does not have its response', async (t) => {
  t.strictSame(Object.keys(paths['/plain'].get.responses), ['200'])
})

t.test('a handler that renders itself may declare its statuses', async (t) => {
  t.strictSame(paths['/maps/{id}'].get.responses['422'], {
    description: 'Error',
    content: json({ type: 'string' }),
  })
})

t.test('a handler that never runs is not documented anywhere', async (t) => {
  t.notMatch(textOf('generated/openapi.yml'), "'410'")
})

t.test('one operation per concrete class and route, with unique plain ids', async (t) => {
  const ids = Object.values(paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (item) => Object.values(item).map(({ operationId }) => operationId),
  )
  t.strictSame(ids, ['books_show', 'books_show_post', 'maps_show', 'maps_show_post', 'plain_show'])
})

t.test(
  'spec, Exception handlers 8: the table asks for the property of a special case, and for the class of the others',
  async (t) => {
    const table = textOf('generated/routes.ts')
    t.match(table, "error: ApiError, match: { property: 'status', value: 404 }, status: 404, call: ")
    t.match(table, 'error: ApiError, status: null, call: ')
  },
)

t.test('spec, Exception handlers 10: a subclass that tags the parent handler again is refused', async (t) => {
  const { diagnostics } = compile(
    memoryHost({
      'app/controllers/a.ts': `import { Controller, NotFound } from 'acmcp'
abstract class Parent extends Controller {
  /** @exception {NotFound} 404 */
  missing(error: NotFound): void { void error }
}
export class A extends Parent {
  /** @exception {NotFound} 410 */
  override missing(error: NotFound): void { void error }
}
`,
    }),
  )
  t.strictSame(
    diagnostics.map(({ code, at }) => `${code} ${at.line}:${at.column}`),
    ['ACM126 7:7'],
  )
})

t.test('with and without rescueFrom the OpenAPI document is the same, byte for byte', async (t) => {
  const documentOf = (call: string): string | undefined => {
    const { diagnostics, files } = compile(
      memoryHost({
        'app/controllers/a.ts': `import { Conflict, Controller, NotFound, type Rendered, rescueFrom } from 'acmcp'
/** A. */
export class A extends Controller {
  /** @exception {NotFound} 404 */
  missing(error: NotFound): string { return error.message }
  answer(error: Conflict): Rendered { return this.head(error.message.length) }
  /**
   * Shows.
   *
   * @get /
   */
  show(): number { return 1 }
}
${call}
`,
      }),
    )
    t.strictSame(diagnostics, [])
    return files.find(({ path }) => path === 'generated/openapi.yml')?.text
  }
  const plain = documentOf('void [rescueFrom, Conflict]')
  t.match(plain, /"404":\n/)
  t.equal(documentOf("rescueFrom(A, Conflict, 'answer')"), plain)
  t.equal(documentOf('rescueFrom(A, NotFound, (_error, a) => a.head(410))'), plain)
})
