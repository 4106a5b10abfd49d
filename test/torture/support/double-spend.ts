/** Races for one code, for one refresh token and for the retries of its grace: contenders in one process or spread over several, on one
 *  database. Exactly one may win each race, and five the last. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Store } from '../../../runtime/store/store.ts'
import { openStore } from '../../support/whole-store.ts'

export interface Tournament {
  readonly url: string
  /** 1: this process; more: so many children, each with a store of its own. */
  readonly processes: number
  /** Races for a code, as many for the refresh token that the winner got, and as many for its retries. */
  readonly races: number
  readonly contenders: number
}

export interface Standing {
  /** Races of all kinds. */
  readonly races: number
  /** Those with fewer winners than there are prizes, and those with more. */
  readonly withoutWinner: number
  readonly doubles: number
  /** Answers that are neither a win nor `again`. */
  readonly strange: number
}

/** One round for a contender's process: all of its contenders for all of these tokens at once. */
export interface Round {
  readonly kind: 'code' | 'refresh' | 'retry'
  readonly tokens: readonly string[]
  /** The first contender's number and how many there are. */
  readonly from: number
  readonly contenders: number
}

/** By token: the winners' numbers, and how many answers were neither `first` nor `again`. */
export interface RoundResult {
  readonly winners: readonly (readonly number[])[]
  readonly strange: number
}

/** Enough that processes and engine always have work; each token still has all of its contenders at once. On PostgreSQL
 *  few enough that nobody waits five seconds for one of a process's ten connections, also on a busy machine: that would
 *  rightly be a 503. */
const racesAtOnceOn = (url: string): number => (url.startsWith('sqlite:') ? 40 : 6)
const end = Date.now() + 24 * 3_600_000
const grace = { ms: end, maxRetries: 5 }
const prizes = { code: 1, refresh: 1, retry: grace.maxRetries }
const pairName = (token: string, contender: number): string => `${token}.${contender}`

/** What one process does with its share of a round. */
export async function contend(store: Store, round: Round): Promise<RoundResult> {
  let strange = 0
  const isRetry = round.kind === 'retry'
  const spend: typeof store.rotateRefresh = round.kind === 'code' ? store.redeemCode : store.rotateRefresh
  const raceFor = async (token: string): Promise<readonly number[]> => {
    const winners: number[] = []
    const item = async (contender: number): Promise<void> => {
      const name = `${pairName(token, contender)}${isRetry ? ' again' : ''}`
      const pair = {
        access: { jti: `a.${name}`, expiresAt: end },
        refresh: { jti: name, expiresAt: end + 1 },
      }
      const { kind } = await spend(token, pair, isRetry ? grace : null)
      if (kind === (isRetry ? 'retried' : 'redeemed')) winners.push(contender)
      else if (kind !== 'replayed') strange += 1
    }
    await Promise.all(Array.from({ length: round.contenders }, (_, i) => item(round.from + i)))
    return winners
  }
  return { winners: await Promise.all(round.tokens.map(raceFor)), strange }
}

/** Runs all races. `progress` is called after each group of them with the number run. */
export async function doubleSpend(
  tournament: Tournament,
  progress: (races: number) => void = () => {},
): Promise<Standing> {
  const { url, processes, races } = tournament
  const store = await openStore({ url, clock: () => Date.now(), migrations: {}, migrate: 'apply' })
  const teams =
    processes === 1
      ? [inProcess(store)]
      : await Promise.all(Array.from({ length: processes }, () => startTeam(url)))
  const racesAtOnce = racesAtOnceOn(url)
  const total = { races: 0, withoutWinner: 0, doubles: 0, strange: 0 }
  try {
    let prepared = issueCodes(store, 0, Math.min(racesAtOnce, races))
    for (let race = 0; race < races; race += racesAtOnce) {
      const codes = await prepared
      const next = race + racesAtOnce
      prepared = issueCodes(store, next, Math.min(racesAtOnce, races - next))
      const winners = await runRound(teams, tournament.contenders, { kind: 'code', tokens: codes }, total)
      const refreshTokens = codes.map((code, i) => pairName(code, winners[i] ?? -1))
      await runRound(teams, tournament.contenders, { kind: 'refresh', tokens: refreshTokens }, total)
      await runRound(teams, tournament.contenders, { kind: 'retry', tokens: refreshTokens }, total)
      progress(total.races)
    }
    await prepared
  } finally {
    for (const team of teams) await team.stop()
    await store.close()
  }
  return total
}

/** The codes of one round; made while the round before it is run. */
async function issueCodes(store: Store, from: number, count: number): Promise<readonly string[]> {
  const codes = Array.from({ length: Math.max(0, count) }, (_, i) => `code-${from + i}`)
  await Promise.all(codes.map((code) => issue(store, code)))
  return codes
}

function issue(store: Store, code: string): Promise<void> {
  const grant = { userId: 'u', clientId: 'c', scope: 'api', resource: '', allowed: null }
  return store.issueCode({ id: `grant of ${code}`, ...grant }, { jti: code, expiresAt: end })
}

interface Team {
  run(round: Round): Promise<RoundResult>
  stop(): Promise<void>
}

type Total = { -readonly [Key in keyof Standing]: number }

/** Adds to `total` and answers the first winner of each race, -1 for none. */
async function runRound(
  teams: readonly Team[],
  contenders: number,
  round: Pick<Round, 'kind' | 'tokens'>,
  total: Total,
): Promise<readonly number[]> {
  const shares = teams.map((_, i) => Math.floor((contenders + i) / teams.length))
  const startOf = (team: number): number => shares.slice(0, team).reduce((sum, share) => sum + share, 0)
  const results = await Promise.all(
    teams.map((team, i) => team.run({ ...round, from: startOf(i), contenders: shares[i] ?? 0 })),
  )
  total.strange += results.reduce((sum, { strange }) => sum + strange, 0)
  return round.tokens.map((_, race) => {
    const winners = results.flatMap((result) => result.winners[race] ?? [])
    total.races += 1
    if (winners.length < prizes[round.kind]) total.withoutWinner += 1
    if (winners.length > prizes[round.kind]) total.doubles += 1
    return winners[0] ?? -1
  })
}

const inProcess = (store: Store): Team => ({
  run: (round) => contend(store, round),
  stop: async () => {},
})

const worker = fileURLToPath(new URL('./double-spend.worker.js', import.meta.url))

async function startTeam(url: string): Promise<Team> {
  const child = fork(worker, [url], { execArgv: [] })
  await reply(child)
  return {
    run: async (round) => {
      child.send(round)
      return (await reply(child)) as RoundResult // the worker's answer
    },
    stop: async () => {
      if (child.exitCode !== null) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** The next message; rejects when the child ends instead. */
async function reply(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const dies = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`a contender's process ended with ${String(code)}`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), dies])
    return message
  } finally {
    ended.abort()
    dies.catch(() => {})
  }
}
