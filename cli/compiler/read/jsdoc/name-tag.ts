/** The grammar of `@mcp name=…`. */
import { badGivenName } from '../../diagnostics/name-diagnostics.ts'
import type { DeclaredMcp } from '../../ir/source-model.ts'
import type { Source } from '../program/program.ts'
import { placeOfWord, refuse, type Tag } from './doc-comment.ts'

/** One word: `name=greet`. */
export function readName(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  if (mcp.name !== null) refuse(source, tag, 'has two names', 'Remove one of the two.')
  const text = word.slice('name='.length)
  if (text === '') {
    refuse(source, tag, 'gives no name', 'Write it behind the word: @mcp name=greet')
    return mcp
  }
  const why = whyNoName(text)
  if (why === null) return { ...mcp, name: { text, at: tag.at } }
  source.report(badGivenName(placeOfWord(tag, word), text, why))
  return mcp
}

/** Source: tools of MCP 2025-11-25 allow dots and 128 characters; clients do not (reference/mcp.md, 2.3). */
function whyNoName(text: string): string | null {
  if (text.length > 64) return `has ${text.length} characters, more than 64`
  const [strange] = /[^A-Za-z0-9_-]/u.exec(text) ?? []
  return strange === undefined ? null : `has the character ${JSON.stringify(strange)}`
}
