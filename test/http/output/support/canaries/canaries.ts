/** Random types, random values that are wider, and every entrance at which they leave: what leaves, or is lost, that should not. */
import type { AppPlugin } from '../../../../../runtime/index.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../../../../runtime/testing.ts'
import { Chance } from '../../../../flow/permission/support/random-scopes.ts'
import { builtFolder } from '../../../../support/linked.ts'
import { canaryApp, cutChars, handedOver } from './canary-app.ts'
import { type Callers, inLists, isUnchanged, type Leaving, overHttp, overMcp } from './entrances.ts'
import { projection } from './projection.ts'
import { type DrawnTypes, drawTypes, type Shape } from './shapes.ts'
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

/** In production, and behind plugins in development, where values take another way. */
const surroundings: readonly TestAppOptions[] = [
  { environment: { production: true } },
  {
    environment: { production: false },
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), plugins: [covering] } }), // what defineApp returned
  },
]

/** One random application, served in two ways. */
export async function judgeCanaries({ types: count, values, seed }: CanarySize): Promise<CanaryReport> {
  const types = drawTypes(seed, count)
  const folder = await builtFolder(canaryApp(types))
  const reports: CanaryReport[] = []
  for (const how of surroundings) {
    const app = await openTestApp({ cwd: folder, ...how })
    try {
      reports.push(await new Judge(types, app, await callersOf(app)).all(values, new Chance(seed)))
    } finally {
      await app.close()
    }
  }
  return {
    answers: reports.reduce((sum, { answers }) => sum + answers, 0),
    wrong: reports.flatMap(({ wrong }) => wrong),
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

class Judge {
  readonly #types: DrawnTypes
  readonly #app: TestApp
  readonly #callers: Callers
  readonly #wrong: string[] = []
  #answers = 0

  constructor(types: DrawnTypes, app: TestApp, callers: Callers) {
    this.#types = types
    this.#app = app
    this.#callers = callers
  }

  async all(values: number, chance: Chance): Promise<CanaryReport> {
    const wide = new WideValues(this.#types, chance)
    for (const [index, shape] of this.#types.answers.entries())
      for (let count = 0; count < values; count++)
        await this.#value(wide.of(shape, count % 2 === 1), shape, `c${index}`)
    return { answers: this.#answers, wrong: this.#wrong }
  }

  async #value(value: unknown, shape: Shape, base: string): Promise<void> {
    const of = (item: unknown, withSecrets: boolean): string =>
      JSON.stringify(projection(item, shape, this.#types.named, withSecrets))
    const expected = { all: of(value, true), delegated: of(value, false) }
    for (const left of await this.#leaving(value, base, expected.delegated.length))
      this.#judge(left, left.isDelegated ? expected.delegated : expected.all, shape)
    const other = WideValues.rewidened(value)
    if (of(other, true) !== expected.all) return
    const hands = { first: () => handOver(value), other: () => handOver(other) }
    const isKept = await isUnchanged(this.#callers, base, hands)
    if (!isKept) this.#wrong.push(`entity tag of ${base}: changed by what is undeclared, of ${shape.text}`)
  }

  async #leaving(value: unknown, base: string, length: number): Promise<readonly Leaving[]> {
    try {
      handOver(value)
      const byHttp = await overHttp(this.#callers, base)
      const byMcp = await overMcp(this.#callers, base, this.#app.baseUrl)
      if (length > cutChars / 2) return [...byHttp, ...byMcp] // an item would be cut inside
      handOver(Array.from({ length: Math.ceil((2 * cutChars) / length) }, () => value))
      return [...byHttp, ...byMcp, ...(await inLists(this.#callers, base))]
    } catch (error) {
      throw new Error(`${error} ${this.#app.lastError?.stack}`)
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
