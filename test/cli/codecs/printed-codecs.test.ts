/** The text of printed codecs: how much there is, how wide a type may be, and what is looked into to print it again. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { emitCodecs } from '../../../cli/compiler/emit/codecs/codecs.ts'
import type { Model } from '../../../cli/compiler/ir/model.ts'
import type { NamedSchema } from '../../../cli/compiler/ir/schema.ts'
import { acmcpSources } from '../../bench/build/sources.ts'
import { memoryHost } from '../support/memory-host.ts'
import { loadCodecs } from './printed.ts'

const synthetic = compile(memoryHost(Object.fromEntries(acmcpSources(20))))

t.test('a controller of five routes takes at most 6 kB', async (t) => {
  const each = (bytes: string): number => Buffer.byteLength(bytes) / synthetic.model.controllers.length
  t.ok(each(synthetic.codecs) <= 6_000, `${each(synthetic.codecs)} bytes`)
})

t.test('a type of three thousand properties is read', async (t) => {
  const names = Array.from({ length: 3000 }, (_, index) => `p${index}`)
  const { codecs } = compile(
    memoryHost({
      'app/controllers/wides.ts': `import { type Body, Controller } from 'acmcp'
interface Wide {
${names.map((name) => `  ${name}: string`).join('\n')}
}
/** Wide. */
export class Wides extends Controller {
  /**
   * Takes.
   *
   * @post /
   */
  take(value: Body<Wide>): Wide { return value }
}
`,
    }),
  )
  const { wides_take: take } = await loadCodecs(codecs)
  const value = Object.fromEntries(names.map((name) => [name, name]))
  t.strictSame(take?.params[0]?.codec.fromJson(value, ''), value)
})

/** Counts how often the properties of one of `all` are looked at. */
function watched(all: readonly NamedSchema[]): () => number {
  let count = 0
  for (const { schema } of all) {
    if (schema.kind !== 'object') continue
    const { properties } = schema
    const get = (): typeof properties => {
      count += 1
      return properties
    }
    Object.defineProperty(schema, 'properties', { get, enumerable: true })
  }
  return () => count
}

t.test(
  'a type that changes is printed again with what leads to it: of other controllers nothing is looked at',
  async (t) => {
    const { model } = synthetic
    emitCodecs(model)
    const changed = model.schemas.find(({ name }) => name === 'Item003Node')
    if (changed === undefined) throw new Error('the synthetic application has another type')
    const looks = watched(model.schemas.filter(({ name }) => !/Item003|Place|Money|Currency/.test(name)))
    const next: Model = {
      ...model,
      schemas: model.schemas.map((schema) => (schema === changed ? structuredClone(schema) : schema)),
    }
    t.equal(emitCodecs(next), synthetic.codecs)
    t.equal(looks(), 0)
  },
)
