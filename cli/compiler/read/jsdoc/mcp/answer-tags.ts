/** The grammar of `@mcp brief id status` and `@mcp paging offset=start limit=count`: what answers leave out, and how they go on. */

import { badBrief, badPaging } from '../../../diagnostics/answer-diagnostics.ts'
import { didYouMean } from '../../../diagnostics/similar-names.ts'
import { type Paging, type PagingWord, pagingWords } from '../../../ir/paging.ts'
import type { DeclaredMcp } from '../../../ir/source-model.ts'
import type { Source } from '../../program/program.ts'
import type { Tag } from '../tag.ts'

/** `brief id status total` */
export function withBrief(source: Source, mcp: DeclaredMcp, tag: Tag): DeclaredMcp {
  const names = [...tag.text.matchAll(/\S+/g)].slice(1).map(({ 0: name, index }) => ({
    name,
    at: { ...tag.textAt, column: tag.textAt.column + index },
  }))
  const twice = names.find(({ name }, place) => names.findIndex((other) => other.name === name) < place)
  if (names.length > 0 && twice === undefined) return { ...mcp, brief: { names, at: tag.at } }
  source.report(
    twice === undefined ? badBrief(tag.at, 'says nothing') : badBrief(twice.at, `says ${twice.name} twice`),
  )
  return mcp
}

/** `paging none`, or `paging offset=start limit=count`. */
export function withPaging(source: Source, mcp: DeclaredMcp, tag: Tag): DeclaredMcp {
  const written = tag.text.split(/\s+/).slice(1)
  if (written.join() === 'none') return { ...mcp, paging: { names: {}, isNone: true, at: tag.at } }
  const pairs = written.map((word) => word.split('='))
  const names = Object.fromEntries(pairs.map(([word, name = '']) => [word, name])) as Paging['names'] // unknown words are refused below
  const why = whyNoPaging(written, pairs)
  if (why === null) return { ...mcp, paging: { names, isNone: false, at: tag.at } }
  source.report(badPaging(tag.at, ...why))
  return mcp
}

type Why = readonly [why: string, meant: string]

function whyNoPaging(written: readonly string[], pairs: readonly (readonly string[])[]): Why | null {
  if (written.length === 0) return ['says nothing', '']
  const words = pairs.map(([word = '']) => word)
  const isWord = (word: string): word is PagingWord => pagingWords.some((known) => known === word)
  const place = pairs.findIndex(
    ([word = '', name = '', more]) =>
      !isWord(word) || !/^[\p{ID_Continue}$.-]+$/u.test(name) || more !== undefined,
  )
  if (place >= 0) return [`cannot be '${written[place]}'`, didYouMean(words[place] ?? '', pagingWords)]
  if (new Set(words).size < words.length) return ['says one word twice', '']
  const kinds = words.filter((word) => word === 'offset' || word === 'page' || word === 'cursor')
  if (kinds.length !== 1)
    return [kinds.length === 0 ? 'does not say by what' : `says ${kinds.join(' and ')}`, '']
  return words.includes('next') && !words.includes('cursor') ? ['says next without cursor', ''] : null
}
