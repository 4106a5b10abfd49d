/** The oracle: every sample of the corpus judged by TypeScript, by Ajv on the emitted document, and by the printed
 *  decoders. Where two of them differ the compiler is wrong, outside the published exceptions. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { memoryHost } from '../support/memory-host.ts'
import { type Entry, readCorpus, type Sample } from './corpus.ts'
import { jsonForm } from './json-form.ts'
import { acmcpTypes, nodeTypes } from './surroundings.ts'
import { diagnose, toJavaScript } from './typescript.ts'

export interface Verdict {
  readonly entry: Entry
  readonly sample: Sample
  readonly typescript: boolean
  readonly schema: boolean
  readonly decoder: boolean
  /** What the decoder made is not what was sent, although TypeScript knows every property. */
  readonly isChanged: boolean
}

export interface Report {
  readonly entries: readonly Entry[]
  readonly verdicts: readonly Verdict[]
  /** What TypeScript says of the types and of the generated route table. */
  readonly typeErrors: readonly string[]
  /** Types that should have a schema and were refused, or the other way round. */
  readonly refusals: readonly string[]
}

/** Judges the whole corpus. */
export const judgeCorpus = (): Promise<Report> => judgeEntries(readCorpus())

/** Judges types with their samples. */
export async function judgeEntries(entries: readonly Entry[]): Promise<Report> {
  const types = typesModule(entries)
  const kept = entries.filter(({ refusal }) => refusal === null)
  const built = compileAll(types, kept)
  const refusals = refusalsOf(types, entries, built)
  if (built.files.length === 0) return { entries, verdicts: [], typeErrors: [], refusals }
  const found = diagnose(programFiles(types, kept, built))
  const values = await samplesOf(types, kept)
  const isValid = validators(built)
  const decode = await decoders(built)
  const verdicts = kept.flatMap((entry) =>
    entry.samples.map((sample, index) => {
      const key = `${entry.name}_${index}`
      const value = jsonForm(values.get(key)?.())
      const decoded = entry.isAnswer ? null : decode(entry, value)
      const line = lineOf(kept, entry, index)
      const fresh = !found.has(`/shop/app/fresh.ts:${line}`)
      return {
        entry,
        sample,
        typescript: !found.has(`/shop/app/loose.ts:${line}`),
        schema: isValid(entry, value),
        decoder: entry.isAnswer ? isValid(entry, value) : decoded !== null,
        isChanged:
          fresh && decoded !== null && !isInstance(sample) && !isSame(jsonForm(decoded.value), value),
      }
    }),
  )
  const typeErrors = [...found].flatMap(([place, text]) =>
    /\/(fresh|loose)\.ts:/.test(place) ? [] : [`${place} ${text}`],
  )
  return { entries, verdicts, typeErrors, refusals }
}

/** The verdicts that differ and must not: TypeScript, schema and decoder are of one mind, and nothing is lost. */
export function disagreements({ verdicts }: Report): readonly Verdict[] {
  return verdicts.filter((verdict) => verdict.sample.exception === null && !isOfOneMind(verdict))
}

/** Exceptions that no sample shows any more: a verdict that agrees needs none. */
export function idleExceptions({ verdicts }: Report): readonly Verdict[] {
  return verdicts.filter((verdict) => verdict.sample.exception !== null && isOfOneMind(verdict))
}

function isOfOneMind({ sample, typescript, schema, decoder, isChanged }: Verdict): boolean {
  if (sample.by === 'refused') return typescript && !schema && !decoder
  return typescript === schema && schema === decoder && !isChanged
}

/** One line for a verdict. */
export function describe({ entry, sample, typescript, schema, decoder, isChanged }: Verdict): string {
  const word = (is: boolean): string => (is ? 'takes' : 'refuses')
  const judged = `TypeScript ${word(typescript)}, the schema ${word(schema)}, the decoder ${word(decoder)} it`
  return `${entry.file}, ${entry.title}: ${sample.text}: ${judged}${isChanged ? ', changed' : ''}`
}

/** The instance of a class may hold more than its public data. */
const isInstance = ({ text }: Sample): boolean => /\bnew (S\d|Holder|Made)/.test(text)

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return Array.isArray(value) ? value.map(sorted) : value
  }
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The declarations of all types. */
export const typesModule = (entries: readonly Entry[]): string =>
  `import type { Int32, Int64, Uuid } from 'acmcp'\n${entries.map(({ declaration }) => declaration).join('\n')}\n`

const controllerOf = (entries: readonly Entry[]): string => `import { Controller } from 'acmcp'
import type * as types from '../types.ts'
/** Some kinds of a shop. */
export class Kinds extends Controller {
${entries.map(({ name, isAnswer }) => `/**\n * Takes ${name}.\n *\n * @post /${name}\n */\n${name}(${isAnswer ? '' : `value: types.${name}`}): types.${name} { return null as never }`).join('\n')}
}
`

const settings = JSON.stringify({
  compilerOptions: { target: 'es2023', module: 'nodenext', strict: true, types: ['node'] },
})

/** An application that takes and answers each type. */
export const filesOf = (types: string, entries: readonly Entry[]): Readonly<Record<string, string>> => ({
  'tsconfig.json': settings,
  'app/types.ts': types,
  'app/controllers/kinds.ts': controllerOf(entries),
  'node_modules/acmcp/index.d.ts': acmcpTypes,
  'node_modules/@types/node/index.d.ts': nodeTypes,
  'node_modules/@types/node/package.json': '{"name":"@types/node","version":"20.0.0","types":"index.d.ts"}',
})

let last: { readonly requested: string; readonly compilation: Compilation } | null = null

/** Asked the same again, it answers what it has. */
export function compileAll(types: string, entries: readonly Entry[]): Compilation {
  const files = filesOf(types, entries)
  const requested = JSON.stringify(files)
  if (last?.requested !== requested) last = { requested, compilation: compile(memoryHost(files)) }
  return last.compilation
}

function refusalsOf(types: string, entries: readonly Entry[], built: Compilation): readonly string[] {
  const reported = (some: readonly Entry[]): readonly string[] =>
    some.length === 0
      ? []
      : compileAll(types, some).diagnostics.map(({ code, message }) => `${code} ${message}`)
  const refused = entries.filter(({ refusal }) => refusal !== null)
  const messages = reported(refused)
  const asParameters = entries
    .filter(({ isAnswer }) => isAnswer)
    .map((entry) => ({ ...entry, isAnswer: false }))
  const instances = reported(asParameters)
  const taken = asParameters.flatMap(({ name, title }) =>
    instances.some((text) => text.startsWith(`ACM141 Kinds.${name}(value)`))
      ? []
      : [`${title} (${name}) is no parameter`],
  )
  const silent = refused.flatMap(({ name, title, refusal }) =>
    messages.some(
      (text) =>
        /^ACM1(20|45|60) /.test(text) && text.includes(` Kinds.${name}(`) && text.includes(refusal ?? ''),
    )
      ? []
      : [`${title} (${name}) is not refused with '${refusal}'`],
  )
  return [...built.diagnostics.map(({ code, message }) => `${code} ${message}`), ...silent, ...taken]
}

/** Line 1 and 2 of each file are its imports and its helper; each sample has a line. */
function lineOf(entries: readonly Entry[], entry: Entry, index: number): number {
  const before = entries.slice(0, entries.indexOf(entry))
  return 3 + index + before.reduce((total, { samples }) => total + samples.length, 0)
}

function programFiles(
  types: string,
  entries: readonly Entry[],
  { files }: Compilation,
): ReadonlyMap<string, string> {
  const head = `import type * as types from './types.ts'; import { ${valueNames(types).join(', ')} } from './types.ts'`
  const lines = (wrap: (text: string) => string): string =>
    entries
      .flatMap(({ name, samples }) =>
        samples.map(
          ({ text }, index) =>
            `export const ${name}_${index}: types.${name} = ${wrap(text.replace(/ as (\w+)/g, ' as types.$1'))}`,
        ),
      )
      .join('\n')
  const sources = {
    ...filesOf(types, entries),
    'app/fresh.ts': `${head}\n\n${lines((text) => text)}\n`,
    'app/loose.ts': `${head}\ndeclare function loose<Of>(value: Of): Of\n${lines((text) => `loose(${text})`)}\n`,
    ...Object.fromEntries(files.map(({ path, text }) => [path, text])),
  }
  const all = Object.entries({ ...sources, 'package.json': '{"type":"module"}' })
  return new Map(
    [
      ...all,
      ['node_modules/acmcp/package.json', '{"name":"acmcp","type":"module","types":"index.d.ts"}'] as const,
    ]
      .filter(([path]) => /\.(ts|json)$/.test(path))
      .map(([path, text]) => [`/shop/${path}`, text]),
  )
}

/** Classes and enums of the corpus, which samples name. */
const valueNames = (types: string): readonly string[] =>
  [...types.matchAll(/^export (?:class|enum|const enum) (\w+)/gm)].map(([, name = '']) => name)

/** Makes each sample, by `<entry>_<index>`. */
export async function samplesOf(
  types: string,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, () => unknown>> {
  const lines = entries.flatMap(({ name, samples }) =>
    samples.map(({ text }, index) => `[${JSON.stringify(`${name}_${index}`)}, () => (${text})],`),
  )
  const code = toJavaScript(
    `${types}\nexport const samples = new Map<string, () => unknown>([\n${lines.join('\n')}\n])`,
  )
  const { samples } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return samples
}

function validators({ files }: Compilation): (entry: Entry, value: unknown) => boolean {
  const document = parse(files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '{}')
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'doc:openapi', ...document })
  const made = new Map<string, (value: unknown) => unknown>()
  return ({ name, isAnswer }, value) => {
    const place = isAnswer
      ? 'responses/200/content/application~1json/schema'
      : 'requestBody/content/application~1json/schema/properties/value'
    const validate =
      made.get(name) ?? ajv.compile({ $ref: `doc:openapi#/paths/~1kinds~1${name}/post/${place}` })
    made.set(name, validate)
    return validate(value) === true
  }
}

type Decode = (entry: Entry, value: unknown) => { readonly value: unknown } | null

async function decoders({ codecs, model }: Compilation): Promise<Decode> {
  const address = new URL('../../../runtime/http/codec/codec.js', import.meta.url).href
  const code = codecs.replace("'acmcp/codec'", JSON.stringify(address))
  const made = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  const ids = new Map(
    model.controllers.flatMap(({ actions }) => actions.map(({ method, id }) => [method, id])),
  )
  return ({ name }, value) => {
    try {
      return { value: made.codecs[ids.get(name) ?? ''].params[0].codec.fromJson(value, '') }
    } catch (error) {
      if (error instanceof Error && 'parameter' in error) return null
      throw error
    }
  }
}
