/** The types in `generated/tools.ts` against the input schemas that the server checks by: TypeScript and Ajv are asked the same
 *  of the JSON of samples, of random types and of the corpus, and of the same with one part changed. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { type Entry, readCorpus } from '../oracle/corpus.ts'
import { jsonForm } from '../oracle/json-form.ts'
import { filesOf, samplesOf, typesModule } from '../oracle/oracle.ts'
import { diagnose } from '../oracle/typescript.ts'
import { randomPrograms } from '../random/random-types.ts'
import { memoryHost } from '../support/memory-host.ts'

t.setTimeout(240_000)

interface Judged {
  readonly type: string
  readonly json: string
  readonly typescript: boolean
  readonly schema: boolean
}

/** An application of types, and the values to judge. */
interface Asked {
  readonly built: Compilation
  readonly cases: readonly { readonly type: string; readonly tool: string; readonly json: string }[]
}

async function ask(entries: readonly Entry[], isChanged: boolean): Promise<Asked> {
  const types = typesModule(entries)
  const built = compile(memoryHost(filesOf(types, entries)), { tools: true })
  const values = await samplesOf(types, entries)
  const tools = new Map(
    built.model.controllers.flatMap(({ actions }) => actions.map(({ method, tool }) => [method, tool?.name])),
  )
  const cases = entries.flatMap(({ name, title, samples }) => {
    const tool = tools.get(name)
    const all = samples.map((_, index) => jsonForm(values.get(`${name}_${index}`)?.()))
    const changed = isChanged ? all.flatMap(changesOf) : []
    const texts = new Set([...all, ...changed].flatMap((value) => JSON.stringify(value) ?? []))
    return tool === undefined ? [] : [...texts].map((json) => ({ type: title, tool, json }))
  })
  return { built, cases }
}

/** What both say of each value as the argument `value` of its tool. TypeScript is asked once for all. */
function judge(asked: readonly Asked[]): readonly Judged[] {
  const files = asked.flatMap(({ built, cases }, place): readonly (readonly [string, string])[] => [
    [`/shop/${place}/tools.ts`, built.files.find(({ path }) => path.endsWith('tools.ts'))?.text ?? ''],
    [`/shop/${place}/values.ts`, [head, ...cases.map(lineOf)].join('\n')],
  ])
  const node = Object.entries(filesOf('', [])).filter(([path]) => path.includes('@types'))
  const around = [...node, ['package.json', '{"type":"module"}'] as const]
  const found = diagnose(
    new Map([...files, ...around.map(([path, text]) => [`/shop/${path}`, text] as const)]),
  )
  const elsewhere = [...found].filter(([place]) => !place.includes('/values.ts:'))
  if (elsewhere.length > 0) throw new Error(JSON.stringify(elsewhere))
  return asked.flatMap(({ built, cases }, place) => {
    const isValid = validators(built)
    return cases.map(({ type, tool, json }, index) => ({
      type,
      json,
      typescript: !found.has(`/shop/${place}/values.ts:${index + 3}`),
      schema: isValid(tool, JSON.parse(json)),
    }))
  })
}

/** One line: TypeScript ends lines where JSON does not. */
function lineOf({ tool, json }: Asked['cases'][number], index: number): string {
  const value = json.replaceAll('"__proto__":', '["__proto__"]:').replace(/[\u2028\u2029]/g, encoded)
  return `export const v${index}: ToolArguments<'${tool}'>['value'] = loose(${value})`
}

const encoded = (char: string): string => `\\u${char.charCodeAt(0).toString(16)}`

const head = `import type { ToolArguments } from './tools.ts'
declare function loose<Of>(value: Of): Of`

/** By the input schemas of the catalogue. A text of any format is a text. */
function validators({ catalogue }: Compilation): (tool: string, value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const schemas = new Map<string, object>(
    loadCatalogue(catalogue).tools.map((tool: { name: string; inputSchema: object }) => [
      tool.name,
      tool.inputSchema,
    ]),
  )
  return (tool, value) => ajv.validate(schemas.get(tool) ?? {}, { value }) === true
}

/** The value with one of its parts of another kind, or gone. A text of digits is one of every pattern. */
function changesOf(value: unknown): readonly unknown[] {
  const others = [null, true, 7, '7', [], ['7'], {}].filter((one) => typeof one !== typeof value)
  if (Array.isArray(value)) {
    const inner = value.flatMap((item, place) => changesOf(item).map((one) => value.with(place, one)))
    return [...others, ...inner, value.slice(1)]
  }
  if (typeof value !== 'object' || value === null) return others
  const inner = Object.entries(value).flatMap(([name, one]) => {
    const { [name]: _gone, ...rest } = { ...value } as Record<string, unknown>
    return [rest, ...changesOf(one).map((changed) => ({ ...value, [name]: changed }))]
  })
  return [...others, ...inner]
}

const told = ({ type, json }: Judged): string => `${type}: ${json}`

const corpus = await ask(
  readCorpus()
    .filter(({ refusal, isAnswer }) => refusal === null && !isAnswer)
    .map((entry) => ({ ...entry, samples: entry.samples.filter((one) => one.exception !== 'weak-type') })),
  false,
)
const random = await Promise.all(
  [1, 2].flatMap((seed) => randomPrograms(1, seed).map((entries) => ask(entries, true))),
)
const judged = judge([corpus, ...random])

t.test('tools: what the schema of a corpus type takes is of its type', async (t) => {
  const valid = judged.slice(0, corpus.cases.length).filter(({ schema }) => schema)
  t.ok(valid.length > 500, String(valid.length))
  t.strictSame(valid.filter(({ typescript }) => !typescript).map(told), [])
})

t.test('tools: random types and the input schema take and refuse the same', async (t) => {
  const own = judged.slice(corpus.cases.length)
  const valid = own.filter(({ schema }) => schema)
  t.ok(valid.length > 40 && own.length > 2 * valid.length, `${valid.length} of ${own.length}`)
  t.strictSame(own.filter(({ typescript, schema }) => typescript !== schema).map(told), [])
})
