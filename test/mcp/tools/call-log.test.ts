/** What an operator sees of tool calls. */
import t from 'tap'
import { buildShop, callTool, openShop, type Shop } from '../support/shop.ts'

const bundle = await buildShop()
type Line = Readonly<Record<string, unknown>>

const without = (line: Line | undefined, ...names: readonly string[]): Line =>
  Object.fromEntries(Object.entries(line ?? {}).filter(([name]) => !names.includes(name)))

/** The lines without what differs from run to run. */
const linesOf = (shop: Shop): readonly Line[] =>
  shop
    .lines('tool call')
    .map((line) => without(line, 'time', 'level', 'event', 'msg', 'duration', 'requestId'))

const nobody = { user: null, client: null, grant: null }

t.test(
  'the log of tool calls: one line for each tool call, whoever made it and whatever it came to',
  async (t) => {
    for (const config of [{}, { plugins: [async (): Promise<void> => {}] }]) {
      const shop = await openShop(t, bundle, { config })
      const headers = { authorization: `Bearer ${shop.token}` }
      await callTool(shop, 'items_index', { status: 'sold' }, { headers })
      await callTool(
        shop,
        'call_tool',
        { name: 'items_create', arguments: { title: 'secret' } },
        { headers, era: 'legacy' },
      )
      await callTool(shop, 'items_index')
      await callTool(shop, 'open_echo', { word: 'secret' }, { headers })
      await callTool(shop, 'open_echo', { wort: 'secret' })
      await callTool(shop, 'open_crash')
      await callTool(shop, 'list_toolboxes')
      await callTool(shop, 'call_tool', { name: 'secret_tool' })
      await callTool(shop, 'items_shw')
      await callTool(shop, 'open_ask')
      const [first] = shop.lines('tool call')
      const { user, client, grant } = { ...nobody, ...first }
      t.match(user, /^dev:/)
      t.match([client, grant], [/^[\w-]{8,}$/, /^[\w-]{8,}$/])
      t.not(client, grant)
      const holder = { user, client, grant }
      const items = { toolbox: 'items', ...holder, era: 'modern' }
      const open = { toolbox: 'open', ...nobody, era: 'modern' }
      const meta = { route: null, toolbox: null, ...nobody, era: 'modern', status: null }
      const own = (tool: string) => ({ tool, route: tool })
      t.strictSame(linesOf(shop), [
        { ...own('items_index'), ...items, status: 200, isError: false },
        { ...own('items_create'), ...items, era: 'legacy', status: 200, isError: false },
        { ...own('items_index'), ...items, ...nobody, status: 401, isError: true },
        // the token has been verified for another call
        { ...own('open_echo'), ...open, ...holder, status: 200, isError: false },
        { ...own('open_echo'), ...open, status: 400, isError: true },
        { ...own('open_crash'), ...open, status: 500, isError: true },
        { tool: 'list_toolboxes', ...meta, isError: false },
        { tool: 'call_tool', ...meta, isError: true },
        { tool: 'items_shw', ...meta, isError: true },
        { ...own('open_ask'), ...open, status: 400, isError: true },
      ])
      const requests = shop.lines('response').filter(({ path }) => path === '/mcp')
      t.strictSame(
        shop.lines('tool call').map(({ requestId }) => requestId),
        requests.map(({ requestId }) => requestId),
        'the line of the request has the same id',
      )
      for (const line of shop.lines('tool call'))
        t.match(line, { level: 30, event: 'tool call', duration: /^\d+\.\d\dms$/ })
      t.notMatch(shop.text(), /"word"|wort|secret/, 'no argument is logged')
      t.notMatch(shop.text(), shop.token)
    }
  },
)

t.test(
  'a call that is limited has its line; the time is a number where the application says so',
  async (t) => {
    const shop = await openShop(t, bundle, {
      config: { limits: { toolCallsPerMinute: 1 }, log: { ms: true } },
      clock: () => 1_800_000_000_000,
    })
    await callTool(shop, 'open_select')
    t.equal((await callTool(shop, 'open_select')).status, 429)
    const [, refused] = shop.lines('tool call')
    t.match(refused, { ms: Number })
    t.strictSame(without(refused, 'time', 'ms', 'requestId'), {
      level: 30,
      event: 'tool call',
      tool: 'open_select',
      route: null,
      toolbox: null,
      ...nobody,
      era: 'modern',
      status: 429,
      isError: true,
      msg: 'tool call',
    })
  },
)

t.test('a token that is revoked stands for nobody', async (t) => {
  const shop = await openShop(t, bundle)
  const headers = { authorization: `Bearer ${shop.token}` }
  await callTool(shop, 'items_index', {}, { headers })
  const [{ client }] = shop.lines('tool call') as [{ client: string }]
  const revoked = await shop.app.client().submit('/oauth/revoke', { token: shop.token, client_id: client })
  t.equal(revoked.statusCode, 200)
  await callTool(shop, 'items_index', {}, { headers })
  t.match(linesOf(shop)[1], { ...nobody, status: 401, isError: true })
})

t.test('below the level info no line is made', async (t) => {
  const shop = await openShop(t, bundle, { logLevel: 'warn' })
  await callTool(shop, 'open_select')
  t.strictSame(linesOf(shop), [])
})
