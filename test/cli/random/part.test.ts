import t from 'tap'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'
import { edits, zoo } from './changes.ts'
import { walkParts } from './part-walk.ts'
import { plain, recursiveEdits } from './recursive-changes.ts'
import { scopedApplication, scopeEdits } from './scope-changes.ts'

t.setTimeout(120_000)

/** `acmcp` brings a package along, as the real one does. */
const declarations = memoryHost({}).readFile('/shop/node_modules/acmcp/index.d.ts') ?? ''
const packages: Files = {
  'node_modules/acmcp/index.d.ts': `import type { Table } from 'big'\nexport type Rows = Table\n${declarations}`,
  'node_modules/big/package.json': '{"name":"big","types":"index.d.ts"}',
  'node_modules/big/index.d.ts':
    'export interface Table { rows: number }\ndeclare global { interface Everywhere { n: 1 } }\n',
}
const cats = 'app/controllers/cats.ts'

function edited(files: Files, path: string, from: string, to: string): Files {
  return { ...files, [path]: (files[path] ?? '').replace(from, to) }
}

/** What a build of a session after a change comes to, and the controllers' files that it read again. */
function buildAfter(
  before: Files,
  after: Files,
  files: readonly string[],
): { compilation: Compilation; read: readonly string[] } {
  const session = createSession()
  const { reading } = compile(memoryHost(before), { session })
  const compilation = compile(memoryHost(after), { session, change: { before: reading, files } })
  const { units } = compilation.reading
  return { compilation, read: units.filter((unit) => !reading.units.includes(unit)).map(({ file }) => file) }
}

const outcome = ({ reading: _unlike, ...rest }: Compilation): object => rest
const all: Files = { ...zoo, ...packages }

t.test('a build after a change gives what a full build gives, over random edits', async (t) => {
  const { parts, failed, wrong } = walkParts(9, 5)
  t.strictSame(wrong, [])
  t.ok(parts > 2, `${parts} builds took over most of the last`)
  t.ok(failed > 0, 'some builds found mistakes')
})

t.test(
  'parts and scopes: so it does where scopes are declared and asked for, over random edits of both',
  async (t) => {
    const { parts, failed, wrong } = walkParts(13, 15, { start: scopedApplication, edits: scopeEdits })
    t.strictSame(wrong, [])
    t.ok(parts > 5, `${parts} builds took over most of the last`)
    t.ok(failed > 2, `${failed} builds found mistakes`)
  },
)

t.test('JSON that is imported is read by others too: it is no change of its importers alone', async (t) => {
  for (const name of ['the version', 'a schema file'])
    t.strictSame(
      walkParts(3, 1, { start: zoo, edits: new Map([...edits].filter(([edit]) => edit === name)) }),
      { builds: 3, parts: 0, failed: 0, wrong: [] },
    )
})

t.test('the order of tags is that of a full build', async (t) => {
  const { parts, wrong } = walkParts(3, 1, {
    start: zoo,
    edits: new Map([...edits].filter(([edit]) => edit === 'an order of tags' || edit === 'a doc comment')),
  })
  t.strictSame(wrong, [])
  t.ok(parts > 0)
})

t.test('a part is a full build too where types hold themselves without a name', async (t) => {
  const { parts, wrong } = walkParts(9, 7, { start: plain, edits: recursiveEdits })
  t.strictSame(wrong, [])
  t.ok(parts > 3, `${parts} builds took over most of the last`)
})

t.test('a type without a name that another controller met first keeps that name in a part', async (t) => {
  const path = 'app/controllers/place3.ts'
  const before = recursiveEdits.get(`${path}: what the first shows too`)?.(plain, 0) ?? {}
  const after = edited(before, path, 'Shows one', 'Shows any')
  const { compilation } = buildAfter(before, after, [path])
  t.strictSame(compilation.diagnostics, [])
  t.ok(compilation.files.some(({ text }) => text.includes('Place0Show')))
  t.strictSame(outcome(compilation), outcome(compile(memoryHost(after))))
})

t.test('one controller changed: no other is read again', async (t) => {
  const after = edited(all, cats, 'Shows one', 'Shows any')
  const { compilation, read } = buildAfter(all, after, [cats])
  t.strictSame(read, [cats])
  t.strictSame(outcome(compilation), outcome(compile(memoryHost(after))))
})

for (const [what, from, to] of [
  [
    'a type that comes from a package through acmcp',
    'show(id: Int32)',
    "show(id: Int32, rows: import('acmcp').Rows)",
  ],
  ['a type that a package declares for all', 'show(id: Int32)', 'show(id: Int32, one: Everywhere)'],
  ['an import of a package', 'import { Crud }', "import type { Table } from 'big'\nimport { Crud }"],
] as const) {
  t.test(`${what}: no other controller is read again`, async (t) => {
    const after = edited(all, cats, from, to)
    const { compilation, read } = buildAfter(all, after, [cats])
    t.strictSame(read, [cats])
    t.strictSame(outcome(compilation), outcome(compile(memoryHost(after))))
  })
}

for (const [what, path, text] of [
  ['an ambient declaration', 'app/globals.d.ts', 'interface Anywhere { n: 1 }\n'],
  [
    'an augmentation',
    'app/more.ts',
    "import type {} from './shared.ts'\ndeclare module './shared.ts' { interface Money { more: 1 } }\n",
  ],
  ['a directive for the compiler', 'app/node.ts', '/// <reference lib="dom" />\nexport {}\n'],
] as const) {
  t.test(`${what}: all is read`, async (t) => {
    const after = { ...all, [path]: text }
    const { compilation, read } = buildAfter(all, after, [path])
    t.ok(read.includes('app/controllers/dogs.ts'))
    t.strictSame(outcome(compilation), outcome(compile(memoryHost(after))))
    const later = edited(after, cats, 'Shows one', 'Shows any')
    const again = buildAfter(after, later, [cats])
    t.ok(again.read.includes('app/controllers/dogs.ts'), 'also when something else changes')
    t.strictSame(outcome(again.compilation), outcome(compile(memoryHost(later))))
  })
}

t.test('the first import of a package that declares for all: all is read, and then no more', async (t) => {
  const after = { ...all, 'app/wide.ts': "import 'wide'\n" }
  const { compilation, read } = buildAfter(all, after, ['app/wide.ts'])
  t.ok(read.includes('app/controllers/dogs.ts'))
  t.strictSame(outcome(compilation), outcome(compile(memoryHost(after))))
  const later = edited(after, cats, 'Shows one', 'Shows any')
  const again = buildAfter(after, later, [cats])
  t.strictSame(again.read, [cats])
  t.strictSame(outcome(again.compilation), outcome(compile(memoryHost(later))))
})

const rules = `export const rules = { '~standard': {} as {
  version: 1; vendor: 'own'; validate: (value: unknown) => { value: { a: string } }
  types?: { input: { a: string }; output: { a: string } }
} }
type Infer<S extends { '~standard': { types?: { output: unknown } } }> = NonNullable<S['~standard']['types']>['output']
export type Ruled = Infer<typeof rules>
`
const ruled = (name: string): string => `import { type Body, Controller } from 'acmcp'
import type { Ruled } from '../models/ruled.ts'
/** All about ${name}. */
export class ${name} extends Controller {
  /**
   * Makes ${name}.
   *
   * @post /${name}
   */
  make(given: Body<Ruled>): string { return given.a }
}
`

t.test(
  'a warning in a file that two controllers import: both are read again, and it stays while one reaches it',
  async (t) => {
    const [first, second, model] = ['app/controllers/a.ts', 'app/controllers/b.ts', 'app/models/ruled.ts']
    const files: Files = { ...all, [first]: ruled('First'), [second]: ruled('Second'), [model]: rules }
    const warned = ({ diagnostics }: Compilation): readonly string[] =>
      diagnostics.map(({ code, at }) => `${code} ${at.file}`)
    for (const [from, to] of [
      ['Makes', 'Builds'],
      ['Body<Ruled>', 'Body<{ a: string }>'],
    ] as const) {
      const after = edited(files, first, from, to)
      const { compilation, read } = buildAfter(files, after, [first])
      t.strictSame(read, [first, second])
      t.strictSame(warned(compilation), [`ACM178 ${model}`])
      t.strictSame(outcome(compilation), outcome(compile(memoryHost(after))))
    }
  },
)

t.test('what was kept of a type is made again when a type that it names changes', async (t) => {
  const file = 'app/models/cat.ts'
  const after = edited(all, file, "kind: 'card'", "kind: 'visa'")
  const expected = compile(memoryHost(after))
  const session = createSession()
  const { reading: before } = compile(memoryHost(all), { session })
  const built = compile(memoryHost(after), { session, change: { before, files: [file] } })
  t.strictSame(
    before.schemas.filter((found) => built.reading.schemas.includes(found)).length,
    before.schemas.length - 1,
    'all but one are taken over',
  )
  t.strictSame(outcome(built), outcome(expected))
})

t.test('two types of one name in controllers far apart are told apart', async (t) => {
  const after = edited(
    all,
    cats,
    '/**\n * All about',
    'export interface Dog { other: string }\n\n/**\n * All about',
  )
  const used = edited(after, cats, 'Promise<Cat | undefined>', 'Promise<Dog>')
  const { compilation } = buildAfter(all, used, [cats])
  t.strictSame(compilation.diagnostics, [])
  t.strictSame(outcome(compilation), outcome(compile(memoryHost(used))))
})

t.test('the order of members in a union does not depend on what else is read', async (t) => {
  const other = edited(
    all,
    'app/models/dog.ts',
    "'low' | 'normal' | 'high'",
    "'high' | 'wide' | 'title' | 'low'",
  )
  const after = edited(other, cats, 'Shows one', 'Shows any')
  const { compilation } = buildAfter(other, after, [cats])
  t.strictSame(outcome(compilation), outcome(compile(memoryHost(after))))
})

t.test('the order of properties made of names does not depend on what else is read', async (t) => {
  const controller = (name: string, keys: string): string => `import { Controller } from 'acmcp'
export class ${name} extends Controller {
  /**
   * Makes ${name}.
   *
   * @get /${name}
   */
  made(): Record<${keys}, string> { throw new Error() }
}
`
  const few = 'app/controllers/few.ts'
  const files: Files = {
    ...all,
    'app/controllers/a.ts': controller('First', `2 | "it's b" | \`on\${'Up'}\``),
    [few]: controller('Few', `10 | 2 | 1 | \`on\${'Up' | 'Down'}\` | "it's b" | "it's a"`),
  }
  const after = edited(files, few, 'Makes', 'Builds')
  const { compilation } = buildAfter(files, after, [few])
  t.strictSame(outcome(compilation), outcome(compile(memoryHost(after))))
  const catalogue = JSON.stringify(loadCatalogue(compilation.catalogue))
  t.match(catalogue, /"1":.*"2":.*"10":.*"it's a":.*"it's b":.*"onDown":.*"onUp":/s)
})

t.test('responders that change are documented, where types are told apart too', async (t) => {
  t.strictSame(walkParts(7, 935921).wrong, []) // its last edit
})
