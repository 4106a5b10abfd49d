/** A tag that the type system loses: `@secret` and `@untrusted` hold for whatever is made of a property's type. */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { diskHost } from '../../../../cli/build/disk.ts'
import { type Compilation, compile } from '../../../../cli/compiler/compile.ts'
import type { Model } from '../../../../cli/compiler/ir/model.ts'
import type { Schema } from '../../../../cli/compiler/ir/schema.ts'
import { createSession } from '../../../../cli/compiler/read/program/session.ts'
import { folderOf } from '../../support/built-app.ts'
import { short } from '../../support/judge.ts'
import { memoryHost } from '../../support/memory-host.ts'

t.setTimeout(240_000)

const user = `/** @secret */
export type Hash = string
export interface User {
  id: number
  name: string
  /** @secret */
  hash: string
  /** @untrusted */
  note?: string
  tokens: readonly Hash[]
}
`

/** `name!` is secret, `name?` untrusted; what is inside stands in brackets. */
function textOf(schemas: Model['schemas'], schema: Schema | null | undefined): string {
  switch (schema?.kind) {
    case 'ref':
      return textOf(schemas, schemas.find(({ name }) => name === schema.name)?.schema)
    case 'array':
      return `[${textOf(schemas, schema.items)}]`
    case 'object':
      return schema.properties
        .map(({ name, isSecret, isUntrusted, schema: inner }) => {
          const inside = textOf(schemas, inner)
          return `${name}${isSecret ? '!' : ''}${isUntrusted ? '?' : ''}${inside === '' ? '' : `(${inside})`}`
        })
        .join(' ')
    default:
      return ''
  }
}

const answerOf = ({ model, diagnostics }: Compilation): string => {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(short)
  const [action] = model.controllers.flatMap(({ actions }) => actions)
  return errors.length > 0 ? errors.join(' ') : textOf(model.schemas, action?.results[0]?.schema)
}

/** What a route answers that returns `type`, or whose body is `body`. */
const answered = (types: string, type: string | null, body = 'throw new Error()'): string =>
  answerOf(
    compile(
      memoryHost({
        'app/user.ts': user,
        'app/controllers/users.ts': `import { Controller } from 'acmcp'
import type { Hash, User } from '../user.ts'
${types}
export class Users extends Controller {
  declare user: User & { map: Map<string, string> }
  hashOf(): Hash { return '' }
  found() { return this.user.hash }
  later(): Promise<Hash> { throw new Error() }
  /** Shows one.
   * @get / */
  show()${type === null ? '' : `: ${type}`} { ${body} }
}
`,
      }),
    ),
  )

const cases: readonly (readonly [type: string, answer: string, types?: string])[] = [
  ['User', 'id name hash! note? tokens!([])'],
  ["Pick<User, 'id' | 'hash'>", 'id hash!'],
  ["Omit<User, 'name' | 'note' | 'tokens'>", 'id hash!'],
  ['Partial<User>', 'id name hash! note? tokens!([])'],
  ['Required<Readonly<User>>', 'id name hash! note? tokens!([])'],
  ['User & { more: string }', 'id name hash! note? tokens!([]) more'],
  ['{ hash: string } & User', 'id name hash! note? tokens!([])'],
  ["{ hash: string } & { [K in 'hash']: User[K] }", 'hash!'],
  [
    'Page<User>',
    'items([id name hash! note? tokens!([])]) next',
    'interface Page<T> { items: T[]; next: string }',
  ],
  [
    'Renamed<User>',
    'x_hash! x_id x_name x_note? x_tokens!([])',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the type is one
    'type Renamed<T> = { [K in keyof T as `x_${K & string}`]: T[K] }',
  ],
  [
    'Direct',
    'x_hash! x_id x_name x_note? x_tokens!([])',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the type is one
    'type Direct = { [K in keyof User as `x_${K}`]: User[K] }',
  ],
  ['Joined', 'all!?', "type Joined = { [K in keyof User as 'all']: string }"],
  [
    'Twice<User>',
    'y_x_hash! y_x_id y_x_name y_x_note? y_x_tokens!([])',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the type is one
    'type Twice<T> = Again<{ [K in keyof T as `x_${K & string}`]: T[K] }>\ntype Again<T> = { [K in keyof T as `y_${K & string}`]: T[K] }',
  ],
  ['Same<User>', 'id name hash! note? tokens!', 'type Same<T> = { [K in keyof T]: string }'],
  [
    'Chosen<User>',
    'hash! id name note? tokens!([])',
    'type Keys<T> = { [K in keyof T]: K }[keyof T] & string\ntype Chosen<T> = { [K in Keys<T>]: T[K] }',
  ],
  ['Record<keyof User, boolean>', 'hash! id name note? tokens!'],
  ["Record<'hash' | 'note' | 'tokens' | 'other', string>", 'hash! note? other tokens!'],
  ['Named', 'value!', "interface Named { value: User['hash'] }"],
  ['Named', 'value!', "interface Named { value: User['tokens'][number] }"],
  ['Named', 'value!?', 'interface Named { value: User[keyof User] }'],
  ['Named', 'value!', 'interface Named { value: typeof user.hash }\ndeclare const user: User'],
  ['Named', 'value!(value)', 'interface Box<T = Hash> { value: T }\ninterface Named { value: Box }'],
  ['Own', 'hash! id', 'interface Own extends Pick<User, "hash"> { hash: "a"; id: number }'],
  ['Own', 'hash! id', 'class Own implements Pick<User, "hash"> { hash = ""; id = 1 }'],
  [
    'Merged',
    'hash!',
    'interface Merged { hash: string }\ninterface Merged {\n/** @secret */\nhash: string }',
  ],
  ['Nested', 'deep(hash!)', 'type Nested = { deep: { [K in "hash"]: User[K] } }'],
  [
    'Boxed',
    'value!([]) kind',
    'interface Box<T> { value: T[]; kind: string }\ninterface Above<T> extends Box<T> {}\ninterface Boxed extends Above<Hash> {}',
  ],
  ['Other', 'hash note', 'interface Other { hash: string; note: string }'],
  ['Partial<Other>', 'hash note', 'interface Other { hash: string; note: string }'],
]

for (const [type, answer, types = ''] of cases)
  t.test(`${type}: ${answer}`, async (t) => void t.equal(answered(types, type), answer))

const values: readonly (readonly [body: string, answer: string])[] = [
  ['return { ...this.user, id: 1 }', 'id name hash! note? tokens!([]) map'],
  ['return { ...(this.user as Readonly<User>), more: 1 }', 'more id name hash! note? tokens!([])'],
  ['const { hash, ...others } = this.user; void hash; return others', 'id name note? tokens!([]) map'],
  ['const { hash, id: number } = this.user; return { hash, number }', 'hash! number'],
  ['return { a: this.user.hash, b: this.user.id }', 'a! b'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the type is one
  ["return { a: this.user['hash'], b: this.user.note ?? '', c: `${this.user.hash}` }", 'a! b? c!'],
  ['const { user } = this; const a = user.hash; return { a, b: a === null ? 1 : [a] }', 'a! b!'],
  [
    'return { a: this.hashOf(), b: [this.user].map((user) => user.hash), c: (this.user.hash as string)! }',
    'a! b!([]) c!',
  ],
  ['const find = (user: User) => user.hash; return { a: find(this.user), b: this.found() }', 'a! b!'],
  ['return { a: this.user.hash === "", b: this.user.hash.length, c: this.user.name }', 'a b c'],
  ['return { ...this.user, hash: null, tokens: [], note: "" }', 'hash tokens([]) note id name map'],
]

for (const [body, answer] of values)
  t.test(`inferred: ${body}`, async (t) => void t.equal(answered('', null, body), answer))

/** What routes answer with packages as they are installed. */
const root = folderOf(t, {
  'app/controllers/users.ts': `import { Controller } from 'acmcp'
import type { ColumnType, Generated, Kysely, Selectable } from 'kysely'
import { z } from 'zod'

const Shape = z.object({
  id: z.number(),
  /** @secret */
  hash: z.string(),
  inner: z.object({
    /** @untrusted */
    note: z.string().optional(),
  }),
})

interface Tables {
  users: {
    id: Generated<number>
    /** @secret */
    hash: ColumnType<string, string, string>
    /** @secret */
    salt: Generated<string>
    /** @untrusted */
    note: string | null
    at: ColumnType<Date, string | undefined, never>
  }
  pets: { id: number; name: string }
}

export class Users extends Controller {
  declare db: Kysely<Tables>
  /** @get /zod */
  zod(): z.infer<typeof Shape> { throw new Error() }
  /** @get /partial */
  partial(): z.output<ReturnType<typeof Shape.partial>>[] { throw new Error() }
  /** @get /selectable */
  selectable(): Selectable<Tables['users']> { throw new Error() }
  /** @get /rows */
  async rows() { return this.db.selectFrom('users').selectAll().execute() }
  /** @get /some */
  async some() { return this.db.selectFrom('users').select(['id', 'hash', 'users.salt as other']).execute() }
  /** @get /joined */
  async joined() { return this.db.selectFrom('pets').innerJoin('users', 'users.id', 'pets.id').select(['pets.name', 'users.note']).execute() }
}
`,
})
for (const name of ['zod', 'kysely'])
  symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))

t.test("zod's infer, kysely's Selectable and the rows that it selects", async (t) => {
  const { model } = compile(diskHost(root))
  const answers = model.controllers.flatMap(({ actions }) =>
    actions.map(({ method, results }) => `${method}: ${textOf(model.schemas, results[0]?.schema)}`),
  )
  t.strictSame(answers, [
    'zod: id hash! inner(note?)',
    'partial: [id hash! inner(note?)]',
    'selectable: at hash! id note? salt!',
    'rows: [at hash! id note? salt!]',
    'some: [hash! id other!]',
    'joined: [name note?]',
  ])
})

t.test('a session is as a new one after a tag was added, moved or removed in another file', async (t) => {
  const controller = (name: string, type: string): readonly [string, string] => [
    `app/controllers/${name}.ts`,
    `import { Controller } from 'acmcp'
import type { Kept } from '../kept.ts'
export class ${name} extends Controller {
  /** Shows one.
   * @get /${name} */
  show(): ${type} { throw new Error() }
}
export type Unused${name} = Kept
`,
  ]
  const files = (kept: string) => ({
    'app/kept.ts': 'export interface Kept { id: number }\n',
    'app/marked.ts': `export interface Marked {\n${kept} hash: string }\n`,
    ...Object.fromEntries([controller('Plain', 'Kept'), controller('Loose', "Record<'hash', string>")]),
    'app/controllers/Near.ts': `import { Controller } from 'acmcp'
import type { Marked } from '../marked.ts'
export class Near extends Controller {
  /** Shows one.
   * @get /near */
  show(): Marked { throw new Error() }
}
`,
  })
  const all = ({ model }: Compilation): readonly string[] =>
    model.controllers.flatMap(({ actions, symbol }) =>
      actions.map(({ results }) => `${symbol.name}: ${textOf(model.schemas, results[0]?.schema)}`),
    )
  const session = createSession()
  let last = compile(memoryHost(files('')), { session })
  t.strictSame(all(last), ['Loose: hash', 'Near: hash', 'Plain: id'])
  const steps: readonly (readonly [string, string])[] = [
    ['/** @secret */', 'hash!'],
    ['/** Text. */', 'hash'],
    ['/** @untrusted */', 'hash?'],
    ['/** @secret */ key: string;', 'hash'],
  ]
  for (const [kept, loose] of steps) {
    const host = memoryHost(files(kept))
    const change = { before: last.reading, files: ['app/marked.ts'] }
    last = compile(host, { session, change })
    const fresh = compile(host)
    t.strictSame(all(last), all(fresh), kept)
    t.strictSame(
      [last.files, last.catalogue, last.codecs],
      [fresh.files, fresh.catalogue, fresh.codecs],
      kept,
    )
    t.equal(all(last)[0], `Loose: ${loose}`)
  }
})

t.test('what acmcp declares has no mark: of an application without one nothing is followed', async (t) => {
  const declared = readdirSync('dist/runtime', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => readFileSync(join('dist/runtime', name), 'utf8'))
  t.ok(declared.length > 20)
  t.strictSame(
    declared.flatMap((text) => text.match(/(?<!`)@(?:secret|untrusted).*/g) ?? []),
    [],
  )
})
