/** The table of repeated calls: every pair of entrances, every credential, change and state, before and after a deploy, compared
 *  with what templates/docs/retries.md promises. */
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { covering } from '../../support/covering.ts'
import { builtTable } from './application.ts'
import { afters, type Cell, cellsOf, expected, isGuarded, type Outcome } from './oracle.ts'
import { type Answered, type Call, openTable, type Sender, type TableWorld } from './world.ts'

t.setTimeout(480_000) // with every case

const withheld = new Set<string>()
Reflect.set(globalThis, 'withheld', withheld)
const before = await builtTable('nothing')

interface Scene {
  readonly cell: Cell
  readonly user: string
  readonly call: Call
  readonly first: Sender
}

/** A first call that has ended, or runs. */
interface Played {
  readonly scene: Scene
  readonly answer: Promise<Answered>
  readonly runs: number
}

const cells = covering(afters.flatMap(cellsOf), 2)

for (const after of afters)
  t.test(`idempotency, the table of repeated calls: ${after}`, async (t) => {
    withheld.clear()
    const world = await openTable(t, before)
    const played: Played[] = []
    for (const cell of cells.filter((one) => one.after === after))
      played.push(await playFirst(world, cell, played.length))
    if (after === '25 hours') world.clock.now += 25 * 3_600_000
    else if (after !== 'nothing') await world.deploy(await builtTable(after))
    const seconds: Answered[] = []
    for (const { scene } of played) seconds.push(await callAgain(world, scene))
    world.release()
    const wrong = []
    for (const [at, one] of played.entries()) {
      const [found, wanted] = [await outcomeOf(world, one, seconds[at]), expected(one.scene.cell)]
      if (!isDeepStrictEqual(found, wanted)) wrong.push({ cell: one.scene.cell, found, expected: wanted })
    }
    t.strictSame(wrong.slice(0, 20), [], `${wrong.length} of ${played.length} cells`)
  })

const kindOf = (cell: Cell): Call['kind'] => {
  if (cell.state === 428) return 'approved'
  return isGuarded(cell) ? 'guarded' : 'plain'
}

async function playFirst(world: TableWorld, cell: Cell, at: number): Promise<Played> {
  const [user, what] = [`dev:user${at}`, `what ${at}`]
  const how = String(cell.state)
  const args = { what, how, ...(cell.state === 422 ? {} : { count: 1 }) }
  const call: Call = { kind: kindOf(cell), method: 'act', args, key: 'the key' }
  const first = await firstOf(world, cell, user)
  const answer = world.call(first, cell.first, { ...call, isLeft: cell.state === 'running' })
  if (cell.state === 'running' && cell.credential !== 'nobody') await world.begun(what)
  else await answer
  if (cell.state === 428) await world.approve(user)
  return { scene: { cell, user, call, first }, answer, runs: world.runs.get(what) ?? 0 }
}

async function firstOf(world: TableWorld, cell: Cell, user: string): Promise<Sender> {
  switch (cell.credential) {
    case 'the same session':
    case 'a session, then a token':
      return world.sessionOf(user)
    case 'the same API key':
    case 'another API key':
    case 'an API key, then a token':
      return { headers: { 'x-api-key': user } }
    case 'nobody':
      return {}
    default:
      return world.tokenOf(user, cell.state === 403 ? 'see' : 'act see')
  }
}

async function callAgain(world: TableWorld, { cell, user, call, first }: Scene): Promise<Answered> {
  const sender = await secondOf(world, { cell, user, first })
  const { change, state } = cell
  const mended = state === 422 ? 1 : 2
  return world.call(sender, cell.second, {
    ...call,
    ...(change === 'one argument' ? { args: { ...call.args, count: mended } } : {}),
    ...(change === 'another route' ? { method: 'other' } : {}),
    ...(change === 'no key' ? { key: null } : {}),
    ...(change === 'another key' ? { key: 'another key' } : {}),
  })
}

async function secondOf(
  world: TableWorld,
  { cell, user, first }: Pick<Scene, 'cell' | 'user' | 'first'>,
): Promise<Sender> {
  switch (cell.credential) {
    case 'the same token': // it expires within a day
      return cell.after === '25 hours' ? world.tokenOf(user) : first
    case 'another token of the client':
    case 'a session, then a token':
    case 'an API key, then a token':
      return world.tokenOf(user)
    case 'another client of the user':
      return world.tokenOfOtherClient(user, false)
    case 'another user':
      return world.tokenOf(`${user} the other`)
    case 'another API key':
      return { headers: { 'x-api-key': `${user} the other` } }
    case 'the same session':
    case 'the same API key':
    case 'nobody':
      return first
    case 'a token that was revoked':
      await world.revoke(first)
      return first
    case 'a token without the scope':
      return world.tokenOf(user, 'see')
    case 'a token whose scope was taken away':
      withheld.add(user)
      return world.tokenOf(user)
    case 'a token that may only look':
      return world.tokenOfOtherClient(user, true)
  }
}

/** What the second call came to, beside the first. */
async function outcomeOf(
  world: TableWorld,
  { scene: { cell, call }, answer, runs }: Played,
  second: Answered | undefined,
): Promise<Outcome | null> {
  if (second === undefined) return null
  const first = await answer
  const isAnswer = second.kind === 'returned' || second.kind === 'handled' || second.kind === 'failed'
  const ran = (world.runs.get(call.args.what) ?? 0) - runs
  const said = ({ value }: Answered): unknown => value?.id ?? value?.taken ?? null
  const hasNames = second.kind === 'returned' && cell.state !== 'large' && second.value !== null
  return {
    kind: second.kind,
    runs: ran,
    isFirst: isAnswer && ran === 0 && said(first) === said(second),
    isReplayed: second.isReplayed,
    names: hasNames
      ? Object.keys(second.value ?? {})
          .sort()
          .join(' ')
      : null,
  }
}
