/** Whether tags stand where they mean something, and as often as they may: by the table of `language.ts`. Source:
 *  language.md, Nothing is lost silently. */

import { didYouMean } from '../../diagnostics/similar-names.ts'
import { badTag, tagInWrongPlace } from '../../diagnostics/source-diagnostics.ts'
import { tagNotInherited, tagSaysNothing } from '../../diagnostics/tag-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import {
  isAlone,
  isOfClasses,
  type Language,
  type MethodKind,
  type Place,
  placeTexts,
  type Word,
  whereOf,
  wordName,
} from '../language.ts'
import type { Source } from '../program/program.ts'
import { placeOfWord, refuseWord, type Tag, words } from './tag.ts'

/** A tag, or a word of `@mcp`. */
interface Said {
  /** `produces`, `mcp hide` */
  readonly name: string
  readonly tag: Tag
  /** As written. */
  readonly word: string
  /** Null = the word is unknown. */
  readonly row: Word | null
  readonly at: At
}

/** What a comment says, word by word. */
const saidBy = ({ tagTable, mcpTable }: Language, tags: readonly Tag[]): readonly Said[] =>
  tags.flatMap((tag): readonly Said[] => {
    const { name, at } = tag
    if (name !== 'mcp') return [{ name, tag, word: name, row: tagTable.get(name) ?? null, at }]
    return tag.mcpWords.map((word, index) => ({
      name: `mcp ${wordName(word)}`,
      tag,
      word,
      row: mcpTable.get(wordName(word)) ?? null,
      at: index === 0 ? at : placeOfWord(tag, word),
    }))
  })

/** The words of a tag `@mcp`; one that takes the rest stands for all of it. */
export function wordsOfMcp(language: Language, text: string): readonly string[] {
  const [first = '', ...others] = words(text)
  const isBare = language.mcpTable.get(first)?.takes.startsWith('=') === true
  return isBare || isAlone(language, wordName(first)) ? [first] : [first, ...others]
}

/** The tags that say this word of `@mcp`. */
export const tagsSaying = (tags: readonly Tag[], name: string): readonly Tag[] =>
  tags.filter((tag) => tag.name === 'mcp' && tag.mcpWords.some((word) => wordName(word) === name))

/** Reports what stands twice. */
export function judgeCounts(source: Source, tags: readonly Tag[]): void {
  const seen = new Set<string>()
  for (const { name, tag, row, at } of saidBy(source.language, tags)) {
    if (row === null || row.repeats || !seen.has(name)) seen.add(name)
    else {
      const why = tag.name === name ? 'stands twice' : `says ${name.slice('mcp '.length)} twice`
      source.report(badTag(at, tag.name, why, 'Remove one of the two.'))
    }
  }
}

const shown = (name: string): string => `@${name}`

/** Reports what means nothing on a class: no route inherits what stands on an abstract one alone. */
export function judgeClass(source: Source, tags: readonly Tag[], name: string, isAbstract: boolean): void {
  for (const said of saidBy(source.language, tags)) {
    if (said.row === null) refuseUnknown(source, said)
    else if (!said.row.on.includes('class')) reportVain(source, said, said.row, 'on a class')
    else if (isAbstract && !said.row.on.includes('abstract class')) {
      source.report(tagNotInherited(said.at, shown(said.name), name))
    }
  }
}

function refuseUnknown(source: Source, { tag, word }: Said): void {
  const names = [...source.language.mcpTable].flatMap(([name, { on }]) =>
    on.includes('class') ? [name] : [],
  )
  const known = `Write one of these on a class: ${names.join(', ')}.`
  const why = word === '' ? 'says nothing' : `cannot read '${word}'`
  refuseWord(source, tag, word, [why, `${known}${meantBy(word, names)}`])
}

const meantBy = (word: string, names: readonly string[]): string => didYouMean(wordName(word), names)

/** Reports what only classes take, on one of their members. */
export function judgeMember(source: Source, tags: readonly Tag[]): void {
  for (const said of saidBy(source.language, tags)) {
    if (said.row !== null && isOfClasses(said.row)) reportVain(source, said, said.row, 'on a method')
  }
}

const kindTexts: Readonly<Record<MethodKind, string>> = {
  ...placeTexts,
  prompt: 'a prompt without a route',
  completion: 'a completion without a route',
}

/** Reports what means nothing on a method that is of these kinds. */
export function judgeMethod(source: Source, tags: readonly Tag[], kinds: readonly MethodKind[]): void {
  const [kind] = kinds
  const what = kind === undefined ? 'a method that is no route' : kindTexts[kind]
  for (const said of saidBy(source.language, tags)) {
    const { row } = said
    if (row === null || isOfClasses(row) || fits(row, kinds)) continue
    reportVain(source, said, row, `on ${what}`)
  }
}

const fits = ({ on }: Word, kinds: readonly Place[]): boolean =>
  on.some((place) => place === 'method' || kinds.includes(place))

/** Reports what changes nothing where it stands, with the places where it would. */
export function reportNoEffect(source: Source, at: At, name: string, place: string): void {
  const { tagTable, mcpTable } = source.language
  const row = tagTable.get(name) ?? mcpTable.get(name.slice('mcp '.length))
  source.report(tagInWrongPlace(at, name, place, row === undefined ? null : whereOf(row)))
}

/** What JSDoc knows is text for readers of the sources, unless it says what only we would read. */
function reportVain(source: Source, { name, tag, at }: Said, row: Word, place: string): void {
  if (row.alsoOf !== 'jsdoc') {
    reportNoEffect(source, at, name, place)
  } else if (place === 'on a class' || /^\d{3}\b/.test(tag.text)) {
    source.report(tagSaysNothing(at, shown(name), place, whereOf(row)))
  }
}

/** What is said of a tool and of nothing else that the method is. */
export const saidOfTools = (
  language: Language,
  tags: readonly Tag[],
  kinds: readonly MethodKind[],
): readonly { readonly tag: string; readonly at: At }[] =>
  saidBy(language, tags).flatMap(({ name, row, at }) => {
    const others = kinds.filter((kind) => kind !== 'tool')
    return row?.on.includes('tool') && !fits(row, others) ? [{ tag: shown(name), at }] : []
  })
