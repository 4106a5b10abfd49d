/** Content negotiation by RFC 9110, section 12.5.1: q-values, subtype wildcards, the more specific range wins. */

interface Range {
  readonly type: string
  readonly subtype: string
  readonly q: number
}

/** `type/subtype` with the wildcards of RFC 9110; anything else is no range. */
const rangeText = /^([^\s/,;]+)\/([^\s/,;]+)$/

function parseRange(part: string): Range | null {
  const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim())
  const match = rangeText.exec(range.toLowerCase())
  if (match === null) return null
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))
  return { type: match[1] ?? '', subtype: match[2] ?? '', q: weight === undefined ? 1 : toWeight(weight) }
}

function toWeight(parameter: string): number {
  const q = Number(parameter.slice(2))
  return Number.isFinite(q) ? Math.min(Math.max(q, 0), 1) : 0
}

const specificity = (range: Range): number => (range.type === '*' ? 0 : range.subtype === '*' ? 1 : 2)

function quality(ranges: readonly Range[], offered: string): number {
  const [type = '', subtype = ''] = offered.split('/')
  const fitting = ranges.filter(
    (range) =>
      (range.type === '*' && range.subtype === '*') ||
      (range.type === type && (range.subtype === '*' || range.subtype === subtype)),
  )
  const best = fitting.reduce<Range | null>(
    (found, range) => (found === null || specificity(range) > specificity(found) ? range : found),
    null,
  )
  return best?.q ?? 0
}

function judge(accept: string, offered: readonly string[]): string | null {
  if (accept.trim() === '') return offered[0] ?? null
  const ranges = accept
    .split(',')
    .map(parseRange)
    .filter((range) => range !== null)
  let best: string | null = null
  let bestQuality = 0
  for (const type of offered) {
    const q = quality(ranges, type)
    if (q > bestQuality) {
      best = type
      bestQuality = q
    }
  }
  return best
}

/** Longer headers are not kept, so that the tables stay small whatever is sent. */
const longestKept = 512
const mostKept = 256

/** What was answered, by list of offers and header: clients send few different headers. */
const known = new WeakMap<readonly string[], Map<string, string | null>>()

/** The offered type that `Accept` likes best (the first offered one on a tie), or null when none is acceptable.
 *  No header accepts everything. Offered types are lower case, in order of preference, in a list that never changes. */
export function negotiate(accept: string | null, offered: readonly string[]): string | null {
  const answers = answersFor(offered)
  const text = accept ?? ''
  const answer = answers.get(text)
  if (answer !== undefined) return answer
  const chosen = judge(text, offered)
  if (answers.size >= mostKept) answers.clear()
  if (text.length <= longestKept) answers.set(text, chosen)
  return chosen
}

function answersFor(offered: readonly string[]): Map<string, string | null> {
  const answers = known.get(offered)
  if (answers !== undefined) return answers
  const none = new Map<string, string | null>()
  known.set(offered, none)
  return none
}

const onlyJson: readonly string[] = ['application/json']

export const acceptsJson = (accept: string | null): boolean => negotiate(accept, onlyJson) !== null
