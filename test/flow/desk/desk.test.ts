/** The help desk and the worked example through everything. Plain HTTP, written by hand, is the oracle: on each way every answer must be
 *  the same as a whole. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { typeErrorsOf } from '../../cli/support/type-check.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { leaveChromium, noBrowser, sharedChromium } from '../../support/chromium.ts'
import { behindPlugins } from './behind-plugins.ts'
import { inNode } from './by-client.ts'
import { byHand, routes } from './by-hand.ts'
import { byTool, type Kind, type Way } from './by-tool.ts'
import { checkSession, withTokens } from './in-chromium.ts'
import { deskSettings, type Served, served } from './served.ts'
import { checkLists, toolsOf } from './tool-lists.ts'
import { type Seen, type Wire, walked } from './walked.ts'
import {
  builtDesk,
  builtNotes,
  type Driver,
  driverIn,
  pageScript,
  placeWalk,
  type Yardstick,
} from './yardsticks.ts'

t.setTimeout(240_000) // a busy machine

const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())

t.teardown(leaveChromium)

const yardsticks = [await builtDesk(), await builtNotes()] as const
Object.assign(process.env, deskSettings(yardsticks[0])) // before it is loaded here
t.teardown(() => {
  for (const { folder } of yardsticks) rmSync(folder, { recursive: true, force: true })
})

/** Every `VERB path` of the document. */
function documented({ folder }: Yardstick): readonly string[] {
  const { paths } = parse(readFileSync(join(folder, 'generated/openapi.yml'), 'utf8'))
  const verbs = ['get', 'put', 'post', 'patch', 'delete']
  return Object.keys(paths)
    .flatMap((path) =>
      Object.keys(paths[path])
        .filter((verb) => verbs.includes(verb))
        .map((verb) => `${verb.toUpperCase()} ${path}`),
    )
    .sort()
}

type WayOfTools = readonly [kind: Kind, way: Way]

interface Alike {
  readonly driver: Driver
  readonly server: Served
  readonly ways: readonly WayOfTools[]
  /** Whether the typed client walks, too: the engine behind a server makes no difference to it. */
  readonly withClient: boolean
}

/** Walks by hand, with the typed client in Node, and with tools: all are answered as `oracles` keeps it of the first walk by hand. */
async function alike(
  t: Test,
  yardstick: Yardstick,
  { driver, server, ways, withClient }: Alike,
): Promise<void> {
  const { baseUrl, tokens } = server
  const called = new Set<string>()
  const hand = byHand(baseUrl, tokens, { called })
  const seen = await walkOn(driver, server, hand)
  t.strictSame([...called].sort(), documented(yardstick), 'no route is left out')
  const oracle = oracles.get(yardstick.name) ?? seen
  oracles.set(yardstick.name, oracle)
  t.strictSame(seen, oracle, 'by hand')
  if (withClient)
    t.strictSame(await walkOn(driver, server, inNode(t, driver, baseUrl, tokens)), oracle, 'the typed client')
  for (const [kind, way] of ways) {
    const tools = byTool({ kind, way, baseUrl, tokens }, yardstick.noTools, hand)
    t.strictSame(await walkOn(driver, server, tools.wire), oracle, `as tools of ${kind}, ${way}`)
    t.strictSame([...tools.called].sort(), toolsOf(yardstick), 'no tool is left out')
    await tools.close()
  }
}

const oracles = new Map<string, readonly Seen[]>()

const isWrite = (line: string): boolean => /^[A-Z]+ \/api\//.test(line) && !line.startsWith('GET')

async function walkOn(driver: Driver, server: Served, wire: Wire): Promise<readonly Seen[]> {
  await server.reset()
  return walked(driver.walk, wire)
}

/** Each version of the SDK, in each of its eras, on both ways; which server it is makes no difference to a client. */
const ways = {
  sqlite: [
    ['v1', 'directly'],
    ['v2 modern', 'through the proxies'],
  ],
  postgres: [['v2 legacy', 'through the proxies']],
  plugins: [
    ['v2 modern', 'directly'],
    ['v1', 'through the proxies'],
  ],
} as const satisfies Readonly<Record<string, readonly WayOfTools[]>>

for (const yardstick of yardsticks) {
  const { name, folder } = yardstick
  const settings = placeWalk(yardstick)
  const driver = await driverIn(yardstick)

  t.test(`yardstick: ${name} is built without a warning, and the walk has its types`, async (t) => {
    t.notMatch(yardstick.reported, /warning|error/i)
    t.equal(typeErrorsOf(settings), '')
  })

  t.test(`yardstick: ${name} on SQLite answers alike on every way`, async (t) => {
    const databaseUrl = `sqlite:${folder}/data/walk.db`
    const as = name === 'desk' ? 'process' : 'application'
    const server = await served(t, yardstick, { databaseUrl, as })
    await alike(t, yardstick, { driver, server, ways: ways.sqlite, withClient: true })
    await checkLists(t, 'v2 legacy', yardstick, server)
    if (noBrowser !== false) return t.comment(noBrowser)
    const page = { browser: await sharedChromium(), script: await pageScript(yardstick), server }
    const { wire, said } = await withTokens(t, page)
    const inChromium = await walkOn(driver, server, wire)
    t.strictSame(inChromium, oracles.get(name), 'the typed client in Chromium')
    t.strictSame(said, [])
    if (name === 'notes') return
    await server.reset()
    await checkSession(t, page)
  })

  t.test(`plugins: ${name} behind them answers alike on every way`, async (t) => {
    const server = await behindPlugins(t, yardstick)
    await alike(t, yardstick, { driver, server, ways: ways.plugins, withClient: true })
    const writes = oracles.get(name)?.filter(({ route }) => routes[route]?.[0] !== 'GET') ?? []
    const walks = 2 + ways.plugins.length
    t.equal(server.hooked.filter(isWrite).length, walks * writes.length, 'each call passed the hooks')
  })
}

const skip = { skip: postgres === null ? 'there is no PostgreSQL' : false }
t.test('yardstick: desk on PostgreSQL answers as on SQLite', skip, async (t) => {
  const [desk] = yardsticks
  const databaseUrl = (await postgres?.freshDatabase()) ?? ''
  const server = await served(t, desk, { databaseUrl, as: 'application' })
  await alike(t, desk, { driver: await driverIn(desk), server, ways: ways.postgres, withClient: false })
  await checkLists(t, 'v2 modern', desk, server)
})
