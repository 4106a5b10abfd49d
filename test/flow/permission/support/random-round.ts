/** Rounds over random scopes, routes and grants: what a list shows is exactly what can be called, and no token does what its grant
 *  did not show. What ran is counted in the actions themselves. */
import type { AppPlugin } from '../../../../runtime/index.ts'
import type { TestApp } from '../../../../runtime/testing.ts'
import { callBatch, callHttp, callTool } from './entrances.ts'
import { namesInLists } from './lists.ts'
import { type Facts, type GuardedRoute, listed, running } from './oracle.ts'
import { type Breaches, type Declarations, drawGrants, type Held, refreshAll } from './random-grants.ts'
import { Chance, type Drawn, drawScopes, grantedToday, resolved, scopesConfig } from './random-scopes.ts'
import { routes as fixedRoutes } from './routes.ts'
import { openNotes, type World } from './world.ts'

export interface Round {
  readonly calls: number
  /** Actions that they ran. */
  readonly ran: number
  readonly lists: number
  readonly breaches: readonly string[]
}

interface Holder {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly facts: Facts
  /** What was shown and allowed for its token; null where there is none. */
  readonly held: Held | null
}

const plugin: AppPlugin = async (app) => {
  app.addHook('onRequest', async () => {})
}
/** Asked by the endpoint itself, again and again. */
const probe = 'guests_me'
const metadata = (): object => ({ scopesSupported: ['api'] })

/** Two versions of an application, one after the other, with grants from both; then `calls` random calls to the second. */
export async function playRound(world: World, seed: number, calls: number): Promise<Round> {
  const chance = new Chance(seed)
  const breaches: Breaches = []
  const play = { chance, breaches }
  const earlier = drawScopes(chance)
  const refused = earlier.filter(() => chance.isOneIn(8)).map(({ name }) => name)
  const before: Declarations = { drawn: earlier, hopeless: new Set(refused) }
  const hopeless = new Set<string>()
  const today: Declarations = { drawn: drawScopes(chance), hopeless }
  const routes = drawRoutes(chance, today.drawn)
  const ran: string[] = []
  let ranInAll = 0
  const old = await openNotes(world, {
    config: { scopes: scopesConfig(before.drawn, before.hopeless) },
    routes,
  })
  const provided = await drawGrants(old, before, play).finally(old.close)
  const setting = { isAuthenticated: chance.isOneIn(2) }
  const app = await openNotes(world, {
    config: {
      scopes: scopesConfig(today.drawn, hopeless),
      ...(chance.isOneIn(3) ? { plugins: [plugin] } : {}),
    },
    mcp: setting.isAuthenticated ? { authProbe: probe, resourceMetadata: metadata } : {},
    routes,
    onRun: (id) => void (id !== probe && ran.push(id)),
  })
  try {
    const grants = [...provided, ...(await drawGrants(app, today, play))]
    for (const { name } of today.drawn) if (chance.isOneIn(6)) hopeless.add(name)
    const refreshed = await refreshAll(app, grants, today, play)
    const held = [...grants.map((grant) => ({ ...grant, access: grant.tokens.access })), ...refreshed]
    const holders = await holdersOf(app, held, today)
    for (let count = 0; count < calls; count += 1) {
      const holder = chance.pick(holders)
      breaches.push(...(await callOnce(app, { holder, routes, setting, ran, chance })))
      ranInAll += ran.length
    }
    let lists = 0
    for (const { name, headers, facts } of holders) {
      breaches.push(...(await nearNames(app, headers, { name, shown: listed(routes, facts, setting) })))
      const expected = listed(routes, facts, setting)?.map(({ id }) => id) ?? null
      for (const [list, found] of await namesInLists(app, headers)) {
        lists += 1
        const shown = expected?.filter((id) => list.isOf(id)) ?? null
        if (JSON.stringify(found) !== JSON.stringify(shown?.toSorted() ?? null))
          breaches.push(`${list.name} of ${name} shows ${found}, not ${shown}`)
      }
    }
    return { calls, ran: ranInAll, lists, breaches: breaches.map((text) => `seed ${seed}: ${text}`) }
  } finally {
    await app.close()
  }
}

/** Those of the application with other needs; what its own code asks for is left out. */
function drawRoutes(chance: Chance, drawn: readonly Drawn[]): readonly GuardedRoute[] {
  const own = fixedRoutes.filter(({ requests }) => requests.length === 0)
  return own.map((route) => {
    if (route.id === probe || chance.isOneIn(5)) return { ...route, needs: [], unless: [] }
    const wanted = new Set([chance.pick(drawn), ...drawn.filter(() => chance.isOneIn(5))])
    const needs = drawn.filter((item) => wanted.has(item)).map(({ name }) => name)
    return { ...route, needs, unless: route.isFiltered ? chance.some(['session', 'key'] as const) : [] }
  })
}

const nobody: Facts = {
  bearer: 'none',
  hasAuthorization: false,
  grants: [],
  user: 'dev:developer',
  hopeless: [],
  session: false,
  key: 'none',
}

/** Everybody who calls. */
async function holdersOf(
  app: TestApp,
  held: readonly Held[],
  { drawn, hopeless }: Declarations,
): Promise<readonly Holder[]> {
  const browser = app.client()
  await browser.signIn()
  const cookie = [...browser.cookies]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('; ')
  const withImplied = drawn // nobody can have what implies what they may not have
    .map(({ name }) => name)
    .filter((name) => resolved([name], drawn).some((text) => hopeless.has(text)))
  const tokens = held.map((item): Holder => {
    const grants = grantedToday(item, drawn)
    const facts: Facts = {
      ...nobody,
      bearer: 'valid',
      hasAuthorization: true,
      grants,
      hopeless: withImplied,
    }
    const name = `${item.named} (${item.allowed})`
    return { name, headers: { authorization: `Bearer ${item.access}` }, facts, held: item }
  })
  const bad = { authorization: 'Bearer junk' }
  const ofBad: Facts = { ...nobody, bearer: 'bad', hasAuthorization: true }
  const session: Facts = { ...nobody, session: true }
  return [
    ...tokens,
    ...tokens.map(
      (token): Holder => ({
        ...token,
        name: `${token.name} beside a key and a session`,
        headers: { ...token.headers, cookie, 'x-api-key': 'k1' },
        facts: { ...token.facts, key: 'known', session: true },
      }),
    ),
    { name: 'nobody', headers: {}, facts: nobody, held: null },
    { name: 'a session', headers: { cookie }, facts: session, held: null },
    { name: 'a key', headers: { 'x-api-key': 'k1' }, facts: { ...nobody, key: 'known' }, held: null },
    {
      name: 'a session and a key',
      headers: { cookie, 'x-api-key': 'k1' },
      facts: { ...session, key: 'known' },
      held: null,
    },
    { name: 'a bad bearer', headers: bad, facts: ofBad, held: null },
    {
      name: 'a bad bearer beside a session',
      headers: { ...bad, cookie },
      facts: { ...ofBad, session: true },
      held: null,
    },
  ]
}

interface Calling {
  readonly holder: Holder
  readonly routes: readonly GuardedRoute[]
  readonly setting: { readonly isAuthenticated: boolean }
  /** Filled by the actions. */
  readonly ran: string[]
  readonly chance: Chance
}

/** One random call; answers what was wrong with what ran. */
async function callOnce(app: TestApp, calling: Calling): Promise<readonly string[]> {
  const { holder, routes, setting, ran, chance } = calling
  ran.length = 0
  const { headers, facts, held } = holder
  const route = chance.pick(routes)
  const called = chance.isOneIn(4) ? [route, chance.pick(routes), chance.pick(routes)] : [route]
  const era = chance.pick(['legacy', 'modern'] as const)
  const proxies = route.method === 'GET' ? [null, 'call_tool', 'call_read_only'] : [null, 'call_tool']
  const through = chance.pick(proxies)
  const isHttp = called.length === 1 && chance.isOneIn(3)
  const names = called.map(({ id }) => id)
  if (isHttp) await callHttp(app, route, headers)
  else if (called.length > 1) await callBatch(app, names, headers)
  else await callTool(app, { name: route.id, through, era }, headers)
  const open = { isAuthenticated: false } // HTTP knows no endpoint
  const expected = running(called, facts, isHttp ? open : setting)
    .map(({ id }) => id)
    .filter((id) => id !== probe)
  const way = isHttp ? 'HTTP' : `${through ?? 'direct'} ${era} of ${setting.isAuthenticated}`
  const reported = `${way}: ${names} by ${holder.name}: ran ${ran}`
  const wrong = ran.join() === expected.join() ? [] : [`${reported}, not ${expected}`]
  const isShown = ({ needs }: GuardedRoute): boolean =>
    held === null || needs.every((name) => held.allowed.includes(name))
  const beyond = called.filter((guardedRoute) => ran.includes(guardedRoute.id) && !isShown(guardedRoute))
  return beyond.length === 0 ? wrong : [...wrong, `${reported}, which nobody was shown`]
}

/** Names that come close to one that is not there: none of what the caller may not call. */
async function nearNames(
  app: TestApp,
  headers: Holder['headers'],
  { name, shown }: { readonly name: string; readonly shown: readonly GuardedRoute[] | null },
): Promise<readonly string[]> {
  const hidden = fixedRoutes.map(({ id }) => id).filter((id) => !shown?.some((route) => route.id === id))
  const [item] = hidden
  if (item === undefined) return []
  const { body } = await callTool(app, { name: item.slice(0, -1), through: null, era: 'modern' }, headers)
  const text = JSON.stringify(body)
  return hidden.filter((id) => text.includes(id)).map((id) => `${name} is told of ${id}: ${text}`)
}
