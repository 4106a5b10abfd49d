/** The grammar of `@limit 60/min`. */
import type { RouteLimit } from '../../../runtime/contract/route.ts'
import { secondsOf, unitNamed } from '../../compiler/ir/time-units.ts'
import { type Reporter, refuse, refuseText, type Tag } from '../../compiler/read/jsdoc/tag.ts'

/** False = none at all. */
export type SaidLimit = RouteLimit | false

const maxCalls = 1_000_000

export function readLimit(source: Reporter, tag: Tag): SaidLimit | null {
  if (tag.text === 'none') return false
  const [, digits = '', unit = ''] = /^(0|[1-9]\d*)\/(s|min|h|day)$/.exec(tag.text) ?? []
  const windowSeconds = secondsOf(unit)
  if (windowSeconds === undefined) {
    const usual = 'Write calls per s, min, h or day, such as @limit 60/min, or @limit none.'
    const [, count, word = ''] = /^(\d+)\s*(?:\/|per\b)\s*(?:an?\b\s*)?([a-z]+)$/i.exec(tag.text) ?? []
    const meant = unitNamed(word)
    const hint = meant === undefined ? usual : `${usual} Did you mean ${Number(count)}/${meant}?`
    return refuseText(source, tag, hint)
  }
  const calls = Number(digits)
  if (calls >= 1 && calls <= maxCalls) return { calls, windowSeconds }
  const why = calls === 0 ? 'allows no call at all' : `allows more than ${maxCalls} calls`
  refuse(source, tag, `'${tag.text}' ${why}`, `Write 1 to ${maxCalls} calls, or @limit none.`)
  return null
}
