/** The grammar of `@mcp task[=required]`. */

import type { DeclaredMcp } from '../../ir/source-model.ts'
import type { Source } from '../program/program.ts'
import { refuse, refuseWord, type Tag } from './doc-comment.ts'

/** `task`, or `task=required` for what no client can wait for. */
export function readTaskWord(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  if (word !== 'task' && word !== 'task=required') {
    refuseWord(source, tag, word, [`cannot read '${word}'`, 'Write @mcp task or @mcp task=required.'])
    return mcp
  }
  if (mcp.task !== null) refuse(source, tag, 'says task twice', 'Remove one of the two.')
  return { ...mcp, task: { mode: word === 'task' ? 'optional' : 'required', at: tag.at } }
}
