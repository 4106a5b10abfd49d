/** The words of the controller language, as data: one table of the tags, one of the words of `@mcp`, and the wrappers of
 *  parameters. Reading, the rules about places, near names and the reference are derived from it. Loads nothing, so that the
 *  reference (`cli/reference`) says what the reader does without loading a compiler. */

import type { Reporter, Tag } from './jsdoc/tag.ts'
import type { Host } from './program/host.ts'
import type { ts } from './program/typescript.ts'

/** What a tag may stand on. What may stand on an abstract class is inherited. `method`: any public method of a controller, for
 *  the tag itself says what the method is; that may be several of those below at once. */
export type Place = 'class' | 'abstract class' | 'method' | 'property' | 'alias' | 'value' | MethodKind

export type MethodKind =
  | 'route'
  | 'socket'
  | 'tool'
  | 'resource'
  | 'prompt'
  | 'completion'
  | 'filter'
  | 'handler'

export interface Word {
  /** What stands behind the name, as people write it. */
  readonly takes: string
  readonly on: readonly Place[]
  /** Whether a declaration may have several. */
  readonly repeats: boolean
  /** Other owners of a tag of this name, with other meanings for it: `nobody`; other code, far from controllers; JSDoc, anywhere. */
  readonly alsoOf: 'nobody' | 'others' | 'jsdoc'
}

type Row = (takes: string, on: readonly Place[], alsoOf?: Word['alsoOf']) => Word
export const once: Row = (takes, on, alsoOf = 'nobody') => ({ takes, on, repeats: false, alsoOf })
export const many: Row = (takes, on, alsoOf = 'nobody') => ({ takes, on, repeats: true, alsoOf })

export const classes: readonly Place[] = ['class', 'abstract class']
/** What clients ask for. */
export const requests: readonly Place[] = ['route', 'socket', 'prompt', 'completion']
const offers: readonly Place[] = ['tool', 'prompt', 'resource']

export const routeTags = ['get', 'post', 'put', 'patch', 'delete', 'options', 'websocket'] as const

const path: Word = many('/path', ['method'])
const bound: Word = once('number', ['value'], 'others')
const count: Word = once('count', ['value'], 'others')
const mark: Word = once('', ['property', 'alias'])

const tags: Readonly<Record<string, Word>> = {
  base: once('/path', ['class']),
  get: path,
  post: path,
  put: path,
  patch: path,
  delete: path,
  options: path,
  websocket: path,
  returns: many('[{Type}] [status] text', ['route', 'filter', 'handler'], 'jsdoc'),
  produces: once('type', ['route']),
  param: many('name - text [example=value]', [...requests, 'filter', 'handler'], 'jsdoc'),
  throws: many('{ErrorClass} [status] [text]', ['route', 'socket', 'filter'], 'jsdoc'),
  filter: once('before|around|after [only=a,b] [except=c]', ['method']),
  skipFilter: many('name [only=a,b] [except=c]', classes),
  requireTls: many('[only=a,b] [except=c]', classes),
  scope: many('none|name [more …] [unless=session,key]', [...classes, ...requests]),
  exception: many('{ErrorClass} [status|default] [type=mime]', ['method']),
  complete: many('argument of=name', ['method'], 'others'),
  mcp: many('word …', [...classes, 'method']),
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: bound,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  uniqueItems: once('[true|false]', ['value'], 'others'),
  pattern: once('expression', ['value'], 'others'),
  format: once('name', ['value'], 'others'),
  choice: many('value title', ['value'], 'others'),
  title: once('text', ['value'], 'jsdoc'),
  default: once('value', ['value'], 'jsdoc'),
  example: many('value', ['value'], 'jsdoc'),
  deprecated: once('[text]', ['property', 'route'], 'jsdoc'),
  secret: mark,
  untrusted: mark,
}

const hint: Word = once('[=false]', ['tool'])

/** What may stand behind `@mcp`. A word that takes something behind a blank, or a text in quotes, stands alone in its tag. */
const mcpWords: Readonly<Record<string, Word>> = {
  root: once('', ['tool']),
  noroot: once('', ['tool']),
  hide: once('', ['class', 'route', 'socket']),
  show: once('', ['tool']),
  title: once('="…"', offers),
  describe: once(' text', offers),
  name: once('=name', offers),
  keywords: many(' word, other words', [...classes, 'tool']),
  header: many(' argument=Name', ['tool']),
  example: many(' {"argument":"value"}', ['tool']),
  prompt: once('', ['method']),
  resource: once(' [uri=scheme://…]', ['route']),
}

/** What stands behind the optional words. */
const lastMcpWords: Readonly<Record<string, Word>> = {
  brief: once(' property [more …]', ['tool']),
  paging: once(' offset|page|cursor=argument [limit=argument] [next=property.path], or none', ['tool']),
  readOnly: hint,
  destructive: hint,
  idempotent: hint,
  openWorld: hint,
}

/** Whether only classes take the tag. */
export const isOfClasses = ({ on }: Word): boolean => on.every((place) => classes.includes(place))
const isOfValues = ({ on }: Word): boolean => on.includes('value') || on.includes('property')
const isRole = (word: Word): boolean => !isOfValues(word) && word.alsoOf !== 'jsdoc'

type Names = ReadonlySet<string>
type Rows = ReadonlyMap<string, Word>

const namesOf = (rows: Rows, isWanted: (word: Word) => boolean): Names =>
  new Set([...rows].filter(([, word]) => isWanted(word)).map(([name]) => name))

const ownTags: Rows = new Map(Object.entries(tags))

/** Tags of properties, parameters and types. */
export const valueTags: Names = namesOf(ownTags, isOfValues)
/** Those that JSDoc does not know. */
export const constrainingTags: Names = namesOf(ownTags, (word) => isOfValues(word) && word.alsoOf !== 'jsdoc')
/** Those that say what becomes of a property's value. */
export const markTags: Names = namesOf(ownTags, (word) => word === mark)
/** Those that say what their method is. */
export const methodTags: Names = namesOf(ownTags, ({ on }) => on.includes('method'))
/** Those that JSDoc knows: their text may go on over several lines. */
export const proseTags: Names = namesOf(ownTags, (word) => !isOfValues(word) && word.alsoOf === 'jsdoc')
/** Tags with a type in braces. */
export const typedTags: Names = namesOf(ownTags, ({ takes }) => /^\[?\{/.test(takes))

/** What an optional tag is told of the sources. */
export interface TagSource extends Reporter {
  readonly host: Host
  /** The files to read. */
  readonly wanted: readonly ts.SourceFile[]
}

/** What carries a tag. */
export interface TagOwner {
  readonly isClass: boolean
  /** Of the class that it is, or stands in; 0 = furthest ancestor. */
  readonly depth: number
  /** A word of `@mcp` as it stands there; of other tags their name. */
  readonly written: string
}

/** An optional tag of classes and methods, as the first pass knows it. */
export interface TagReader {
  /** `limit`; of a word of `@mcp` both: `mcp budget`. */
  readonly tag: string
  /** Its row of the table. */
  readonly word: Word
  /** What other frameworks call it, in small letters. */
  readonly alsoCalled?: readonly string[]
  /** What it says; null = nothing that could be read, which was reported. */
  read(source: TagSource, tag: Tag, owner: TagOwner): unknown
  /** Reports what its tag makes wrong elsewhere in the sources. */
  lint?(source: TagSource): void
}

/** The language with its optional tags. */
export interface Language {
  readonly features: readonly TagReader[]
  readonly tagTable: Rows
  /** The words of `@mcp`. */
  readonly mcpTable: Rows
  /** Tags of classes and methods. */
  readonly ourTags: Names
  /** Those that JSDoc does not know: a class that has one is a controller, or a part of one. */
  readonly roleTags: Names
  /** Those that make a member a route, filter or handler, or say more of one. */
  readonly memberTags: Names
  /** Those whose text is a sentence: it may go on over several lines, and braces are part of it. */
  readonly sentenceTags: Names
  /** Tags of classes and methods that other code uses too: they are ours near controllers alone. */
  readonly sharedTags: Names
}

const ofMcp = 'mcp '

export function languageOf(features: readonly TagReader[]): Language {
  const rows = features.map(({ tag, word }) => [tag, word] as const)
  const tagTable: Rows = new Map([...ownTags, ...rows.filter(([tag]) => !tag.startsWith(ofMcp))])
  const optional = rows.flatMap(([tag, word]) =>
    tag.startsWith(ofMcp) ? [[tag.slice(ofMcp.length), word] as const] : [],
  )
  return {
    features,
    tagTable,
    mcpTable: new Map([...Object.entries(mcpWords), ...optional, ...Object.entries(lastMcpWords)]),
    ourTags: namesOf(tagTable, (word) => !isOfValues(word)),
    roleTags: namesOf(tagTable, isRole),
    memberTags: namesOf(tagTable, (word) => isRole(word) && !isOfClasses(word)),
    sentenceTags: namesOf(tagTable, ({ takes }) => takes.endsWith('sentence')),
    sharedTags: namesOf(tagTable, (word) => isRole(word) && word.alsoOf === 'others'),
  }
}

/** The name of a word of `@mcp`, without what it takes. */
export const wordName = (written: string): string => written.replace(/=.*/s, '')

/** Whether a word takes the rest of its tag. */
export const isAlone = ({ mcpTable }: Language, name: string): boolean =>
  /^( |=")/.test(mcpTable.get(name)?.takes ?? '')

/** What a place is, for people. */
export const placeTexts: Readonly<Record<Place, string>> = {
  class: 'a controller class',
  'abstract class': 'an abstract one for those that extend it',
  method: 'a public method',
  property: 'a property',
  alias: 'a type alias',
  value: 'a property, a parameter, or the type that one of them is written with',
  route: 'a route',
  socket: 'a WebSocket route',
  tool: 'a route that is a tool',
  resource: 'a resource',
  prompt: 'a prompt',
  completion: 'a method with @complete',
  filter: 'a filter',
  handler: 'an exception handler',
}

/** Where a tag may stand, for people. */
export function whereOf({ on }: Pick<Word, 'on'>): string {
  const texts = on.map((place) => placeTexts[place])
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

/** What `Controller` itself has: no route, filter or handler can be called so. */
export const controllerMembers: readonly string[] = [
  ...['context', 'request', 'response', 'services', 'mcp', 'access'],
  ...['render', 'head', 'file', 'redirectTo', 'requireScopes', 'idempotency'],
]

/** Types around the type of a parameter, by name: where the value is read; null = in the same place, under another name. */
export const wrapperNames = {
  Body: 'body',
  Header: 'header',
  Cookie: 'cookie',
  Named: null,
  Checked: null,
  Elicited: null,
} as const
