/** Lists of large applications: small at first, the same everywhere, in pages where they must be. */
import t from 'tap'
import { compileBoxes } from '../support/boxes.ts'
import { type App, json, message, rpc, serve } from '../support/support.ts'

t.setTimeout(240_000) // a busy machine

const catalogue = compileBoxes()
const routes = new Map(
  catalogue.tools.map(({ route, hints }) => [
    route,
    { verb: hints.readOnly ? 'GET' : 'POST', path: `/${route}` } as const,
  ]),
)
const large = (options = {}): App => serve({ catalogue, routes, ...options })

t.test(
  'the first list of 500 routes with five root tools is at most 4 KB, the same bytes everywhere',
  async (t) => {
    for (const era of ['legacy', 'modern'] as const) {
      const app = large()
      const lists = [
        await app(message(era, 'tools/list')),
        await app(message(era, 'tools/list')),
        await large()(message(era, 'tools/list')),
      ]
      const [first = { text: '' }, ...others] = lists
      t.ok(first.text.length <= 4096, `${era}: ${first.text.length} bytes`)
      t.strictSame(
        others.map(({ text }) => text),
        [first.text, first.text],
      )
      t.equal(rpc(lists[0] ?? { status: 0, headers: {}, text: '' }).result.tools.length, 10)
    }
  },
)

t.test('only the id differs from answer to answer, whatever it is', async (t) => {
  const app = large()
  const answer = async (id: unknown) => {
    const sent = message('legacy', 'tools/list') as { message: object }
    return (await app({ ...sent, message: { ...sent.message, id } })).text
  }
  const [word, text] = [await answer(1), await answer('"\u2028ü')]
  t.strictSame([JSON.parse(word).id, JSON.parse(text).id], [1, '"\u2028ü'])
  t.equal(
    word.slice('{"jsonrpc":"2.0","id":1'.length),
    text.slice(`{"jsonrpc":"2.0","id":${JSON.stringify('"\u2028ü')}`.length),
  )
})

t.test('texts of tools may hold any line end that JSON does not escape', async (t) => {
  const [tool] = catalogue.tools
  if (tool === undefined) throw new Error('there are tools')
  const description = 'One\u2028two\u2029three\u0085four.'
  const tools = [{ ...tool, root: true, description }]
  for (const era of ['legacy', 'modern'] as const) {
    const app = serve({ catalogue: { ...catalogue, tools }, routes })
    const { result } = rpc(await app(message(era, 'tools/list')))
    t.equal(result.tools[0].description, description, era)
  }
})

t.test('a long list comes in pages behind opaque cursors (MCP, Pagination)', async (t) => {
  for (const isSdkOnly of [false, true]) {
    const app = large({ listPageSize: 200, isSdkOnly })
    for (const era of ['legacy', 'modern'] as const) {
      const page = async (params = {}) =>
        rpc(await app({ ...message(era, 'tools/list', params), url: '/mcp?toolboxes=all' }))
      const names: string[] = []
      const sizes: number[] = []
      let cursor: string | undefined
      do {
        const { result } = await page(cursor === undefined ? {} : { cursor })
        names.push(...result.tools.map(({ name }: { name: string }) => name))
        sizes.push(result.tools.length)
        cursor = result.nextCursor
      } while (cursor !== undefined)
      t.strictSame(sizes, [200, 200, 100])
      t.strictSame(
        names,
        catalogue.tools.map(({ name }) => name),
      )
      t.equal((await page({ cursor: '' })).result.tools.length, 200, 'the empty cursor is one')
      const { nextCursor } = (await page()).result
      const stale = await large({ catalogue: { ...catalogue, instructions: 'new' }, listPageSize: 200 })({
        ...message(era, 'tools/list', { cursor: nextCursor }),
        url: '/mcp?toolboxes=all',
      })
      t.equal(rpc(stale).error.code, -32602, 'a cursor of another build')
      for (const wrong of ['x', `${nextCursor}A`, Buffer.from('0').toString('base64url')]) {
        t.equal((await page({ cursor: wrong })).error.code, -32602, wrong)
      }
    }
  }
})

t.test('two calls reach any route, one when its name is known', async (t) => {
  const app = large({ invoke: async (routeId: string) => json(200, { ran: routeId }) })
  const call = async (name: string, args: object): Promise<Called> =>
    rpc(await app(message('modern', 'tools/call', { name, arguments: args }))).result.structuredContent
  const roots = catalogue.tools.filter(({ root }) => root).map(({ name }) => name)
  const reached: string[] = []
  for (const { name } of catalogue.toolboxes) {
    const { tools = [] } = await call('open_toolbox', { name })
    for (const tool of tools) {
      const { ran = '' } = await call(tool.proxy, { name: tool.name, arguments: {} })
      reached.push(ran)
    }
  }
  const routeIds = catalogue.tools.map(({ route }) => route)
  t.equal(routeIds.length, 500)
  t.strictSame([...reached, ...roots].sort(), [...routeIds].sort())
  for (const { name, route } of catalogue.tools) t.strictSame(await call(name, {}), { ran: route })
})

t.test(
  'find_tools: one find and one call reach any of 500 routes, the same ones on every instance',
  async (t) => {
    const [app, other] = [large(), large()]
    const find = async (to: App, query: string): Promise<string> =>
      (await to(message('modern', 'tools/call', { name: 'find_tools', arguments: { query } }))).text
    const missed: string[] = []
    for (const { name, summary } of catalogue.tools) {
      const answer = await find(app, summary)
      if (answer !== (await find(other, summary))) missed.push(`${name}: another answer`)
      const { tools = [] }: Called = JSON.parse(answer).result.structuredContent
      if (!tools.some((tool) => tool.name === name)) missed.push(name)
    }
    t.strictSame(missed, [])
  },
)

interface Called {
  readonly ran?: string
  readonly tools?: readonly { readonly name: string; readonly proxy: string }[]
}
