/** What somebody who wrote a tag that nobody knows most likely meant. Source: annotations.md, Nothing is lost silently. */

/** Words of other tools and languages for what has another name here. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['return', 'returns'],
  ['status', 'returns'],
  ['catch', 'exception'],
  ['rescue', 'exception'],
  ['handler', 'exception'],
  ['before', 'filter'],
  ['around', 'filter'],
  ['after', 'filter'],
  ['route', 'get'],
  ['head', 'get'], // every GET also answers HEAD
  ['tool', 'mcp'],
  ['min', 'minimum'],
  ['max', 'maximum'],
  ['regex', 'pattern'],
])

/** The one of `known` that `written` with `text` behind it was to be, such as `mcp hide`; null when it is like none. */
export function nearest(written: string, text: string, known: Iterable<string>): string | null {
  const plain = written.toLowerCase().replace(/[^a-z]/g, '')
  if (plain.startsWith('mcp')) return `mcp ${plain.slice('mcp'.length)}`.trim()
  const all = [...known]
  const names = all.map((name) => ({ name, distance: distanceOf(plain, name.toLowerCase()) }))
  const fits = names.filter(({ name, distance }) => distance <= leeway(name, plain, text.startsWith('/')))
  const [best] = fits.sort((a, b) => a.distance - b.distance)
  const synonym = synonyms.get(plain) ?? ''
  return all.includes(synonym) ? synonym : (best?.name ?? null)
}

/** How many slips are likely. A short name is the name of something else too easily, unless a path follows. */
function leeway(name: string, plain: string, isRoute: boolean): number {
  if (name.length > 5) return 2
  const isOther = plain.length <= name.length && sorted(plain) !== sorted(name)
  return name.length < 5 && isOther && !isRoute ? 0 : 1
}

const sorted = (text: string): string => [...text].sort().join('')

/** Letters too many, missing, wrong, or swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
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
