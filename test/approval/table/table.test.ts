/** The table of decisions: every entrance, era, capability, credential, decision and retry, compared with what
 *  templates/docs/approval.md promises. */
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { covering } from '../../support/covering.ts'
import { type Cell, cellsOf, decisions, expected, type Outcome, type Played } from './oracle.ts'
import { buildTable, openTable, type Sender, type TableWorld } from './world.ts'

t.setTimeout(480_000) // with every case

const bundle = await buildTable()
const minute = 60_000

interface Scene {
  readonly cell: Cell
  readonly user: string
  readonly what: string
  readonly first: Sender
  readonly retry: Sender
}

const changed = (what: string): string => `${what.slice(0, -1)}b`

const cells = covering(decisions.flatMap(cellsOf), 3)

for (const decision of decisions)
  t.test(`approval, the table of decisions: ${decision}`, async (t) => {
    const world = await openTable(t, bundle)
    const before = (await world.ran()).length
    const scenes: Scene[] = []
    for (const cell of cells.filter((one) => one.decision === decision))
      scenes.push(await sceneOf(world, cell, scenes.length))
    const found = await play(world, decision, scenes)
    const effects = (await world.ran()).slice(before)
    const wrong = scenes.flatMap(({ cell, what }, at) => {
      const count = effects.filter((id) => id === what || id === changed(what)).length
      const [played, wanted] = [{ ...found[at], effects: count }, expected(cell)]
      return isDeepStrictEqual(played, wanted) ? [] : [{ cell, found: played, expected: wanted }]
    })
    t.strictSame(wrong, [], `${scenes.length} cells`)
  })

/** A user of its own. */
async function sceneOf(world: TableWorld, cell: Cell, at: number): Promise<Scene> {
  const user = `dev:user${at}`
  const scene = { cell, user, what: `w${at}a` }
  switch (cell.credential) {
    case 'nobody':
      return { ...scene, first: world.nobody(), retry: world.nobody() }
    case 'session':
    case 'session, unless=session': {
      const session = await world.sessionOf(user)
      return { ...scene, first: session, retry: session }
    }
    case 'token': {
      const token = await world.tokenOf(user)
      return { ...scene, first: token, retry: token }
    }
    case 'another grant of the user':
      return { ...scene, first: await world.tokenOf(user), retry: await world.tokenOf(user) }
    case 'another user':
      return { ...scene, first: await world.tokenOf(user), retry: await world.tokenOf(`dev:other${at}`) }
  }
}

/** A route that asks sessions too: what waits is counted over all routes and entrances. */
const overHttp = (cell: Cell): Cell => ({ ...cell, entrance: 'HTTP', credential: 'token' })

/** Calls that come before the first one; denials are counted by route. */
const othersBefore = { 'three others denied': 3, 'ten others wait': 10 }
const beforeDecision = { 'expired before it was decided': 10 * minute }
const afterDecision = {
  'approved and expired': 5 * minute,
  'used less than a minute ago': minute - 1,
  'used more than a minute ago': minute,
}

const numberOf = (table: object, decision: Cell['decision']): number =>
  Number(new Map(Object.entries(table)).get(decision) ?? 0)

/** All cells of a decision on one clock. */
async function play(
  world: TableWorld,
  decision: Cell['decision'],
  scenes: readonly Scene[],
): Promise<readonly Omit<Played, 'effects'>[]> {
  const first: Outcome[] = []
  for (const scene of scenes) {
    for (let other = 0; other < numberOf(othersBefore, decision); other += 1) {
      const cell = decision === 'ten others wait' ? overHttp(scene.cell) : scene.cell
      await world.call(scene.first, cell, `${scene.what}${other}`)
      if (decision === 'three others denied') await world.decide(scene.user, 'denied')
    }
    first.push(await world.call(scene.first, scene.cell, scene.what))
  }
  world.clock.now += numberOf(beforeDecision, decision)
  const uses: (Outcome | null)[] = []
  for (const { first, user, cell, what } of scenes) {
    if (decision === 'denied') await world.decide(user, 'denied')
    if (/^(approved|expired|used)/.test(decision)) await world.decide(user, 'approved')
    uses.push(decision.startsWith('used') ? await world.call(first, cell, what) : null)
  }
  world.clock.now += numberOf(afterDecision, decision)
  const retries = await retriesOf(world, decision, scenes)
  return scenes.map((_scene, at) => ({
    first: first[at] ?? 'told',
    use: uses[at] ?? null,
    retry: retries[at] ?? 'told',
  }))
}

/** Where nothing is decided the same call waits 25 seconds: all of them together. */
async function retriesOf(
  world: TableWorld,
  decision: Cell['decision'],
  scenes: readonly Scene[],
): Promise<readonly Outcome[]> {
  const send = ({ cell, retry, what }: Scene): Promise<Outcome> =>
    world.call(retry, cell, cell.retry === 'the same' ? what : changed(what))
  if (decision === 'none') return world.whileTimePasses(Promise.all(scenes.map(send)))
  const outcomes: Outcome[] = []
  for (const scene of scenes) outcomes.push(await send(scene))
  return outcomes
}
