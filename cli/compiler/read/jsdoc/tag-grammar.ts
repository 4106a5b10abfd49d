/** The grammar of the tags: text after the tag's name → records. One line, positional value, then `key=value`. */

import { didYouMean } from '../../diagnostics/similar-names.ts'
import { badStatus } from '../../diagnostics/source-diagnostics.ts'
import type { Hints, Verb } from '../../ir/model.ts'
import type {
  DeclaredException,
  DeclaredFilter,
  DeclaredMcp,
  DeclaredRoute,
  DeclaredSkip,
  DeclaredTls,
  MethodSelector,
} from '../../ir/source-model.ts'
import { hintWords, mcpWords } from '../language.ts'
import type { Source } from '../program/program.ts'
import type { ts } from '../program/typescript.ts'
import { refuse, refuseWord, type Tag } from './doc-comment.ts'
import { withBudget, withPaging } from './mcp/answer-tags.ts'
import { readName, readResourceWords } from './mcp/prompt-tags.ts'
import { readPath } from './route-path.ts'
import { readTaskWord } from './task-tag.ts'

const verbs = new Map<string, Verb>([
  ['websocket', 'GET'],
  ['get', 'GET'],
  ['post', 'POST'],
  ['put', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['options', 'OPTIONS'],
])

/** The routes of a method, in the order written. */
export function readRoutes(source: Source, tags: readonly Tag[]): readonly DeclaredRoute[] {
  return tags.flatMap((tag) => {
    const verb = verbs.get(tag.name)
    const path = verb === undefined ? null : readPath(source, tag, 'route')
    const websocket = tag.name === 'websocket'
    return verb === undefined || path === null ? [] : [{ verb, websocket, path, at: tag.at }]
  })
}

/** `before|around|after [only=a,b] [except=c]` */
export function readFilter(source: Source, tags: readonly Tag[]): DeclaredFilter | null {
  const [tag, second] = tags.filter(({ name }) => name === 'filter')
  if (tag === undefined) return null
  if (second !== undefined) refuse(source, second, 'a method is one filter', 'Split the method.')
  const [when = '', ...options] = words(tag.text)
  const selector = readSelector(source, tag, options)
  if (when === 'before' || when === 'around' || when === 'after') return { when, ...selector, at: tag.at }
  const meant = didYouMean(when, ['before', 'around', 'after'])
  refuseWord(source, tag, when, [
    `'${when}' is not a kind of filter`,
    `Write before, around or after.${meant}`,
  ])
  return null
}

/** `name [only=a,b] [except=c]` */
export function readSkip(source: Source, tag: Tag, depth: number): DeclaredSkip {
  const [filter = '', ...options] = words(tag.text)
  if (filter === '') refuse(source, tag, 'names no filter', 'Write the name of the inherited filter.')
  return { filter, depth, ...readSelector(source, tag, options), at: tag.at }
}

/** `[only=a,b] [except=c]` */
export function readTls(source: Source, tag: Tag): DeclaredTls {
  return { ...readSelector(source, tag, words(tag.text)), at: tag.at }
}

function readSelector(source: Source, tag: Tag, options: readonly string[]): MethodSelector {
  let selector: MethodSelector = { only: null, except: [] }
  for (const option of options) {
    const [key, list] = option.split('=')
    const names = (list ?? '').split(',').filter((name) => name !== '')
    if (key === 'only' && names.length > 0 && selector.only === null) selector = { ...selector, only: names }
    else if (key === 'except' && names.length > 0)
      selector = { ...selector, except: [...selector.except, ...names] }
    else {
      const meant = didYouMean(key ?? '', ['only', 'except'])
      const hint = `Write only=a,b or except=c, without blanks.${meant}`
      refuseWord(source, tag, option, [`cannot read '${option}'`, hint])
    }
  }
  return selector
}

/** `[status|default] [type=mime]` of every `@exception`; classes are resolved by `resolve`. */
export function readExceptions(
  source: Source,
  tags: readonly Tag[],
  resolve: (type: ts.TypeNode, tag: Tag) => Omit<DeclaredException, 'status' | 'contentType' | 'at'> | null,
): readonly DeclaredException[] {
  return tags
    .filter(({ name }) => name === 'exception')
    .flatMap((tag) => {
      if (tag.type === null || tag.typeText === '') {
        refuse(source, tag, 'names no class', 'Write the class in braces: @exception {NotFound} 404')
        return []
      }
      const error = resolve(tag.type, tag)
      const options = readExceptionOptions(source, tag)
      return error === null ? [] : [{ ...error, ...options, at: tag.at }]
    })
}

function readExceptionOptions(source: Source, tag: Tag): Pick<DeclaredException, 'status' | 'contentType'> {
  let status: DeclaredException['status'] = null
  let contentType: string | null = null
  for (const word of words(tag.text)) {
    if (word.startsWith('type=')) contentType = word.slice('type='.length)
    else if (status === null) status = word === 'default' ? word : readStatus(source, tag, word)
    else refuseWord(source, tag, word, [`cannot read '${word}'`, 'Write one status or default, then type=…'])
  }
  return { status, contentType }
}

/** A status from 200 to 599; anything else is reported and null. */
export function readStatus(source: Source, tag: Tag, text: string): number | null {
  if (/^[2-5]\d\d$/.test(text)) return Number(text)
  source.report(badStatus(tag.at, tag.name, text))
  return null
}

const hintOf = (written: string): keyof Hints | undefined => hintWords.find((word) => word === written)
const silent: DeclaredMcp = {
  root: null,
  visible: null,
  title: null,
  describe: null,
  keywords: [],
  argumentHeaders: [],
  hints: { readOnly: null, destructive: null, idempotent: null, openWorld: null },
  examples: [],
  answerChars: null,
  paging: null,
  shownAt: null,
  prompt: null,
  resource: null,
  task: null,
  name: null,
}

/** All `@mcp` tags of a declaration together. */
export function readMcp(source: Source, tags: readonly Tag[]): DeclaredMcp {
  return tags.filter(({ name }) => name === 'mcp').reduce((mcp, tag) => readShown(source, mcp, tag), silent)
}

/** One more tag; a tool that is hidden is listed nowhere. */
function readShown(source: Source, before: DeclaredMcp, tag: Tag): DeclaredMcp {
  const mcp = readMcpTag(source, before, tag)
  const isContrary = ({ root, visible }: DeclaredMcp): boolean => root === true && visible === false
  if (isContrary(mcp) && !isContrary(before)) {
    refuse(source, tag, 'says hide and root', 'A hidden tool is listed nowhere: remove one of the two.')
  }
  const isShown = (one: DeclaredMcp): boolean => one.root === true || one.visible === true
  return isShown(mcp) && mcp.shownAt === null ? { ...mcp, shownAt: tag.at } : mcp
}

function readMcpTag(source: Source, mcp: DeclaredMcp, tag: Tag): DeclaredMcp {
  const title = /^title="([^"]+)"$/.exec(tag.text)?.[1]
  if (title !== undefined) {
    if (mcp.title !== null) refuse(source, tag, 'has two titles', 'Remove one of the two.')
    return { ...mcp, title }
  }
  const first = words(tag.text)[0] ?? ''
  if (first === 'example') return readExample(source, mcp, tag)
  if (first === 'describe') return readDescribe(source, mcp, tag)
  if (first === 'keywords') return { ...mcp, keywords: [...mcp.keywords, ...readKeywords(source, tag)] }
  if (first === 'header') return readArgumentHeader(source, mcp, tag)
  if (first === 'resource') return readResourceWords(source, mcp, tag)
  if (first === 'name') return readName(source, mcp, tag, first)
  if (first === 'skill') {
    refuse(source, tag, 'skill is a word of classes', 'Move it to the doc comment of the class.')
    return mcp
  }
  if (first === 'budget') return withBudget(source, mcp, tag)
  if (first === 'paging') return withPaging(source, mcp, tag)
  const alone = words(tag.text).find((word) => aloneWords.has(word.replace(/=.*/s, '')))
  if (alone !== undefined) {
    refuseAlone(source, tag, alone)
    return mcp
  }
  return words(tag.text).reduce((so, word) => readMcpWord(source, so, tag, word), readEmpty(source, mcp, tag))
}

/** Words that take the rest of their tag, and how they are written. */
const aloneWords = new Map([
  ['title', '@mcp title="…"'],
  ['describe', '@mcp describe …'],
  ['keywords', '@mcp keywords word, other words'],
  ['header', '@mcp header argument=Name'],
  ['example', '@mcp example {…}'],
  ['resource', '@mcp resource uri=…'],
  ['budget', '@mcp budget 20000'],
  ['paging', '@mcp paging offset=argument'],
])

/** One mistake, however many words stand beside it. */
function refuseAlone(source: Source, tag: Tag, word: string): void {
  const name = word.replace(/=.*/s, '')
  const hint = `Write ${aloneWords.get(name)} on a line of its own.`
  refuseWord(source, tag, word, [`'${name}' is written otherwise, and stands alone in its tag`, hint])
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
  if (mcp.describe !== null) refuse(source, tag, 'describes twice', 'Remove one of the two.')
  return { ...mcp, describe: text }
}

/** `keywords word, other words` */
export function readKeywords(source: Source, tag: Tag): readonly string[] {
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
  const [, argument = '', header = ''] = /^header\s+([\w.$-]+)=(\S+)$/.exec(tag.text) ?? []
  const isTaken = mcp.argumentHeaders.some((one) => one.header.toLowerCase() === header.toLowerCase())
  if (token.test(header) && !isTaken) {
    return { ...mcp, argumentHeaders: [...mcp.argumentHeaders, { argument, header }] }
  }
  const why = isTaken ? `the header ${header} is used twice` : `cannot read '${tag.text}'`
  refuse(source, tag, why, 'Write an argument and a name of its own, such as @mcp header tenant=Tenant.')
  return mcp
}

function readEmpty(source: Source, mcp: DeclaredMcp, tag: Tag): DeclaredMcp {
  if (tag.text === '') refuse(source, tag, 'says nothing', 'Write for example @mcp root or @mcp hide.')
  return mcp
}

function readMcpWord(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  if (word === 'root' || word === 'noroot') {
    if (mcp.root === (word !== 'root')) refuse(source, tag, 'says root and noroot', 'Remove one of the two.')
    return { ...mcp, root: word === 'root' }
  }
  if (word === 'hide' || word === 'show') {
    if (mcp.visible === (word !== 'show')) refuse(source, tag, 'says hide and show', 'Remove one of the two.')
    return { ...mcp, visible: word === 'show' }
  }
  if (word === 'prompt') {
    if (mcp.prompt !== null) refuse(source, tag, 'says prompt twice', 'Remove one of the two.')
    return { ...mcp, prompt: tag.at }
  }
  if (/^name(=|$)/.test(word)) return readName(source, mcp, tag, word)
  const [name = '', value = 'true'] = word.split('=')
  if (name === 'task') return readTaskWord(source, mcp, tag, word)
  const hint = hintOf(name)
  if (hint !== undefined && (value === 'true' || value === 'false')) {
    return { ...mcp, hints: { ...mcp.hints, [hint]: value === 'true' } }
  }
  const known =
    'root, noroot, hide, show, title="…", describe …, keywords …, header argument=Name, example {…}, prompt, resource, task, name=…, budget …, paging …, readOnly, destructive, idempotent or openWorld'
  const meant = didYouMean(name, mcpWords)
  refuseWord(source, tag, word, [`cannot read '${word}'`, `Write ${known}.${meant}`])
  return mcp
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
