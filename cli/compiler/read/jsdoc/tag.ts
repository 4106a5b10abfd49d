/** A tag as it is written, and how its mistakes are told. */

import { badTag, type Diagnostic, type MessageAndHint } from '../../diagnostics/source-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import type { ts } from '../program/typescript.ts'

/** Where mistakes are told. */
export interface Reporter {
  readonly report: (diagnostic: Diagnostic) => void
}

/** A line of a tag's text. */
export interface TagLine {
  readonly text: string
  /** Of its first word. */
  readonly at: At
}

export interface Tag {
  readonly name: string
  /** The text on the tag's line, without the type. */
  readonly text: string
  /** `{T}` of `@exception`, `@throws` and `@returns`. */
  readonly type: ts.TypeNode | null
  /** `T` as written. */
  readonly typeText: string
  readonly at: At
  /** Of the type in braces, else of the tag. */
  readonly typeAt: At
  /** Of the first word of `text`. */
  readonly textAt: At
  /** Of `@mcp`: its words; one that takes the rest stands for all of it. */
  readonly mcpWords: readonly string[]
  /** Of a tag that takes a sentence. */
  readonly lines: readonly TagLine[]
}

/** What stands between blanks. */
export function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

/** Reports that a tag's text is not as it should be. */
export function refuse(source: Reporter, tag: Tag, why: string, hint: string): void {
  source.report(badTag(tag.at, tag.name, why, hint))
}

/** Reports that a tag's text cannot be read. */
export function refuseText(source: Reporter, tag: Tag, hint: string): null {
  refuse(source, tag, tag.text === '' ? 'says nothing' : `cannot read '${tag.text}'`, hint)
  return null
}

/** Reports that one word of a tag is not as it should be. */
export function refuseWord(source: Reporter, tag: Tag, word: string, [why, hint]: MessageAndHint): void {
  source.report(badTag(placeOfWord(tag, word), tag.name, why, hint))
}

/** Where a word of the tag's text stands. */
export function placeOfWord({ text, textAt, at }: Tag, word: string): At {
  const index = word === '' ? -1 : text.indexOf(word)
  return index < 0 ? at : { ...textAt, column: textAt.column + index }
}
