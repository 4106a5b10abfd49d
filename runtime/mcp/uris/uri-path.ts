/** The path of a resource's address: texts, and variables that take at least one character each. */

/** What a variable may not contain. */
interface PathVariable {
  /** Codes of characters. */
  readonly ends: readonly number[]
  readonly pattern: string
}

/** A text, or a variable. */
export type PathPart = string | PathVariable

const [hash, slash, question] = [0x23, 0x2f, 0x3f]
/** No end of a variable has a greater code. */
const lastEnd = question

/** `{name}` */
export const ofSegment: PathVariable = { ends: [hash, slash, question], pattern: '([^/?#]+)' }
/** `{+name}` */
export const ofPath: PathVariable = { ends: [hash, question], pattern: '([^?#]+)' }

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
  next === undefined || (typeof next === 'string' && ends.includes(next.charCodeAt(0)))

function byPattern(parts: readonly PathPart[]): MatchPath {
  const pattern = parts
    .map((part) => (isVariable(part) ? part.pattern : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
    .join('')
  const whole = new RegExp(`^${pattern}$`)
  return (uri) => whole.exec(uri)?.slice(1) ?? null
}

/** For each position where the part ends if it begins there and everything after it fits too, else 0: no part is empty. */
type Ends = Int32Array

function byTables(parts: readonly PathPart[]): MatchPath {
  return (uri) => {
    if (!holdsTexts(uri, parts)) return null
    const tables: Ends[] = []
    let after: Ends = new Int32Array(uri.length + 1)
    after[uri.length] = uri.length
    for (const part of [...parts].reverse()) {
      after = isVariable(part) ? endsOfVariable(part, uri, after) : endsOfText(part, uri, after)
      tables.unshift(after)
    }
    return after[0] === 0 ? null : valuesIn(uri, parts, tables)
  }
}

/** Whether the texts stand in the address in their order, each variable between them a character long: most addresses that are none
 *  of the template's end here, and this costs next to nothing. */
function holdsTexts(uri: string, parts: readonly PathPart[]): boolean {
  const [first = ofPath, last = ofPath] = [parts[0], parts.at(-1)]
  if (!isVariable(first) && !uri.startsWith(first)) return false
  if (!isVariable(last) && !uri.endsWith(last)) return false
  let from = 0
  for (const part of parts) {
    const at = isVariable(part) ? from : uri.indexOf(part, from)
    if (at < 0) return false
    from = at + (isVariable(part) ? 1 : part.length)
  }
  return from <= uri.length
}

function endsOfText(text: string, uri: string, after: Ends): Ends {
  const table = new Int32Array(uri.length + 1)
  for (let at = uri.indexOf(text); at >= 0; at = uri.indexOf(text, at + 1))
    if (after[at + text.length] !== 0) table[at] = at + text.length
  return table
}

function endsOfVariable({ ends }: PathVariable, uri: string, after: Ends): Ends {
  const table = new Int32Array(uri.length + 1)
  let end = 0
  for (let at = uri.length - 1; at >= 0; at -= 1) {
    const code = uri.charCodeAt(at)
    if (code <= lastEnd && ends.includes(code)) end = 0
    else if (end === 0 && after[at + 1] !== 0) end = at + 1
    table[at] = end
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
