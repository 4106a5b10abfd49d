/** Instances of the shop on one store, each with a clock and secrets of its own, and calls of them over both entrances. */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { type Application, createApplication } from '../../runtime/boot/application.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { clientOf, type Instance } from '../mcp/tasks/jobs.ts'
import { surroundings } from '../support/surroundings.ts'
import { ada } from './shop.ts'

export interface Shop extends Instance {
  readonly application: Application
  /** The time of day, as it is set there. */
  readonly clock: { now: number }
}

export interface Told {
  readonly status: number
  /** What a route of the shop names its effect by, or the type of the problem. */
  readonly said: unknown
}

export interface Shops {
  readonly all: readonly Shop[]
  /** Lets so many milliseconds pass, by every clock. */
  readonly pass: (ms: number) => void
  readonly overHttp: (shop: Shop, call: Call) => Promise<Told>
  readonly asTool: (shop: Shop, call: Call) => Promise<Told>
  /** With credentials that are nobody's token: no store is asked about them. */
  readonly byApiKey: (shop: Shop, call: Call) => Promise<Told>
  /** What was done, by methods and in the database. */
  readonly effects: () => Promise<readonly string[]>
}

export interface Call {
  readonly url: string
  readonly tool: string
  readonly body: Readonly<Record<string, unknown>>
  readonly key: string
}

const unlimited = {
  ...{ toolCallsPerMinute: false, concurrentToolCalls: false },
  ...{ concurrentToolCallsPerUser: false },
}

const providers = { github: { clientId: 'id', clientSecret: 'secret' } }
const start = Date.parse('2026-11-27T10:00:00Z')

/** One for each of `secrets`. They do nothing of themselves. */
export async function openShops(
  t: Test,
  bundle: AppBundle,
  { databaseUrl, secrets }: { readonly databaseUrl: string; readonly secrets: readonly string[][] },
): Promise<Shops> {
  const jwtSecrets = [randomBytes(32).toString('hex')]
  const all: Shop[] = []
  const passed = { ms: 0 }
  for (const sessionSecrets of secrets)
    all.push(await openOne(t, bundle, { databaseUrl, jwtSecrets, sessionSecrets, passed }))
  const [first] = all
  if (first === undefined) throw new Error('there is one')
  await first.application.store.saveUser(ada)
  const issued = await first.application.developmentToken(ada.id, 'buy pay')
  const token = String(issued?.accessToken)
  const authorization = `Bearer ${token}`
  const read = async (url: string): Promise<readonly string[]> =>
    (await first.application.server.inject({ url, headers: { authorization } })).json()
  return {
    all,
    pass(ms) {
      passed.ms += ms
      for (const { clock } of all) clock.now += ms
    },
    overHttp: (shop, call) => post(shop, call, { authorization }),
    byApiKey: (shop, call) => post(shop, call, { 'x-api-key': 'one' }),
    async asTool(shop, { tool, body, key }) {
      const { said } = await clientOf(shop, token, {}).call(tool, { ...body, idempotencyKey: key })
      const text = String(said.content?.[0]?.text)
      if (said.isError !== true)
        return { status: 200, said: effectIn(said.structuredContent ?? JSON.parse(text)) }
      return { status: Number.parseInt(text, 10) || 0, said: text }
    },
    effects: async () => [...(await read('/orders')), ...(await read('/ledger'))],
  }
}

async function post({ application }: Shop, { url, body, key }: Call, more: object): Promise<Told> {
  const headers = { ...more, 'idempotency-key': key }
  const { statusCode, body: text } = await application.server.inject({
    method: 'POST',
    url,
    headers,
    payload: body,
  })
  return { status: statusCode, said: effectIn(JSON.parse(text)) }
}

interface One {
  readonly databaseUrl: string
  readonly jwtSecrets: readonly string[]
  readonly sessionSecrets: readonly string[]
  readonly passed: { readonly ms: number }
}

async function openOne(t: Test, bundle: AppBundle, { passed, ...environment }: One): Promise<Shop> {
  const clock = { now: start }
  const works = new Set<() => Promise<void>>()
  const config = { ...Object(bundle.config), limits: unlimited, providers }
  const application = await createApplication(
    { ...bundle, config },
    {
      ...surroundings('http://localhost:4000', environment),
      clock: () => clock.now,
      monotonic: () => passed.ms,
      every: (_ms, work) => {
        works.add(work)
        return async () => void works.delete(work)
      },
    },
  )
  t.teardown(() => application.close(undefined, 0))
  return { application, clock, beat: async () => void (await Promise.all([...works].map((work) => work()))) }
}

/** Of an answer of the shop. */
function effectIn(answer: unknown): unknown {
  const { id, added, paid, ended, done, caught, type, error } = Object(answer)
  return id ?? added ?? paid ?? ended ?? done ?? caught ?? type ?? error
}

export interface Held {
  /** Resolves when a method is at it. */
  readonly begun: Promise<void>
  readonly runs: () => number
  readonly go: () => void
}

/** The next method that asks is held; those after it go on. */
export function heldMethod(): Held {
  let [runs, begin, go] = [0, (): void => {}, (): void => {}]
  const over = new Promise<void>((resolve) => {
    go = resolve
  })
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  Reflect.set(globalThis, 'held', async () => {
    runs += 1
    begin()
    if (runs === 1) await over
  })
  return { begun, runs: () => runs, go: () => go() }
}
