/** The grammar of `@timeout 30s`. */
import { secondsOf, unitNamed } from '../../compiler/ir/time-units.ts'
import { type Reporter, refuse, refuseText, type Tag } from '../../compiler/read/jsdoc/tag.ts'

const longestSeconds = 3600

/** Seconds; false = no end. */
export function readTimeout(source: Reporter, tag: Tag): number | false | null {
  if (tag.text === 'none') return false
  const [, digits = '', unit = ''] = /^(0|[1-9]\d*)(s|min)$/.exec(tag.text) ?? []
  const seconds = secondsOf(unit)
  if (seconds === undefined) {
    const usual = 'Write whole seconds or minutes, such as @timeout 30s or @timeout 2min, or @timeout none.'
    return refuseText(source, tag, usual + meantBy(tag.text))
  }
  const timeoutSeconds = Number(digits) * seconds
  if (timeoutSeconds >= 1 && timeoutSeconds <= longestSeconds) return timeoutSeconds
  const why = timeoutSeconds === 0 ? 'leaves no time at all' : 'is more than an hour'
  refuse(source, tag, `'${tag.text}' ${why}`, 'Write 1s to 60min, or @timeout none.')
  return null
}

/** A bare number is most likely seconds. */
function meantBy(text: string): string {
  const [, count, word = ''] = /^(\d+)\s*([a-z]*)$/i.exec(text) ?? []
  const unit = word === '' ? 's' : unitNamed(word)
  const isUsual = count !== undefined && (unit === 's' || unit === 'min')
  return isUsual ? ` Did you mean ${Number(count)}${unit}?` : ''
}
