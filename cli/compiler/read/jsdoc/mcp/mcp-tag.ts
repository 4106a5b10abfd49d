/** The grammar of `@mcp`: what its words say of a method, and of a class. */

import { didYouMean } from '../../../diagnostics/similar-names.ts'
import type { DeclaredMcp } from '../../../ir/source-model.ts'
import { isAlone, isOfClasses, wordName } from '../../language.ts'
import type { Source } from '../../program/program.ts'
import { refuse, refuseWord, type Tag } from '../tag.ts'
import { tagsSaying } from '../tag-places.ts'
import { withBrief, withPaging } from './answer-tags.ts'
import { readName, readResourceWords } from './prompt-tags.ts'

const silent: DeclaredMcp = {
  root: null,
  visible: null,
  title: null,
  describe: null,
  keywords: [],
  argumentHeaders: [],
  hints: { readOnly: null, destructive: null, idempotent: null, openWorld: null },
  examples: [],
  paging: null,
  brief: null,
  prompt: null,
  resource: null,
  name: null,
}

/** All `@mcp` tags of a method together. */
export function readMcp(source: Source, tags: readonly Tag[]): DeclaredMcp {
  return tags.filter(({ name }) => name === 'mcp').reduce((mcp, tag) => readTag(source, mcp, tag), silent)
}

/** One more tag; a tool that is hidden is listed nowhere. */
function readTag(source: Source, before: DeclaredMcp, tag: Tag): DeclaredMcp {
  const isContrary = ({ root, visible }: DeclaredMcp): boolean => root === true && visible === false
  const written = tag.mcpWords
  const stray = written.slice(1).find((word) => isAlone(source.language, wordName(word)))
  if (stray !== undefined) {
    refuseAlone(source, tag, stray)
    return before
  }
  const mcp = written.reduce((so, word) => readWord(source, so, tag, word), before)
  if (isContrary(mcp) && !isContrary(before)) {
    refuse(source, tag, 'says hide and root', 'A hidden tool is listed nowhere: remove one of the two.')
  }
  return mcp
}

/** One mistake, however many words stand beside it. */
function refuseAlone(source: Source, tag: Tag, word: string): void {
  const name = wordName(word)
  const hint = `Write @mcp ${name}${source.language.mcpTable.get(name)?.takes ?? ''} on a line of its own.`
  refuseWord(source, tag, word, [`'${name}' is written otherwise, and stands alone in its tag`, hint])
}

type Reader = (source: Source, mcp: DeclaredMcp, tag: Tag, word: string) => DeclaredMcp

/** What each word of a method says; those of classes alone are read below. */
const readers: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    root: readPlain(readRoot),
    noroot: readPlain(readRoot),
    hide: readPlain(readVisible),
    show: readPlain(readVisible),
    title: readTitle,
    describe: readDescribe,
    name: readName,
    keywords: (source, mcp, tag) => ({ ...mcp, keywords: [...mcp.keywords, ...keywordsIn(source, tag)] }),
    header: readArgumentHeader,
    example: readExample,
    prompt: readPlain((_source, mcp, { at }) => ({ ...mcp, prompt: at })),
    resource: readResourceWords,
    paging: withPaging,
    brief: withBrief,
    readOnly: readHint,
    destructive: readHint,
    idempotent: readHint,
    openWorld: readHint,
  }),
)

function readWord(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  if (word === '') {
    refuse(source, tag, 'says nothing', 'Write for example @mcp root or @mcp hide.')
    return mcp
  }
  const read = readers.get(wordName(word))
  if (read !== undefined) return read(source, mcp, tag, word)
  return source.language.mcpTable.has(wordName(word)) ? mcp : refuseUnknown(source, mcp, tag, word)
}

/** The words that a method takes, or those that are like it. */
function refuseUnknown(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  const ofMethods = [...source.language.mcpTable].filter(([, row]) => !isOfClasses(row))
  const names = ofMethods.map(([name]) => name)
  const known = ofMethods.map(([name, { takes }]) => name + (takes.startsWith('[') ? '' : takes))
  const hint = `Write ${known.join('; ')}.${didYouMean(wordName(word), names)}`
  refuseWord(source, tag, word, [`cannot read '${word}'`, hint])
  return mcp
}

/** A word that takes nothing. */
function readPlain(read: Reader): Reader {
  return (source, mcp, tag, word) =>
    word.includes('=') ? refuseUnknown(source, mcp, tag, word) : read(source, mcp, tag, word)
}

function readRoot(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  if (mcp.root === (word !== 'root')) refuse(source, tag, 'says root and noroot', 'Remove one of the two.')
  return { ...mcp, root: word === 'root' }
}

function readVisible(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  if (mcp.visible === (word !== 'show')) refuse(source, tag, 'says hide and show', 'Remove one of the two.')
  return { ...mcp, visible: word === 'show' }
}

function readHint(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  const [name = '', value = 'true'] = word.split('=')
  if (value !== 'true' && value !== 'false') return refuseUnknown(source, mcp, tag, word)
  return { ...mcp, hints: { ...mcp.hints, [name]: value === 'true' } }
}

/** `title="…"` */
function readTitle(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  const title = /^title="([^"]+)"$/.exec(tag.text)?.[1]
  if (title !== undefined) return { ...mcp, title }
  refuseAlone(source, tag, word)
  return mcp
}

function readExample(source: Source, mcp: DeclaredMcp, tag: Tag): DeclaredMcp {
  try {
    const value: unknown = JSON.parse(tag.text.slice('example'.length))
    return { ...mcp, examples: [...mcp.examples, { value, at: tag.at }] }
  } catch {
    refuse(source, tag, 'the example is not JSON', 'Write the arguments on one line: @mcp example {"id":"1"}')
    return mcp
  }
}

function readDescribe(source: Source, mcp: DeclaredMcp, tag: Tag): DeclaredMcp {
  const text = tag.text.slice('describe'.length).trim()
  if (text === '') refuse(source, tag, 'describes nothing', 'Write the text behind it, on one line.')
  return { ...mcp, describe: text }
}

/** The keywords that tags of a class say. */
export const readKeywords = (source: Source, tags: readonly Tag[]): readonly string[] =>
  tagsSaying(tags, 'keywords').flatMap((tag) => keywordsIn(source, tag))

/** `keywords word, other words` */
function keywordsIn(source: Source, tag: Tag): readonly string[] {
  const parts = tag.text.slice('keywords'.length).split(',')
  const keywords = parts.map((part) => part.trim().replace(/\s+/g, ' '))
  const isWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)
  if (keywords.every(isWords)) return keywords
  const hint = 'Write words with commas between: @mcp keywords refund, money back'
  refuse(source, tag, 'a keyword is missing', hint)
  return keywords.filter(isWords)
}

/** RFC 9110 token */
const token = /^[!#$%&'*+\-.^_`|~\w]+$/

/** `header argument=Name` */
function readArgumentHeader(source: Source, mcp: DeclaredMcp, tag: Tag): DeclaredMcp {
  const [, argument = '', header = ''] = /^header\s+([\p{ID_Continue}.$-]+)=(\S+)$/u.exec(tag.text) ?? []
  const isTaken = mcp.argumentHeaders.some(
    (argumentHeader) => argumentHeader.header.toLowerCase() === header.toLowerCase(),
  )
  if (token.test(header) && !isTaken) {
    return { ...mcp, argumentHeaders: [...mcp.argumentHeaders, { argument, header }] }
  }
  const why = isTaken ? `the header ${header} is used twice` : `cannot read '${tag.text}'`
  refuse(source, tag, why, 'Write an argument and a name of its own, such as @mcp header tenant=Tenant.')
  return mcp
}
