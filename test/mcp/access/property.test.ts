/** What a list shows is exactly what can be called, over scopes, routes and tokens drawn at random. */
import fc from 'fast-check'
import t from 'tap'
import type { AppConfig } from '../../../runtime/capabilities/exports.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { OtherCredential, RequiredScope, ScopeConfig } from '../../../runtime/contract/scopes.ts'
import { buildGuarded, clientWith, type Guarded, openGuarded, type Sender } from '../support/guarded.ts'

t.setTimeout(480_000) // a busy machine

const bundle = await buildGuarded()
const seed = Number(process.env.ACMCP_SEED ?? 20261123)
/** More of them are `npm run torture`. */
const numRuns = Number(process.env.ACMCP_RUNS ?? 10)
const names = ['a', 'b', 'c', 'd', 'e'] as const
const guarded = [
  'songs_index',
  'songs_meaning',
  'songs_create',
  'songs_delete',
  'charts_show',
  'charts_decide',
]
const args: Readonly<Record<string, object>> = {
  songs_create: { title: 'x' },
  songs_delete: { id: '1' },
  charts_decide: { first: 'x' },
}

interface Drawn {
  readonly sensitive: readonly boolean[]
  /** Of each name those before it that it implies. */
  readonly implied: readonly (readonly boolean[])[]
  readonly refused: readonly boolean[]
  readonly routes: readonly (RequiredScope | null)[]
  readonly tokens: readonly (readonly string[])[]
  readonly isOn: boolean
  readonly hasPlugins: boolean
  readonly ways: readonly Way[]
}

type Way = 'direct' | 'call_tool' | 'batch' | 'pair'

const booleans = fc.array(fc.boolean(), { minLength: names.length, maxLength: names.length })
const unless = fc.subarray<OtherCredential>(['session', 'key'])
const drawn: fc.Arbitrary<Drawn> = fc.record({
  sensitive: booleans,
  implied: fc.array(booleans, { minLength: names.length, maxLength: names.length }),
  refused: booleans,
  routes: fc.array(
    fc.option(fc.record({ names: fc.subarray([...names], { minLength: 1, maxLength: 3 }), unless }), {
      freq: 5,
    }),
    { minLength: guarded.length, maxLength: guarded.length },
  ),
  tokens: fc.array(fc.subarray([...names, 'api', 'gone']), { minLength: 6, maxLength: 6 }),
  isOn: fc.boolean(),
  hasPlugins: fc.boolean(),
  ways: fc.array(fc.constantFrom<Way>('direct', 'call_tool', 'batch', 'pair'), {
    minLength: 7,
    maxLength: 7,
  }),
})

function scopesOf({ sensitive, implied, refused }: Drawn): Readonly<Record<string, ScopeConfig>> {
  const isSensitive = (at: number): boolean => sensitive[at] === true
  const entries = names.map((name, at): [string, ScopeConfig] => {
    const mayImply = (target: number): boolean => target < at && (isSensitive(at) || !isSensitive(target))
    const implies = names.filter((_name, target) => implied[at]?.[target] === true && mayImply(target))
    const mayHave = refused[at] === true ? { mayHave: () => false } : {}
    return [name, { text: `Do ${name}`, implies, sensitive: isSensitive(at), ...mayHave }]
  })
  return Object.fromEntries(entries)
}

const withScopes =
  ({ routes }: Drawn) =>
  (whole: AppBundle): AppBundle => ({
    ...whole,
    routes: whole.routes.map(({ scope: _, ...route }) => {
      const required = routes[guarded.indexOf(route.id)] ?? null
      return required === null ? route : { ...route, scope: required }
    }),
  })

/** A token of another server, which says what it names. */
const verifyToken: NonNullable<AppConfig['verifyToken']> = async (token) =>
  token.startsWith('names.')
    ? {
        user: { id: 'ext:ada', name: 'Ada', email: null },
        client: 'c',
        grant: null,
        scopes: token.split('.').slice(1),
      }
    : null

let requested = 0

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function post({ client, headers }: Sender, message: unknown, url = '/mcp'): Promise<any> {
  requested += 1
  const response = await client.request({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    payload: JSON.stringify(message),
  })
  const data = [...response.body.matchAll(/^data: (.*)$/gm)].map(([, text = '']) => JSON.parse(text))
  return { status: response.statusCode, said: data.length === 0 ? JSON.parse(response.body) : data }
}

const rpc = (method: string, params: object = {}, id = 1): object => ({ jsonrpc: '2.0', id, method, params })

const callOf = (name: string, way: Way): unknown => {
  const own = rpc('tools/call', { name, arguments: args[name] ?? {} })
  const inner = { name, arguments: args[name] ?? {} }
  if (way === 'call_tool') return rpc('tools/call', { name: 'call_tool', arguments: inner })
  if (way === 'batch') return [own]
  return way === 'pair' ? [rpc('tools/call', { name: 'people_me' }, 0), own] : own
}

/** Whether the route ran. */
async function isRun(sender: Sender, name: string, way: Way): Promise<boolean> {
  const { status, said } = await post(sender, callOf(name, way))
  const own = Array.isArray(said) ? said.find(({ id }) => id === 1) : said
  return status === 200 && own.result !== undefined && own.result.isError !== true
}

/** The token, if its user can have anything of that. */
const havable = (opened: Guarded, scope: string): Promise<readonly string[]> =>
  opened.tokenOf(scope).then(
    (token) => [token],
    (error: unknown) => {
      if (Object(error).error === 'access_denied') return []
      throw error
    },
  )

interface Named {
  readonly name: string
}

async function listedAt(sender: Sender, url: string): Promise<readonly string[]> {
  const { status, said } = await post(sender, rpc('tools/list'), url)
  if (status === 404) return []
  return said.result.tools.map(({ name }: Named) => name)
}

/** What the toolboxes come to, and what they say that more permission would give. */
async function reportedBy(sender: Sender) {
  const meta = async (name: string, provided = {}) =>
    (await post(sender, rpc('tools/call', { name, arguments: provided }))).said.result.structuredContent
  const { toolboxes, morePermission = [] } = await meta('list_toolboxes')
  const tools: string[] = []
  for (const { name } of toolboxes)
    tools.push(...(await meta('open_toolbox', { name })).tools.map(({ name }: Named) => name))
  return { tools, more: morePermission.flatMap(({ tools }: { tools: readonly string[] }) => tools) }
}

const sorted = (list: readonly string[]): readonly string[] => [...list].sort()

t.test('lists: what is shown is exactly what can be called', async (t) => {
  let calls = 0
  const holds = fc.asyncProperty(drawn, async (item) => {
    const plugins = item.hasPlugins ? { plugins: [async (): Promise<void> => {}] } : {}
    const config = {
      scopes: scopesOf(item),
      verifyToken,
      limits: { toolCallsPerMinute: false as const },
      ...plugins,
    }
    const opened = await openGuarded(t, bundle, { isOn: item.isOn, config, change: withScopes(item) })
    const tokens = item.tokens.map((token) => `names.${token.join('.')}`)
    const own = [
      ...(await havable(opened, 'api')),
      ...(await havable(opened, 'a')),
      ...(await havable(opened, 'd e')),
    ]
    for (const credential of [...tokens, ...own, 'key', 'session', 'junk']) {
      if (credential === 'junk' && item.isOn) continue // does not pass the endpoint
      const sender = await clientWith(opened, credential)
      const shown = await listedAt(sender, '/mcp?toolboxes=all')
      const runs: string[] = []
      for (const [at, name] of guarded.entries()) {
        calls += 1
        if (await isRun(sender, name, item.ways[at] ?? 'direct')) runs.push(name)
      }
      const which = JSON.stringify({ one: item, credential })
      t.strictSame(sorted(shown.filter((name) => name !== 'people_me')), sorted(runs), which)
      const flat = [
        ...(await listedAt(sender, '/mcp/songs')),
        ...(await listedAt(sender, '/mcp/charts')),
        ...(await listedAt(sender, '/mcp/people')),
      ]
      t.strictSame(sorted(flat), sorted(shown), 'by toolbox')
      const { tools, more } = await reportedBy(sender)
      t.strictSame(sorted(tools), sorted(runs), 'by open_toolbox')
      t.strictSame(
        [...more].filter((name) => runs.includes(name)),
        [],
        'nothing of it is more',
      )
      if (!item.refused.includes(true))
        t.strictSame(sorted([...more, ...runs]), sorted(guarded), 'all else is more')
      if (!item.isOn || ['key', 'session'].includes(credential)) continue
      for (const name of guarded.filter((name) => !runs.includes(name))) {
        const { status } = await post(sender, callOf(name, 'direct'))
        t.equal(status, more.includes(name) ? 403 : 200, `a call of ${name} asks its user: ${which}`)
      }
    }
    await opened.app.close()
    return t.passing()
  })
  await fc.assert(holds, { seed, numRuns, endOnFailure: true })
  t.ok(calls > 50 * numRuns, `${calls} calls, ${requested} requests`)
  t.comment(`${calls} calls, ${requested} requests, seed ${seed}`)
})
