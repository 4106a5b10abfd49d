/** The grammar of `@mcp budget 20000`, `@mcp brief id status` and `@mcp paging offset=start limit=count`: how large answers are, and
 *  how they go on. */

import { badBrief, badBudget, badPaging } from '../../../diagnostics/answer-diagnostics.ts'
import { didYouMean } from '../../../diagnostics/similar-names.ts'
import { type Paging, type PagingWord, pagingWords } from '../../../ir/paging.ts'
import type { DeclaredMcp } from '../../../ir/source-model.ts'
import type { Source } from '../../program/program.ts'
import type { Tag } from '../tag.ts'

const [leastChars, maxChars] = [1000, 1_000_000]

/** `budget 20000`; null after a report. */
export function readBudget(source: Source, tag: Tag): number | null {
  const written = tag.text.slice('budget'.length).trim()
  const refuse = (why: string, meant = ''): null => {
    source.report(badBudget(tag.at, why, meant))
    return null
  }
  if (written === '') return refuse('says nothing')
  if (!/^[1-9]\d*$/.test(written)) return refuse(`cannot be '${written}'`, charsMeantBy(written))
  const chars = Number(written)
  return chars >= leastChars && chars <= maxChars ? chars : refuse(`cannot be ${written}`)
}

/** `=20000`, `20kb`, `20_000` and `5000 tokens`, of which one is about four characters. */
function charsMeantBy(written: string): string {
  const [, digits = '', unit = ''] = /^=?\s*([\d_,.]+?)\s*([a-z]*)$/i.exec(written) ?? []
  const factors: ReadonlyMap<string, number> = new Map([
    ...['', 'b', 'bytes', 'chars', 'characters'].map((word) => [word, 1] as const),
    ...['k', 'kb', 'kib'].map((word) => [word, 1000] as const),
    ...['m', 'mb', 'mib'].map((word) => [word, 1_000_000] as const),
    ...['token', 'tokens'].map((word) => [word, 4] as const),
  ])
  const factor = factors.get(unit.toLowerCase())
  const chars = Number(digits.replace(/[_,.]/g, '')) * (factor ?? Number.NaN)
  return chars >= leastChars && chars <= maxChars ? ` Did you mean ${chars}?` : ''
}

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
