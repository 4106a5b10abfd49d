/** Lists of large applications: small at first, the same everywhere, in pages where they must be. */
import t from 'tap'
import type { Catalogue, ToolEntry } from '../../runtime/contract.ts'
import { type App, message, rpc, serve } from './support.ts'

const controllers = 100
const actions = ['index', 'show', 'create', 'update', 'delete']
const read = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const write = { readOnly: false, destructive: true, idempotent: false, openWorld: false }

const parameter = (name: string) =>
  [name, { type: 'string', description: `the ${name} of the thing` }] as const
const inputSchema = {
  type: 'object',
  properties: Object.fromEntries(['id', 'title'].map(parameter)),
  required: ['id'],
  additionalProperties: false,
}

/** 500 routes, of which five are root tools. */
const catalogue: Catalogue = {
  instructions: 'A large application.',
  toolboxes: Array.from({ length: controllers }, (_, box) => ({
    name: `box${box}`,
    description: `Box ${box}.`,
  })),
  tools: Array.from({ length: controllers }, (_, box) =>
    actions.map(
      (action): ToolEntry => ({
        name: `box${box}_${action}`,
        route: `box${box}_${action}`,
        toolbox: `box${box}`,
        root: box < 5 && action === 'show',
        title: null,
        summary: `Does the ${action} of box ${box}.`,
        description: `Does the ${action} of box ${box}.`,
        hints: action === 'index' || action === 'show' ? read : write,
        inputSchema,
        outputSchema: null,
        arguments: [],
        examples: [],
      }),
    ),
  ).flat(),
}
const routes = new Map(
  catalogue.tools.map(({ route }) => [route, { verb: 'GET', path: `/${route}` } as const]),
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
      t.equal(rpc(lists[0] ?? { status: 0, headers: {}, text: '' }).result.tools.length, 9)
    }
  },
)

t.test('only the id differs from answer to answer, whatever it is', async (t) => {
  const app = large()
  const answer = async (id: unknown) => {
    const sent = message('legacy', 'tools/list') as { message: object }
    return (await app({ ...sent, message: { ...sent.message, id } })).text
  }
  const [one, text] = [await answer(1), await answer('"\u2028ü')]
  t.strictSame([JSON.parse(one).id, JSON.parse(text).id], [1, '"\u2028ü'])
  t.equal(
    one.slice('{"jsonrpc":"2.0","id":1'.length),
    text.slice(`{"jsonrpc":"2.0","id":${JSON.stringify('"\u2028ü')}`.length),
  )
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
  const app = large()
  const call = (name: string, args: object) => app(message('modern', 'tools/call', { name, arguments: args }))
  const opened = rpc(await call('open_toolbox', { name: 'box77' })).result.structuredContent
  const [, show] = opened.tools
  const proxied = await call(show.proxy, { name: show.name, arguments: {} })
  const direct = await call(show.name, {})
  t.strictSame([proxied.status, proxied.text], [200, direct.text])
})
