/** Random applications: controllers with nested types, enums and unions, and a text at every place that takes one. */
import fc from 'fast-check'
import type { Files } from '../support/memory-host.ts'

/** A different text each time, with what YAML and JSON would take for their own. */
class Texts {
  #count = 0

  next(): string {
    const signs = ['a: b', '- c', '# d', '{ e }', '"f"', "it's", 'null', '[g]', 'h,', '~', 'é', '\\d', '1e3']
    const number = this.#count++
    return `Text ${number} ${signs[number % signs.length]} end${number % 3 === 0 ? `\n * and line ${number}` : ''}.`
  }

  word(): string {
    return `word-${this.#count++}`
  }
}

type Type = (texts: Texts, names: readonly string[]) => string

const leaf: fc.Arbitrary<Type> = fc.constantFrom<Type>(
  () => 'string',
  () => 'number',
  () => 'boolean',
  () => 'Uuid',
  () => 'Date',
  () => 'Uint8Array',
  (texts) => `'${texts.word()}'`,
  (texts) => `'${texts.word()}' | '${texts.word()}' | null`,
  (texts) => Array.from({ length: 20 }, () => `'${texts.word()}'`).join(' | '),
  () => 'Level',
  (texts) => `\`${texts.word()}-\${number}\``,
  (_, names) => names[0] ?? 'string',
  (_, names) => names.at(-1) ?? 'string',
  (_, names) => `${names[1] ?? 'string'} | null`,
)

const { type } = fc.letrec<{ type: Type; object: Type }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: tie('object') },
    {
      weight: 1,
      arbitrary: tie('type').map(
        (inner): Type =>
          (texts, names) =>
            `(${inner(texts, names)})[]`,
      ),
    },
    {
      weight: 1,
      arbitrary: tie('type').map(
        (inner): Type =>
          (texts, names) =>
            `[string, ${inner(texts, names)}]`,
      ),
    },
    {
      weight: 1,
      arbitrary: tie('type').map(
        (inner): Type =>
          (texts, names) =>
            `Record<string, ${inner(texts, names)}>`,
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('object'), tie('object')).map(
        ([a, b]): Type =>
          (texts, names) => {
            const tagged = (item: Type): string => `({ kind: '${texts.word()}' } & ${item(texts, names)})`
            return `${tagged(a)} | ${tagged(b)}`
          },
      ),
    },
  ),
  object: fc
    .array(
      fc.record({
        type: tie('type'),
        tag: fc.constantFrom('', '@pattern', '@title'),
        isOptional: fc.boolean(),
      }),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map(
      (fields): Type =>
        (texts, names) => {
          const lines = fields.map(({ type: inner, tag, isOptional }) => {
            const text = inner(texts, names)
            const word = texts.word()
            const tags =
              text === 'string' && tag === '@pattern'
                ? `\n *\n * @pattern ^${word}\n * @example ${word}-more`
                : ''
            return `\n/** ${texts.next()}${tags}\n */\n'${texts.word()}'${isOptional ? '?' : ''}: ${text}`
          })
          return `{ ${lines.join('\n')} }`
        },
    ),
}))

interface Drawn {
  readonly types: readonly Type[]
  readonly controllers: readonly (readonly {
    readonly input: Type
    readonly isBody: boolean
    readonly output: number
  }[])[]
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  types: fc.array(type, { minLength: 2, maxLength: 5 }),
  controllers: fc.array(
    fc.array(fc.record({ input: type, isBody: fc.boolean(), output: fc.nat(4) }), {
      minLength: 1,
      maxLength: 3,
    }),
    { minLength: 1, maxLength: 3 },
  ),
})

/** The files of an application in which every text is different. */
export const randomApplication: fc.Arbitrary<Files> = drawn.map(({ types, controllers }) => {
  const texts = new Texts()
  const names = types.map((_, index) => `Type${index}`)
  const declare = (name: string, item: Type): string =>
    `/** ${texts.next()} */\nexport interface ${name} { '${texts.word()}'?: ${item(texts, names)} }`
  const inputs = controllers.flatMap((actions, place) =>
    actions.map(({ input }, index) => declare(`In${place}${index}`, input)),
  )
  const level = `/** ${texts.next()} */\nexport enum Level { Low = '${texts.word()}', High = '${texts.word()}' }`
  const declared = [level, ...types.map((item, index) => declare(`Type${index}`, item)), ...inputs]
  const parameters = (isBody: boolean, name: string): string =>
    isBody
      ? `input: Body<${name}>`
      : `input: ${name}, word: '${texts.word()}' | '${texts.word()}', level = Level.Low`
  const action = ({ isBody, output }: Drawn['controllers'][number][number], name: string): string => `/**
 * ${texts.next()}
 *
 * @post /${name}
 * @param input - ${texts.next()}
 * @mcp title="${texts.word()}"${output === 0 ? `\n * @mcp describe ${texts.next().split('\n')[0]}` : ''}
 */
a${name}(${parameters(isBody, name)}): ${names[output] ?? `Level | '${texts.word()}'`} { void [input, Level]; throw new Error() }`
  const controller = (actions: Drawn['controllers'][number], place: number): string => `
import { type Body, Controller } from 'acmcp'
import { Level, type ${[...names, ...actions.map((_, index) => `In${place}${index}`)].join(', type ')} } from '../types.ts'
/** ${texts.next()} */
export class C${place} extends Controller {
${actions.map((item, index) => action(item, `In${place}${index}`)).join('\n')}
}
`
  return {
    'app/types.ts': `import type { Uuid } from 'acmcp'\n${declared.join('\n')}\n`,
    ...Object.fromEntries(
      controllers.map((actions, place) => [`app/controllers/c${place}.ts`, controller(actions, place)]),
    ),
  }
})
