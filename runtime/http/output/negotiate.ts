/** Content negotiation by RFC 9110, section 12.5.1: q-values, subtype wildcards, the more specific range wins. */

/** The offered type that `Accept` likes best (the first offered one on a tie), or null when none is acceptable.
 *  No header accepts everything. Offered types are lower case, in order of preference. */
export function negotiate(accept: string | null, offered: readonly string[]): string | null {
  if (accept === null || accept === '*/*' || accept.trim() === '') return offered[0] ?? null
  if (offered.includes(accept)) return accept // with that what most clients send is decided
  const ranges = rangesOf(accept)
  let best: string | null = null
  let bestQuality = 0
  for (const type of offered) {
    const q = ranges.get(type) ?? ranges.get(type.replace(/\/.*/, '/*')) ?? ranges.get('*/*') ?? 0
    if (q > bestQuality) {
      best = type
      bestQuality = q
    }
  }
  return best
}

export const acceptsJson = (accept: string | null): boolean =>
  negotiate(accept, ['application/json']) !== null

/** Whether the client is a browser: `text/html` is named, and liked better than JSON. */
export const prefersHtml = (accept: string | null): boolean =>
  accept !== null &&
  /\btext\/html\b/i.test(accept) &&
  negotiate(accept, ['application/json', 'text/html']) === 'text/html'

/** The format in which a client with this `Accept` gets a failure: a page, JSON if it names that and no HTML, a text for `text/plain` alone.
 *  Source: rules.md, Unhandled exceptions. */
export function failureFormat(accept: string | null): 'page' | 'json' | 'text' {
  if (accept === null || /\b(html|xhtml\+xml)\b/i.test(accept)) return 'page'
  if (/[/+]json\b/i.test(accept)) return 'json'
  return [...rangesOf(accept).keys()].join() === 'text/plain' ? 'text' : 'page'
}

/** The weight of each range; of one that is there twice the first counts. */
function rangesOf(accept: string): ReadonlyMap<string, number> {
  const ranges = new Map<string, number>()
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const name = range.toLowerCase()
    if (!ranges.has(name)) ranges.set(name, weightOf(parameters))
  }
  return ranges
}

function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))
  if (weight === undefined) return 1
  const q = Number(weight.slice(2))
  return Number.isFinite(q) ? Math.min(Math.max(q, 0), 1) : 0
}
