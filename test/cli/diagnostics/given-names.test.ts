/** What the build says of `@mcp name=…`, and that the name changes nothing but what MCP clients call it. */
import t from 'tap'
import { metaToolNames } from '../../../runtime/mcp/tools/tool-list.ts'
import { judged } from '../support/samples.ts'

const find = (tag: string, head = 'find(): string[]'): string =>
  `/**\n * Finds orders.\n *\n * @get /${head.slice(0, 3)}\n * ${tag}\n */\n${head} { return [] }\n`

const reported = (sample: string): readonly string[] =>
  judged(sample).map(({ code, at, message, hint }) => `${code} ${at.line}:${at.column} ${message} | ${hint}`)

const letters = 'Write 1 to 64 letters from A to Z, digits, _ or -, such as @mcp name=greet.'
const change = 'Change the name of one of the two.'

const tooLong = `ACM372 10:1 the tool ${'a'.repeat(64)} has 64 characters, and this server's name leaves room for 54: Cursor leaves out what has more than 60 together with the name of the server | Give it a shorter one with @mcp name=…, or shorten the class, the method or mcp.serverName.`

t.test('a name that clients may refuse is refused at its place', async (t) => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['@mcp name=find-orders_2', []],
    [`@mcp name=${'a'.repeat(54)}`, []],
    [`@mcp name=${'a'.repeat(64)}`, [tooLong]],
    ['@mcp name=2_find', [`ACM320 8:9 @mcp name: '2_find' begins with "2" | ${letters}`]],
    [
      `@mcp name=${'a'.repeat(65)}`,
      [`ACM320 8:9 @mcp name: '${'a'.repeat(65)}' has 65 characters, more than 64 | ${letters}`],
    ],
    [
      '@mcp root name=orders.find',
      [`ACM320 8:14 @mcp name: 'orders.find' has the character "." | ${letters}`],
    ],
    ['@mcp name=Zoë', [`ACM320 8:9 @mcp name: 'Zoë' has the character "ë" | ${letters}`]],
    ['@mcp name', ['ACM113 8:4 @mcp: gives no name | Write it behind the word: @mcp name=greet']],
    ['@mcp name find', ['ACM113 8:4 @mcp: gives no name | Write it behind the word: @mcp name=greet']],
    ['@mcp name=a name=b', ['ACM113 8:16 @mcp: says name twice | Remove one of the two.']],
  ]
  for (const [tag, expected] of cases) t.strictSame(reported(find(tag)), expected, tag)
})

t.test('a name that is taken is told at both places, whoever gave it', async (t) => {
  const two =
    find('@mcp name=find') + find('@mcp name=find', 'search(): string[]').replace('Finds', 'Looks for')
  t.strictSame(reported(two), [
    `ACM321 8:4 the tool name find is that of Orders.find and of Orders.search (app/controllers/orders.ts:15) | ${change}`,
    `ACM321 15:4 the tool name find is that of Orders.search and of Orders.find (app/controllers/orders.ts:8) | ${change}`,
  ])
  const derived =
    find('@mcp name=orders_search') + find('@mcp root', 'search(): string[]').replace('Finds', 'Looks for')
  t.strictSame(
    reported(derived).map((line) => line.slice(0, 51)),
    [
      'ACM321 8:4 the tool name orders_search is that of O',
      'ACM321 17:1 the tool name orders_search is that of ',
    ],
  )
  const prompt = '/**\n * Asks.\n *\n * @mcp prompt name=find\n */\nask(): string { return "?" }\n'
  t.strictSame(reported(find('@mcp name=find') + prompt), [], 'a prompt and a tool may share one')
})

t.test(
  'the names of the tools that every endpoint has are refused, given or made of class and method',
  async (t) => {
    for (const name of Object.values(metaToolNames)) {
      t.strictSame(reported(find(`@mcp name=${name}`)), [
        `ACM322 8:4 the tool name ${name} of Orders.find is that of a tool which every MCP endpoint has | Give it another with @mcp name=…, or rename the class or the method.`,
      ])
    }
    const call = `/** Calls. */\nexport class Call extends Controller {\n${find('@mcp root', 'tool(): string[]')}}\n`
    t.match(reported(call), [/^ACM322 \d+:1 the tool name call_tool of Call.tool /])
  },
)

t.test('a name that nobody sees is told', async (t) => {
  t.match(reported(find('@mcp hide name=search')), [/^ACM249 8:14 @mcp name is for tools, and find is none/])
  const plan = '/**\n * Asks.\n *\n * @mcp prompt\n */\nplan(id: string): string { return id }\n'
  const completes = find('@mcp name=ids', 'ids(id: string): string[]').replace(
    '@get /ids',
    '@complete id of=plan',
  )
  t.match(reported(completes + plan), [
    /^ACM249 8:4 @mcp name is for tools, and ids is none: it has no route/,
  ])
  t.match(reported(find('@mcp name=plan').replace('@get /fin', '@filter before')), [
    /^ACM112 8:4 @mcp name on a filter has no effect/,
  ])
})
