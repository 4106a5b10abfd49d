/** `@secret` and `@untrusted` on properties and on aliases: what is read of them, and where they are refused. */
import t from 'tap'
import { compile } from '../../../../cli/compiler/compile.ts'
import type { Schema } from '../../../../cli/compiler/ir/schema.ts'
import { short } from '../../support/judge.ts'
import { memoryHost } from '../../support/memory-host.ts'

const compiled = (types: string, result = 'User') =>
  compile(
    memoryHost({
      'app/types.ts': types,
      'app/controllers/users.ts': `import { Controller } from 'acmcp'
import type * as all from '../types.ts'
export class Users extends Controller {
  /** Shows one.
   * @get / */
  show(): all.${result} { throw new Error() }
}
`,
    }),
  )

/** `name!` is secret, `name?` untrusted. */
function marked(types: string, name = 'User'): string {
  const { model, diagnostics } = compiled(types, name)
  const schema = model.schemas.find((item) => item.name === name)?.schema
  const all = diagnostics.filter(({ severity }) => severity === 'error').map(short)
  return all.length > 0 ? all.join('\n') : propertiesOf(schema).join(' ')
}

const propertiesOf = (schema: Schema | undefined): readonly string[] =>
  schema?.kind !== 'object'
    ? []
    : schema.properties.map(
        ({ name, isSecret, isUntrusted }) => `${name}${isSecret ? '!' : ''}${isUntrusted ? '?' : ''}`,
      )

t.test('a property is marked by its own tag', async (t) => {
  t.equal(
    marked(`export interface User {
      id: number
      /** @secret */ hash: string
      /**
       * What others say.
       *
       * @untrusted
       */
      note?: string
      /**
       * @secret
       * @untrusted
       */
      get mail(): string
    }`),
    'id hash! note? mail!?',
  )
  t.equal(marked('export type User = {\n/** @secret */ hash: string }'), 'hash!')
})

t.test('a property of a class is marked, also one that is declared by its constructor', async (t) => {
  t.equal(
    marked(`export class User {
      id = 1
      /** @secret */ hash = ''
      constructor(/** @untrusted */ readonly note: string, /** @secret */ public key: string) {}
    }`),
    'id hash! note? key!',
  )
})

t.test('a property is marked by an alias in its type, however deep', async (t) => {
  t.equal(
    marked(`/** @secret */ export type Hash = string
    /** @untrusted */ export type Text = string
    type Hashes = Hash[]
    type Maybe<T> = T | null
    type Round = { to: Round } | Hashes
    interface Box<T> { value: T }
    export interface User {
      id: number
      hash: Hash
      list: readonly Hash[]
      either: number | Hash
      map: Map<string, Hash>
      record: Record<string, Hash>
      index: { [name: string]: Hash }
      tuple: [number, ...Hash[]]
      alias: Hashes
      maybe: Maybe<Text>
      round: Round
      box: Box<Hash>
      imported: import('./types.ts').Hash
      inner: { hash: Hash }
    }`),
    'id hash! list! either! map! record! index! tuple! alias! maybe? round! box! imported! inner',
  )
})

t.test('the nearest property around an alias is marked, not those around it', async (t) => {
  const { model } = compiled(`/** @secret */ type Hash = string
    export interface User { inner: { hash: Hash }; list: { hash: Hash[] }[] }`)
  t.match(model.schemas, [
    {
      schema: {
        properties: [
          { name: 'inner', isSecret: false, schema: { properties: [{ name: 'hash', isSecret: true }] } },
          { isSecret: false, schema: { items: { properties: [{ name: 'hash', isSecret: true }] } } },
        ],
      },
    },
  ])
})

const said = (types: string): readonly string[] =>
  compiled(types).diagnostics.map(({ code, severity, at, message, hint }) => {
    return `${code} ${severity} ${at.line}:${at.column} ${message} | ${hint}`
  })

t.test('a mark on a method is told once', async (t) => {
  const { diagnostics } = compile(
    memoryHost({
      'app/controllers/notes.ts': `import { Controller } from 'acmcp'
/** Notes. */
export class Notes extends Controller {
  /**
   * Lists.
   *
   * @get /
   * @secret
   */
  list(): string { return '' }
}
`,
    }),
  )
  t.strictSame(
    diagnostics.map(({ code, at, message }) => `${code} ${at.line}:${at.column} ${message}`),
    ['ACM112 8:6 @secret on this declaration has no effect'],
  )
})

t.test('a mark that protects nothing is an error at its token', async (t) => {
  const where = 'it may stand on a property or a type alias.'
  t.strictSame(
    said(`export interface User {
  id: number
  // @secret
  hash: string
  key: string; /** @secret */ more: string
}
/** @secret */
export interface Other { id: number }
/** @secret */
export function other(/** @secret */ id: string): string { return id }
/** @untrusted */
export const text = ''
`),
    [
      'ACM112 error 3:6 @secret in this comment has no effect | Move it to the last doc comment before the declaration, which must begin on a line of its own.',
      'ACM112 error 5:20 @secret in this comment has no effect | Move it to the last doc comment before the declaration, which must begin on a line of its own.',
      `ACM112 error 7:5 @secret on this declaration has no effect | Remove it, or move it: ${where}`,
      `ACM112 error 9:5 @secret on this declaration has no effect | Remove it, or move it: ${where}`,
      `ACM112 error 10:27 @secret on this declaration has no effect | Remove it, or move it: ${where}`,
      `ACM112 error 11:5 @untrusted on this declaration has no effect | Remove it, or move it: ${where}`,
    ],
  )
})

t.test('a mark takes nothing, stands once, and is not misspelt', async (t) => {
  t.strictSame(
    said(`export interface User {
  /** @secret the hash */
  hash: string
  /**
   * @untrusted
   * @untrusted
   */
  note: string
  /** @secrets */
  key: string
}
`),
    [
      "ACM113 error 2:7 @secret: takes nothing, and has 'the hash' | Write the text above the tag.",
      'ACM113 error 6:6 @untrusted: stands twice | Remove one of the two.',
      'ACM110 error 9:7 unknown tag @secrets | Did you mean @secret?',
    ],
  )
})
