const longestName = 64

/** A name that looks like another, and how far it is from it. */
export interface Match {
  readonly candidate: string
  readonly distance: number
}

/** A sentence for a name that does not exist, with up to three names that do and look alike, the nearest first. */
export const unknownName = (kind: string, name: string, known: Iterable<string>): string =>
  sentenceFor(kind, name, (shown) => nearMatches(shown, known))

/** The sentence with the first three of what `find` answers for the name as it is shown. */
export function sentenceFor(kind: string, name: string, find: (shown: string) => readonly Match[]): string {
  const shown = name.slice(0, longestName)
  const near = find(shown).slice(0, 3)
  const named = near.map(({ candidate }) => candidate).join(', ')
  return `unknown ${kind} ${JSON.stringify(shown)}${named === '' ? '' : `, did you mean: ${named}`}`
}

/** The nearest first. */
export function nearMatches(name: string, known: Iterable<string>): readonly Match[] {
  const farthest = Math.max(2, name.length / 3)
  const ranked = [...known].map((candidate) => ({ candidate, distance: likeness(name, candidate, farthest) }))
  const near = ranked.filter(({ distance }) => distance <= farthest)
  return near.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
}

/** Whether one letter more, less or another makes the one name of the other, without regard to case. */
export const isOneEdit = (name: string, other: string): boolean =>
  Math.abs(name.length - other.length) <= 1 && editDistance(name.toLowerCase(), other.toLowerCase()) <= 1

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
