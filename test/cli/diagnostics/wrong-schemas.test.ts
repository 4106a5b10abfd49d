/** Types whose schema is easily wrong without anybody noticing: one name for two types, what JSON writes in place of an
 *  object, members that are not in JSON, and values that a document shows but no caller may send. */
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

const declarations = `
export interface Box<T> { value: T }
export interface A { a: string }
export enum Kind { One = 'one', Two = 'two' }
export class Money {
  constructor(readonly cents: number) {}
  toJSON(): string { return String(this.cents) }
}
export interface Serialised { hidden: () => void; toJSON(): { shown: Date } }
export class Gone extends Error {
  readonly code = 'gone'
  constructor(readonly details: string[]) { super('gone') }
}
declare const tag: unique symbol
export interface Metres { [tag]: 'metres'; amount: number }
export interface Feet { [tag]: 'feet'; amount: number }
export class Left { private side = 'left' as const; name = 'x' }
export class Right { private side = 'right' as const; name = 'x' }
export type Numbered = { v: 1; a: string } | { v: 2; b: string }
export type Settled = { ok: true; value: string } | { ok: false; error: string }
`

const answering = (types: readonly string[]): Files => ({
  'app/controllers/kinds.ts': `import { Controller, type Body, type Int32, type Int64 } from 'acmcp'
/** Kinds. */
export class Kinds extends Controller {
${types.map((type, index) => `/**\n * Answers.\n *\n * @get /${index}\n */\nm${index}(): ${type} { throw new Error() }`).join('\n')}
}
${declarations}`,
})

/** The schemas of the answers, and the components. */
function schemasOf(types: readonly string[]): readonly [readonly unknown[], Record<string, unknown>] {
  const { files, diagnostics } = compile(memoryHost(answering(types)))
  t.strictSame(diagnostics, [])
  const { paths, components } = parse(files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '')
  const answers = types.map(
    (_type, index) => paths[`/kinds/${index}`].get.responses['200'].content['application/json'].schema,
  )
  return [answers, components.schemas]
}

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }

for (const [sentence, types] of [
  ['a text and the type of that name', ['Box<A>', "Box<'A'>"]],
  ['a text of the name of a primitive', ["Box<'string'>", 'Box<string>']],
  ['a text with another first letter', ["Box<'a'>", "Box<'A'>"]],
] as const) {
  t.test(`a generic of ${sentence} is never the schema of the other`, async (t) => {
    const { diagnostics } = compile(memoryHost(answering(types)))
    t.strictSame(
      diagnostics.map(({ code, at, message }) => [
        code,
        at.line,
        message.replace(/\w+ is already/, 'N is already'),
      ]),
      [['ACM121', 15, 'the type name N is already used by another type at app/controllers/kinds.ts:9']],
    )
  })
}

t.test(
  'names of components: the same generic, however it is written, has one name, and an enum gives its own',
  async (t) => {
    const [answers, components] = schemasOf(['Box<A | Kind>', 'Box<Kind | A>', 'Box<Kind>', 'Box<Kind.One>'])
    t.strictSame(answers, [
      ref('BoxOfOneOrTwoOrA'),
      ref('BoxOfOneOrTwoOrA'),
      ref('BoxOfKind'),
      ref('BoxOfOne'),
    ])
    t.strictSame(Object.keys(components), ['A', 'BoxOfKind', 'BoxOfOne', 'BoxOfOneOrTwoOrA', 'Kind'])
  },
)

t.test('a method toJSON says what JSON holds, and makes the type an answer only', async (t) => {
  const [answers, components] = schemasOf(['Money', 'Serialised'])
  t.strictSame(answers, [ref('Money'), ref('Serialised')])
  t.strictSame(components, {
    Money: text,
    Serialised: {
      type: 'object',
      properties: { shown: { type: 'string', format: 'date-time' } },
      required: ['shown'],
    },
  })
})

t.test("an error is its own fields in JSON: JavaScript's are not written", async (t) => {
  const [, components] = schemasOf(['Gone'])
  t.strictSame(components, {
    Gone: {
      type: 'object',
      properties: { code: { type: 'string', const: 'gone' }, details: { type: 'array', items: text } },
      required: ['code', 'details'],
    },
  })
})

t.test('what JSON cannot make is no parameter: errors, and objects with toJSON', async (t) => {
  const { diagnostics } = compile(
    memoryHost({
      'app/controllers/kinds.ts': `${answering([])['app/controllers/kinds.ts']?.replace(
        /^\}/m,
        ['Money', 'Serialised', 'Gone']
          .map(
            (type, index) => `/** Takes.\n * @post /${index}\n */\nm${index}(body: Body<${type}>): void {}\n`,
          )
          .join('')
          .concat('}'),
      )}`,
    }),
  )
  t.strictSame(
    diagnostics.map(({ code, message }) => `${code} ${message.slice(0, 50)}`),
    [
      'ACM141 Kinds.m0(body): JSON cannot make an instance of Mo',
      'ACM141 Kinds.m1(body): JSON cannot make an instance of Se',
      'ACM141 Kinds.m2(body): JSON cannot make an instance of Go',
    ],
  )
})

t.test('only a property that JSON has tells the members of a union apart', async (t) => {
  const [answers] = schemasOf(['Metres | Feet', 'Left | Right'])
  t.strictSame(answers, [{ anyOf: [ref('Metres'), ref('Feet')] }, { anyOf: [ref('Left'), ref('Right')] }])
})

t.test('numbers and booleans tell apart too, but OpenAPI maps texts alone', async (t) => {
  const [, { Numbered, Settled }] = schemasOf(['Numbered', 'Settled'])
  const object = (name: string, type: string, value: unknown, other: string): object => ({
    type: 'object',
    properties: { [name]: { type, const: value }, [other]: text },
    required: [name, other],
  })
  t.strictSame(Numbered, { oneOf: [object('v', 'number', 1, 'a'), object('v', 'number', 2, 'b')] })
  t.strictSame(Settled, {
    oneOf: [object('ok', 'boolean', true, 'value'), object('ok', 'boolean', false, 'error')],
  })
})

t.test('an index of any text speaks for numbers and symbols beside it', async (t) => {
  const [answers] = schemasOf(['Record<PropertyKey, boolean>', 'Record<string | number, A>'])
  t.strictSame(answers, [
    { type: 'object', additionalProperties: { type: 'boolean' } },
    { type: 'object', additionalProperties: ref('A') },
  ])
})
