/** What is refused of secrets, and what is warned of. */
import t from 'tap'
import { type Case, judge, method } from '../support/judge.ts'

const secret = `/** @secret */
export type Hash = string
/** @secret */
export type Blob = Uint8Array
export interface User {
  id: number
  /** @secret */
  hash: string
  /** @secret */
  salt?: string
}
/** @example {"id":1,"hash":"abc"} */
export interface Shown extends User { more?: string }
/** @example {"id":1} */
export interface Plain extends User { less?: string }
export interface Written {
  /** @secret
   * @default abc */
  hash?: string
  inner?: {
    /** @secret
     * @example abc */
    key: string
  }
}
/**
 * @secret
 * @example abc
 */
export type Told = string`

const one = (sentence: string, code: string, expected: readonly string[], tags = '@get /'): Case => ({
  sentence,
  members: method(tags, code),
  after: secret,
  expected,
})

const user = 'declare user: User'
const get = method('@get /', 'index(): User[] { return [] }')
const both = (sentence: string, tags: string, code: string, expected: readonly string[]): Case => ({
  sentence,
  members: `${method(tags, code)}\n${get}`,
  after: secret,
  expected,
})

const cases: readonly Case[] = [
  one('a secret', 'show(): Hash { throw new Error() }', ['ACM340 13:9']),
  one('a promise of secrets', 'show(): Promise<Hash[]> { throw new Error() }', ['ACM340 13:9']),
  one('a map of secrets', 'show(): Map<string, Hash> { throw new Error() }', ['ACM340 13:9']),
  one('a secret or something else', 'show(): Hash | User { throw new Error() }', ['ACM340 13:9']),
  one('secret bytes', 'show(): Blob { throw new Error() }', ['ACM340 13:9']),
  one('a secret column', "show(): User['hash'] { throw new Error() }", ['ACM340 13:9']),
  one('events that are secrets', 'show(): AsyncIterable<Hash> { throw new Error() }', ['ACM340 13:9']),
  one('what is inferred', `show() { return this.user.hash }\n${user}`, ['ACM340 13:1']),
  one(
    'of a tag',
    'show(): Hash | number { throw new Error() }',
    ['ACM340 12:14', 'ACM340 14:9'],
    '@get /\n@returns {Hash} 200 it',
  ),
  one('events with secrets', 'show(): AsyncIterable<User> { throw new Error() }', []),
  one('a property', 'show(): { hash: Hash } { throw new Error() }', []),
  one('an inferred property', `show() { return { hash: this.user.hash } }\n${user}`, []),
  both('PUT of a whole type', '@put /', 'put(user: Body<User>): void { void user }', ['ACM341 13:5']),
  both('PATCH of a required secret', '@patch /', 'patch(user: Body<User>): void { void user }', [
    'ACM341 13:7',
  ]),
  both('PATCH of an optional one', '@patch /', 'patch(user: Body<Partial<User>>): void { void user }', []),
  both('POST of a whole type', '@post /', 'add(user: Body<User>): void { void user }', []),
  one('PUT of what nobody is answered', 'put(user: Body<User>): void { void user }', [], '@put /'),
  one('an example of a type', 'show(): Shown { throw new Error() }', ['ACM342 26:5']),
  one('an example without the secret', 'show(): Plain { throw new Error() }', []),
  one('at the secrets themselves', 'show(): Written { throw new Error() }', ['ACM342 32:6', 'ACM342 36:8']),
  one('an example of a secret parameter', 'show(id: Told): void { void id }', ['ACM342 42:4']),
  one(
    'an example in its text',
    'show(id: Hash): void { void id }',
    ['ACM342 12:4'],
    '@get /\n@param id - it example=abc',
  ),
  one(
    'an example of a call',
    'add(user: Body<User>): void { void user }',
    ['ACM342 12:4'],
    '@post /\n@mcp example {"user":{"id":1,"hash":"a"}}',
  ),
  one(
    'an example of a call that names the argument',
    'show(id: Hash): void { void id }',
    ['ACM342 12:4'],
    '@get /\n@mcp example {"id":"a"}',
  ),
  one('an example of a call without it', 'show(id?: Hash): void { void id }', [], '@get /\n@mcp example {}'),
]

const found = judge(cases)
for (const [index, { sentence, expected }] of cases.entries()) {
  t.test(sentence, async (t) => {
    const all = found[index] ?? []
    t.strictSame(
      all.map(({ code, at }) => `${code} ${at.line}:${at.column}`),
      expected,
    )
  })
}
