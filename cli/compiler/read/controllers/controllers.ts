/** The controllers of the application: every exported class under `app/controllers/` that extends Controller, with
 *  what it inherits from abstract classes anywhere in `app/`. */

import {
  classNotExported,
  nameOfController,
  notPublic,
  overloaded,
  place,
  taggedTwice,
} from '../../diagnostics/source-diagnostics.ts'
import { emptyDoc } from '../../ir/docs.ts'
import type { DeclaredController, DeclaredMethod } from '../../ir/source-model.ts'
import { type Comment, isAbstract, readComment } from '../jsdoc/doc-comment.ts'
import { readFeatures } from '../jsdoc/feature-tags.ts'
import { readKeywords } from '../jsdoc/mcp/mcp-tag.ts'
import { readPath } from '../jsdoc/route-path.ts'
import { readClassScopes } from '../jsdoc/scope-tags.ts'
import type { Tag } from '../jsdoc/tag.ts'
import { readSkip, readTls } from '../jsdoc/tag-grammar.ts'
import { tagsSaying } from '../jsdoc/tag-places.ts'
import { controllerMembers, proseTags } from '../language.ts'
import { type OverflowSite, readOrReport } from '../program/overflow.ts'
import { exportedRef, placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import type { TypeReader } from '../types/type-reader.ts'
import { chainOf, importedClass, nameOfClass, ownerOf, readsAccess } from './heritage.ts'
import { type Member, readMethod, readMethodTags } from './methods.ts'
import { paramName } from './parameters.ts'

interface Link {
  readonly node: ts.ClassDeclaration
  readonly comment: Comment
}

/** Of one file: the concrete controllers, in the order of the source, and whether a class was refused after a report. */
interface FoundControllers {
  readonly controllers: readonly DeclaredController[]
  readonly isRefused: boolean
}

/** Reads a file's controllers. The classes that were looked at are added to `seen`. */
export function readControllers(
  reader: TypeReader,
  file: ts.SourceFile,
  seen: Set<ts.Node>,
): FoundControllers {
  const found = file.statements
    .filter(ts.isClassDeclaration)
    .map((node) => readWithinStack(reader, node, seen))
  const controllers = found.flatMap((item) => (item === null || item === 'refused' ? [] : [item]))
  return { controllers, isRefused: found.includes('refused') }
}

/** Whatever overflows, the mistake stands at the class at the latest. */
function readWithinStack(
  reader: TypeReader,
  node: ts.ClassDeclaration,
  seen: Set<ts.Node>,
): ReturnType<typeof readController> {
  const { source } = reader
  const name = nameOfClass(node)
  const site = (): OverflowSite => ({ at: placeOfNode(source, node.name ?? node), path: name, text: name })
  return readOrReport(source, site, () => readController(reader, node, seen), 'refused')
}

/** null = no concrete controller; `refused` = after a report. What was looked at is added to `read`. */
function readController(
  reader: TypeReader,
  node: ts.ClassDeclaration,
  read: Set<ts.Node>,
): DeclaredController | 'refused' | null {
  const { source } = reader
  const chain = chainOf(source, node)
  if (chain === 'none') return null
  read.add(node)
  if (chain === 'unknown') return 'refused'
  for (const declaration of chain) read.add(declaration)
  if (isAbstract(node)) {
    for (const declaration of chain) judgeAbstract(source, declaration)
    return null
  }
  const links = chain.map((declaration) => ({ node: declaration, comment: readComment(source, declaration) }))
  const symbol = node.name === undefined ? undefined : source.checker.getSymbolAtLocation(node.name)
  const ref = symbol === undefined ? null : exportedRef(source, symbol)
  if (symbol === undefined || ref === null) {
    source.report(classNotExported(placeOfNode(source, node), nameOfClass(node)))
    return 'refused'
  }
  return {
    symbol: ref,
    ...readClassTags(source, links),
    readsAccess: readsAccess(source, chain),
    methods: readMethods(reader, links, source.checker.getDeclaredTypeOfSymbol(symbol)),
    at: placeOfNode(source, node.name ?? node),
  }
}

/** What the tags of a class and its ancestors come to, furthest first. */
function readClassTags(
  source: Source,
  links: readonly Link[],
): Omit<DeclaredController, 'symbol' | 'readsAccess' | 'methods' | 'at'> {
  const own = links.at(-1)?.comment ?? { doc: emptyDoc, tags: [] }
  const inherited = <T>(read: (tags: readonly Tag[], depth: number) => T): readonly T[] =>
    links.map(({ comment }, depth) => read(comment.tags, depth))
  const named = (tags: readonly Tag[], wanted: string): readonly Tag[] =>
    tags.filter(({ name }) => name === wanted)
  return {
    base: readBase(source, own),
    hidden: tagsSaying(own.tags, 'hide').length > 0,
    keywords: inherited((tags) => readKeywords(source, tags)).flat(),
    skips: inherited((tags, depth) =>
      named(tags, 'skipFilter').map((tag) => readSkip(source, tag, depth)),
    ).flat(),
    tls: inherited((tags) => named(tags, 'requireTls').map((tag) => readTls(source, tag))).flat(),
    scopes: inherited((tags, depth) => readClassScopes(source, tags, depth)).flat(),
    said: inherited((tags, depth) => readFeatures(source, tags, { isClass: true, depth })),
    doc: own.doc,
  }
}

function readBase(source: Source, { tags }: Comment): string | null {
  const tag = tags.find(({ name }) => name === 'base')
  return tag === undefined ? null : readPath(source, tag, 'base')
}

/** Abstract classes draw no routes, but their tags are still judged: maybe no class extends them. */
export function judgeAbstract(source: Source, node: ts.ClassDeclaration): void {
  readClassTags(source, [{ node, comment: readComment(source, node) }])
  for (const member of node.members) {
    const tagged = taggedMethod(source, member)
    if (tagged !== null) readMethodTags(source, { ...tagged, depth: 0 })
  }
}

function readMethods(reader: TypeReader, links: readonly Link[], type: ts.Type): readonly DeclaredMethod[] {
  const taken = new Map<string, ts.MethodDeclaration>()
  return links.flatMap(({ node }, depth) =>
    node.members.flatMap((member) => {
      const tagged = taggedMethod(reader.source, member)
      if (tagged === null) return []
      const first = taken.get(tagged.name)
      if (first !== undefined) {
        reportTaggedTwice(reader.source, tagged, first)
        return []
      }
      taken.set(tagged.name, tagged.node)
      const seen = seenBy(reader.source, type, links, tagged, depth)
      if (seen !== null) return [readMethod(reader, seen)]
      reader.source.report(notPublic(placeOfNode(reader.source, tagged.node.name), tagged.name))
      return []
    }),
  )
}

type Tagged = Pick<Member, 'name' | 'node' | 'comment'>

/** The tags of an override would be lost: the mark is at the first of them. */
function reportTaggedTwice(
  source: Source,
  { name, node, comment }: Tagged,
  first: ts.MethodDeclaration,
): void {
  const at =
    comment.tags.find((tag) => source.language.memberTags.has(tag.name))?.at ?? placeOfNode(source, node.name)
  const owner = ownerOf(source, first)
  const where = owner.isShipped ? 'of acmcp' : place(placeOfNode(source, first.name))
  source.report(taggedTwice(at, name, `${owner.name} (${where})`))
}

function taggedMethod(source: Source, member: ts.ClassElement): Tagged | null {
  const comment = readComment(source, member)
  if (!comment.tags.some(({ name }) => source.language.memberTags.has(name))) return null
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Static
  const name = member.name?.getText() ?? 'constructor'
  const isPublicMethod =
    ts.isMethodDeclaration(member) &&
    ts.isIdentifier(member.name) &&
    !(ts.getCombinedModifierFlags(member) & hidden)
  if (isPublicMethod) {
    if (controllerMembers.includes(name))
      source.report(nameOfController(placeOfNode(source, member.name), name))
    return { name, node: member, comment }
  }
  source.report(notPublic(placeOfNode(source, member.name ?? member), name))
  return null
}

/** The method as the concrete class has it: overridden, with type parameters filled in. */
function seenBy(
  source: Source,
  type: ts.Type,
  links: readonly Link[],
  tagged: Tagged,
  depth: number,
): Member | null {
  const signature = ownSignature(source, links, tagged) ?? signatureOf(source, type, tagged.name)
  if (signature === null) return null
  const found = links.flatMap(({ node }) => membersNamed(node, tagged.name))
  const nearestClass = found.at(-1)?.parent
  const calledOn = nearestClass === undefined ? null : importedClass(source, nearestClass)
  const [, second] = found.filter(({ parent }) => parent === nearestClass)
  if (second !== undefined) source.report(overloaded(placeOfNode(source, second.name ?? second), tagged.name))
  const called = { ...tagged, depth, signature, calledOn }
  if (found.length === 1) return { ...called, doc: tagged.comment.doc, docNode: tagged.node.name }
  const written = found.map((node) => ({ node, comment: readComment(source, node) })).reverse()
  const { node: nearest, comment: shown } = written.find((item) => item.comment.doc.summary !== '') ?? tagged
  const prose = proseOf(written.map((item) => item.comment))
  const comment = { ...tagged.comment, tags: [...tagged.comment.tags.filter(isRole), ...prose] }
  return { ...called, comment, doc: shown.doc, docNode: nearest.name ?? nearest }
}

const isRole = ({ name }: Tag): boolean => !proseTags.has(name)

/** `@param`, `@returns` and `@throws` of the nearest comment that has them; the texts of parameters one by one. */
function proseOf(comments: readonly Comment[]): readonly Tag[] {
  const nearest = ['returns', 'throws'].flatMap((name) => {
    const all = comments.map(({ tags }) => tags.filter((tag) => tag.name === name))
    return all.find(({ length }) => length > 0) ?? []
  })
  const taken = new Set<string>()
  const params = comments.flatMap(({ tags }) => {
    const own = tags.filter((tag) => tag.name === 'param' && !taken.has(paramName(tag)))
    for (const tag of own) taken.add(paramName(tag))
    return own
  })
  return [...params, ...nearest]
}

function signatureOf(source: Source, type: ts.Type, name: string): ts.Signature | null {
  const property = type.getProperty(name)
  const [signature] =
    property === undefined ? [] : source.checker.getTypeOfSymbol(property).getCallSignatures()
  return signature ?? null
}

/** The signature of a method that the concrete class itself declares once: the checker need not resolve the class. */
function ownSignature(source: Source, links: readonly Link[], { name, node }: Tagged): ts.Signature | null {
  const concrete = links.at(-1)?.node
  if (node.parent !== concrete || node.questionToken !== undefined) return null
  const same = membersNamed(concrete, name)
  return same.length === 1 ? (source.checker.getSignatureFromDeclaration(node) ?? null) : null
}

/** The members of a class that are written with this name, in source order. */
const membersNamed = ({ members }: ts.ClassDeclaration, written: string): readonly ts.ClassElement[] =>
  members.filter(({ name }) => name?.getText() === written)
