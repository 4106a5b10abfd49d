/** The grammar of `@mcp skill [when to use it]`, of a class. */

import type { Skill } from '../../ir/model.ts'
import type { Source } from '../program/program.ts'
import { refuse, type Tag } from './doc-comment.ts'

export const saysSkill = ({ name, text }: Tag): boolean => name === 'mcp' && /^skill\b/.test(text)

/** `skill [text]`; null = the class has none. */
export function readSkill(source: Source, tags: readonly Tag[]): Skill | null {
  const [tag, second] = tags.filter(saysSkill)
  if (second !== undefined) refuse(source, second, 'says skill twice', 'Remove one of the two.')
  return tag === undefined ? null : { when: tag.text.slice('skill'.length).trim(), at: tag.at }
}
