/** Of a large table of cases: as few as show each pair, or each three, of their values beside each other. The whole table is for
 *  `npm run torture`. */

/** In an order of its own, the cases that show a set of `strength` values beside each other which none before them shows; all of
 *  them with `ACMCP_EVERY_CASE=1`. */
export function covering<One extends object>(cases: readonly One[], strength: 2 | 3): readonly One[] {
  if (process.env.ACMCP_EVERY_CASE === '1') return cases
  const seen = new Set<string>()
  return spread(cases).filter((one) => {
    const fresh = setsOf(fieldsOf(one), strength).filter((set) => !seen.has(set))
    for (const set of fresh) seen.add(set)
    return fresh.length > 0
  })
}

/** Neighbours differ in one field alone: cases far from each other show more that is new. */
function spread<One>(cases: readonly One[]): readonly One[] {
  const near = Math.round(cases.length * 0.618)
  const step =
    [...cases.keys()].map((more) => near + more).find((one) => divisor(one, cases.length) === 1) ?? 1
  return cases.flatMap((_, at) => cases[(at * step) % cases.length] ?? [])
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

const fieldsOf = (one: object): readonly string[] =>
  Object.entries(one).map(([name, value]) => `${name}=${String(value)}`)

function setsOf(fields: readonly string[], size: number): readonly string[] {
  if (size === 1) return fields
  return fields.flatMap((field, at) =>
    setsOf(fields.slice(at + 1), size - 1).map((others) => `${field} ${others}`),
  )
}
