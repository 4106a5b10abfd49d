const longestName = 64

/** A name that looks like another, and how far it is from it. */
export interface NearMatch {
  readonly candidate: string
  readonly distance: number
}

/** A sentence for a name that does not exist, with up to three names that do and look alike, the nearest first. */
export const unknownName = (kind: string, name: string, known: Iterable<string>): string =>
  sentenceFor(kind, name, (shown) => nearMatches(shown, known))

/** The same sentence with names that are known to be meant. */
export const namesInstead = (kind: string, name: string, meant: readonly string[]): string =>
  sentenceFor(kind, name, () => meant.map((candidate) => ({ candidate, distance: 0 })))

/** `, did you mean: …` with up to three of `known` that look like `name`, the nearest first; empty where none does. */
export const meantName = (name: string, known: Iterable<string>): string =>
  suggested(nearMatches(name.slice(0, longestName), known))

function suggested(near: readonly NearMatch[]): string {
  const named = near.slice(0, 3).map(({ candidate }) => candidate)
  return named.length === 0 ? '' : `, did you mean: ${named.join(', ')}`
}

/** The sentence with the first three of what `find` returns for the name as it is shown. */
export function sentenceFor(
  kind: string,
  name: string,
  find: (shown: string) => readonly NearMatch[],
): string {
  const shown = name.slice(0, longestName)
  return `unknown ${kind} ${JSON.stringify(shown)}${suggested(find(shown))}`
}

/** A client may ask for any name, among thousands: of those that could be near, only so many are measured. */
const maxMeasured = 24

/** The nearest first, without regard to case. */
export function nearMatches(name: string, known: Iterable<string>): readonly NearMatch[] {
  const wanted = name.toLowerCase()
  const farthest = Math.max(2, name.length / 3)
  const measured = maxAlike(wanted, known, farthest).map((candidate) => ({
    candidate,
    distance: similarity(wanted, candidate.toLowerCase()),
  }))
  const near = measured.filter(
    ({ candidate, distance }) => distance <= farthest && distance < Math.min(candidate.length, name.length), // of a short name all may differ
  )
  return near.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
}

/** Whether one letter more, less or another makes the one name of the other, without regard to case. */
export const isOneEdit = (name: string, other: string): boolean =>
  Math.abs(name.length - other.length) <= 1 && editDistance(name.toLowerCase(), other.toLowerCase()) <= 1

/** Names whose length allows it, those first that differ from `wanted` in the shortest piece. */
function maxAlike(wanted: string, known: Iterable<string>, farthest: number): readonly string[] {
  const byPiece: string[][] = []
  for (const candidate of known) {
    const lower = candidate.toLowerCase()
    const isPart = holds(wanted, lower)
    if (!isPart && Math.abs(wanted.length - lower.length) > farthest) continue
    const piece = isPart ? 0 : differingPiece(wanted, lower)
    byPiece[piece] ??= []
    byPiece[piece].push(candidate)
  }
  return byPiece.flat().slice(0, maxMeasured)
}

const holds = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) > 2 && (a.includes(b) || b.includes(a))

/** The length of what is left of the longer one without a common beginning and end. */
function differingPiece(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let end = 0
  while (end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++
  return Math.max(a.length, b.length) - start - end
}

/** Edit distance; 1 when one name holds the other. */
const similarity = (a: string, b: string): number => (holds(a, b) ? 1 : editDistance(a, b))

function editDistance(a: string, b: string): number {
  let row = Uint16Array.from({ length: b.length + 1 }, (_, index) => index)
  let next = new Uint16Array(b.length + 1)
  for (let i = 1; i <= a.length; i++) {
    next[0] = i
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
      next[j] = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
    }
    ;[row, next] = [next, row]
  }
  return row[b.length] ?? 0
}
