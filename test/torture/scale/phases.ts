/** What happens to the fleet while people act, and what may go wrong meanwhile. */
import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '../../store/postgres-server.ts'
import type { Balancer, Exchange } from './balancer.ts'
import { act, type Tally } from './crowd.ts'
import type { Fleet } from './fleet.ts'
import type { Person } from './person.ts'
import { type Kill, shortly, unexcused, unexplained, type Verdict, verdictOn } from './verdict.ts'

export interface Scene {
  readonly balancer: Balancer
  readonly fleet: Fleet
  readonly people: readonly Person[]
}

export interface Report {
  readonly name: string
  readonly verdict: Verdict
  readonly done: number
  readonly unanswered: Tally['unanswered']
  /** What was done to the fleet. */
  readonly reported: string
  /** What must not be. */
  readonly failures: readonly string[]
}

/** Acts for at least so many requests, until `during` has ended too; it is told when there were enough. */
async function whileActing(
  { balancer, people }: Scene,
  requests: number,
  during: (isEnough: () => boolean) => Promise<void>,
): Promise<{ readonly verdict: Verdict; readonly tally: Tally; readonly exchanges: readonly Exchange[] }> {
  const from = balancer.exchanges.length
  let isEnough = false
  let isOver = false
  const acting = act(people, () => isOver)
  const enough = balancer.reached(from + requests).then(() => {
    isEnough = true
  })
  await Promise.all([enough, during(() => isEnough)])
  isOver = true
  const tally = await acting
  const exchanges = balancer.exchanges.slice(from)
  return { verdict: verdictOn(exchanges), tally, exchanges }
}

/** Nobody may notice anything. */
const nothing = ({ cut, refused }: Verdict, { unanswered }: Tally): readonly string[] => [
  ...[...cut, ...refused].map(shortly),
  ...unanswered.map(({ what, why }) => `${what}: ${why}`),
]

export async function steady(scene: Scene, requests: number): Promise<Report> {
  const { verdict, tally } = await whileActing(scene, requests, async () => {})
  const failures = nothing(verdict, tally)
  return { name: 'steady', verdict, ...tally, reported: 'nothing happens', failures }
}

/** Rolling restarts, and SIGTERM to one instance after the other, which is started again. After the first round another version is deployed,
 *  whose first worker migrates the schema while the version before serves. */
export async function restarts(scene: Scene, requests: number, deploy: () => void): Promise<Report> {
  const { instances, renew } = scene.fleet
  const stops: number[] = []
  let rolled = 0
  const { verdict, tally, exchanges } = await whileActing(scene, requests, async (isEnough) => {
    do {
      if (rolled === instances.length) deploy()
      for (const at of instances.keys()) {
        await instances[at]?.restart()
        rolled += 1
        if (instances.length > 1) stops.push(Math.round(await renew(at)))
      }
    } while (!isEnough() || rolled < 2 * instances.length)
  })
  const by = (version: string): number => exchanges.filter((exchange) => exchange.version === version).length
  const reported =
    `${rolled} rolling restarts, ${stops.length} times SIGTERM (longest end ${Math.max(0, ...stops)} ms), ` +
    `${by('1')} answers of the old version, ${by('2')} of the new one`
  return { name: 'restarts', verdict, ...tally, reported, failures: nothing(verdict, tally) }
}

const killEveryMs = 5000

/** SIGKILL of a worker every five seconds. */
export async function kills(scene: Scene, requests: number): Promise<Report> {
  const { instances } = scene.fleet
  const made: Kill[] = []
  const again: number[] = []
  const { verdict, tally } = await whileActing(scene, requests, async (isEnough) => {
    while (!isEnough() || made.length < 3) {
      await pause(killEveryMs)
      const instance = made.length % instances.length
      const pids = instances[instance]?.workerPids() ?? []
      const pid = pids[made.length % pids.length]
      if (pid === undefined) throw new Error('there is no worker to kill')
      made.push({ instance, at: performance.now(), inFlight: scene.balancer.inFlight(instance) })
      again.push(Math.round((await instances[instance]?.killWorker(pid)) ?? 0))
    }
  })
  const { cut, refused } = verdict
  const underWay = made.reduce((sum, { inFlight }) => sum + inFlight, 0)
  const reported =
    `${made.length} workers killed with ${underWay} requests under way at their instances, ` +
    `${cut.length} cut, ${tally.unanswered.length} things unanswered, ready again in ${Math.max(...again)} ms at most`
  const failures = [...unexplained(cut, made), ...refused].map(shortly)
  const isUnexplained = tally.unanswered.length > cut.length
  const left = tally.unanswered.filter(({ isTool }) => isTool || isUnexplained)
  failures.push(...left.map(({ what, why }) => `${what}: ${why}`))
  return { name: 'kills', verdict, ...tally, reported, failures }
}

const awayMs = 3000
/** How long after the database is back somebody may still be told that it is away. */
const graceMs = 6000

/** PostgreSQL is stopped, and started again. */
export async function outage(
  scene: Scene,
  requests: number,
  power: NonNullable<PostgresServer['power']>,
): Promise<Report> {
  const away = { from: 0, back: 0 }
  const { verdict, tally, exchanges } = await whileActing(scene, requests, async () => {
    await pause(500)
    away.from = performance.now()
    await power.off()
    await pause(awayMs)
    await power.on()
    away.back = performance.now()
  })
  const { cut, refused } = verdict
  const reported = reportedOf(away, exchanges, tally)
  const wrong = [...cut, ...unexcused(refused, { from: away.from, to: away.back + graceMs })]
  const signedOut = tally.unanswered.filter(
    ({ what, why }) => what !== 'signIn' && /unauthorized/i.test(why), // nobody's token is worse for it
  )
  const failures = [...wrong.map(shortly), ...signedOut.map(({ what, why }) => `${what}: ${why}`)]
  return { name: 'outage', verdict, ...tally, reported, failures }
}

/** How long it was, and what was answered meanwhile. */
function reportedOf(
  { from, back }: { readonly from: number; readonly back: number },
  exchanges: readonly Exchange[],
  { unanswered }: Tally,
): string {
  const statuses = new Map<string, number>()
  for (const { status } of exchanges.filter(({ began }) => began > from && began < back))
    statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1)
  const last = Math.max(back, ...exchanges.flatMap(({ status, ended }) => (status === 503 ? ended : [])))
  const [tool, ...tools] = unanswered.filter(({ isTool }) => isTool)
  const failed =
    tool === undefined ? '' : `; ${1 + tools.length} tool calls failed, such as ${tool.why.slice(0, 200)}`
  const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  return `away for ${Math.round(back - from)} ms: ${counts}; the last 503 ${Math.round(last - back)} ms after it was back${failed}`
}
