/** The skills of `mcp.yml`: what a build keeps, what it notices, and what other files know of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { built, folderOf, write } from '../support/built-app.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

t.setTimeout(240_000)

const orders = 'app/controllers/orders.ts'
const model = 'app/order.ts'
const start: Files = {
  [model]: 'export interface Order { id: string }\n',
  [orders]: `import { Controller } from 'acmcp'
import type { Order } from '../order.ts'

/**
 * Orders.
 *
 * @mcp skill Use it for orders.
 */
export class Orders extends Controller {
  /**
   * Lists orders.
   *
   * @get /
   */
  index(): Order[] { return [] }

  /**
   * Shows an order.
   *
   * @get /:id
   * @param id - which one
   */
  show(id: string): Order { return { id } as Order }
}
`,
}

const skillIn = ({ files }: Compilation): string | undefined => {
  const yml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  return parse(yml).toolboxes[0].skill?.text
}

type Edit = readonly [what: string, path: string, from: string, to: string]

const edits: readonly Edit[] = [
  ['when to use it', orders, 'Use it for orders.', 'Use it when somebody orders.'],
  ['the text of the class', orders, ' * Orders.\n', ' * Orders.\n *\n * They are many.\n'],
  ['what a tool is for', orders, 'Shows an order.', 'Shows one order.'],
  ['a property that a tool answers', model, 'id: string', 'number: string'],
  ['an example', orders, '   * @param id', '   * @mcp example {"id":"a1"}\n   * @param id'],
  ['an error', orders, '   * @param id', '   * @throws {Error} 404 there is none\n   * @param id'],
  ['a tool is hidden', orders, '   * @get /\n', '   * @get /\n   * @mcp hide\n'],
  ['the skill goes', orders, ' * @mcp skill Use it when somebody orders.\n', ''],
]

t.test('a session that watches writes the skill that a new build writes', async (t) => {
  const session = createSession()
  let files = start
  let last = compile(memoryHost(files), { session })
  t.strictSame(last.diagnostics, [])
  const changing: string[] = []
  for (const [what, path, from, to] of edits) {
    const after = { ...files, [path]: (files[path] ?? '').replace(from, to) }
    const change = { before: last.reading, files: [path] }
    const partly = compile(memoryHost(after), { session, change })
    const full = compile(memoryHost(after))
    t.strictSame([partly.files, partly.catalogue], [full.files, full.catalogue], what)
    if (skillIn(last) !== skillIn(partly)) changing.push(what)
    files = after
    last = partly
  }
  t.strictSame(changing, [
    'when to use it',
    'the text of the class',
    'what a tool is for',
    'a tool is hidden',
    'the skill goes',
  ])
  t.equal(skillIn(last), undefined)
  t.notOk('skills' in loadCatalogue(last.catalogue), 'nothing is left of it')
})

t.test('the tag changes the toolbox in mcp.yml and no other file that is committed', async (t) => {
  const without = { ...start, [orders]: (start[orders] ?? '').replace(/ \*\n \* @mcp skill.*\n/, '') }
  const [plain, skilled] = [without, start].map((files) => compile(memoryHost(files)).files)
  const changed = plain?.filter(
    ({ path, text }) => text !== skilled?.find((file) => file.path === path)?.text,
  )
  t.strictSame(
    changed?.map(({ path }) => path),
    ['generated/mcp.yml'],
  )
  const tools = (yml = ''): unknown => parse(yml).toolboxes[0].tools
  const ymlIn = (files: Compilation['files'] | undefined) =>
    files?.find(({ path }) => path.endsWith('mcp.yml'))?.text
  t.strictSame(tools(ymlIn(skilled)), tools(ymlIn(plain)))
})

t.test('an edit of a skill by hand is refused, and drift is told by --check', async (t) => {
  const root = folderOf(t, start)
  t.equal((await built(root)).status, 0)
  t.equal((await built(root, 'check')).status, 0)
  const read = (): string => readFileSync(join(root, 'generated/mcp.yml'), 'utf8')
  const right = read()
  write(
    root,
    'generated/mcp.yml',
    right.replace('- `orders_show` (reads):', '- `orders_show` (may be ignored):'),
  )
  for (const args of [[], ['check']] as const) {
    const { status, stderr } = await built(root, ...args)
    t.equal(status, 1)
    t.match(
      stderr,
      /^generated\/mcp\.yml:\d+:1 - error ACM302: generated\/mcp\.yml was edited by hand from here on\n *\d+ \| {3}- name: orders$/m,
    )
  }
  write(root, 'generated/mcp.yml', right)
  write(root, orders, (start[orders] ?? '').replace('Shows an order.', 'Shows one order.'))
  const { status, stdout, stderr } = await built(root, 'check')
  t.equal(status, 1)
  t.match(`${stdout}${stderr}`, /^\+ +- `orders_show` \(reads\): Shows one order\.$/m)
})
