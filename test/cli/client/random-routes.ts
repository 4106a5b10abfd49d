/** Random applications: types together with their values, in every place of a request and in answers.
 *
 *  What JSON or a text cannot tell is not asked for: negative zero, a text that is written like a Date beside Date, a text
 *  beside a number where all is text, `undefined` in lists (it is null), two objects of one shape in a union, blanks around a
 *  header, U+0000 and halves of characters (no text of the server holds them), more than 500 characters of a path. */
import fc from 'fast-check'
import type { Files } from '../support/memory-host.ts'

/** A type and its values. */
interface Kind {
  readonly type: string
  readonly values: fc.Arbitrary<unknown>
  /** Whether a text alone says which value it is. */
  readonly isPlain: boolean
}

const kind = (type: string, values: fc.Arbitrary<unknown>, isPlain = true): Kind => ({
  type,
  values,
  isPlain,
})

const text = fc.string({ unit: 'binary', maxLength: 12 }).filter((item) => !item.includes('\0'))
const word = fc.stringMatching(/^[a-z]{1,6}$/)
const float = fc.double({ noNaN: true, noDefaultInfinity: true }).map((count) => count + 0)
const date = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
const bytes = fc.uint8Array({ maxLength: 60 })
const address = fc.webUrl({ withQueryParameters: true }).map((item) => new URL(item))

const scalars: readonly Kind[] = [
  kind('string', text),
  kind('number', float),
  kind('Int32', fc.integer()),
  kind('bigint', fc.bigInt()),
  kind('Int64', fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
  kind('boolean', fc.boolean()),
  kind('Date', date),
  kind('Uint8Array', bytes),
  kind('URL', address),
  kind("'a' | 'b,c' | '[d'", fc.constantFrom('a', 'b,c', '[d')),
  kind('1 | 2', fc.constantFrom(1, 2)),
  kind('Color', fc.constantFrom('red', 'it\'s "so"')),
  kind(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a type
    '`v${number}`',
    fc.nat().map((count) => `v${count}`),
  ),
  kind('Uuid', fc.uuid()),
]

const json = (type: string, values: fc.Arbitrary<unknown>): Kind => kind(type, values, false)
const scalar = fc.constantFrom(...scalars)
const names = fc.uniqueArray(fc.oneof(word, fc.constantFrom('constructor', 'a b', "it's", 'toString')), {
  minLength: 1,
  maxLength: 4,
})

const keys = text.filter((item) => item !== '__proto__')
const plain = (value: object): unknown => ({ ...value })
const mapOf = (entries: readonly (readonly [string, unknown])[]): unknown =>
  new Map(entries.filter(([name]) => name !== '__proto__'))

/** Values of a type that holds itself. */
function treeOf(levels: number): fc.Arbitrary<unknown> {
  const inner = levels === 0 ? fc.constant(null) : treeOf(levels - 1)
  const children = levels === 0 ? fc.constant([]) : fc.array(inner, { maxLength: 2 })
  return fc.record(
    { at: date, big: fc.bigInt(), children, next: fc.option(inner) },
    { requiredKeys: ['at', 'children'], noNullPrototype: true },
  )
}

const tree = treeOf(3)

const objectOf = (all: readonly string[], inner: fc.Arbitrary<Kind>): fc.Arbitrary<Kind> =>
  fc.tuple(...all.map(() => fc.tuple(inner, fc.boolean()))).map((kinds) => {
    const fields = kinds.map(([of, mayLack], place) => {
      const name = all[place] ?? ''
      return { name, of, isOptional: mayLack && !(name in Object.prototype) } // TypeScript lets no object lack those
    })
    const types = fields.map(
      ({ name, of, isOptional }) => `${JSON.stringify(name)}${isOptional ? '?' : ''}: ${of.type}`,
    )
    return json(
      `{ ${types.join('; ')} }`,
      fc.record(Object.fromEntries(fields.map(({ name, of }) => [name, of.values])), {
        requiredKeys: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
        noNullPrototype: true,
      }),
    )
  })

const taggedOf = ([a, b]: readonly [Kind, Kind]): Kind =>
  json(
    `{ kind: 'one'; of: ${a.type} } | { kind: 'two'; of: ${b.type} }`,
    fc.oneof(
      a.values.map((of) => ({ kind: 'one', of })),
      b.values.map((of) => ({ kind: 'two', of })),
    ),
  )

const untaggedOf = ([a, b]: readonly [Kind, Kind]): Kind =>
  json(
    `{ one: ${a.type} } | { two: ${b.type}; more?: Date }`,
    fc.oneof(
      a.values.map((value) => ({ one: value })),
      b.values.map((two) => ({ two })),
      fc.tuple(b.values, date).map(([two, more]) => ({ two, more })),
    ),
  )

const { structure } = fc.letrec<{ structure: Kind; any: Kind }>((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, { weight: 3, arbitrary: scalar }, tie('structure')),
  structure: fc.oneof(
    { maxDepth: 3 },
    tie('any').map((of) => json(`(${of.type})[]`, fc.array(of.values, { maxLength: 4 }))),
    tie('any').map((of) =>
      json(`Map<string, ${of.type}>`, fc.array(fc.tuple(text, of.values), { maxLength: 3 }).map(mapOf)),
    ),
    tie('any').map((of) =>
      json(`Record<string, ${of.type}>`, fc.dictionary(keys, of.values, { maxKeys: 3 }).map(plain)),
    ),
    fc.constantFrom(...scalars.filter(({ type }) => !/Date|URL|Uint8Array/.test(type))).map((of) =>
      json(
        `Set<${of.type}>`,
        fc.uniqueArray(of.values, { maxLength: 4 }).map((all) => new Set(all)),
      ),
    ),
    fc
      .tuple(tie('any'), tie('any'))
      .map(([a, b]) =>
        json(`[${a.type}, (${b.type})?]`, fc.oneof(fc.tuple(a.values), fc.tuple(a.values, b.values))),
      ),
    tie('any').map((of) => json(`(${of.type}) | null`, fc.option(of.values))),
    fc.constant(json('number | string', fc.oneof(float, text))),
    fc.constant(json('Tree', tree)),
    names.chain((all) => objectOf(all, tie('any'))),
    fc.tuple(tie('any'), tie('any')).map(taggedOf),
    fc.tuple(tie('any'), tie('any')).map(untaggedOf),
  ),
}))

type Place = 'path' | 'query' | 'header' | 'cookie' | 'field' | 'body'

interface Argument {
  readonly name: string
  readonly place: Place
  readonly isOptional: boolean
  readonly of: Kind
}

/** A route, and what it is called with. */
export interface RandomRoute {
  readonly name: string
  readonly verb: 'get' | 'post'
  readonly arguments: readonly Argument[]
  readonly answer: Kind
  readonly error: Kind
}

const anything = fc.oneof(scalar, structure)
/** In a request the server takes a text for a text: there nobody can tell. */
const orDate = json('string | Date', fc.oneof(word, date))
const orDates = json(
  '{ all: (string | Date)[] }',
  fc.array(orDate.values, { maxLength: 4 }).map((all) => ({ all })),
)
const answered = fc.oneof({ weight: 8, arbitrary: anything }, fc.constantFrom(orDate, orDates))
const listed = fc
  .constantFrom(...scalars)
  .map((of) => kind(`(${of.type})[]`, fc.array(of.values, { maxLength: 4 })))
const inText = fc.oneof(
  { weight: 2, arbitrary: scalar },
  listed,
  structure.filter(({ type }) => type.startsWith('{')),
)

/** A header holds bytes of Latin 1, and no blanks around them. */
const inHeader = inText.map((of) =>
  of.type === 'string' ? kind('string', fc.stringMatching(/^[!-~]([ -~]{0,9}[!-~])?$/)) : of,
)

/** No segment is empty or leads elsewhere. */
const inPath = scalar.map((of) => ({
  ...of,
  values: of.values.filter(
    (value) =>
      value !== '' && value !== '.' && value !== '..' && !(value instanceof Uint8Array && value.length === 0),
  ),
}))

const argument = (place: Place, of: fc.Arbitrary<Kind>): fc.Arbitrary<Omit<Argument, 'name'>> =>
  fc.record({
    place: fc.constant(place),
    isOptional: place === 'path' ? fc.constant(false) : fc.boolean(),
    of,
  })

const route = (verb: 'get' | 'post'): fc.Arbitrary<Omit<RandomRoute, 'name'>> => {
  const texts = [argument('path', inPath), argument('header', inHeader), argument('cookie', inText)]
  const more = verb === 'get' ? [argument('query', inText)] : [argument('field', anything)]
  return fc.record({
    verb: fc.constant(verb),
    arguments: fc.oneof(
      fc.array(fc.oneof(...texts, ...more, ...more), { maxLength: 4 }).map(named),
      ...(verb === 'post'
        ? [argument('body', anything).map((body) => named([{ ...body, isOptional: false }]))]
        : []),
    ),
    answer: answered,
    error: structure,
  })
}

const named = (all: readonly Omit<Argument, 'name'>[]): readonly Argument[] =>
  all.map((item, place) => ({ ...item, name: `p${place}` }))

/** So many routes; the same for a seed. */
export const randomRoutes = (count: number, seed: number): readonly RandomRoute[] =>
  fc
    .sample(fc.oneof(route('get'), route('post')), { numRuns: count, seed })
    .map((item, place) => ({ ...item, name: `r${place}` }))

/** So many calls of a route: what is provided, answered, and whether it fails with it. */
export interface RandomCall {
  readonly provided: Readonly<Record<string, unknown>>
  readonly answer: unknown
  readonly isError: boolean
}

export const randomCalls = (randomRoute: RandomRoute, count: number, seed: number): readonly RandomCall[] => {
  const values = Object.fromEntries(randomRoute.arguments.map(({ name, of }) => [name, of.values]))
  const provided = fc.record(values, {
    requiredKeys: randomRoute.arguments.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    noNullPrototype: true,
  })
  const outcome = fc.oneof(
    randomRoute.answer.values.map((answer) => ({ answer, isError: false })),
    randomRoute.error.values.map((answer) => ({ answer, isError: true })),
  )
  return fc
    .sample(fc.tuple(provided, outcome), { numRuns: count, seed })
    .map(([all, how]) => ({ provided: all, ...how }))
}

const wrapped = ({ name, place, of }: Argument): string => {
  if (place === 'header') return `Header<'X-${name}', ${of.type}>`
  if (place === 'cookie') return `Cookie<'${name}', ${of.type}>`
  return place === 'body' ? `Body<${of.type}>` : of.type
}

function controllerOf(randomRoute: RandomRoute): string {
  const path = randomRoute.arguments.filter(({ place }) => place === 'path').map(({ name }) => `/:${name}`)
  const ordered = [...randomRoute.arguments].sort((a, b) => Number(a.isOptional) - Number(b.isOptional))
  const parameters = ordered.map((arg) => `${arg.name}${arg.isOptional ? '?' : ''}: ${wrapped(arg)}`)
  return `
export class Failed${randomRoute.name} extends Failed {
  readonly route = '${randomRoute.name}'
}

/**
 * Random.
 *
 * @base /${randomRoute.name}
 * @mcp hide
 */
export class ${randomRoute.name.toUpperCase()} extends ApplicationController {
  /**
   * Exchanges values.
   *
   * @${randomRoute.verb} /${path.join('/').replaceAll('//', '/').slice(1)}
   */
  call(${parameters.join(', ')}): ${randomRoute.answer.type} {
    const provided = { ${randomRoute.arguments.map(({ name }) => name).join(', ')} }
    return exchange(provided, (value) => new Failed${randomRoute.name}(value)) as ${randomRoute.answer.type}
  }

  /**
   * Fails.
   *
   * @exception {Failed${randomRoute.name}} 418
   */
  failed(error: Failed${randomRoute.name}): ${randomRoute.error.type} {
    return error.value as ${randomRoute.error.type}
  }
}
`
}

/** The application of these routes. What an action is provided goes to `acmcpExchange`, which says what it answers. */
export const randomApplication = (routes: readonly RandomRoute[]): Files => ({
  'package.json': '{"name":"random","version":"1.0.0","type":"module"}',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...{ target: 'es2023', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true },
      ...{ noEmit: true, skipLibCheck: true, types: ['node'], allowImportingTsExtensions: true },
    },
  }),
  'app/config.ts': `import { type AppConfig, defineApp } from 'acmcp'\nexport const config: AppConfig = defineApp({})\n`,
  'app/types.ts': `export enum Color { Red = 'red', So = 'it\\'s "so"' }
export interface Tree { at: Date; big?: bigint; children: Tree[]; next?: Tree | null }
export class Failed extends Error {
  constructor(readonly value: unknown) { super('failed') }
}
type Exchange = (provided: unknown) => { answer: unknown; isError: boolean }
export function exchange(provided: unknown, fail: (value: unknown) => Failed): unknown {
  const { acmcpExchange } = globalThis as unknown as { acmcpExchange: Exchange }
  const { answer, isError } = acmcpExchange(provided)
  if (isError) throw fail(answer)
  return answer
}
`,
  'app/controllers/random.ts': `import { ApplicationController, type Body, type Cookie, type Header, type Int32, type Int64, type Uuid } from 'acmcp'
import { type Color, exchange, Failed, type Tree } from '../types.ts'
export type Used = [Int32, Int64, Uuid, Color, Tree, Body<1>, Cookie<'a'>, Header<'a'>]
${routes.map(controllerOf).join('')}`,
})
