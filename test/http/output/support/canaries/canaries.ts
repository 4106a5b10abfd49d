/** Random types, random values that are wider, and every entrance at which they leave: what leaves, or is lost, that should not. */
import type { AppPlugin } from '../../../../../runtime/index.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../../../../runtime/testing.ts'
import { buildWithClient, type ClientModule, loadClient } from '../../../../cli/client/served-client.ts'
import { Chance } from '../../../../flow/permission/support/random-scopes.ts'
import { builtFolder } from '../../../../support/linked.ts'
import { canaryApp, cutChars, handedOver } from './canary-app.ts'
import { decodingClient, undecoded } from './decoding.ts'
import { drawTypes } from './drawn-types.ts'
import type { Callers, Leaving } from './leaving.ts'
import { isUnchanged, overHttp } from './over-http.ts'
import { inLists, overMcp } from './over-mcp.ts'
import { projection, wholeJson } from './projection.ts'
import type { DrawnTypes, Shape } from './shapes.ts'
import { WideValues } from './wide-values.ts'

export interface CanaryReport {
  readonly answers: number
  readonly wrong: readonly string[]
}

export interface CanarySize {
  readonly types: number
  /** Of each type. */
  readonly values: number
  readonly seed: number
}

const covering: AppPlugin = async (app) => {
  app.addHook('onSend', async (_request, _reply, payload) => payload)
}

const configured =
  (more: object): NonNullable<TestAppOptions['change']> =>
  (bundle) => ({ ...bundle, config: { ...(bundle.config as object), ...more } }) // what defineApp returned

/** In production, behind plugins in development, where values take another way, and with `answers: 'whole'`. */
const servings: readonly (TestAppOptions & { readonly name: string; readonly isWhole: boolean })[] = [
  { name: 'production', environment: { production: true }, isWhole: false },
  {
    name: 'behind plugins',
    environment: { production: false },
    change: configured({ plugins: [covering] }),
    isWhole: false,
  },
  {
    name: 'whole',
    environment: { production: true },
    change: configured({ answers: 'whole', secrets: 'tools' }),
    isWhole: true,
  },
]

/** One random application, served in several ways. */
export async function judgeCanaries({ types: count, values, seed }: CanarySize): Promise<CanaryReport> {
  const types = drawTypes(seed, count)
  const folder = await builtFolder(canaryApp(types))
  const client = await loadClient(folder, await buildWithClient(folder))
  const reports: CanaryReport[] = []
  for (const { name: _name, isWhole, ...how } of servings) {
    const app = await openTestApp({ cwd: folder, ...how })
    try {
      const served = { app, isWhole, client, callers: await callersOf(app) }
      reports.push(await new Judge(types, served, new Chance(seed)).all(values))
    } finally {
      await app.close()
    }
  }
  return {
    answers: reports.reduce((sum, { answers }) => sum + answers, 0),
    wrong: reports.flatMap(({ wrong }, place) => wrong.map((line) => `${servings[place]?.name}: ${line}`)),
  }
}

async function callersOf(app: TestApp): Promise<Callers> {
  const session = app.client()
  await session.signIn()
  return {
    session,
    nobody: app.client(),
    key: app.client().withHeaders({ 'x-api-key': 'k1', authorization: 'Key k1' }),
    token: app.client().withBearer(await app.accessToken()),
  }
}

interface Served {
  readonly app: TestApp
  readonly callers: Callers
  readonly client: ClientModule
  /** What no type declares leaves too, and secrets leave at the MCP endpoint alone not. */
  readonly isWhole: boolean
}

class Judge {
  readonly #types: DrawnTypes
  readonly #served: Served
  readonly #chance: Chance
  readonly #wrong: string[] = []
  #answers = 0

  constructor(types: DrawnTypes, served: Served, chance: Chance) {
    this.#types = types
    this.#served = served
    this.#chance = chance
  }

  async all(values: number): Promise<CanaryReport> {
    const wide = new WideValues(this.#types, this.#chance)
    for (const [index, shape] of this.#types.answers.entries())
      for (let count = 0; count < values; count++)
        await this.#value(wide.of(shape, count % 2 === 1), shape, `c${index}`)
    return { answers: this.#answers, wrong: this.#wrong }
  }

  async #value(value: unknown, shape: Shape, base: string): Promise<void> {
    const { isWhole, callers } = this.#served
    const of = (item: unknown, withSecrets: boolean): string =>
      JSON.stringify(projection(item, shape, this.#types.named, { withSecrets, isWhole }))
    const expected = { all: of(value, true), delegated: of(value, false) }
    for (const left of await this.#leaving(value, base, expected.delegated.length))
      this.#judge(left, left.isDelegated ? expected.delegated : expected.all, shape)
    handOver(value)
    await this.#decode(shape, base, expected.all)
    const other = WideValues.rewidened(value)
    if (of(other, true) !== expected.all) return
    const hands = { first: () => handOver(value), other: () => handOver(other) }
    const isKept = await isUnchanged(callers, base, hands)
    if (!isKept) this.#wrong.push(`entity tag of ${base}: changed by what is undeclared, of ${shape.text}`)
  }

  async #leaving(value: unknown, base: string, length: number): Promise<readonly Leaving[]> {
    const { app, callers, isWhole } = this.#served
    const caller = this.#chance.pick(['token', 'key', 'nobody', 'session'] as const)
    try {
      handOver(value)
      const byHttp = await overHttp(callers, base, isWhole ? [] : ['token'])
      const byMcp = await overMcp(callers[caller], base, app.baseUrl)
      if (length > cutChars / 2) return [...byHttp, ...byMcp] // an item would be cut inside
      handOver(Array.from({ length: Math.ceil((2 * cutChars) / length) }, () => value))
      return [...byHttp, ...byMcp, ...(await inLists(callers[caller], base))]
    } catch (error) {
      throw new Error(`${error} ${app.lastError?.stack}`)
    }
  }

  /** Nothing is lost or added between the wire and who has the typed client. */
  async #decode(shape: Shape, base: string, expected: string): Promise<void> {
    const { app, callers, client, isWhole } = this.#served
    const api = decodingClient(client, callers.key, app.baseUrl)
    for (const call of ['plain', 'failed']) {
      const entrance = `typed client, ${base}.${call}`
      const answer = await api[base]?.[call]?.()
      const json = wholeJson(answer?.data)
      this.#judge({ entrance, sent: json, json, isDelegated: false }, expected, shape)
      if (isWhole || call === 'failed') continue // a member of a union is told by what it declares
      const wrong = undecoded(answer?.data, shape, this.#types.named)
      this.#wrong.push(...wrong.map((path) => `${entrance}: ${path} is not of its type, of ${shape.text}`))
    }
  }

  #judge({ entrance, sent, json, isDelegated }: Leaving, expected: string, { text }: Shape): void {
    this.#answers += 1
    const leaves = (text: string): boolean => sent.includes(text) && !expected.includes(text)
    const leaks = [
      ...(leaves('canary-undeclared') ? ['leaks what is undeclared'] : []),
      ...(isDelegated && sent.includes('canary-secret') ? ['leaks a secret'] : []),
      ...(json !== null && json !== expected ? [difference(json, expected)] : []),
    ]
    this.#wrong.push(...leaks.map((leak) => `${entrance}: ${leak}, of ${text.replaceAll('\n', ' ')}`))
  }
}

/** Around the first character that differs. */
function difference(json: string, expected: string): string {
  const at = [...expected].findIndex((character, index) => json[index] !== character)
  const around = (text: string): string => text.slice(Math.max(0, at - 60), at < 0 ? undefined : at + 60)
  return `answers …${around(json)}… instead of …${around(expected)}…`
}

/** To the methods of the application. */
function handOver(value: unknown): void {
  Object.assign(globalThis, { [handedOver]: value })
}
