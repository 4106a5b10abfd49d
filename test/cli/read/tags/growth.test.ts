/** What a hostile source costs a build: twice as much of it takes twice the time, beside a plain source of as many bytes. */
import t from 'tap'
import { compile } from '../../../../cli/compiler/compile.ts'
import { growth } from '../../../support/report/growth.ts'
import { memoryHost } from '../../support/memory-host.ts'

t.setTimeout(240_000) // a busy machine

const source = (comment: string, type = 'string'): string => `import { Controller } from 'acmcp'

/** Notes. */
export class Notes extends Controller {
  /**
   * Reads.
   *
${comment}
   *
   * @get /
   */
  index(note: ${type}): string { return String(note) }
}
`

const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_none, index) => text(index)).join('')

/** By what they are made of, of so many bytes. */
const comments: Readonly<Record<string, (bytes: number) => string>> = {
  text: (bytes) => `   * ${'word '.repeat(bytes / 5)}`,
  lines: (bytes) => many(bytes / 10, () => '   * word.\n'),
  tags: (bytes) => many(bytes / 100, (index) => `   * @unknown${index} ${'and more '.repeat(9)}\n`),
  'links in braces': (bytes) => `   * ${'{@link Notes} '.repeat(bytes / 14)}`,
  'braces that stay open': (bytes) => `   * ${'{@link '.repeat(bytes / 7)}`,
  stars: (bytes) => `   ${'*'.repeat(bytes)} x`,
  'stars and blanks': (bytes) => `   * ${'* '.repeat(bytes / 2)}`,
  backticks: (bytes) => `   * ${'`a'.repeat(bytes / 2)}`,
  'examples of parameters': (bytes) =>
    many(bytes / 50, (index) => `   * @param n${index} - of it, as said, and more @example\n`),
}

const types: Readonly<Record<string, (bytes: number) => string>> = {
  'members of a union': (bytes) => many(bytes / 12, (index) => `${index === 0 ? '' : ' | '}'n${index}'`),
  properties: (bytes) => `{ ${many(bytes / 16, (index) => `n${index}?: string; `)} }`,
  'nested objects': (bytes) => `${'{ a: '.repeat(bytes / 500)}string${' }'.repeat(bytes / 500)}`,
}

const compiled = (text: string): number =>
  compile(memoryHost({ 'app/controllers/notes.ts': text })).diagnostics.length

/** As many bytes that say nothing: the compiler's own share, with what each run costs. */
const plain = (text: string): number => compiled(source(`   * ${'x'.repeat(text.length)}`))

t.test('twice a doc comment takes twice the time', async (t) => {
  for (const [name, comment] of Object.entries(comments))
    await growth(t, {
      name: `doc comment, ${name}: bytes`,
      sizes: [50_000, 100_000],
      input: (bytes) => source(comment(bytes)),
      work: compiled,
      control: plain,
    })
})

t.test('a doc comment of 1 MB is built', async (t) => {
  t.type(compiled(source(comments['links in braces']?.(1_000_000) ?? '')), 'number')
})

t.test('twice a type takes twice the time', async (t) => {
  for (const [name, type] of Object.entries(types))
    await growth(t, {
      name: `a type, ${name}: bytes`,
      sizes: [8_000, 16_000],
      input: (bytes) => source('   * More.', type(bytes)),
      work: compiled,
      control: plain,
    })
})

/** Each holds the next, the last the first. */
const ring = (count: number): string =>
  many(
    count,
    (index) => `
interface T${index} { name?: string
  /** @example {"name":"x"} */
  next?: T${(index + 1) % count} }`,
  )

t.test('twice as many examples of types that hold each other take twice the time', async (t) => {
  await growth(t, {
    name: 'examples in a ring of types: types',
    sizes: [300, 600],
    input: (count) => `${source('   * More.', 'T0')}${ring(count)}`,
    work: compiled,
    control: plain,
  })
})
