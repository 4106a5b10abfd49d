/** Fifty equal calls with one key at once, again and again, on two processes. */
import type { Servers } from '../tasks/servers.ts'
import { type Payment, paidTimes, pay } from './keyed-payments.ts'

export interface RaceStanding {
  readonly rounds: number
  readonly once: number
  readonly twice: number
  readonly never: number
  /** Calls that got the answer, and that were told that the first one is running. */
  readonly answered: number
  readonly running: number
  /** Rounds in which two calls got different answers, or none got one. */
  readonly wrong: number
  /** Calls that got anything else, by status. */
  readonly others: Readonly<Record<string, number>>
}

const atOnce = 50

export async function keyedRaces(
  { ports }: Pick<Servers, 'ports'>,
  { rounds, folder }: { readonly rounds: number; readonly folder: string },
): Promise<RaceStanding> {
  const others: Record<string, number> = {}
  let [answered, running, wrong] = [0, 0, 0]
  const payments = Array.from({ length: rounds }, (_, round): Payment => {
    const place = round % 2 === 0 ? 'file' : 'table'
    return { place, id: `${place} ${round}`, ms: (round * 3) % 11, apiKey: 'races' }
  })
  for (const payment of payments) {
    const calls = Array.from({ length: atOnce }, (_, at) => pay(ports[at % ports.length] ?? 0, payment))
    const told = await Promise.all(calls)
    const runs = new Set(told.flatMap(({ run }) => run ?? []))
    if (runs.size !== 1) wrong += 1
    for (const { status, type } of told)
      if (status === 200) answered += 1
      else if (type === 'urn:acmcp:idempotency-running') running += 1
      else others[status] = (others[status] ?? 0) + 1
  }
  const times = await paidTimes(ports[0] ?? 0, folder)
  const counts = payments.map(({ id }) => times.get(id) ?? 0)
  const counted = (isOne: (count: number) => boolean): number => counts.filter(isOne).length
  return {
    ...{ rounds, once: counted((count) => count === 1), twice: counted((count) => count > 1) },
    ...{ never: counted((count) => count === 0), answered, running, wrong, others },
  }
}
