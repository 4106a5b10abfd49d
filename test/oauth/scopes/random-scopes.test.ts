/** Random declarations, questions, ticks and refreshes, each build another than the last: no token ever grants what its user did
 *  not tick. The model here knows nothing of `runtime/scopes.ts`. */
import fc from 'fast-check'
import t from 'tap'
import { createAuthorizationServer } from '../../../runtime/oauth/server.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import {
  answer,
  type ConsentForm,
  fieldOf,
  grantedBy,
  open,
  parametersOf,
  readConsent,
  redeemed,
  refreshed,
  tokensIn,
  type Visit,
  visit,
} from '../support/consent-form.ts'
import { caller, type World, world } from '../support/harness.ts'

t.setTimeout(300_000)

const names = ['a', 'b', 'c', 'd', 'e'] as const
type Name = (typeof names)[number]

interface Declared {
  readonly implies: readonly Name[]
  readonly sensitive: boolean
  /** What its `mayHave` says. */
  readonly isHavable: boolean
}

type Build = ReadonlyMap<string, Declared>

const often = (times: number): fc.Arbitrary<boolean> =>
  fc.integer({ min: 0, max: times }).map((count) => count > 0)

/** A scope implies only those before it, and no sensitive one unless it is sensitive itself. */
const builds: fc.Arbitrary<Build> = fc
  .tuple(
    ...names.map((name) =>
      fc.record({
        name: fc.constant(name),
        isDeclared: often(4),
        sensitive: fc.boolean(),
        isHavable: often(7),
        wanted: fc.subarray(names.slice(0, names.indexOf(name))),
      }),
    ),
  )
  .map((list) => {
    const build = new Map<string, Declared>()
    for (const { name, isDeclared, sensitive, isHavable, wanted } of list) {
      const implies = wanted.filter(
        (item) => build.has(item) && (sensitive || build.get(item)?.sensitive === false),
      )
      if (isDeclared) build.set(name, { implies, sensitive, isHavable })
    }
    if (build.size === 0) build.set('a', { implies: [], sensitive: false, isHavable: true })
    return build
  })

/** What names come to in a build. */
function meaning(build: Build, requested: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const follow = (name: string): void => {
    if (found.has(name) || !build.has(name)) return
    found.add(name)
    build.get(name)?.implies.forEach(follow)
  }
  const ofApi = [...build].filter(([, { sensitive }]) => !sensitive).map(([name]) => name)
  for (const name of requested) for (const text of name === 'api' ? ofApi : [name]) follow(text)
  return found
}

/** Whether a user can have the name with what it implies. */
const isHavable = (build: Build, name: string): boolean =>
  [...meaning(build, [name])].every((text) => build.get(text)?.isHavable === true)

const beyond = (granted: readonly string[], ...limits: readonly ReadonlySet<string>[]): readonly string[] =>
  granted.filter((name) => !limits.every((limit) => limit.has(name)))

/** The same store, users and clients under the declarations of a build. */
function served(w: World, build: Build): World {
  const config = [...build].map(([name, { implies, sensitive, isHavable }]) => [
    name,
    { text: `May ${name}`, implies, sensitive, mayHave: () => isHavable },
  ])
  const options = { ...w.options, scopes: createScopes(Object.fromEntries(config)) }
  const server = createAuthorizationServer(options)
  return { ...w, options, server, call: caller(server.endpoints) }
}

const scopeText = fc.subarray(['api', ...names]).map((list) => list.join(' '))

/** As a client narrows: mostly to little. */
const fewScopes = fc.subarray(['api', ...names], { maxLength: 2 }).map((list) => list.join(' '))

const life = fc.record({
  builds: fc.array(builds, { minLength: 1, maxLength: 4 }),
  asked: scopeText,
  ticked: fc.subarray([...names]),
  refreshes: fc.array(fewScopes, { minLength: 4, maxLength: 4 }),
})

t.test(
  'property: whatever is declared, asked, ticked and refreshed, no token grants what was not ticked',
  async (t) => {
    const base = await world(t)
    const visitor = await visit(base)
    const seen = { pages: 0, granted: 0, narrowed: 0, refused: 0 }

    /** The page for what a client asks; null when there is none. */
    async function page(item: Visit, build: Build, scope: string): Promise<ConsentForm | null> {
      const outcome = await open(item, parametersOf(item, scope))
      const requested = scope === '' ? ['api'] : scope.split(' ')
      if (outcome.status !== 200) return null
      const form = readConsent(outcome)
      const shown = form.ticks.map(({ field }) => field.slice(fieldOf('').length))
      const expected = [...meaning(build, requested)].filter((name) => isHavable(build, name))
      if ([...shown].sort().join() !== expected.sort().join())
        throw new Error(`asked ${scope}, shown ${shown}, expected ${expected}`)
      const early = form.ticks.filter(
        ({ isTicked, field }) => isTicked && build.get(field.slice(6))?.sensitive,
      )
      if (early.length > 0 && form.ticks.every(({ under }) => !under.startsWith('Already')))
        throw new Error(`ticked at first: ${JSON.stringify(early)}`)
      seen.pages += 1
      return form
    }

    const property = fc.asyncProperty(
      life,
      async ({ builds: [first, ...others], asked: requested, ticked, refreshes }) => {
        if (first === undefined) return
        let item: Visit = { ...visitor, world: served(base, first) }
        const form = await page(item, first, requested)
        if (form === null) return
        const shown = form.ticks.map(({ field }) => field.slice(fieldOf('').length))
        const outcome = await answer(item, form, { ticked })
        if (outcome.status !== 303) return
        const limit = meaning(
          first,
          ticked.filter((name) => shown.includes(name)),
        )
        let tokens = await redeemed(item, outcome)
        const issued = [tokens]
        for (const [index, build] of [first, ...others].entries()) {
          item = { ...item, world: served(base, build) }
          const scope = refreshes[index] ?? ''
          const answered = await refreshed(item, tokens.refresh, scope === '' ? {} : { scope })
          if (answered.status === 200) {
            tokens = tokensIn(answered)
            issued.push(tokens)
            const now = (await grantedBy(item, tokens.access)) ?? []
            const havable = new Set([...build.keys()].filter((name) => isHavable(build, name)))
            const wrong = beyond(now, havable, scope === '' ? havable : meaning(build, scope.split(' ')))
            if (wrong.length > 0) throw new Error(`refreshed to ${now}, of which ${wrong} is too much`)
            seen.narrowed += scope === '' ? 0 : 1
          } else seen.refused += 1
          for (const { access, scope } of issued) {
            const granted = (await grantedBy(item, access)) ?? []
            const wrong = beyond(granted, limit, new Set(build.keys()), meaning(build, scope.split(' ')))
            if (wrong.length > 0)
              throw new Error(`${scope} grants ${granted}, of which ${wrong} was never ticked`)
            seen.granted += granted.length
          }
        }
      },
    )
    await fc.assert(property, { numRuns: 1000, seed: 15 })
    t.comment(JSON.stringify(seen))
    for (const [what, count] of Object.entries(seen)) t.ok(count > 100, what)
  },
)
