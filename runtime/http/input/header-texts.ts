/** The texts of a header, of which a list is one for each part. */
import type { AnswerType } from '../../contract/answer-type.ts'
import type { Codec } from '../../contract/route.ts'
import { parsed } from '../codec/received.ts'

export type HeaderTexts = (lines: readonly string[]) => readonly string[]

/** How the lines of a header are read. Of a list blanks around the parts and empty ones say nothing, and lines of one name are one list;
 *  anything else is a text as it stands. Source: RFC 9110, 5.3 and 5.6.1. */
export const headerTextsOf = (codec: Codec): HeaderTexts =>
  codec.answer !== undefined && isList(codec.answer) ? partsOf : (lines) => lines

function partsOf(lines: readonly string[]): readonly string[] {
  const whole = lines.join(',')
  if (whole.startsWith('[') && Array.isArray(parsed(whole))) return [whole]
  const said = whole
    .split(',')
    .map(withoutBlanks)
    .filter((part) => part !== '')
  return said.length === 0 ? [''] : said
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
