/** Calls with keys, and kills while they run: a process at a time, of which the next one serves already. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Instance, type InstanceOptions, startInstance } from '../../serve/support/instance.ts'
import { freePort } from '../../support/free-port.ts'
import { type Payment, type Place, paidTimes, pay, type Told } from './keyed-payments.ts'

/** Of one kind of route. */
export interface KillStanding {
  readonly keys: number
  readonly once: number
  readonly twice: number
  /** Not paid: the last call was told that the outcome is unknown. */
  readonly never: number
  /** What the last call of each key was told, when every lease was over. */
  readonly answered: number
  readonly unknown: number
  /** Keys that had an answer before, and whose last call got another one, or none. */
  readonly changed: number
  /** Keys that were answered and not paid, or neither paid nor told to be unknown, or whose last call got anything else. */
  readonly wrong: number
}

export type Standings = Readonly<Record<Place, KillStanding>> & {
  readonly kills: number
  readonly calls: number
  /** Calls that a kill cut off. */
  readonly cut: number
}

const perKill = 5
const times = 3
/** Longer than a process is believed to live without a sign of it. */
const leaseMs = 31_000
const lastAtOnce = 20

interface Server {
  readonly port: number
  readonly kill: () => Promise<void>
}

async function start(options: Omit<InstanceOptions, 'port' | 'workers'>): Promise<Server> {
  const port = await freePort()
  const { process: child, workerPids, gone }: Instance = await startInstance({ ...options, port, workers: 1 })
  for (const place of ['file', 'table'] as const) // the first call of a process takes long, and most kills would come before its claim
    await pay(port, { place, id: `warm ${port}`, ms: 0, apiKey: 'warm' })
  return {
    port,
    async kill() {
      for (const pid of [...workerPids(), Number(child.pid)]) process.kill(pid, 'SIGKILL')
      await gone
    },
  }
}

const paymentsOf = (kill: number): readonly Payment[] =>
  (['file', 'table'] as const).flatMap((place) =>
    Array.from({ length: perKill }, (_, at) => ({
      ...{ place, id: `${place} ${kill} ${at}`, ms: (kill * 5 + at * 3) % 14, apiKey: `kill ${kill}` },
    })),
  )

export async function keyedKills(
  options: Omit<InstanceOptions, 'port' | 'workers'>,
  kills: number,
): Promise<Standings> {
  const told = new Map<Payment, Told[]>()
  const ask = async (port: number, payment: Payment): Promise<Told> => {
    const answer = await pay(port, payment)
    told.set(payment, [...(told.get(payment) ?? []), answer])
    return answer
  }
  let server = await start(options)
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const next = await start(options)
      const payments = paymentsOf(kill)
      const { port } = server
      const calls = payments.flatMap((payment) => Array.from({ length: times }, () => ask(port, payment)))
      await delay((kill * 7) % 97) // somewhere on the way
      await server.kill()
      server = next
      await Promise.all(payments.map((payment) => ask(next.port, payment)))
      await Promise.all(calls)
    }
    const askAll = () => lastOf([...told.keys()], (payment) => ask(server.port, payment))
    await askAll() // a lease is over for who has seen it for as long
    await delay(leaseMs)
    const last = await askAll()
    const paid = await paidTimes(server.port, options.cwd)
    const seen = [...told].map(([payment, all]) => {
      return { payment, all, last: last.get(payment), count: paid.get(payment.id) ?? 0 }
    })
    const all = [...told.values()].flat()
    return {
      ...{ kills, calls: all.length, cut: all.filter(({ status }) => status === 0).length },
      ...{ file: standingOf(seen, 'file'), table: standingOf(seen, 'table') },
    }
  } finally {
    await server.kill()
  }
}

async function lastOf(
  payments: readonly Payment[],
  ask: (payment: Payment) => Promise<Told>,
): Promise<ReadonlyMap<Payment, Told>> {
  const last = new Map<Payment, Told>()
  const left = [...payments]
  const some = async (): Promise<void> => {
    for (let payment = left.pop(); payment !== undefined; payment = left.pop())
      last.set(payment, await ask(payment))
  }
  await Promise.all(Array.from({ length: lastAtOnce }, some))
  return last
}

interface Seen {
  readonly payment: Payment
  readonly all: readonly Told[]
  readonly last: Told | undefined
  readonly count: number
}

function standingOf(every: readonly Seen[], place: Place): KillStanding {
  const seen = every.filter(({ payment }) => payment.place === place)
  const counted = (is: (item: Seen) => boolean): number => seen.filter(is).length
  const runs = ({ all }: Seen): number => new Set(all.flatMap(({ run }) => run ?? [])).size
  const isAnswered = ({ last }: Seen): boolean => last?.status === 200
  const isUnknown = ({ last }: Seen): boolean => last?.type === 'urn:acmcp:idempotency-unknown'
  return {
    keys: seen.length,
    once: counted(({ count }) => count === 1),
    twice: counted(({ count }) => count > 1),
    never: counted(({ count }) => count === 0),
    answered: counted(isAnswered),
    unknown: counted(isUnknown),
    changed: counted((item) => runs(item) > 1 || (runs(item) > 0 && !isAnswered(item))),
    wrong: counted((item) => (isAnswered(item) ? item.count === 0 : !isUnknown(item))),
  }
}
