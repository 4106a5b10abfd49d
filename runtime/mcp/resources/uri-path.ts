/** The path of a resource's address: texts, and variables that take at least one character each. */

/** What a variable may not contain. */
interface PathVariable {
  readonly ends: ReadonlySet<string>
  readonly pattern: string
}

/** A text, or a variable. */
export type PathPart = string | PathVariable

/** `{name}` */
export const ofSegment: PathVariable = { ends: new Set('/?#'), pattern: '([^/?#]+)' }
/** `{+name}` */
export const ofPath: PathVariable = { ends: new Set('?#'), pattern: '([^?#]+)' }

/** The texts of the variables, in their order, each as long as can be; null = the address is another. */
export type MatchPath = (uri: string) => readonly string[] | null

/** No address takes more time than its length and the parts say. A regular expression needs a power of the length where it must guess the
 *  ends of several variables: ten seconds for 2,000 characters of `{a}-{b}-{c}`. */
export function pathMatcher(parts: readonly PathPart[]): MatchPath {
  const guessed = parts.filter((part, at) => typeof part !== 'string' && !endsBefore(part, parts[at + 1]))
  return guessed.length > 0 && parts.filter(isVariable).length > 1 ? byTables(parts) : byPattern(parts)
}

const isVariable = (part: PathPart): part is PathVariable => typeof part !== 'string'

/** Whether what follows says where the variable ends. */
const endsBefore = ({ ends }: PathVariable, next: PathPart | undefined): boolean =>
  next === undefined || (typeof next === 'string' && ends.has(next.charAt(0)))

function byPattern(parts: readonly PathPart[]): MatchPath {
  const pattern = parts
    .map((part) => (isVariable(part) ? part.pattern : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
    .join('')
  const whole = new RegExp(`^${pattern}$`)
  return (uri) => whole.exec(uri)?.slice(1) ?? null
}

/** For each position where the part ends if it begins there and everything after it fits too, else -1. */
type Ends = Int32Array

function byTables(parts: readonly PathPart[]): MatchPath {
  const [first = ''] = parts
  return (uri) => {
    if (typeof first === 'string' && !uri.startsWith(first)) return null
    const tables: Ends[] = []
    let fits = (position: number): boolean => position === uri.length
    for (const part of [...parts].reverse()) {
      const table = isVariable(part) ? endsOfVariable(part, uri, fits) : endsOfText(part, uri, fits)
      fits = (position) => (table[position] ?? -1) >= 0
      tables.unshift(table)
    }
    return fits(0) ? valuesIn(uri, parts, tables) : null
  }
}

function endsOfText(text: string, uri: string, fits: (position: number) => boolean): Ends {
  const table = new Int32Array(uri.length + 1).fill(-1)
  for (let at = uri.indexOf(text); at >= 0; at = uri.indexOf(text, at + 1))
    if (fits(at + text.length)) table[at] = at + text.length
  return table
}

function endsOfVariable({ ends }: PathVariable, uri: string, fits: (position: number) => boolean): Ends {
  const table = new Int32Array(uri.length + 1).fill(-1)
  for (let at = uri.length - 1; at >= 0; at -= 1) {
    if (ends.has(uri.charAt(at))) continue
    const further = table[at + 1] ?? -1
    table[at] = further >= 0 ? further : fits(at + 1) ? at + 1 : -1
  }
  return table
}

function valuesIn(uri: string, parts: readonly PathPart[], tables: readonly Ends[]): readonly string[] {
  let at = 0
  return parts.flatMap((part, index) => {
    const from = at
    at = tables[index]?.[from] ?? from
    return isVariable(part) ? [uri.slice(from, at)] : []
  })
}
