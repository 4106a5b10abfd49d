/** Whether the server and this machine agree about the time. */
import { type Finding, notTried, ok, type Step, type Visit, wrong } from '../step.ts'
import { clockIsOff } from '../troubles.ts'
import { claimsOf } from './token.ts'

export const clockStep: Step = { name: 'clock', run: compare }

const maxSkewSeconds = 60

/** By the `Date` of the answers, and by when a token of this walk was issued. The least difference counts: what came late
 *  was on its way. */
function compare({ times, known, options }: Visit): Finding {
  const skews = times.map(({ said, heard }) => (said - heard) / 1000)
  const issuedAt = known.token?.isOwn === true ? claimsOf(known.token)?.iat : undefined
  const issued = typeof issuedAt === 'number' ? [issuedAt - options.clock() / 1000] : []
  const [date] = [...skews].sort((skew, other) => Math.abs(skew) - Math.abs(other))
  const all = [...(date === undefined ? [] : [date]), ...issued]
  const [worst] = all.sort((count, other) => Math.abs(other) - Math.abs(count))
  if (worst === undefined) return notTried('no answer has a Date')
  if (Math.abs(worst) > maxSkewSeconds) return wrong(date === worst ? 'Date' : 'iat', clockIsOff(worst))
  return ok('within a minute')
}
