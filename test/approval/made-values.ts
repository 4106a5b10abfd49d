/** Values that a parser of an application makes, beside the JSON that they are shown as. */

/** A file of an application: JSON in which `{ "$": "Date", "of": … }` is made what it names. */
export const madeSource = `class Point {
  constructor(readonly x: number) {}
}

const make: Record<string, (of: any) => unknown> = {
  Date: (of) => new Date(of),
  bytes: (of) => Uint8Array.from(of),
  words: (of) => Uint16Array.from(of),
  Map: (of) => new Map(of),
  Set: (of) => new Set(of),
  URL: (of) => new URL(of),
  RegExp: (of) => new RegExp(of),
  Point: (of) => new Point(of),
  undefined: () => undefined,
}

const isMade = (value: any): boolean => typeof value === 'object' && value !== null && '$' in value

export const parseMade = (bytes: Uint8Array): unknown => made(JSON.parse(new TextDecoder().decode(bytes)))

function made(value: any): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isMade(value)) return make[value.$]?.(made(value.of))
  if (Array.isArray(value)) return value.map(made)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, made(item)]))
}
`

const made = (name: string, of: unknown): string => JSON.stringify({ $: name, of })

const moment = '2026-01-01T00:00:00.000Z'

/** Two calls that are shown alike and are not the same. */
export const madePairs: readonly (readonly [approved: string, other: string])[] = [
  [JSON.stringify(moment), made('Date', moment)],
  [made('Date', moment), JSON.stringify(moment)],
  [made('Date', 'never'), 'null'],
  [made('bytes', [1, 2]), '"AQI="'],
  [made('Map', [['a', 1]]), '[["a",1]]'],
  [made('Set', [1]), '[1]'],
  [made('Set', [['a', 1]]), made('Map', [['a', 1]])],
  [`{"$":"Map","of":[["a",${made('Date', moment)}]]}`, made('Map', [['a', moment]])],
  [made('URL', 'http://a/'), '"http://a/"'],
  [made('words', [1, 2]), '{"0":1,"1":2}'],
  [made('Point', 1), '{"x":1}'],
  [`{"a":${made('undefined', 0)}}`, '{"a":null}'],
  [`{"a":${made('Date', moment)},"b":"${moment}"}`, `{"a":"${moment}","b":${made('Date', moment)}}`],
]
