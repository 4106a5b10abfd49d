/** What a model is told when it misspells: arguments and tools. */
import t from 'tap'
import type { Catalogue, ToolHints } from '../../../runtime/contract/mcp.ts'
import { dangerOf, unknownTool } from '../../../runtime/mcp/tools/near-tools.ts'
import { buildShop, callTool, failureOf, openShop } from '../support/shop.ts'
import { call, catalogue, serve } from '../support/support.ts'

const bundle = await buildShop()
const eras = ['legacy', 'modern'] as const
const plugins = [async (): Promise<void> => {}]
const schemaOf = (tool: string): string =>
  JSON.stringify(bundle.catalogue.tools.find(({ name }) => name === tool)?.inputSchema)

t.test(
  'unknown arguments: an argument that a tool does not have is an error with the nearest one',
  async (t) => {
    for (const config of [{}, { plugins }]) {
      const shop = await openShop(t, bundle, { config })
      const headers = { authorization: `Bearer ${shop.token}` }
      const reported = async (name: string, args: object) =>
        failureOf(await callTool(shop, name, args, { headers })).split('\n')
      const wrong: readonly (readonly [string, object, readonly string[]])[] = [
        ['items_index', { statuss: 'sold' }, ['unknown argument "statuss", did you mean: status']],
        ['items_index', { status: 'sold', x: 1 }, ['unknown argument "x"']],
        ['items_show', { id: '1', Id: '2' }, ['unknown argument "Id", did you mean: id']],
        ['items_create', { title: 'a', prise: 3 }, ['unknown argument "prise", did you mean: price']],
        // an argument that is missing is not what is told first
        ['items_create', { titel: 'a' }, ['unknown argument "titel", did you mean: title']],
        ['open_select', { toString: 1 }, ['unknown argument "toString"']],
        ['open_echo', JSON.parse('{"__proto__":1}'), ['unknown argument "__proto__"']],
        [
          'open_select',
          { a: 1, b: 2, c: 3, d: 4, e: 5 },
          ['unknown argument "a"', 'unknown argument "b"', 'unknown argument "c"', 'and more'],
        ],
      ]
      for (const [name, args, sentences] of wrong) {
        const all = ['400 Bad Request', ...sentences, `Input schema of ${name}: ${schemaOf(name)}`]
        t.strictSame(await reported(name, args), all)
        t.strictSame(await reported('call_tool', { name, arguments: args }), all)
      }
      t.strictSame(
        await reported('call_read_only', { name: 'items_index', arguments: { statuss: 'sold' } }),
        await reported('items_index', { statuss: 'sold' }),
      )
      const right = await callTool(shop, 'items_index', { status: 'sold' }, { headers })
      t.strictSame(right.answer.result.structuredContent, { status: 'sold' })
      const http = await shop.app.client().withBearer(shop.token).get('/items?statuss=sold')
      t.strictSame([http.statusCode, http.json()], [200, { status: 'any' }], 'over HTTP nothing changes')
    }
  },
)

t.test('decisions, Easy to miss: a 401 or 403 of the route comes before its arguments', async (t) => {
  for (const config of [{}, { plugins }]) {
    const shop = await openShop(t, bundle, { config })
    const args = { statuss: 'sold' }
    t.strictSame(
      failureOf(await callTool(shop, 'items_index', args)),
      '401 Unauthorized\n{"error":"unauthorized"}',
    )
    const banned = { authorization: `Bearer ${shop.token}`, 'x-api-key': 'banned' }
    t.strictSame(
      failureOf(await callTool(shop, 'items_index', args, { headers: banned })),
      '403 Forbidden\n{"error":"banned"}',
    )
  }
})

t.test('arguments of the toolbox tools are named too', async (t) => {
  for (const era of eras) {
    const reported = async (name: string, args: object) =>
      (await call(serve(), era, name, args)).content[0].text
    t.match(
      await reported('call_tool', { name: 'notes_show', argument: {} }),
      /^400 Bad Request\nunknown argument "argument", did you mean: arguments\nInput schema of call_tool: \{/,
    )
    t.match(await reported('list_toolboxes', { page: 1 }), /^400 Bad Request\nunknown argument "page"\n/)
    t.equal(await reported('close_toolbox', { name: 'notes' }), 'nothing to close')
  }
})

t.test(
  'a schema that leaves names open is not judged, and its arguments arrive (language.md, Schema files)',
  async (t) => {
    const bodies: unknown[] = []
    const open: Catalogue = {
      ...catalogue,
      tools: catalogue.tools
        .filter(({ name }) => name === 'notes_create')
        .map((tool) => ({
          ...tool,
          inputSchema: { type: 'object', properties: { title: { type: 'string' } } },
          arguments: [{ argument: 'title', from: 'field', name: 'title' }],
        })),
    }
    const app = serve({
      catalogue: open,
      invoke: async (_id, { body }) => {
        bodies.push(body.kind === 'value' ? body.value : null)
        return { status: 204, headers: {}, body: null }
      },
    })
    await call(app, 'modern', 'notes_create', { title: 'a', color: 'red' })
    t.strictSame(bodies, [{ title: 'a', color: 'red' }])
  },
)

const read = dangerOf({ readOnly: true, destructive: false })
const write = dangerOf({ readOnly: false, destructive: false })
const destroy = dangerOf({ readOnly: false, destructive: true })

t.test('the tool named for a wrong one is never a more dangerous one', async (t) => {
  const tools = new Map([
    ['items_index', read],
    ['items_show', read],
    ['items_sow', write],
    ['items_create', write],
    ['items_clear', destroy],
    ['archive_wipe', destroy],
    ['archive_wife', read],
    ['items_delete', destroy],
    ['items_select', read],
    ['people_dismiss', destroy],
  ] as const)
  const near = (name: string) => unknownTool(name, tools)
  const meant = (name: string, ...named: readonly string[]) =>
    t.equal(
      near(name),
      `unknown tool "${name}"${named.length === 0 ? '' : `, did you mean: ${named.join(', ')}`}`,
    )
  meant('items_shw', 'items_show') // items_sow is as near, and writes
  meant('items_creat', 'items_create')
  meant('items_delet', 'items_delete', 'items_select') // one letter from its own name, and nothing harmless is as near
  meant('archive_wive', 'archive_wife') // as near to archive_wipe
  meant('items_delte_all')
  meant('items_dele', 'items_select') // two letters from items_delete
  meant('delete') // part of its name
  meant('people_dismis', 'people_dismiss')
  meant('people_dis')
  meant('items', 'items_index', 'items_select', 'items_show')
})

t.test('call_read_only names tools that only read', async (t) => {
  const hintsOf = (name: string): ToolHints | undefined =>
    catalogue.tools.find((tool) => tool.name === name)?.hints
  t.equal(hintsOf('notes_delete')?.destructive, true)
  const reported = async (proxy: string, name: string) =>
    (await call(serve(), 'modern', proxy, { name })).content[0].text
  t.strictSame(
    [await reported('call_tool', 'notes_delet'), await reported('call_read_only', 'notes_delet')],
    ['unknown tool "notes_delet", did you mean: notes_delete', 'unknown tool "notes_delet"'],
  )
  t.equal(await reported('call_read_only', 'notes_creat'), 'unknown tool "notes_creat"')
})
