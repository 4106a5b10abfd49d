/** The grammar of `@mcp`: what its words say of a method, and of a class. */

import { didYouMean } from '../../../diagnostics/similar-names.ts'
import type { DeclaredWords, Skill } from '../../../ir/model.ts'
import type { DeclaredMcp } from '../../../ir/source-model.ts'
import { isAlone, isOfClasses, mcpTable, wordName } from '../../language.ts'
import type { Source } from '../../program/program.ts'
import { refuse, refuseWord, type Tag } from '../tag.ts'
import { tagsSaying, wordsOfMcp } from '../tag-places.ts'
import { readBudget, withBrief, withPaging } from './answer-tags.ts'
import { readName, readResourceWords } from './prompt-tags.ts'

type WordReader<K extends keyof DeclaredWords> = (source: Source, tag: Tag, word: string) => DeclaredWords[K]

/** What the words of a tool say that the runtime reads by their names; null after a report. */
const toolWords: { readonly [K in keyof DeclaredWords]: WordReader<K> } = {
  budget: readBudget,
  task: readTask,
}

const wordNames = Object.keys(toolWords) as readonly (keyof DeclaredWords)[] // of the table above
const noWords = Object.fromEntries(wordNames.map((name) => [name, null])) as unknown as DeclaredWords // each of them

const silent: DeclaredMcp = {
  root: null,
  visible: null,
  title: null,
  describe: null,
  keywords: [],
  argumentHeaders: [],
  hints: { readOnly: null, destructive: null, idempotent: null, openWorld: null },
  examples: [],
  words: noWords,
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
  const written = wordsOfMcp(tag)
  const stray = written.slice(1).find((word) => isAlone(wordName(word)))
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
  const hint = `Write @mcp ${name}${mcpTable.get(name)?.takes ?? ''} on a line of its own.`
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
    ...Object.fromEntries(wordNames.map((name) => [name, readToolWord(name)])),
  }),
)

function readWord(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  if (word === '') {
    refuse(source, tag, 'says nothing', 'Write for example @mcp root or @mcp hide.')
    return mcp
  }
  const read = readers.get(wordName(word))
  if (read !== undefined) return read(source, mcp, tag, word)
  return mcpTable.has(wordName(word)) ? mcp : refuseUnknown(source, mcp, tag, word)
}

const ofMethods = [...mcpTable].filter(([, row]) => !isOfClasses(row))

/** The words that a method takes, or those that are like it. */
function refuseUnknown(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
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

/** `task`, or `task=required` for what no client can wait for. */
function readTask(source: Source, tag: Tag, word: string): DeclaredWords['task'] {
  if (word === 'task') return 'optional'
  if (word === 'task=required') return 'required'
  refuseWord(source, tag, word, [`cannot read '${word}'`, 'Write @mcp task or @mcp task=required.'])
  return null
}

function readToolWord(name: keyof DeclaredWords): Reader {
  return (source, mcp, tag, word) => ({
    ...mcp,
    words: { ...mcp.words, [name]: toolWords[name](source, tag, word) },
  })
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

/** `skill [when to use it]` of a class; null = it has none. */
export function readSkill(tags: readonly Tag[]): Skill | null {
  const [tag] = tagsSaying(tags, 'skill')
  return tag === undefined ? null : { when: tag.text.slice('skill'.length).trim(), at: tag.at }
}

/** What the class says of each of its tools. */
export function readClassWords(source: Source, tags: readonly Tag[]): DeclaredWords {
  const ofClasses = wordNames.filter((name) => mcpTable.get(name)?.on.includes('class'))
  const said = ofClasses.flatMap((name) => {
    const [tag] = tagsSaying(tags, name)
    if (tag === undefined) return []
    const word = wordsOfMcp(tag).find((text) => wordName(text) === name) ?? name
    return [[name, toolWords[name](source, tag, word)] as const]
  })
  return { ...noWords, ...Object.fromEntries(said) }
}
