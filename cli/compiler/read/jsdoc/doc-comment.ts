/** Doc comments: the text before the first tag, and the tags with their places. A tag is one line. */

import { memoizeBy } from '../../cache/memoize.ts'
import { badTag, tagInWrongPlace, textAfterTag, unknownTag } from '../../diagnostics/source-diagnostics.ts'
import { idleTag, strangeTag } from '../../diagnostics/tag-diagnostics.ts'
import { emptyDoc } from '../../ir/docs.ts'
import type { At, Doc } from '../../ir/schema.ts'
import { constrainingTags, type Language, markTags, proseTags, routeTags, typedTags } from '../language.ts'
import { type OverflowSite, readOrReport } from '../program/overflow.ts'
import { placeOf, placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import type { Tag } from './tag.ts'
import { judgeClass, judgeCounts, judgeMember, reportNoEffect, wordsOfMcp } from './tag-places.ts'
import { isKnownTag, nearestTag, wordFor } from './tag-suggestions.ts'

export interface Comment {
  readonly doc: Doc
  readonly tags: readonly Tag[]
}

const drawing: ReadonlySet<string> = new Set(routeTags)

/** The last doc comment of a node; its mistakes are reported once a run. What it does not read is left to `reportUnreadTags`. */
export const readComment: (source: Source, node: ts.Node) => Comment = memoizeBy(parseComment)

function parseComment(source: Source, node: ts.Node): Comment {
  const blocks = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const last = blocks.at(-1)
  if (last === undefined) return { doc: emptyDoc, tags: [] }
  const tags = (last.tags ?? []).flatMap((tag) => readTag(source, last, tag) ?? [])
  if (tags.some(({ name }) => drawing.has(name))) reportIdle(source, last, node)
  judgeCounts(source, tags)
  if (ts.isClassLike(node)) judgeClass(source, tags, nameIn(node), isAbstract(node))
  else judgeMember(source, tags)
  return { doc: toDoc(last), tags }
}

const nameIn = (node: ts.Node): string =>
  'name' in node ? ((node.name as ts.Node | undefined)?.getText() ?? '') : '' // of a class or a method

/** Whether a class is abstract. */
export const isAbstract = (node: ts.ClassLikeDeclaration): boolean =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) === true

/** A doc of plain text: first line = summary; more than one line = the whole is the description too. */
export function textDoc(text: string, deprecated = false): Doc {
  if (text === '' && !deprecated) return emptyDoc
  const all = withoutLinks(text).trim()
  if (!all.includes('\n')) return { summary: all, description: '', deprecated, examples: [] }
  const lines = all.split('\n').map((line) => line.trimEnd())
  const description = lines.length > 1 ? lines.join('\n') : ''
  return { summary: (lines[0] ?? '').trim(), description, deprecated, examples: [] }
}

/** What TypeScript read of a doc comment; it leaves out the blank before a link's text. */
export const partsText = (parts: readonly ts.SymbolDisplayPart[]): string =>
  parts.map(({ kind, text }) => (kind === 'linkText' ? ` ${text}` : text)).join('')

/** `{@link Name text}` as its text, else its name, and addresses as Markdown has them: readers of the documents do not see
 *  the sources. */
export function withoutLinks(text: string): string {
  if (!text.includes('{@link')) return text
  return text.replace(
    /\{@link(code|plain)?\s+([^\s|}]+)(?:[\s|]+([^}]*?))?\s*\}/g,
    (_whole, kind: string | undefined, name: string, shown = '') => {
      if (/^https?:/.test(name)) return shown === '' ? `<${name}>` : `[${shown}](${name})`
      return kind === 'code' ? `\`${shown || name}\`` : shown || name
    },
  )
}

/** The doc with these examples. */
export const withExamples = (doc: Doc, examples: readonly unknown[]): Doc =>
  examples.length === 0 ? doc : { ...doc, examples }

function toDoc(block: ts.JSDoc): Doc {
  const text = ts.getTextOfJSDocComment(block.comment) ?? ''
  return textDoc(
    text,
    (block.tags ?? []).some((tag) => tag.tagName.text === 'deprecated'),
  )
}

function readTag(source: Source, block: ts.JSDoc, tag: ts.JSDocTag): Tag | null {
  const file = tag.getSourceFile()
  const at = placeOf(source, file, tag.getStart())
  const next = file.text.charAt(tag.tagName.end)
  const written = /^[^\s{*]*/.exec(file.text.slice(tag.tagName.pos))?.[0] ?? tag.tagName.text
  const isWhole = next === '' || /[\s{*]/.test(next)
  const name = tag.tagName.text
  if (!isWhole || !source.language.ourTags.has(name)) {
    const after = file.text.slice(tag.tagName.pos + written.length).trimStart()
    reportForeign(source, { written: isWhole ? name : written, at, after, node: block.parent })
    return null
  }
  if (isFenced(file, block, tag)) {
    source.report(tagInWrongPlace(at, name, 'inside a code fence', null))
    return null
  }
  return toTag(source, tag, at)
}

function toTag(source: Source, tag: ts.JSDocTag, at: At): Tag {
  const file = tag.getSourceFile()
  const name = tag.tagName.text
  const raw = file.text.slice(tag.tagName.end, tag.end)
  const [first = '', ...rest] = raw.split('\n').map(withoutStars)
  const isSentence = source.language.sentenceTags.has(name)
  const ended = isSentence || proseTags.has(name) ? [...rest, ''].indexOf('') : 0
  const lost = rest.findIndex((line, index) => index >= ended && line !== '')
  if (lost >= 0) source.report(textAfterTag(placeOfLine(source, tag, lost + 1), name))
  const text = [first, ...rest.slice(0, ended)].join(' ').trim()
  const braced = isSentence ? '' : bracedPart(text)
  if (typedTags.has(name) && braced === '' && text.startsWith('{')) reportBrace(source, name, at)
  const expression =
    'typeExpression' in tag ? (tag.typeExpression as ts.JSDocTypeExpression | undefined) : undefined // every type-bearing tag has this field
  const type = expression?.type ?? null
  const skipped = (/^[^\S\n]*/.exec(raw)?.[0].length ?? 0) + braced.length
  const blanks = /^[^\S\n]*/.exec(raw.slice(skipped))?.[0].length ?? 0
  const textAt = placeOf(source, file, tag.tagName.end + skipped + blanks)
  const atOf = (line: number): At => (line === 0 ? textAt : placeOfLine(source, tag, line))
  const lines = isSentence ? [first, ...rest.slice(0, ended)] : []
  const said = text.slice(braced.length).trimStart()
  return {
    name,
    at,
    text: said,
    mcpWords: name === 'mcp' ? wordsOfMcp(source.language, said) : [],
    type,
    typeText: braced.slice(1, -1).trim(),
    typeAt: type === null ? at : placeOfNode(source, type),
    textAt,
    lines: lines.map((line, index) => ({ text: line, at: atOf(index) })),
  }
}

/** The first word on a later line of a tag. */
function placeOfLine(source: Source, tag: ts.JSDocTag, line: number): At {
  const { text } = tag.getSourceFile()
  const raw = text.slice(tag.tagName.end, tag.end).split('\n')
  const before = raw.slice(0, line).join('\n').length + 1
  const indent = /^[\s*]*/.exec(raw[line] ?? '')?.[0].length ?? 0
  return placeOf(source, tag.getSourceFile(), tag.tagName.end + before + indent)
}

function reportBrace(source: Source, name: string, at: At): void {
  const hint = 'Close the brace, and begin a text with a word: {@link …} in its place is read as a type.'
  source.report(badTag(at, name, 'cannot read the type in braces', hint))
}

const withoutStars = (line: string): string =>
  (line.includes('*') ? line.replace(/^\s*\*+(?!\/)/, '').replace(/\*+\/$/, '') : line).trim()

/** `{T}` at the beginning, whatever braces `T` has; empty when there is none. */
function bracedPart(text: string): string {
  if (!text.startsWith('{')) return ''
  let depth = 0
  for (const [index, character] of [...text].entries()) {
    depth += character === '{' ? 1 : character === '}' ? -1 : 0
    if (depth === 0) return [...text].slice(0, index + 1).join('')
  }
  return ''
}

function isFenced(file: ts.SourceFile, block: ts.JSDoc, tag: ts.JSDocTag): boolean {
  const before = file.text.slice(block.pos, tag.getStart())
  return (before.match(/```/g) ?? []).length % 2 === 1
}

interface ForeignTag {
  readonly written: string
  readonly at: At
  readonly after: string
  readonly node: ts.Node
}

function reportForeign(source: Source, { written, at, after, node }: ForeignTag): void {
  // what is left of marks is told by `reportUnreadTags`
  const isConstraint = constrainingTags.has(written) && !markTags.has(written)
  if (isConstraint) reportNoEffect(source, at, written, 'on a class or a method')
  const { language } = source
  const meant =
    nearestTag(language, [written, after], namesFor(language, node)) ??
    nearestTag(language, [written, after], language.ourTags)
  if (meant !== null) source.report(unknownTag(at, written, meant))
  else if (written !== '' && isOfController(source, node) && !isKnownTag(language, written)) {
    source.report(strangeTag(at, written, wordFor(language, written)))
  }
}

/** What may stand there is meant rather than what may not. */
function namesFor({ ourTags, memberTags, tagTable }: Language, node: ts.Node): readonly string[] {
  const isOfClass = (name: string): boolean => tagTable.get(name)?.on.includes('class') === true
  const isWanted = ts.isClassLike(node)
    ? isOfClass
    : (name: string) => !isOfClass(name) || memberTags.has(name)
  return [...ourTags].filter(isWanted)
}

/** Fields may have what tags their owner likes, and a package's classes cannot be changed by the application. */
const isOfController = (source: Source, node: ts.Node): boolean =>
  (ts.isClassLike(node) || ts.isMethodDeclaration(node)) && source.isOwn(node.getSourceFile())

const idle: ReadonlySet<string> = new Set(['public', 'private', 'protected', 'internal'])

/** Tags that seem to restrict the callers of a route. */
function reportIdle(source: Source, { tags = ts.factory.createNodeArray() }: ts.JSDoc, node: ts.Node): void {
  const name = nameIn(node)
  for (const tag of tags.filter(({ tagName }) => idle.has(tagName.text))) {
    source.report(idleTag(placeOf(source, tag.getSourceFile(), tag.getStart()), tag.tagName.text, name))
  }
}

/** What `read` makes of the type in braces; `otherwise` after a report, when the checker runs out of stack over it. */
export function readTypeOf<T>(source: Source, tag: Tag, read: () => T, otherwise: T): T {
  const site = (): OverflowSite => ({ at: tag.typeAt, path: `@${tag.name}`, text: tag.typeText })
  return readOrReport(source, site, read, otherwise)
}
