/** What the balancer saw of a phase, judged: whose end was the fault of whom. It imports nothing of the product. */
import type { Exchange } from './balancer.ts'

/** A worker of an instance was killed. */
export interface Kill {
  readonly instance: number
  readonly at: number
  /** Requests that the instance had under way then. */
  readonly inFlight: number
}

export interface Verdict {
  readonly requests: number
  /** Of answers that are no stream. */
  readonly medianMs: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Connections that ended without an answer, or in the middle of one. */
  readonly cut: readonly Exchange[]
  /** Answers from 500 on. */
  readonly refused: readonly Exchange[]
  /** Clients that went away before the answer. */
  readonly left: number
}

export function verdictOn(exchanges: readonly Exchange[]): Verdict {
  const times = exchanges
    .filter(({ isStream, status }) => !isStream && status !== null && status !== 499)
    .map(({ began, ended }) => ended - began)
    .sort((a, b) => a - b)
  const at = (share: number): number => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0)
  return {
    requests: exchanges.length,
    medianMs: at(0.5),
    p99Ms: at(0.99),
    longestMs: at(1),
    cut: exchanges.filter(({ status, isWhole }) => status === null || !isWhole),
    refused: exchanges.filter(({ status }) => status !== null && status >= 500),
    left: exchanges.filter(({ status, isStream }) => status === 499 && !isStream).length,
  }
}

/** Those of the cut ones that no kill explains: they were under way at its instance when it happened. */
export function unexplained(cut: readonly Exchange[], kills: readonly Kill[]): readonly Exchange[] {
  return cut.filter(
    ({ instance, began, ended }) =>
      !kills.some((kill) => kill.instance === instance && began <= kill.at && ended >= kill.at),
  )
}

/** Those of the refused ones that an outage does not explain: 503 with `Retry-After`, while it lasted. */
export function unexcused(
  refused: readonly Exchange[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly Exchange[] {
  return refused.filter(
    ({ status, retryAfter, began, ended }) =>
      status !== 503 || !/^\d+$/.test(retryAfter ?? '') || ended < from || began > to,
  )
}

export const shortly = ({ method, path, status, isWhole, instance, began, ended }: Exchange): string =>
  `${method} ${path}: ${status ?? 'no answer'}${isWhole ? '' : ', cut'}, instance ${instance}, ${Math.round(ended - began)} ms`
