/** `@mcp budget` and `@mcp paging`: what a tool's answers may have, and how they go on; for the endpoint and the reviewer. */
import t from 'tap'
import { diagnosticEntries } from '../../../../cli/capabilities/reference/entries.ts'
import { compile } from '../../../../cli/compiler/compile.ts'
import type { ToolEntry } from '../../../../runtime/contract/mcp.ts'
import { loadCatalogue } from '../../codecs/printed.ts'
import { memoryHost } from '../../support/memory-host.ts'
import { judged } from '../../support/samples.ts'

const compiled = (tags: {
  readonly above?: string
  readonly ofClass?: string
  readonly ofMethod?: string
  readonly ofCount?: string
}) =>
  compile(
    memoryHost({
      'app/controllers/orders.ts': `import { Controller } from 'acmcp'

/**
 * What is bought.
 *
 * ${tags.above ?? ''}
 */
abstract class Bought extends Controller {}

/**
 * Orders.
 *
 * ${tags.ofClass ?? ''}
 */
export class Orders extends Bought {
  /**
   * Lists orders.
   *
   * @get /
   * @param from - how many come before the first
   * @param count - how many at most
   * @param word - what they are about
   * ${tags.ofMethod ?? ''}
   */
  index(from = 0, count = 10, word?: string): { orders: string[]; more: { next: string } } {
    return { orders: [word ?? ''].slice(from, count), more: { next: '' } }
  }

  /**
   * Counts orders.
   *
   * ${tags.ofCount ?? '@get /count'}
   */
  count(): string { return '' }
}
`,
    }),
    { lint: false },
  )

t.test('the nearest budget holds, and a reviewer sees it beside the paging', async (t) => {
  const { catalogue, files, diagnostics } = compiled({
    above: '@mcp budget 5000',
    ofMethod: '@mcp paging offset=from limit=count\n   * @mcp budget 20000',
  })
  t.strictSame(diagnostics, [])
  const said = ({ name, budget, paging }: ToolEntry) => [name, budget, paging]
  const tools: readonly ToolEntry[] = loadCatalogue(catalogue).tools
  t.strictSame(tools.map(said), [
    ['orders_index', 20000, { offset: 'from', limit: 'count', items: 'orders' }],
    ['orders_count', 5000, undefined],
  ])
  const yml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  t.match(yml, / {8}budget: 20000\n {8}paging: \{ offset: from, limit: count, items: orders \}\n/)
  const others: readonly ToolEntry[] = loadCatalogue(
    compiled({ above: '@mcp budget 5000', ofClass: '@mcp budget 6000', ofMethod: '@mcp paging none' })
      .catalogue,
  ).tools
  t.strictSame(others.map(said), [
    ['orders_index', 6000, undefined],
    ['orders_count', 6000, undefined],
  ])
})

const exact = { cursor: 'cursor', next: 'nextCursor' }
const paged = { ...exact, items: 'items' }
/** What it answers, the paging that this means, its arguments, and its tag. */
const pagings: readonly (readonly [
  type: string,
  paging?: object | undefined,
  args?: string,
  tag?: string,
])[] = [
  ['Page', paged],
  ['Promise<Page | null>', paged],
  ['Page | More', paged],
  ['{ a: string[]; b: string[]; nextCursor: string }', exact],
  [
    '{ next: string[] }',
    { cursor: 'from', next: 'next', items: 'next' },
    'from: string',
    'cursor=from next=next',
  ],
  ['Page', { ...paged, cursor: 'from' }, 'from: string', 'cursor=from'],
  ['Page', { page: 'at', items: 'items' }, 'cursor: string, at: number', 'page=at'],
  ['Page | { items: string[] }'],
  ['{ meta: Page }'],
  ['{ items: string[]; next_cursor: string; nextcursor: string; next: string }'],
  ['unknown'],
  ['Record<string, string>'],
  ['Page', undefined, 'Cursor: string, nextCursor: string, after: string, pageToken: string'],
  ['string[]', undefined, 'offset = 0, limit = 10, page = 1'],
  ['{ items: string[]; total: number; hasMore: boolean }', undefined, 'page = 1, offset = 0, perPage = 10'],
  ['Page', undefined, 'cursor?: string', 'none'],
]

t.test('where nothing is said there is no budget, and no paging but by cursor and nextCursor', async (t) => {
  const methods = pagings.map(
    ([type, , args = 'cursor?: string', tag], at) => `
  /**
   * Lists orders.
   *
   * @get /${at}
   * ${tag === undefined ? '' : `@mcp paging ${tag}`}
   */
  list${at}(${args}): ${type} { throw new Error() }`,
  )
  const { catalogue, files } = compile(
    memoryHost({
      'app/controllers/orders.ts': `import { Controller } from 'acmcp'
export interface Page { items: string[]; nextCursor: string | null }
export interface More { items: string[]; nextCursor?: string; more: number }
/** Orders. */
export class Orders extends Controller {${methods.join('\n')}
}
`,
    }),
    { lint: false },
  )
  const tools: readonly ToolEntry[] = loadCatalogue(catalogue).tools
  t.strictSame(
    tools.map(({ paging, budget }) => [paging, budget]),
    pagings.map(([, paging]) => [paging, undefined]),
  )
  const yml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  t.match(yml, / {8}paging: \{ cursor: cursor, next: nextCursor, items: items \}\n/)
  t.match(yml, / {8}paging: none\n/)
  t.notMatch(yml, 'budget')
})

t.test('each misuse is told at its tag', async (t) => {
  const paging = (said: string): Parameters<typeof compiled>[0] => ({ ofMethod: `@mcp paging ${said}` })
  const wrong: readonly (readonly [Parameters<typeof compiled>[0], code: string, says: string])[] = [
    [{ ofMethod: '@mcp budget' }, 'ACM300', 'says nothing'],
    [{ ofMethod: '@mcp budget 999' }, 'ACM300', 'cannot be 999'],
    [{ ofMethod: '@mcp budget 1000001' }, 'ACM300', 'cannot be 1000001'],
    [{ ofClass: '@mcp budget 20 kB' }, 'ACM300', "cannot be '20 kB'"],
    [{ above: '@mcp budget 5000 tokens' }, 'ACM300', "cannot be '5000 tokens'"],
    [{ ofClass: '@mcp budget=5000' }, 'ACM300', "cannot be '=5000'"],
    [{ above: '@mcp budget=5000' }, 'ACM300', "cannot be '=5000'"],
    [{ ofClass: '@mcp task=required' }, 'ACM112', '@mcp task on a class has no effect'],
    [{ ofMethod: '@mcp budget 2000\n   * @mcp budget 3000' }, 'ACM113', 'says budget twice'],
    [{ ofClass: '@mcp budget 2000\n * @mcp budget 3000' }, 'ACM113', 'says budget twice'],
    [paging(''), 'ACM305', 'says nothing'],
    [paging('none offset=from'), 'ACM305', "cannot be 'none'"],
    [paging('ofset=from'), 'ACM305', "cannot be 'ofset=from'"],
    [paging('limit=count'), 'ACM305', 'does not say by what'],
    [paging('offset=from page=count'), 'ACM305', 'says offset and page'],
    [paging('offset=from offset=count'), 'ACM305', 'says one word twice'],
    [paging('offset=from next=more.next'), 'ACM305', 'says next without cursor'],
    [paging('none\n   * @mcp paging offset=from'), 'ACM113', 'says paging twice'],
    [paging('cursor=wrd'), 'ACM306', 'orders_index has no argument wrd'],
    [paging('page=word'), 'ACM307', 'word is no number, and page counts'],
    [paging('cursor=word next=more.nxt'), 'ACM308', 'the answer of orders_index has no more.nxt'],
    [paging('cursor=word'), 'ACM308', 'the answer of orders_index has no nextCursor'],
    [{ ofMethod: '@mcp hide\n   * @mcp budget 2000' }, 'ACM249', '@mcp budget is for tools'],
    [{ ofMethod: '@mcp hide\n   * @mcp paging none' }, 'ACM249', '@mcp paging is for tools'],
    [
      { ofCount: '@mcp prompt\n   * @mcp budget 2000' },
      'ACM249',
      '@mcp budget is for tools, and count is none',
    ],
    [{ ofMethod: '@mcp root budget 2000' }, 'ACM113', "'budget' is written otherwise"],
    [{ ofClass: '@mcp paging none' }, 'ACM112', '@mcp paging on a class has no effect'],
  ]
  for (const [tags, code, says] of wrong) {
    const { diagnostics } = compiled(tags)
    t.strictSame([diagnostics.length, diagnostics[0]?.code], [1, code], JSON.stringify([tags, diagnostics]))
    t.ok(diagnostics[0]?.message.includes(says), diagnostics[0]?.message ?? '')
  }
  t.match(compiled({ ofMethod: '@mcp budget 20kb' }).diagnostics[0]?.hint, /Did you mean 20000\?$/)
  t.match(compiled({ ofMethod: '@mcp budget 5000 tokens' }).diagnostics[0]?.hint, /Did you mean 20000\?$/)
  for (const tags of [{ ofClass: '@mcp budget=5000' }, { ofMethod: '@mcp budget=5000' }])
    t.match(compiled(tags).diagnostics[0]?.hint, /Did you mean 5000\?$/)
  t.strictSame(compiled(paging('cursor=word next=more.next')).diagnostics, [])
})

/** `line:column severity: message`. */
const expected: Readonly<Record<string, string>> = {
  ACM300: "10:4 error: @mcp budget cannot be '20kb'",
  ACM305: "10:4 error: @mcp paging cannot be 'by=since'",
  ACM306: '10:4 error: @mcp paging: orders_index has no argument sinse',
  ACM307: '9:4 error: @mcp paging: from is no number, and offset counts',
  ACM308: '10:4 error: @mcp paging: the answer of orders_index has no last.number',
  ACM309:
    '9:4 warning: @mcp paging changes nothing: orders_count is not read-only, and no model is told to call it again',
}

t.test('the wrong samples of the reference', async (t) => {
  for (const [code, line] of Object.entries(expected)) {
    const wrong = diagnosticEntries()
      .find(({ name }) => name === code)
      ?.samples.find(({ label }) => label === 'wrong')
    const reported = judged(wrong?.text ?? '').filter((diagnostic) => diagnostic.code === code)
    t.strictSame(
      reported.map(({ severity, at, message }) => `${at.line}:${at.column} ${severity}: ${message}`),
      [line],
    )
  }
})
