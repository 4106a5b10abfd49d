/** Tags that nobody reads because nobody reads their class. Source: language.md, Nothing is lost silently. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { memoryHost, notesWith } from '../support/memory-host.ts'

const reported = (path: string, text: string): readonly string[] =>
  compile(
    memoryHost({ ...notesWith('/** Lists.\n * @get / */\nindex(): void {}'), [path]: text }),
  ).diagnostics.map(
    ({ code, severity, at, message }) => `${code} ${severity} ${at.file}:${at.line}:${at.column} ${message}`,
  )

const lost = (head: string): string => `import { Controller } from 'acmcp'
/**
 * Orders.
 *
 * @bsae /orders
 */
${head} {
  /**
   * Lists.
   *
   * @Get /
   * @return nothing
   * @internal
   */
  index(): void {}
}
void Controller
`

t.test(
  'misspelt tags on a class that is no controller are warned of where a controller would stand',
  async (t) => {
    t.strictSame(reported('app/controllers/orders.ts', lost('export class Orders')), [
      'ACM150 warning app/controllers/orders.ts:5:4 @bsae: nobody reads the tags of Orders, which is no controller',
      'ACM150 warning app/controllers/orders.ts:11:6 @Get: nobody reads the tags of Orders, which is no controller',
    ])
  },
)

t.test('so are they on a class that extends Controller elsewhere', async (t) => {
  t.strictSame(
    reported('app/other.ts', lost('export class Orders extends Controller')).map((text) => text.slice(0, 34)),
    ['ACM150 warning app/other.ts:5:4 @b', 'ACM150 warning app/other.ts:11:6 @'],
  )
})

t.test('other classes elsewhere may have what tags they like', async (t) => {
  t.strictSame(reported('app/other.ts', lost('export class Orders')), [])
})

t.test(
  'a tag that named a JSON Schema file is told wherever it was read, and no other tag of that name',
  async (t) => {
    const said = (at: string, path: string): string =>
      `ACM142 error app/controllers/orders.ts:${at} @schema: acmcp reads no JSON Schema files any more, and nothing would judge values by '${path}'`
    const text = `import { type Body, Controller } from 'acmcp'
/** @schema ./order.json */
export interface Order {
  /**
   * Where to.
   *
   * @schema ../postal-code.schema.json
   */
  code: string
  /** @schema of the warehouse */
  shelf: string
}
/** @schema ./name.json */
export type Name = string
/** @schema ./made.json */
export class Made {
  /** @schema ./size.json */
  size = 1
}
/** @schema public */
export const table = 'orders'
/** Orders. */
export class Orders extends Controller {
  /**
   * Adds one.
   *
   * @post /
   */
  add(order: Body<Order>, /** @schema ./limit.json */ limit: number, name: Name): Made {
    return { size: limit + order.code.length + name.length }
  }
}
`
    t.strictSame(reported('app/controllers/orders.ts', text), [
      said('2:5', './order.json'),
      said('7:6', '../postal-code.schema.json'),
      said('13:5', './name.json'),
      said('15:5', './made.json'),
      said('17:7', './size.json'),
      said('29:31', './limit.json'),
    ])
  },
)

t.test('a build of a part keeps the warnings about what it does not read again', async (t) => {
  const files = {
    ...notesWith('/** Lists.\n * @get / */\nindex(): void {}'),
    'app/controllers/orders.ts': lost('export class Orders'),
    'app/a.ts': 'export const a = 1\n',
    'app/b.ts': 'export const b = 1\n',
  }
  const before = compile(memoryHost(files)).reading
  const changed = { ...files, ...notesWith('/** Lists all.\n * @get / */\nindex(): void {}') }
  const change = { before, files: ['app/controllers/notes.ts'] }
  const [part, whole] = [compile(memoryHost(changed), { change }), compile(memoryHost(changed))]
  t.strictSame(part.diagnostics, whole.diagnostics)
  t.equal(part.diagnostics.length, 2)
  t.not(part.reading.graph, whole.reading.graph)
})

const inPlace = {
  'app/controllers/made.ts': 'export const made = 1\n',
  'app/controllers/made.js': lost('export class Made'),
}

t.test(
  'a controller in a file that is not read is warned of, unless it is what TypeScript made of one',
  async (t) => {
    const others = ['a.js', 'b.tsx', 'c.cts', 'd.mjs'].map((name) => [
      `app/controllers/${name}`,
      `\n/** One. @post /one */`,
    ])
    const files = {
      ...notesWith('/** Lists.\n * @get / */\nindex(): void {}'),
      ...inPlace,
      ...Object.fromEntries(others),
    }
    t.strictSame(
      compile(memoryHost(files)).diagnostics.map(
        ({ code, at }) => `${code} ${at.file}:${at.line}:${at.column}`,
      ),
      ['a.js', 'b.tsx', 'c.cts', 'd.mjs'].map((name) => `ACM151 app/controllers/${name}:2:10`),
    )
  },
)

t.test('a controller inside a method of a controller is an error, as inside other code', async (t) => {
  const inner = `/** @base /inner */
    class Inner extends Controller {
      /** Shows.
       * @get /one */
      one(): void {}
    }
    void Inner`
  const text = `/** Lists.\n * @get / */\nindex(): void {\n${inner}\n}`
  const { diagnostics } = compile(memoryHost(notesWith(text)))
  t.strictSame(
    diagnostics.map(({ code, message }) => `${code} ${message}`),
    ['ACM148 Inner is no controller: it stands inside other code'],
  )
})

t.test('a tag in a doc comment of one line that belongs to nothing is found', async (t) => {
  const text = `/** Lists. @get / */ index(): void {}
  @other() /** Adds. @post / */ add(): void {}
  /** Writes \`@put /\` and mail to a@put.example */ put(): void {}`
  const { diagnostics } = compile(memoryHost({ ...notesWith(text), 'app/other.ts': 'export {}' }))
  t.strictSame(
    diagnostics.map(({ code, at }) => `${code} ${at.line}:${at.column}`),
    ['ACM112 9:22'],
  )
})

t.test('a parameter that no value fits is an error', async (t) => {
  const { diagnostics } = compile(memoryHost(notesWith('/** Lists.\n * @get / */\nindex(a: never): void {}')))
  t.strictSame(
    diagnostics.map(({ code, message }) => `${code} ${message}`),
    ["ACM120 Notes.index(a): the type 'never' has no value"],
  )
})
