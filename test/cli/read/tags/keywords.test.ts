/** `@mcp keywords`: other words for a tool, for `find_tools` and the reviewer. */
import t from 'tap'
import { compile } from '../../../../cli/compiler/compile.ts'
import type { ToolEntry } from '../../../../runtime/contract/mcp.ts'
import { loadCatalogue } from '../../codecs/printed.ts'
import { memoryHost } from '../../support/memory-host.ts'

const compiled = (classTags: string, methodTags: string) =>
  compile(
    memoryHost({
      'app/controllers/orders.ts': `import { Controller } from 'acmcp'

/**
 * What is bought.
 *
 * @mcp keywords purchase
 */
abstract class Bought extends Controller {}

/**
 * Orders.
 *
 ${classTags}
 */
export class Orders extends Bought {
  /**
   * Lists orders.
   *
   * @get /
   ${methodTags}
   */
  index(): string[] { return [] }

  /**
   * Counts orders.
   *
   * @get /count
   */
  count(): string { return '' }
}
`,
    }),
    { lint: false },
  )

t.test('those of the method come first, then those of its class and its ancestors, each once', async (t) => {
  const { catalogue, files, diagnostics } = compiled(
    '* @mcp keywords order book',
    '* @mcp keywords look up,  a   receipt\n   * @mcp keywords purchase',
  )
  t.strictSame(diagnostics, [])
  const tools: readonly ToolEntry[] = loadCatalogue(catalogue).tools
  t.strictSame(
    tools.map(({ name, keywords }) => [name, keywords]),
    [
      ['orders_index', ['look up', 'a receipt', 'purchase', 'order book']],
      ['orders_count', ['purchase', 'order book']],
    ],
  )
  const yml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  t.match(yml, / {8}keywords: \[look up, a receipt, purchase, order book\]\n/, 'a reviewer sees them')
})

t.test('a tool without any has no field for them', async (t) => {
  const { catalogue } = compile(
    memoryHost({
      'app/controllers/orders.ts': `import { Controller } from 'acmcp'
/** Orders. */
export class Orders extends Controller {
  /** @get / */
  index(): string[] { return [] }
}
`,
    }),
    { lint: false },
  )
  const tools: readonly ToolEntry[] = loadCatalogue(catalogue).tools
  t.strictSame(
    tools.map((tool) => 'keywords' in tool),
    [false],
  )
})

t.test('each misuse is an error at its tag', async (t) => {
  const missing = 'a keyword is missing'
  const wrong: readonly (readonly [classTags: string, methodTags: string, says: string, line: number])[] = [
    ['*', '* @mcp keywords', missing, 20],
    ['*', '* @mcp keywords refund,, money', missing, 20],
    ['* @mcp keywords -', '*', missing, 13],
    ['* @mcp root', '*', '@mcp root on a class has no effect', 13],
    ['* @mcp hidee', '*', "cannot read 'hidee'", 13],
    ['*', '* @mcp root keywords', "'keywords' is written otherwise, and stands alone in its tag", 20],
    ['*', '* @mcp keyword refund', "cannot read 'keyword'", 20],
  ]
  for (const [classTags, methodTags, says, line] of wrong) {
    const [first] = compiled(classTags, methodTags).diagnostics
    t.match(first, { severity: 'error', at: { line } }, `${classTags} ${methodTags}`)
    t.ok(first?.message.includes(says), first?.message ?? 'no diagnostic')
  }
})

t.test('on a route that is no tool they are warned of', async (t) => {
  const { diagnostics } = compiled('*', '* @mcp hide\n   * @mcp keywords receipt')
  t.match(diagnostics, [{ code: 'ACM249', severity: 'warning', at: { line: 21 } }])
  t.equal(diagnostics[0]?.message, '@mcp keywords is for tools, and index is none: it is hidden')
})
