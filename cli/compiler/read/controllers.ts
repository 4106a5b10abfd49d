/** The controllers of the application: every exported class under `app/controllers/` that extends Controller, with
 *  what it inherits from abstract classes anywhere in `app/`. */

import type { DeclaredController, DeclaredMethod } from '../declared.ts'
import {
  baseUnknown,
  classNotExported,
  docsOnOverload,
  hiddenInVain,
  notAController,
  notPublic,
  taggedTwice,
} from '../diagnostics.ts'
import { readSkip, readTls } from './annotations.ts'
import { type Comment, memberTags, readComment, refuse } from './doc-comment.ts'
import { type Member, readMethod } from './methods.ts'
import { isLibrary } from './names.ts'
import { readPath } from './paths.ts'
import { exportedRef, followAlias, placeOfNode, publicName, type Source } from './program.ts'
import type { TypeReader } from './type-reader.ts'
import { ts } from './typescript.ts'

interface Link {
  readonly node: ts.ClassDeclaration
  readonly comment: Comment
}

/** The concrete controllers of a file, in the order of the source. */
export function readControllers(reader: TypeReader, file: ts.SourceFile): readonly DeclaredController[] {
  return file.statements.filter(ts.isClassDeclaration).flatMap((node) => readController(reader, node) ?? [])
}

function readController(reader: TypeReader, node: ts.ClassDeclaration): DeclaredController | null {
  const { source } = reader
  const chain = chainOf(source, node)
  if (chain === 'none') reportTagsInVain(source, node)
  if (chain === 'none' || chain === 'unknown') return null
  const links = chain.map((one) => ({ node: one, comment: readComment(source, one) }))
  if (isAbstract(node)) {
    reportHiddenInVain(source, readComment(source, node), node)
    for (const link of links) reportUntypedMembers(source, link)
    return null
  }
  const symbol = node.name === undefined ? undefined : source.checker.getSymbolAtLocation(node.name)
  const ref = symbol === undefined ? null : exportedRef(source, symbol)
  if (symbol === undefined || ref === null) {
    source.report(classNotExported(placeOfNode(source, node), node.name?.text ?? 'class'))
    return null
  }
  const own = readComment(source, node)
  return {
    symbol: ref,
    base: readBase(source, own),
    hidden: readHidden(source, own),
    skips: links.flatMap(({ comment }, depth) =>
      comment.tags.filter(({ name }) => name === 'skipFilter').map((tag) => readSkip(source, tag, depth)),
    ),
    tls: links.flatMap(({ comment }) =>
      comment.tags.filter(({ name }) => name === 'requireTls').map((tag) => readTls(source, tag)),
    ),
    methods: readMethods(reader, links, source.checker.getDeclaredTypeOfSymbol(symbol)),
    doc: own.doc,
    at: placeOfNode(source, node),
  }
}

const isAbstract = (node: ts.ClassDeclaration): boolean =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) === true

function readBase(source: Source, comment: Comment): string | null {
  const [tag, second] = comment.tags.filter(({ name }) => name === 'base')
  if (second !== undefined) refuse(source, second, 'a class has one base', 'Remove one of the two.')
  return tag === undefined ? null : readPath(source, tag, 'base')
}

/** Whether the class says `@mcp hide`; any other word would be lost here. */
function readHidden(source: Source, { tags }: Comment): boolean {
  const words = tags.filter(({ name }) => name === 'mcp')
  for (const tag of words.filter(({ text }) => text !== 'hide')) {
    refuse(source, tag, `a class takes only hide, not '${tag.text}'`, 'Move it to a method.')
  }
  return words.some(({ text }) => text === 'hide')
}

/** `@mcp hide` is not inherited: each class carries its own. */
function reportHiddenInVain(source: Source, { tags }: Comment, node: ts.ClassDeclaration): void {
  const hide = tags.find(({ name }) => name === 'mcp')
  if (hide !== undefined) source.report(hiddenInVain(hide.at, node.name?.text ?? 'class'))
}

/** The class and its ancestors, furthest first, without Controller; `none` when Controller is not among them,
 *  `unknown` after a report. */
function chainOf(
  source: Source,
  node: ts.ClassDeclaration,
): readonly ts.ClassDeclaration[] | 'none' | 'unknown' {
  const heritage = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
  const [base] = heritage?.types ?? []
  if (base === undefined) return 'none'
  const found = source.checker.getSymbolAtLocation(base.expression)
  const symbol = found === undefined ? undefined : followAlias(source.checker, found)
  if (publicName(source, symbol) === 'Controller') return [node]
  const parent = symbol?.declarations?.find(ts.isClassDeclaration)
  if (parent === undefined && symbol !== undefined && isLibrary(source, symbol)) return 'none'
  if (parent === undefined) {
    source.report(baseUnknown(placeOfNode(source, base), node.name?.text ?? 'class'))
    return 'unknown'
  }
  const above = chainOf(source, parent)
  return typeof above === 'string' ? above : [...above, node]
}

function reportTagsInVain(source: Source, node: ts.ClassDeclaration): void {
  const isTagged = [node, ...node.members].some((one) =>
    readComment(source, one).tags.some(({ name }) => memberTags.has(name) || name === 'base'),
  )
  if (isTagged) source.report(notAController(placeOfNode(source, node), node.name?.text ?? 'class'))
}

/** Abstract classes draw no routes, but their tags are still judged. */
function reportUntypedMembers(source: Source, { node }: Link): void {
  for (const member of node.members) taggedMethod(source, member)
}

function readMethods(reader: TypeReader, links: readonly Link[], type: ts.Type): readonly DeclaredMethod[] {
  const taken = new Map<string, ts.MethodDeclaration>()
  return links.flatMap(({ node }, depth) =>
    node.members.flatMap((member) => {
      const tagged = taggedMethod(reader.source, member)
      if (tagged === null) return []
      const first = taken.get(tagged.name)
      if (first !== undefined) {
        const at = placeOfNode(reader.source, tagged.node.name)
        reader.source.report(taggedTwice(at, tagged.name, placeOfNode(reader.source, first.name)))
        return []
      }
      taken.set(tagged.name, tagged.node)
      const seen = seenBy(reader.source, type, links, tagged, depth)
      return seen === null ? [] : [readMethod(reader, seen)]
    }),
  )
}

type Tagged = Pick<Member, 'name' | 'node' | 'comment'>

function taggedMethod(source: Source, member: ts.ClassElement): Tagged | null {
  const comment = readComment(source, member)
  if (!comment.tags.some(({ name }) => memberTags.has(name))) return null
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Static
  const name = member.name?.getText() ?? 'constructor'
  const isPublicMethod =
    ts.isMethodDeclaration(member) &&
    ts.isIdentifier(member.name) &&
    !(ts.getCombinedModifierFlags(member) & hidden)
  if (isPublicMethod) {
    reportOverload(source, member, name)
    return { name, node: member, comment }
  }
  source.report(notPublic(placeOfNode(source, member.name ?? member), name))
  return null
}

/** Callers see the first signature of an overloaded method, and so does the build. */
function reportOverload(source: Source, member: ts.MethodDeclaration, name: string): void {
  const { parent } = member
  const first = ts.isClassLike(parent)
    ? parent.members.find((one) => one.name?.getText() === name)
    : undefined
  if (first !== undefined && first !== member)
    source.report(docsOnOverload(placeOfNode(source, member), name))
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
  const docs = links
    .flatMap(({ node }) => node.members.filter((member) => member.name?.getText() === tagged.name))
    .map((member) => readComment(source, member).doc)
    .reverse()
  const doc = docs.find(({ summary }) => summary !== '') ?? tagged.comment.doc
  return { ...tagged, depth, doc, signature }
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
  const same = concrete.members.filter((member) => member.name?.getText() === name)
  return same.length === 1 ? (source.checker.getSignatureFromDeclaration(node) ?? null) : null
}
