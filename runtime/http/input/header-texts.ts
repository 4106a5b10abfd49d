/** The texts of a header, of which a list is one for each part. */
import type { AnswerType } from '../../contract/answer-type.ts'
import type { Codec } from '../../contract/route.ts'
import { parsed } from '../codec/received.ts'

export type HeaderTexts = (lines: readonly string[]) => readonly string[]

/** How the lines of a header are read. Of a list blanks around the parts and empty ones say nothing, a quoted string is one part, and
 *  lines of one name are one list; anything else is a text as it stands. Source: RFC 9110, 5.3, 5.6.1 and 5.6.4. */
export const headerTextsOf = (name: string, codec: Codec): HeaderTexts =>
  codec.answer !== undefined && isList(codec.answer)
    ? (lines) => partsOf(lines, entityTags.has(name) ? tagged : quotedStrings)
    : (lines) => lines

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

function partsOf(lines: readonly string[], quotes: Quotes): readonly string[] {
  const whole = lines.join(',')
  if (whole.startsWith('[') && Array.isArray(parsed(whole))) return [whole]
  const written = (whole.includes('"') ? membersOf(whole, quotes.escapes) : whole.split(','))
    .map(withoutBlanks)
    .filter((part) => part !== '')
  const [only = '', ...others] = written.map(quotes.unquote)
  if (others.length > 0) return [only, ...others]
  // a list of one that would be read as several, as JSON or as empty
  return written.length === 1 && only !== written[0] && /^$|^\[|,/.test(only)
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

/** Whether every value is a list, or null. */
function isList(answer: AnswerType): boolean {
  switch (answer.kind) {
    case 'ref':
      return isList(answer.type())
    case 'list':
      return answer.places.length === 0 && answer.items !== null
    case 'union': {
      const members = answer.members.filter((member) => member.kind !== 'scalar' || !member.accepts(null))
      return members.length > 0 && members.every(isList)
    }
    default:
      return false
  }
}
