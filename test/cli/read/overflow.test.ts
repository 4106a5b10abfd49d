/** Nothing crashes. Wherever TypeScript's checker runs out of stack, the build ends with ACM160 at the nearest place that is
 *  known: the type, the tag, the method's parameter or answer, at the latest the class. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

t.setTimeout(240_000)

/** TypeScript runs out of stack over `P<Circle>`, whatever is asked about it. */
const endless = `export interface Circle { n: number; second: Texts<Texts<Circle>>[] }
type Texts<T> = T extends (infer I)[] ? Texts<I>[] : T extends Date ? string : T extends object ? { [K in keyof T]: Texts<T[K]> } : T
type P<T> = T extends { second: { second: string }[] } ? 1 : { x: T }
`
const generic = 'export class Bad<T> extends Error { readonly x!: T }'
const inherited = `export abstract class Base<T> extends Controller {
  /**
   * Shows.
   *
   * @get /own
   */
  own(): T { throw new Error() }
}
export class Own extends Base<P<Circle>> {}`

interface Case {
  readonly sentence: string
  readonly tags: string
  readonly method: string
  readonly after?: string
  readonly config?: string
  /** The place and the text of the one mistake. */
  readonly expected: string
}

const cases: readonly Case[] = [
  {
    sentence: 'a parameter',
    tags: '@post /',
    method: 'go(a: P<Circle>): void {}',
    expected: "8:6 Notes.go(a): the type 'P<Circle>' has no end",
  },
  {
    sentence: 'a property of a parameter',
    tags: '@post /',
    method: 'go(a: { in: { deep: P<Circle> } }): void {}',
    expected: "8:17 Notes.go(a).in.deep: the type 'P<Circle>' has no end",
  },
  {
    sentence: 'an index signature',
    tags: '@post /',
    method: 'go(a: Record<string, P<Circle>[]>): void {}',
    expected: "8:6 Notes.go(a): the type 'Record<string, P<Circle>[]>' has no end",
  },
  {
    sentence: 'a member of a union',
    tags: '@post /',
    method: "go(a: { k: 'a'; x: P<Circle> } | { k: 'b'; x: P<Circle> }): void {}",
    expected: "8:19 Notes.go(a).x: the type 'P<Circle>' has no end",
  },
  {
    sentence: 'a written answer',
    tags: '@post /',
    method: 'go(): P<Circle> { throw new Error() }',
    expected: "8:9 Notes.go(): the type 'P<Circle>' has no end",
  },
  {
    sentence: 'an answer that TypeScript infers',
    tags: '@post /',
    method: 'go() { return null as unknown as P<Circle> }',
    expected: "8:3 Notes.go(): the type 'Notes.go' has no end",
  },
  {
    sentence: 'the type of @returns',
    tags: '@post / @returns {P<Circle>} 200 it',
    method: 'go(): { n: number } { throw new Error() }',
    expected: "7:16 @returns: the type 'P<Circle>' has no end",
  },
  {
    sentence: 'the type that a filter returns',
    tags: '@filter before @returns {P<Circle>} 400 no',
    method: 'go(): void {}',
    expected: "7:16 @returns: the type 'P<Circle>' has no end",
  },
  {
    sentence: 'a parameter of a filter',
    tags: '@filter before',
    method: 'go(a: P<Circle>): void {}',
    expected: "8:6 Notes.go(a): the type 'P<Circle>' has no end",
  },
  {
    sentence: 'the type of @throws',
    tags: '@post / @throws {P<Circle>} 400 no',
    method: 'go(): void {}',
    expected: "7:15 @throws: the type 'P<Circle>' has no end",
  },
  {
    sentence: 'an argument of the class of @exception',
    tags: '@exception {Bad<P<Circle>>} 400',
    method: 'go(error: Bad<1>): string { return error.message }',
    after: generic,
    expected: "6:18 @exception: the type 'Bad<P<Circle>>' has no end",
  },
  {
    sentence: 'a property of the class of @exception',
    tags: '@exception {Bad} 400',
    method: 'go(error: Bad): string { return error.message }',
    after: 'export class Bad extends Error { readonly x!: P<Circle> }',
    expected: "6:18 @exception: the type 'Bad' has no end",
  },
  {
    sentence: 'what a class extends',
    tags: '@post /',
    method: 'go(): void {}',
    after: inherited,
    expected: "18:14 Own: the type 'Own' has no end",
  },
  {
    sentence: 'a function whose value nobody takes',
    tags: '@post /',
    method:
      'go(): void { this.call((x) => this.render({})) }; private call(f: P<Circle> | (() => void)): void {}',
    expected: "8:26 what is called here: the type '(x) => this.render({})' has no end",
  },
  {
    sentence: 'the configuration',
    tags: '@post /',
    method: 'go(): void {}',
    config: `import { defineApp } from 'acmcp'\nexport const config = defineApp({ trustProxy: null as unknown as P<Circle> })\n${endless}`,
    expected: "2:33 defineApp: the type '{ trustProxy: null as unknown as P<Circle> }' has no end",
  },
]

function filesOf({ tags, method, after = '', config }: Case): Files {
  const lines = tags.split(' @').map((tag, index) => `${index === 0 ? '' : '@'}${tag}`)
  const text = `import { Controller } from 'acmcp'
export class Notes extends Controller {
  /**
   * Goes.
   *
   * ${lines.join('\n   * ')}
   */
  ${method}
}
${after}
${endless}`
  return { 'app/controllers/notes.ts': text, ...(config === undefined ? {} : { 'app/config.ts': config }) }
}

const session = createSession()

for (const item of cases) {
  t.test(`types: no crash over ${item.sentence}, but an error at its place`, async (t) => {
    const { diagnostics, files } = compile(memoryHost(filesOf(item)), { session })
    t.strictSame(
      diagnostics.map(({ code, at, message }) => `${code} ${at.line}:${at.column} ${message}`),
      [`ACM160 ${item.expected}`],
    )
    t.strictSame(files, [])
  })
}

t.test('nothing is lost silently: a route on a method that may be absent is an error', async (t) => {
  const text = `import { Controller } from 'acmcp'
export class Notes extends Controller {
  /** @get / */
  go?(): string
}
`
  const { diagnostics } = compile(memoryHost({ 'app/controllers/notes.ts': text }), { session })
  t.strictSame(
    diagnostics.map(({ code, at, message }) => `${code} ${at.line}:${at.column} ${message}`),
    ['ACM118 4:3 go is tagged but is no public method'],
  )
})
