/** What the build says of schemas whose rules would not be run: the wrong samples of the reference, and others. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { diskHost } from '../../../cli/build/disk.ts'
import { diagnosticEntries } from '../../../cli/capabilities/reference/entries.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import type { Diagnostic } from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import { folderOf } from '../support/built-app.ts'
import { judged } from '../support/samples.ts'

const samplesOf = (code: string, label: string): string =>
  diagnosticEntries()
    .find(({ name }) => name === code)
    ?.samples.find((sample) => sample.label === label)?.text ?? ''

/** What is said of it, but for missing texts. */
const said = (sample: string): readonly Diagnostic[] =>
  judged(sample).filter(({ code }) => code !== 'ACM206' && code !== 'ACM221')

const shown = (sample: string): readonly string[] =>
  said(sample).map(
    ({ code, severity, at, message, hint }) =>
      `${code} ${at.file.replace('app/', '')}:${at.line}:${at.column} ${severity}: ${message} | ${hint}`,
  )

const exported =
  'Write Checked<typeof name>, with `export const name = …` at the top of a file, and no parameter of that name.'
const whole =
  'Write Checked<typeof schema> as the whole type of a parameter, or in its Body, Header, Cookie or Named.'

const expected: Readonly<Record<string, readonly string[]>> = {
  ACM175: [
    `ACM175 controllers/orders.ts:9:24 error: the server cannot import the schema of 'typeof title': it is no exported constant | ${exported}`,
  ],
  ACM176: [
    "ACM176 controllers/orders.ts:8:24 error: 'typeof title' does not implement Standard Schema 1: it has no '~standard' with validate() and the type of its input | Schemas of zod 4, valibot and arktype do. Another value is to be called in the method.",
  ],
  ACM177: [
    `ACM177 controllers/orders.ts:6:3 error: Orders.create(order).title is Checked, where nobody runs its rules | ${whole}`,
  ],
  ACM178: [
    "ACM178 controllers/orders.ts:9:22 warning: the rules of newOrder do not count: 'z.infer<typeof newOrder>' is its type alone | Write Checked<typeof newOrder>, which runs them before the method.",
  ],
}

t.test('each mistake is told with its place and what to do', async (t) => {
  for (const [code, lines] of Object.entries(expected)) {
    t.strictSame(shown(samplesOf(code, 'wrong')), lines, code)
    t.strictSame(shown(samplesOf(code, 'right')), [], `${code}, mended`)
  }
})

/** A controller with one parameter of this type, below these declarations. */
const application = (type: string, declared = '', name = 'given'): string => `import * as acmcp from 'acmcp'
import { type Body, Controller, type Checked, type Elicited, type Named } from 'acmcp'
import { z } from 'zod'
import * as rules from '../rules.ts'
import plain, { type In, renamed as other } from '../rules.ts'
${declared}
/** Some orders of a shop. */
export class Orders extends Controller {
  /** @post / */
  create(${name}: ${type}): string { return String(${name}) }
}
void [acmcp, z, rules, plain, other]
export type Used = Body<1> | Checked<typeof other> | Elicited<1> | Named<'a', 1> | In
// app/rules.ts
import type { Checked } from 'acmcp'
import { z } from 'zod'
export const plain = z.object({ a: z.string() })
const hidden = z.object({ b: z.string() })
export { hidden as renamed, plain as again }
export default plain
export let changing = plain
export const branded = z.string().brand<'Id'>()
export const make = () => plain
export namespace inner { export const deep = plain }
export const table = { plain }
export class Rules { static readonly plain = plain }
export type In = Checked<typeof plain>
export type Out = z.infer<typeof plain>
`

const codes = (sample: string): readonly string[] => said(sample).map(({ code }) => code)

t.test('a schema is found by the name of an exported constant, however it is imported', async (t) => {
  for (const type of [
    'Checked<typeof rules.plain>',
    'Checked<typeof other>',
    'Checked<typeof plain>',
    "Checked<typeof import('../rules.ts').plain>",
    'acmcp.Checked<typeof other>',
    'In',
    'Body<In>',
    "Named<'what', (Body<Checked<typeof other>>)>",
    'Checked<typeof other> | null',
    'In | undefined',
  ])
    t.strictSame(codes(application(type)), [], type)
})

t.test('whatever has no name to import it by is refused', async (t) => {
  for (const type of [
    'typeof rules.changing',
    'ReturnType<typeof rules.make>',
    'typeof rules.inner.deep',
    'typeof rules.table.plain',
    'typeof rules.Rules.plain',
    'z.ZodString',
  ])
    t.strictSame(codes(application(`Checked<${type}>`)), ['ACM175'], type)
  t.strictSame(codes(application('Checked<typeof other>', '', 'other')), ['ACM175'], 'the parameter itself')
})

t.test('where nobody would run its rules it is refused, behind every way to write it', async (t) => {
  const generic = `abstract class Base<T> extends Controller {
  /** @put / */
  change(given: Body<T>): string { return String(given) }
}
/** Some others of a shop. */
export class Others extends Base<In> {}
type Of<T> = Checked<T & typeof rules.plain>`
  for (const type of ['{ inner: In }', 'In[]', 'Body<readonly { a: In }[]>', 'In & { b: string }'])
    t.strictSame([...new Set(codes(application(type, generic)))], ['ACM177'], type)
  t.strictSame(codes(application('string', generic)), ['ACM177'], 'as the argument of a base class')
  const behind = codes(application('Of<typeof rules.plain>', generic))
  t.strictSame(behind, ['ACM177', 'ACM177', 'ACM178'], 'behind an alias with parameters too')
  t.ok(codes(application('Elicited<In>')).includes('ACM177'))
})

t.test('the type alone of an exported schema is warned of, also behind aliases', async (t) => {
  const aliases = `const own = z.object({ a: z.string() })
type Alias = Body<z.infer<typeof rules.plain>>
interface Wider extends z.infer<typeof rules.plain> { b: string }
type Keys<T> = keyof T
interface Holder { wider: Wider, own: typeof own, keys: Keys<typeof own> }
export type Held = Holder`
  for (const type of [
    'z.infer<typeof other>',
    'z.output<typeof other> | null',
    'Alias',
    'rules.Out',
    'Body<rules.Out>',
  ])
    t.strictSame(codes(application(type, aliases)), ['ACM178'], type)
  for (const type of [
    'z.infer<typeof own>',
    'z.input<typeof other>',
    'Wider',
    'Body<{ a: z.infer<typeof other> }>',
  ])
    t.strictSame(codes(application(type, aliases)), [], type)
  const parsed = (text: string): string => application('rules.Out', aliases).replace('String(given)', text)
  for (const text of ['rules.plain.parse(given).a', 'rules.again.parse(given).a', 'plain.parse(given).a'])
    t.strictSame(codes(parsed(text)), [], `the method runs it: ${text}`)
  t.strictSame(codes(parsed('given.plain')), ['ACM178'], 'a property of its name is another thing')
  t.strictSame(
    codes(parsed('(given as z.infer<typeof rules.plain>).a')),
    ['ACM178'],
    'the method names its type',
  )
})

t.test('an any that the application itself wrote stays one', async (t) => {
  const declared = `interface Own { a: any }
export const own = z.object({ b: z.custom<Own>(), c: z.any(), d: z.array(z.record(z.string(), z.any())) })`
  t.strictSame(
    said(application('Body<Checked<typeof own>>', declared)).map(({ code, message }) => [code, message]),
    [['ACM145', 'Orders.create(given).b → Own.a: any says nothing about the value']],
  )
  const inferred = said(application('Body<z.input<typeof own>>', declared))
  t.strictSame(
    inferred.map(({ message }) => message.split(':')[0]),
    ['Orders.create(given).b → Own.a', 'Orders.create(given).c', 'Orders.create(given).d[]{}'],
  )
})

t.test('of valibot and arktype too', async (t) => {
  const parameters = [
    'a: v.InferOutput<typeof visit>',
    'b: v.InferInput<typeof visit>',
    'c: typeof ticket.infer',
    'd: typeof ticket.inferIn',
    'e: Checked<typeof visit>',
    'f: Checked<typeof ticket>',
  ]
  const root = folderOf(t, {
    'app/controllers/orders.ts': `import { type } from 'arktype'
import * as v from 'valibot'
import { type Checked, Controller } from 'acmcp'
export const visit = v.object({ a: v.string() })
export const ticket = type({ b: 'string > 2' })
export class Orders extends Controller {
  /** @post / */
  create(
    ${parameters.join(',\n    ')},
  ): unknown { return [a, b, c, d, e, f] }
}
`,
  })
  for (const name of ['arktype', '@ark', 'valibot'])
    symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))
  const { diagnostics } = compile(diskHost(root))
  t.strictSame(
    diagnostics
      .filter(({ code }) => code.startsWith('ACM17'))
      .map(({ code, at, hint }) => [code, at.line, hint]),
    [
      ['ACM178', 9, 'Write Checked<typeof visit>, which runs them before the method.'],
      ['ACM178', 11, 'Write Checked<typeof ticket>, which runs them before the method.'],
    ],
  )
  t.strictSame(
    diagnostics.filter(({ severity }) => severity === 'error'),
    [],
  )
})
