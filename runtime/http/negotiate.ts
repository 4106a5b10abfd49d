/** Content negotiation by RFC 9110, section 12.5.1: q-values, subtype wildcards, the more specific range wins. */

interface Range {
  readonly type: string
  readonly subtype: string
  readonly q: number
}

function parseRange(part: string): Range | null {
  const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim())
  const match = /^([^\s/]+)\/([^\s/]+)$/.exec(range.toLowerCase())
  if (match === null) return null
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))
  const q = weight === undefined ? 1 : Number(weight.slice(2))
  return {
    type: match[1] ?? '',
    subtype: match[2] ?? '',
    q: Number.isFinite(q) ? Math.min(Math.max(q, 0), 1) : 0,
  }
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

/** The offered type that `Accept` likes best (the first offered one on a tie), or null when none is acceptable.
 *  No header accepts everything. Offered types are lower case, in order of preference. */
export function negotiate(accept: string | null, offered: readonly string[]): string | null {
  if (accept === null || accept.trim() === '') return offered[0] ?? null
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
