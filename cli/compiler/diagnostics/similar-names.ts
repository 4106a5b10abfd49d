/** Names that look like another name: what the author of an unknown one most likely meant. */

/** The one of `names` that `written` was to be, however its letters are cased; null when it is like none. */
export function closest(written: string, names: Iterable<string>): string | null {
  const plain = written.toLowerCase()
  const leeway = plain.length < 4 ? 1 : plain.length < 8 ? 2 : 3
  let best: string | null = null
  let least = leeway + 1
  for (const name of names) {
    if (name === written || Math.abs(name.length - plain.length) >= least) continue
    const distance = distanceOf(plain, name.toLowerCase())
    if (distance >= least || distance >= name.length) continue
    least = distance
    best = name
  }
  return best
}

/** ` Did you mean 'x'?`, to stand behind a hint; empty when there is nothing like it. */
export function didYouMean(written: string, names: Iterable<string>): string {
  const meant = closest(written, names)
  return meant === null ? '' : ` Did you mean '${meant}'?`
}

/** Letters too many, missing, wrong, or swapped with their neighbour. */
export function distanceOf(a: string, b: string): number {
  const rows: number[][] = [[...b, ''].map((_letter, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? a.length + b.length
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    rows.push(line)
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      line[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
  }
  return at(a.length, b.length)
}
