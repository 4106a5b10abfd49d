/** Random routes against a model of the pipeline that fits on a page: the order of the trail and the answer must be the
 *  same. Source: rules.md, Exception handlers 10 and 11. */
import fc from 'fast-check'
import t from 'tap'
import type { RouteFilter } from '../../../runtime/contract/route.ts'
import { filter, handler, type Parts, type Probe, run } from '../support/probe.ts'

class Base extends Error {}
class Middle extends Base {}
class Leaf extends Middle {}
class Other extends Error {}
const errors = [Base, Middle, Leaf, Other] as const
const covers = (handled: number, thrown: number): boolean =>
  handled === 3 || thrown === 3 ? handled === thrown : handled <= thrown

type Act = { readonly kind: 'pass' | 'render' } | { readonly kind: 'throw'; readonly error: number }

interface FilterSpec {
  readonly when: RouteFilter['when']
  readonly later: boolean
  readonly act: Act
  /** Of an around filter, when it passes: what it does after `next`. */
  readonly out: Act
}

interface HandlerSpec {
  readonly error: number
  readonly depth: number
  readonly later: boolean
  readonly kind: 'value' | 'render' | 'nothing' | 'throw'
}

interface Spec {
  readonly filters: readonly FilterSpec[]
  readonly handlers: readonly HandlerSpec[]
  readonly action: { readonly later: boolean; readonly act: Act }
}

/** What a run came to: the trail, and the answer's text or `unhandled <class>`. */
type Result = readonly [trail: readonly string[], answer: string]

class Raised extends Error {
  readonly thrown: number
  constructor(thrown: number) {
    super()
    this.thrown = thrown
  }
}

/** `thrown` of the pipeline's own error: no class of ours covers it. */
const swallowed = -1

function model({ filters, handlers, action }: Spec): Result {
  const trail: string[] = []
  let rendered: string | null = null
  const act = (name: string, { kind, ...rest }: Act): void => {
    trail.push(name)
    if (kind === 'throw') throw new Raised('error' in rest ? rest.error : swallowed)
    if (kind === 'render') rendered = name
  }
  const of = (when: RouteFilter['when']): [string, FilterSpec][] =>
    filters.flatMap((filterSpec, index) =>
      filterSpec.when === when ? [[`filter ${index}`, filterSpec]] : [],
    )
  const inner = (): void => {
    for (const [name, filterSpec] of of('before')) {
      act(name, filterSpec.act)
      if (rendered !== null) return
    }
    act('action', action.act)
    rendered ??= 'action'
  }
  const enclose = ([first, ...rest]: [string, FilterSpec][]): void => {
    if (first === undefined) {
      inner()
      return
    }
    const [name, filterSpec] = first
    act(name, filterSpec.act)
    if (filterSpec.act.kind === 'render') return
    enclose(rest)
    act(`${name} out`, filterSpec.out)
  }
  try {
    enclose(of('around'))
    for (const [name, filterSpec] of of('after')) act(name, filterSpec.act)
    return [trail, String(rendered)]
  } catch (error) {
    if (!(error instanceof Raised)) throw error
    const unhandled = `unhandled ${error.thrown}`
    if (rendered !== null) return [trail, unhandled]
    const sorted = [...handlers.entries()].sort(
      ([a, handlerSpec], [b, two]) => handlerSpec.depth - two.depth || a - b,
    )
    const found = sorted.find(([, handlerSpec]) => covers(handlerSpec.error, error.thrown))
    if (found === undefined) return [trail, unhandled]
    const [index, item] = found
    trail.push(`handler ${index}`)
    if (item.kind === 'nothing') return [trail, unhandled]
    return [trail, item.kind === 'throw' ? 'unhandled 3' : `handler ${index}`]
  }
}

/** Does at once or later what a specification says. */
function perform(
  probe: Probe,
  name: string,
  { later, act }: { readonly later: boolean; readonly act: Act },
): unknown {
  const now = (): unknown => {
    probe.trail.push(name)
    if (act.kind === 'throw') throw new (errors[act.error as 0] ?? Error)(name) // an index into the table
    return act.kind === 'render' ? probe.render({ json: name }) : undefined
  }
  return later ? Promise.resolve().then(now) : now()
}

function filterOf(filterSpec: FilterSpec, index: number): ReturnType<typeof filter> {
  const name = `filter ${index}`
  return filter(filterSpec.when, name, (probe: Probe, _args, next) => {
    if (filterSpec.when !== 'around' || filterSpec.act.kind === 'throw')
      return perform(probe, name, filterSpec)
    return aroundOf(filterSpec, name, probe, next)
  })
}

async function aroundOf(
  filterSpec: FilterSpec,
  name: string,
  probe: Probe,
  next: () => Promise<void>,
): Promise<unknown> {
  const result = await perform(probe, name, filterSpec)
  if (filterSpec.act.kind === 'render') return result
  await next()
  return perform(probe, `${name} out`, { later: filterSpec.later, act: filterSpec.out })
}

async function real({ filters, handlers, action }: Spec): Promise<Result> {
  let trail: string[] = []
  const parts: Parts = {
    filters: filters.map(filterOf),
    handlers: handlers.map((handlerSpec, index) =>
      handler(
        errors[handlerSpec.error as 0],
        handlerSpec.kind === 'nothing' ? null : 400,
        (probe: Probe) => answer(probe, handlerSpec, index),
        {
          depth: handlerSpec.depth,
        },
      ),
    ),
    call: (probe) => {
      const result = perform(probe, 'action', action)
      return action.act.kind === 'pass' ? Promise.resolve(result).then(() => 'action') : result
    },
  }
  const { route } = parts
  const { Probe: Made } = await import('../support/probe.ts')
  const create = (): Probe => {
    const probe = new Made()
    trail = probe.trail
    return probe
  }
  try {
    const { body } = await run({ ...parts, route: { ...route, create } })
    return [trail, String(JSON.parse(String(body)))]
  } catch (error) {
    return [
      trail,
      `unhandled ${errors.findIndex((item) => error instanceof Error && error.constructor === item)}`,
    ]
  }
}

function answer(probe: Probe, { kind, later }: HandlerSpec, index: number): unknown {
  const name = `handler ${index}`
  const now = (): unknown => {
    probe.trail.push(name)
    if (kind === 'throw') throw new Other(name)
    if (kind === 'nothing') return undefined
    return kind === 'render' ? probe.render({ json: name }) : name
  }
  return later ? Promise.resolve().then(now) : now()
}

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Act>({ kind: 'pass' }) },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: 'render' }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('throw' as const), error: fc.nat(3) }) },
)

const spec: fc.Arbitrary<Spec> = fc.record({
  filters: fc.array(
    fc.record({
      when: fc.constantFrom('before' as const, 'around' as const, 'after' as const),
      later: fc.boolean(),
      act,
      out: act,
    }),
    { maxLength: 6 },
  ),
  handlers: fc.array(
    fc.record({
      error: fc.nat(3),
      depth: fc.nat(2),
      later: fc.boolean(),
      kind: fc.constantFrom('value' as const, 'render' as const, 'nothing' as const, 'throw' as const),
    }),
    { maxLength: 5 },
  ),
  action: fc.record({ later: fc.boolean(), act }),
})

t.test('random filters, handlers and actions run in the order of the model', async (t) => {
  const seen = { unhandled: 0, handled: 0, rendered: 0 }
  await fc.assert(
    fc.asyncProperty(spec, async (item) => {
      const expected = model(item)
      const found = await real(item)
      if (JSON.stringify(found) !== JSON.stringify(expected)) {
        throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`)
      }
      const kind = expected[1].startsWith('handler')
        ? 'handled'
        : expected[1].startsWith('un')
          ? 'unhandled'
          : 'rendered'
      seen[kind] += 1
    }),
    { numRuns: 3000 },
  )
  t.ok(
    Math.min(seen.unhandled, seen.handled, seen.rendered) > 100,
    `every kind was reached: ${JSON.stringify(seen)}`,
  )
})
