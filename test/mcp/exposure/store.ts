/** An application of which settings leave out a part, and the same application without that part in its sources: the endpoints of both
 *  must say the same of everything. */
import type { Test } from 'tap'
import type { AppConfig } from '../../../runtime/capabilities/exports.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'

type Reason = 'writes' | 'unmarked'

/** Why a setting leaves its tool out; what it offers beside a tool has its own lines. */
interface Method {
  readonly text: string
  readonly out: readonly Reason[]
  readonly verb?: string
  readonly tool?: readonly string[]
  readonly offer?: readonly string[]
  readonly other?: readonly string[]
  readonly code: string
}

interface Toolbox {
  readonly name: string
  readonly about: readonly string[]
  readonly methods: readonly Method[]
}

const ran = (name: string, result: string): string =>
  `{ Reflect.get(globalThis, 'ran')?.push('${name}'); return ${result} }`

const orders: Toolbox = {
  name: 'Orders',
  about: ['Orders of the shop.', '', '@mcp skill Use it for orders.'],
  methods: [
    {
      text: 'Lists orders.',
      out: [],
      verb: '@get /',
      tool: ['@mcp show root'],
      code: `index(): string[] ${ran('index', "['one']")}`,
    },
    {
      text: 'Searches orders.',
      out: ['unmarked'],
      verb: '@post /search',
      tool: ['@mcp readOnly'],
      code: `search(text: string): string[] ${ran('search', '[text]')}`,
    },
    {
      text: 'Places an order.',
      out: ['writes', 'unmarked'],
      verb: '@post /',
      tool: ['@mcp root'],
      code: `create(product: string): string ${ran('create', 'product')}`,
    },
    {
      text: 'Removes an order.',
      out: ['writes'],
      verb: '@delete /:id',
      tool: ['@mcp show'],
      other: ['@scope orders:write'],
      code: `remove(id: string): string ${ran('remove', 'id')}`,
    },
    {
      text: 'Shows an order, and notes that somebody has seen it.',
      out: ['writes', 'unmarked'],
      verb: '@get /:id/seen',
      tool: ['@mcp readOnly=false'],
      offer: ['@mcp resource uri=orders://{id}/seen'],
      code: `seen(id: string): string ${ran('seen', 'id')}`,
    },
    {
      text: 'Shows an order.',
      out: ['unmarked'],
      verb: '@get /:id',
      offer: ['@mcp resource uri=orders://{id}'],
      code: `show(id: string): { id: string } ${ran('show', '{ id }')}`,
    },
    {
      text: 'Counts everything.',
      out: [],
      verb: '@post /count',
      tool: ['@mcp task readOnly show'],
      code: `count(): number ${ran('count', '3')}`,
    },
    {
      text: 'Looks for an order, and says where it will be.',
      out: ['unmarked'],
      verb: '@post /look',
      tool: ['@mcp readOnly'],
      other: ['@returns 202'],
      code: `look(): Rendered { this.response.set('Location', '/orders/1/seen'); return this.head(202) }`,
    },
    {
      text: 'Rebuilds everything.',
      out: ['writes', 'unmarked'],
      verb: '@post /rebuild',
      tool: ['@mcp task'],
      code: `rebuild(): number ${ran('rebuild', '4')}`,
    },
    {
      text: 'Greets a customer.',
      out: [],
      offer: ['@mcp prompt'],
      code: `greeting(name: string, topic?: string): string ${ran('greeting', "name + ' ' + String(topic)")}`,
    },
    {
      text: 'Asks for a refund.',
      out: ['writes', 'unmarked'],
      verb: '@post /refund',
      offer: ['@mcp prompt'],
      code: `refund(reason: string): string ${ran('refund', 'reason')}`,
    },
    {
      text: 'Names of customers.',
      out: [],
      offer: ['@complete name of=greeting'],
      code: `names(name: string): string[] ${ran('names', "[name + 'a']")}`,
    },
    {
      text: 'Topics, which it counts.',
      out: ['writes', 'unmarked'],
      verb: '@post /topics',
      offer: ['@complete topic of=greeting'],
      code: `topics(topic: string): string[] ${ran('topics', "[topic + 'b']")}`,
    },
  ],
}

const boxes: Toolbox = {
  name: 'Boxes',
  about: ['Boxes in the cellar.', '', '@mcp skill'],
  methods: [
    {
      text: 'Moves a box.',
      out: ['writes', 'unmarked'],
      verb: '@put /:id',
      code: `move(id: string): string ${ran('move', 'id')}`,
    },
  ],
}

/** The comment and the code, as those write it who leave out what `left` says. */
function methodText(
  { text, out, verb, tool = [], offer = [], other = [], code }: Method,
  left: readonly Reason[],
) {
  const isOut = out.some((reason) => left.includes(reason))
  const isChanging = left.includes('writes') && out.includes('writes')
  const tags = [
    ...(verb === undefined ? [] : [verb]),
    ...other,
    ...(isOut && verb !== undefined ? ['@mcp hide'] : tool),
    ...(isChanging ? [] : offer),
  ]
  return ['  /**', ...[text, '', ...tags].map((line) => `   * ${line}`.trimEnd()), '   */', `  ${code}`].join(
    '\n',
  )
}

function classText({ name, about, methods }: Toolbox, left: readonly Reason[]): string {
  const hasTools = methods.some(({ verb, out }) => verb !== undefined && !out.some((it) => left.includes(it)))
  const said = hasTools ? about : about.filter((line) => !line.startsWith('@mcp skill'))
  return [
    "import { ApplicationController, type Rendered } from 'acmcp'\n",
    ['/**', ...said.map((line) => ` * ${line}`.trimEnd()), ' */'].join('\n'),
    `export class ${name} extends ApplicationController {`,
    methods.map((method) => methodText(method, left)).join('\n\n'),
    '}\n',
  ].join('\n')
}

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Store', MCP_SETTINGS },
  scopes: { 'orders:write': 'Change orders' },
})
`

/** Builds it without what `left` says, with these settings of the endpoint; by default whole, and a tool that writes is named. */
export const builtStore = (
  left: readonly Reason[] = [],
  mcp: string = left.length > 0 ? '' : 'answerCharsOf: { orders_create: 100 }',
): Promise<string> =>
  builtFolder({ ...filesOf(mcp, boxes, left), 'app/controllers/orders.ts': classText(orders, left) })

/** Only the toolbox of which nothing reads. */
export const builtBoxes = (): Promise<string> => builtFolder(filesOf('', boxes, []))

const filesOf = (mcp: string, toolbox: Toolbox, left: readonly Reason[]) => ({
  'package.json': '{"name":"store","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config.replace('MCP_SETTINGS', mcp),
  [`app/controllers/${toolbox.name.toLowerCase()}.ts`]: classText(toolbox, left),
})

interface StoreOptions {
  readonly mcp?: AppConfig['mcp']
  readonly databaseUrl?: string
}

/** Opens it until the end of the test, with these settings of the endpoint beside its own. */
export async function openStore(
  t: Test,
  cwd: string,
  { mcp = {}, databaseUrl }: StoreOptions = {},
): Promise<TestApp> {
  const app = await openTestApp({
    cwd,
    clock: () => 1_800_000_000_000,
    environment: { ...(databaseUrl === undefined ? {} : { databaseUrl }), devLogin: true },
    change: (bundle) => {
      const own = Object(bundle.config)
      return { ...bundle, config: { ...own, mcp: { ...own.mcp, ...mcp } } }
    },
  })
  t.teardown(app.close)
  return app
}

/** The methods of controllers that run from now on, by name. */
export function watchRuns(): string[] {
  const runs: string[] = []
  Reflect.set(globalThis, 'ran', runs)
  return runs
}
