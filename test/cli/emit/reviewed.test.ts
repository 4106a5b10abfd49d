/** `mcp.yml` against what models get: no name, text or value reaches a model that a reviewer has not read. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { editedLine } from '../../../cli/compiler/emit/mcp/mcp-yml.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { randomApplication } from '../random/random-application.ts'
import { memoryHost, notesWith } from '../support/memory-host.ts'
import { scalarsOf, unreviewed } from '../support/reviewed-texts.ts'

t.setTimeout(240_000)

const ymlOf = ({ files }: Compilation): string =>
  files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''

t.test('every text that the example shows to models stands in its mcp.yml', async (t) => {
  const { catalogue } = await loadBundle(process.cwd())
  t.ok(catalogue.tools.length > 0)
  t.strictSame(unreviewed(readFileSync('generated/mcp.yml', 'utf8'), catalogue), [])
})

t.test(
  'texts for models: every text that random applications show to models stands in their mcp.yml',
  async (t) => {
    let words = 0
    const property = fc.property(randomApplication, (files) => {
      const compilation = compile(memoryHost(files))
      const errors = compilation.diagnostics.filter(({ severity }) => severity === 'error')
      if (errors.length > 0) throw new Error(JSON.stringify([errors, files], null, 1))
      const catalogue = loadCatalogue(compilation.catalogue)
      words += scalarsOf(catalogue.tools).length
      const lacking = unreviewed(ymlOf(compilation), catalogue)
      if (lacking.length > 0) throw new Error(`${lacking.join('\n')}\n${ymlOf(compilation)}`)
    })
    fc.assert(property, { numRuns: 25, seed: 20261122 })
    t.ok(words > 1000, `${words} words were looked for`)
  },
)

t.test(
  'texts for models: what nobody sees in a text is written out, but where it belongs to a picture',
  async (t) => {
    const tags = [...'RUN'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
    const seen = '❤️ 👩🏽‍🚀'
    const text = `Lists ${tags}them \u202enow\u202c${seen}\u200b\u00ad\ufe0f\u{e0100}\u3164.`
    const files = notesWith(`
  /**
   * ${text}
   *
   * @get /
   */
  index(): string { return '' }
`)
    const compilation = compile(memoryHost(files))
    t.equal(loadCatalogue(compilation.catalogue).tools[0]?.description, text)
    const yml = ymlOf(compilation)
    const reported = `"Lists \\U000e0052\\U000e0055\\U000e004ethem \\u202enow\\u202c${seen}\\u200b\\u00ad\\ufe0f\\U000e0100\\u3164."`
    t.match(yml, `description: ${reported}\n`)
    t.equal(parse(yml).toolboxes[0].tools[0].description, text)
  },
)

t.test('a named type stands once, with its tokens where several toolboxes use it', async (t) => {
  const controller = (name: string): string => `import { type Body, Controller } from 'acmcp'
import type { Both, Size } from '../types.ts'
export interface ${name} { size: Size; both: Both; inner: ${name} | null }
/** A new one. */
interface New${name} { size: Size }
export class ${name}s extends Controller {
  /** @get / */
  all(): ${name}[] { throw new Error() }
  /** @post / */
  make(value: Body<New${name}>): ${name} { throw new Error(String(value)) }
}
`
  const { files } = compile(
    memoryHost({
      'app/controllers/bags.ts': controller('Bag'),
      'app/controllers/pots.ts': controller('Pot'),
      'app/types.ts': `/** How big. */
export type Size = 'small' | 'big'
interface Secret {
  /** @secret */
  word: string
}
export type Both = Both[] | [Secret, Both]
`,
    }),
  )
  const yml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  const types = yml.slice(yml.indexOf('\ntypes:') + 1).replace(/ +digest: .*\n/g, '')
  t.equal(
    types,
    `types:
  Bag.answered:
    properties:
      size: { required: true, type: Size }
      both: { required: true, type: Both.answered }
      inner: { required: true, anyOf: [{ type: Bag.answered }, { type: "null" }] }
  Both.answered:
    tokens: 9
    type: unknown
  NewBag:
    description: A new one.
    properties: { size: { required: true, type: Size } }
  NewPot:
    description: A new one.
    properties: { size: { required: true, type: Size } }
  Pot.answered:
    properties:
      size: { required: true, type: Size }
      both: { required: true, type: Both.answered }
      inner: { required: true, anyOf: [{ type: Pot.answered }, { type: "null" }] }
  Size:
    tokens: 18
    enum: [small, big]
    description: How big.
`,
  )
  t.equal(editedLine(yml), null)
})

t.test('a type that changes, of an argument or an answer, changes a line of mcp.yml', async (t) => {
  const linesOf = (param: string, answer: string): readonly string[] => {
    const members = `
  /**
   * Finds.
   *
   * @get /
   */
  find(key: ${param}): { name: ${answer} } {
    throw new Error(String(key))
  }
`
    const { files } = compile(memoryHost(notesWith(members)))
    const yml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
    return yml.split('\n').filter((line) => /^ +(?:key|result|name): \{/.test(line))
  }
  const answers = ['string', 'number', 'boolean[]', 'string | null', 'string | null | number[]']
  t.strictSame(
    answers.map((type) => linesOf('string', type)[1]?.trim()),
    [
      'result: { properties: { name: { required: true, type: string } } }',
      'result: { properties: { name: { required: true, type: number } } }',
      'result: { properties: { name: { required: true, items: { type: boolean } } } }',
      'result: { properties: { name: { required: true, anyOf: [{ type: string }, { type: "null" }] } } }',
      'name: { required: true, anyOf: [{ type: string }, { items: { type: number } }, { type: "null" }] }',
    ],
  )
  t.strictSame(
    ['number', 'boolean[]', '"a" | "b"'].map((type) => linesOf(type, 'string')[0]?.trim()),
    [
      'key: { in: query, required: true, type: number }',
      'key: { in: query, required: true, items: { type: boolean } }',
      'key: { in: query, required: true, enum: [a, b] }',
    ],
  )
})
