/** What a session looks into after one controller changed: every pass goes on from what it made of the others. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { acmcpSources } from '../../bench/build/sources.ts'
import { type Files, memoryHost, notesWith } from '../support/memory-host.ts'

/** Notes `name` whenever somebody looks at the field of `owner`. */
function watchField<T extends object, K extends keyof T>(owner: T, field: K, note: () => void): void {
  const value = owner[field]
  const get = (): T[K] => {
    note()
    return value
  }
  Object.defineProperty(owner, field, { get, enumerable: true })
}

t.test(
  'memos of a session: after one change the methods and types of other controllers are not looked into',
  async (t) => {
    const files = Object.fromEntries(acmcpSources(20))
    const changed = 'app/controllers/item000s.ts'
    const session = createSession()
    const before = compile(memoryHost(files), { lint: true, session })
    const looked = new Set<string>()
    for (const controller of before.reading.units.flatMap((unit) => unit.controllers)) {
      watchField(controller, 'methods', () => looked.add(controller.symbol.name))
    }
    for (const { name, schema } of before.model.schemas) {
      if (schema.kind === 'object') watchField(schema, 'properties', () => looked.add(name))
    }
    const after = { ...files, [changed]: (files[changed] ?? '').replace('Shows one', 'Shows any') }
    const change = { before: before.reading, files: [changed] }
    const built = compile(memoryHost(after), { lint: true, session, change })
    t.ok(looked.has('Item000'), 'what the changed controller reaches is looked at')
    t.strictSame(
      [...looked].filter((name) => /item0(?!00)/i.test(name)),
      [],
    )
    const full = compile(memoryHost(after), { lint: true })
    t.strictSame([built.files, built.codecs, built.catalogue], [full.files, full.codecs, full.catalogue])
  },
)

const note = `export interface Note {
  /**
   * @minimum 1
   * @maximum 9
   */
  size: number
  title: string
  /** @example {"a": 1, "b": 2} */
  more: Record<string, number>
}
`
const { 'app/controllers/notes.ts': notes = '' } = notesWith(
  '  /** @post / */\n  make(note: Body<Note>): Note { return note }',
  'type Body, Controller',
)
const application: Files = { 'app/controllers/notes.ts': notes + note }

for (const [what, path, from, to] of [
  ['tags', 'app/controllers/notes.ts', /(@minimum 1)(\n.*)(@maximum 9)/, '$3$2$1'],
  ['keys of an example', 'app/controllers/notes.ts', /"a": 1, "b": 2/, '"b": 2, "a": 1'],
] as const) {
  for (const kind of ['a full build', 'one of what changed']) {
    t.test(`the order of ${what} is printed as it is now, in the same session: ${kind}`, async (t) => {
      const session = createSession()
      const before = compile(memoryHost(application), { session })
      const after = { ...application, [path]: application[path]?.replace(from, to) ?? '' }
      const change = kind === 'a full build' ? null : { before: before.reading, files: [path] }
      const built = compile(memoryHost(after), { session, change })
      const { reading: _cold, ...cold } = compile(memoryHost(after))
      t.strictSame(
        cold.diagnostics.filter(({ severity }) => severity === 'error'),
        [],
      )
      t.not(cold.files[2]?.text, before.files[2]?.text)
      const { reading: _kept, ...again } = built
      t.equal(JSON.stringify(again), JSON.stringify(cold))
    })
  }
}

t.test('a session keeps no syntax tree of a file that is gone', async (t) => {
  const session = createSession()
  const gone = 'app/controllers/other.ts'
  const other = notes
    .replaceAll('Notes', 'Others')
    .replaceAll('Note', 'Other')
    .replace('/api/notes', '/api/others')
  const more = { ...application, [gone]: `${other}export interface Other { id: number }\n` }
  const { reading } = compile(memoryHost(more), { session })
  t.ok(session.parsed.has(`/shop/${gone}`))
  compile(memoryHost(application), { session, change: { before: reading, files: [gone] } })
  t.notOk(session.parsed.has(`/shop/${gone}`))
})

t.test(
  'a type that another controller takes now, or takes no longer, is answered as a cold build answers it',
  async (t) => {
    const user = `import { Exclude } from 'class-transformer'
export class User { @Exclude({ toPlainOnly: true }) password = ''; id = 1 }
`
    const controller = (
      name: string,
      method: string,
    ): string => `import { type Body, Controller } from 'acmcp'
import type { User } from '../user.ts'
export class ${name} extends Controller {
  ${method}
}
`
    const taking = 'app/controllers/takes.ts'
    const applicationTaking = (type: string): Files => ({
      'node_modules/class-transformer/package.json': '{"name":"class-transformer","types":"index.d.ts"}',
      'node_modules/class-transformer/index.d.ts':
        'export declare function Exclude(options?: object): (target: any, name?: any) => void',
      'app/user.ts': user,
      'app/controllers/shows.ts': controller('Shows', '/** @get / */ show(): User { throw new Error() }'),
      [taking]: controller('Takes', `/** @post / */ add(user: Body<${type}>): User { throw new Error() }`),
    })
    const [plain, whole] = [applicationTaking('{ id: number }'), applicationTaking('User')]
    for (const [from, to] of [
      [plain, whole],
      [whole, plain],
    ] as const) {
      const session = createSession()
      const { reading } = compile(memoryHost(from), { session })
      const built = compile(memoryHost(to), { session, change: { before: reading, files: [taking] } })
      const cold = compile(memoryHost(to))
      t.equal(cold.files[2]?.text.includes('UserAnswer'), to === whole)
      t.strictSame([built.files, built.codecs, built.catalogue], [cold.files, cold.codecs, cold.catalogue])
    }
  },
)
