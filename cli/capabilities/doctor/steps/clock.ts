/** Whether the server and this machine agree about the time. */
import { type JsonRecord, jsonObject } from '../request.ts'
import { type BearerToken, type Finding, notTried, ok, type Visit, wrong } from '../step.ts'
import { type Trouble, trouble } from '../troubles.ts'

/** By the `Date` of the answers, and by when a token of this walk was issued. The least difference counts: what came late
 *  was on its way. */
export function compareClocks({ times, known, options }: Visit): Finding {
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

export const maxSkewSeconds = 60

export function clockIsOff(skewSeconds: number): Trouble {
  const seconds = Math.abs(skewSeconds)
  const count = seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`
  return trouble('clockIsOff', { span: `${count} ${skewSeconds > 0 ? 'ahead of' : 'behind'}` })
}

/** Of a JWT, which is read and not verified; else null. */
export function claimsOf({ text }: BearerToken): JsonRecord | null {
  const [, payload] = text.split('.')
  return payload === undefined ? null : jsonObject(Buffer.from(payload, 'base64url').toString())
}
