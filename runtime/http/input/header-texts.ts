/** The texts of a header, of which a list is one for each part. */
import type { AnswerType } from '../../contract/answer-type.ts'
import type { Codec } from '../../contract/route.ts'
import { parsed } from '../codec/received.ts'

export type HeaderTexts = (lines: readonly string[]) => readonly string[]

/** How the lines of a header are read. Of a list blanks around the parts and empty ones say nothing, a quoted string is one part, and
 *  lines of one name are one list, also where one plain value may stand in place of it; anything else is a text as it stands. Source:
 *  RFC 9110, 5.3, 5.6.1 and 5.6.4. */
export function headerTextsOf(name: string, { answer }: Codec): HeaderTexts {
  if (answer === undefined || !isList(answer)) return (lines) => lines
  const reading = { quotes: entityTags.has(name) ? tagged : quotedStrings, isValue: isValueOf(answer) }
  return (lines) => partsOf(lines, reading)
}

interface Reading {
  readonly quotes: Quotes
  /** Whether the text is a value that may stand in place of a list. */
  readonly isValue: (text: string) => boolean
}

/** What quotes mean in the parts of a list. */
interface Quotes {
  readonly escapes: string | null
  readonly unquote: (part: string) => string
}

const quotedStrings: Quotes = {
  escapes: '\\',
  unquote: (part) => (/^"(?:[^"\\]|\\.)*"$/s.test(part) ? part.slice(1, -1).replace(/\\(.)/gs, '$1') : part),
}

/** The quotes of an entity tag are a part of it, and nothing in it is escaped. Source: RFC 9110, 8.8.3. */
const tagged: Quotes = { escapes: null, unquote: (part) => part }
const entityTags: ReadonlySet<string> = new Set(['if-match', 'if-none-match'])

function partsOf(lines: readonly string[], { quotes, isValue }: Reading): readonly string[] {
  const whole = lines.join(',')
  if (whole.startsWith('[') && Array.isArray(parsed(whole))) return [whole]
  const written = (whole.includes('"') ? membersOf(whole, quotes.escapes) : whole.split(','))
    .map(withoutBlanks)
    .filter((part) => part !== '')
  const [only = '', ...others] = written.map(quotes.unquote)
  if (others.length > 0) return [only, ...others]
  // a list of one that would be read as several, as JSON or as empty
  return written.length === 1 && only !== written[0] && /^$|^\[|,/.test(only) && !isValue(only)
    ? [JSON.stringify([only])]
    : [only]
}

/** What stands between commas that are in no quotes; between all where a quote is never closed. */
function membersOf(list: string, escapes: string | null): readonly string[] {
  const members: string[] = []
  let [start, isQuoted] = [0, false]
  for (let at = 0; at < list.length; at += 1) {
    const letter = list[at]
    if (letter === '"') isQuoted = !isQuoted
    else if (isQuoted && letter === escapes) at += 1
    else if (!isQuoted && letter === ',') {
      members.push(list.slice(start, at))
      start = at + 1
    }
  }
  return isQuoted ? list.split(',') : [...members, list.slice(start)]
}

/** Blanks and tabs alone: a letter of Latin 1 may look like one. */
function withoutBlanks(part: string): string {
  let [start, end] = [0, part.length]
  while (start < end && isBlank(part[start])) start += 1
  while (end > start && isBlank(part[end - 1])) end -= 1
  return part.slice(start, end)
}

const isBlank = (letter: string | undefined): boolean => letter === ' ' || letter === '\t'

/** Whether a value is a list, or one may stand beside plain values and null. */
function isList(answer: AnswerType): boolean {
  const members = membersOfUnion(answer)
  return (
    members.some(({ kind }) => kind === 'list') &&
    members.every((member) => member.kind === 'scalar' || (member.kind === 'list' && isPlain(member)))
  )
}

const isPlain = ({ places, items }: AnswerType & { readonly kind: 'list' }): boolean =>
  places.length === 0 && items !== null

const isValueOf =
  (answer: AnswerType): Reading['isValue'] =>
  (text) =>
    membersOfUnion(answer).some((member) => member.kind === 'scalar' && member.accepts(text))

function membersOfUnion(answer: AnswerType): readonly AnswerType[] {
  if (answer.kind === 'ref') return membersOfUnion(answer.type())
  return answer.kind === 'union' ? answer.members.flatMap(membersOfUnion) : [answer]
}
