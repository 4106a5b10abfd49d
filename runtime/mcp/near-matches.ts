const longestName = 64

/** A sentence for a name that does not exist, with up to three names that do and look alike, the nearest first. */
export function unknownName(kind: string, name: string, known: Iterable<string>): string {
  const shown = name.slice(0, longestName)
  const near = nearMatches(shown, known)
  return `unknown ${kind} ${JSON.stringify(shown)}${near.length === 0 ? '' : `, did you mean: ${near.join(', ')}`}`
}

function nearMatches(name: string, known: Iterable<string>): readonly string[] {
  const farthest = Math.max(2, name.length / 3)
  const ranked = [...known].map((candidate) => ({ candidate, distance: likeness(name, candidate, farthest) }))
  const near = ranked.filter(({ distance }) => distance <= farthest)
  near.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
  return near.slice(0, 3).map(({ candidate }) => candidate)
}

/** Edit distance without regard to case; 1 when one name holds the other; not worked out where the lengths alone are
 *  farther apart than `farthest`: anybody may ask for any name, among thousands. */
function likeness(name: string, candidate: string, farthest: number): number {
  const [a, b] = [name.toLowerCase(), candidate.toLowerCase()]
  if (a.length > 2 && (a.includes(b) || b.includes(a))) return 1
  return Math.abs(a.length - b.length) > farthest ? Number.POSITIVE_INFINITY : editDistance(a, b)
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
