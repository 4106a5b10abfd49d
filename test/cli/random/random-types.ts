/** Random types of TypeScript, judged by TypeScript itself: each is a schema of which every value is one of the type, with a
 *  table that compiles, or an error at its place. */
import fc from 'fast-check'
import type { Compilation } from '../../../cli/compiler/compile.ts'
import type { Diagnostic } from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import type { Model } from '../../../cli/compiler/ir/model.ts'
import type { Entry } from '../oracle/corpus.ts'
import { compileAll, describe, disagreements, judgeEntries, typesModule } from '../oracle/oracle.ts'
import { exampleOf } from './type-examples.ts'

/** What random types are made with: mapped, conditional, recursive and growing ones. */
const generics = `export interface Box<T> { value: T; next?: Box<T> }
export interface Pair<A, B> { a: A; b: B; swapped?: Pair<B, A> }
export interface Grow<T> { v: T; next?: Grow<T[]> }
export type Wrap<T> = { v: T; more?: Wrap<{ in: T }> }
export type DeepPartial<T> = { [K in keyof T]?: DeepPartial<T[K]> }
export type DeepReadonly<T> = T extends Date | bigint ? T : T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T
export type Nullable<T> = { [K in keyof T]: T[K] | null }
export type Texts<T> = T extends (infer I)[] ? Texts<I>[] : T extends Date ? string : T extends object ? { [K in keyof T]: Texts<T[K]> } : T
export type Listed<T> = T extends string ? { text: T } : { list: T[] }
export type Renamed<T> = { [K in keyof T & string as Capitalize<K>]: T[K] }
export type Either<A, B> = { kind: 'left'; left: A } | { kind: 'right'; right: B }
`

const item = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts)
const leaf = item(
  'string',
  'number',
  'boolean',
  'bigint',
  'Date',
  "'a' | 'b'",
  'string | null',
  "'only'",
  '7',
)
const named = item('R0', 'R1', 'R2')
const optional = item('', '', '?')

const { object, type } = fc.letrec<{ object: string; type: string }>((tie) => ({
  object: fc.oneof(
    { maxDepth: 3 },
    named,
    fc
      .tuple(optional, tie('type'), optional, tie('type'))
      .map(([first, a, second, b]) => `{ p${first}: ${a}; q${second}: ${b}; r: number }`),
    tie('type').map((of) => `Box<${of}>`),
    fc.tuple(tie('type'), tie('type')).map(([a, b]) => `Pair<${a}, ${b}>`),
    fc.tuple(tie('type'), tie('type')).map(([a, b]) => `Either<${a}, ${b}>`),
    fc
      .tuple(
        item('Grow', 'Wrap', 'DeepPartial', 'DeepReadonly', 'Nullable', 'Texts', 'Renamed'),
        tie('object'),
      )
      .map(([generic, of]) => `${generic}<${of}>`),
    fc.tuple(item('Partial', 'Required', 'Readonly'), tie('object')).map(([how, of]) => `${how}<${of}>`),
    tie('type').map((of) => `Record<string, ${of}>`),
  ),
  type: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('object'),
    tie('type').map((of) => `(${of})[]`),
    fc.tuple(tie('type'), tie('type')).map(([a, b]) => `[${a}, ${b}]`),
    tie('object').map((of) => `${of} | null`),
    tie('type').map((of) => `Listed<${of}>`),
  ),
}))

/** Three interfaces that may name each other, and types over them. */
const program = fc.tuple(
  fc.array(type, { minLength: 6, maxLength: 6 }),
  fc.array(object, { minLength: 10, maxLength: 10 }),
)

function entriesOf(inner: readonly string[], types: readonly string[]): readonly Entry[] {
  const interfaces = [0, 1, 2].map(
    (place) =>
      `export interface R${place} { n: number; first?: ${inner[place]}; second: (${inner[place + 3]})[] }`,
  )
  return types.map((text, index) => {
    const name = `T${index}`
    const declaration = `export type ${name} = { subject: ${text} }`
    return {
      name,
      file: 'random',
      title: text,
      declaration: index === 0 ? `${generics}${interfaces.join('\n')}\n${declaration}` : declaration,
      samples: [],
      isAnswer: false,
      refusal: null,
    }
  })
}

export interface RandomReport {
  readonly kept: number
  readonly refused: number
  readonly samples: number
  /** Of the compiler, for one program of ten types. */
  readonly slowestMs: number
  readonly wrong: readonly string[]
}

/** Judges `runs` programs of ten types each. */
export async function judgeRandomTypes(runs: number, seed: number): Promise<RandomReport> {
  const programs = fc.sample(program, { numRuns: runs, seed })
  let [kept, refused, samples, slowestMs] = [0, 0, 0, 0]
  const wrong: string[] = []
  for (const [inner, types] of programs) {
    const found = await judgeProgram(entriesOf(inner, types))
    kept += found.kept
    refused += found.refused
    samples += found.samples
    slowestMs = Math.max(slowestMs, found.slowestMs)
    wrong.push(...found.wrong.map((line) => `${line}\n  where ${inner.join(' ; ')}`))
  }
  return { kept, refused, samples, slowestMs, wrong }
}

async function judgeProgram(entries: readonly Entry[]): Promise<RandomReport> {
  const types = typesModule(entries)
  const before = process.cpuUsage()
  const errors = errorsOf(compileAll(types, entries))
  const slowestMs = Math.round(process.cpuUsage(before).user / 1000)
  const taken = takenOf(entries, errors)
  const nowhere = errors.filter((error) => !isInPlace(error)).map(({ code, message }) => `${code} ${message}`)
  const rest = { refused: entries.length - taken.length, slowestMs }
  if (taken.length === 0) return { ...rest, kept: 0, samples: 0, wrong: nowhere }
  const report = await judgeEntries(withSamples(withHead(entries, taken)))
  return {
    ...rest,
    kept: taken.length,
    samples: report.verdicts.length,
    wrong: [...nowhere, ...disagreements(report).map(describe), ...report.typeErrors, ...report.refusals],
  }
}

/** Programs of types that have a schema, with their samples. */
export const randomPrograms = (runs: number, seed: number): readonly (readonly Entry[])[] =>
  fc.sample(program, { numRuns: runs, seed }).flatMap(([inner, types]) => {
    const entries = entriesOf(inner, types)
    const taken = takenOf(entries, errorsOf(compileAll(typesModule(entries), entries)))
    return taken.length === 0 ? [] : [withSamples(withHead(entries, taken))]
  })

function withSamples(declared: readonly Entry[]): readonly Entry[] {
  const { model } = compileAll(typesModule(declared), declared)
  return declared.map((entry) => ({ ...entry, samples: samplesOf(model, entry.name) }))
}

const errorsOf = ({ diagnostics }: Compilation): readonly Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === 'error')

/** The types that have a schema. What two of them share is told of the first alone, so the rest is asked again. */
function takenOf(entries: readonly Entry[], errors: readonly Diagnostic[]): readonly Entry[] {
  const taken = entries.filter(({ name }) => !errors.some((error) => isAbout(error, name)))
  if (taken.length === entries.length || taken.length === 0) return taken
  const declared = withHead(entries, taken)
  const more = errorsOf(compileAll(typesModule(declared), declared))
  return more.length === 0 ? taken : takenOf(entries, [...errors, ...more])
}

/** The types with what all of them are declared with, which stands before the first. */
function withHead([first]: readonly Entry[], taken: readonly Entry[]): readonly Entry[] {
  const [head = ''] = first?.declaration.split(/^export type T\d+ /m) ?? []
  return taken.map((entry, index) =>
    index === 0 && entry.name !== first?.name
      ? { ...entry, declaration: `${head}${entry.declaration}` }
      : entry,
  )
}

const isAbout = ({ message }: Diagnostic, name: string): boolean => message.includes(`Kinds.${name}(`)

const isInPlace = ({ code, at, message }: Diagnostic): boolean =>
  /^ACM1(20|60)$/.test(code) &&
  (at.file === 'app/types.ts' || (at.file === 'app/controllers/kinds.ts' && at.line > 4)) &&
  message.includes('Kinds.T')

/** A value of the schema, the smallest one, and some that hardly are. */
function samplesOf(model: Model, name: string): Entry['samples'] {
  const [param] =
    model.controllers.flatMap(({ actions }) => actions).find(({ method }) => method === name)?.params ?? []
  if (param === undefined) return []
  const full = exampleOf(model, param.schema, 'full')
  const small = exampleOf(model, param.schema, 'small')
  const texts = [full, small, '{}', "{ subject: 'other' }", '{ subject: [] }', '{ subject: true }', "'x'"]
  return texts.flatMap((text) => (text === null ? [] : [{ text, by: 'type' as const, exception: null }]))
}
