/** A tagged method → its record: routes, filter, handlers, parameters and result. */
import { ts } from 'ts-morph'
import {
  aroundWithoutNext,
  handlerWithoutError,
  rolesMixed,
  symbolNotExported,
  unresolvedException,
  unsupportedTag,
} from '../diagnostics.ts'
import type { DeclaredMethod, DeclaredReturns, DeclaredThrows, Doc, Schema, SymbolRef } from '../model.ts'
import {
  type ErrorClass,
  readExceptions,
  readFilter,
  readMcp,
  readRoutes,
  readStatus,
} from './annotations.ts'
import { type Comment, refuse, type Tag } from './doc-comment.ts'
import { includes } from './objects.ts'
import { readParameters } from './parameters.ts'
import { exportedRef, followAlias, placeOfNode, publicName, type Source } from './program.ts'
import type { Spot, TypeReader } from './type-reader.ts'

export interface Member {
  readonly name: string
  readonly depth: number
  /** The declaration that carries the tags. */
  readonly node: ts.MethodDeclaration
  readonly comment: Comment
  /** The nearest doc comment's text, from the concrete class upwards. */
  readonly doc: Doc
  /** As the concrete class sees it. */
  readonly signature: ts.Signature
}

/** The record of `member`. Its types are those that the concrete class sees. */
export function readMethod(reader: TypeReader, member: Member): DeclaredMethod {
  const { source } = reader
  const { tags } = member.comment
  const routes = readRoutes(source, tags)
  const filter = readFilter(source, tags)
  const exceptions = readExceptions(source, tags, (type, tag) => resolveError(source, type, tag))
  const isHandler = tags.some(({ name }) => name === 'exception')
  reportRoles(source, member, [routes.length > 0, filter !== null, isHandler])
  const spot: Spot = {
    at: placeOfNode(source, member.node.name),
    path: `${className(member)}.${member.name}`,
  }
  const skipped = skippedParameters(source, member, filter?.when === 'around', isHandler)
  return {
    name: member.name,
    depth: member.depth,
    routes,
    filter,
    exceptions,
    returns: readReturns(reader, tags, spot),
    throws: readThrows(source, tags),
    produces: readProduces(source, tags),
    mcp: readMcp(source, tags),
    params: readParameters(reader, { signature: member.signature, tags, skipped }, spot),
    result: filter === null ? readResult(reader, member.signature.getReturnType(), spot) : null,
    doc: member.doc,
    at: spot.at,
  }
}

function className({ node }: Member): string {
  return ts.isClassDeclaration(node.parent) ? (node.parent.name?.text ?? '') : ''
}

function reportRoles(source: Source, member: Member, roles: readonly boolean[]): void {
  if (roles.filter(Boolean).length > 1)
    source.report(rolesMixed(placeOfNode(source, member.node.name), member.name))
  const lone = roles.some(Boolean) ? undefined : member.comment.tags.find(({ name }) => name === 'mcp')
  if (lone !== undefined)
    refuse(source, lone, `${member.name} has no route`, 'Add a route, such as @get /path.')
}

/** An around filter's first parameter is `next`, a handler's is the error. */
function skippedParameters(source: Source, member: Member, isAround: boolean, isHandler: boolean): number {
  const [first] = member.signature.getParameters()
  const at = placeOfNode(source, member.node.name)
  if (isAround) {
    const type = first === undefined ? undefined : source.checker.getTypeOfSymbol(first)
    if ((type?.getCallSignatures().length ?? 0) === 0) source.report(aroundWithoutNext(at, member.name))
    return 1
  }
  if (isHandler && first === undefined) source.report(handlerWithoutError(at, member.name))
  return isHandler ? 1 : 0
}

function resolveError(source: Source, type: ts.TypeNode, tag: Tag): ErrorClass | null {
  const name = ts.isTypeReferenceNode(type) ? type.typeName : null
  const found = name === null ? undefined : source.checker.getSymbolAtLocation(name)
  const symbol = found === undefined ? undefined : followAlias(source.checker, found)
  if (symbol === undefined || !(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Variable))) {
    source.report(unresolvedException(tag.at, tag.typeText))
    return null
  }
  if (ts.isTypeReferenceNode(type) && type.typeArguments !== undefined) {
    source.report(unsupportedTag(tag.at, 'exception with type arguments'))
    return null
  }
  const error = errorRef(source, symbol)
  if (error === null) {
    source.report(symbolNotExported(tag.at, symbol.name))
    return null
  }
  return { error, bases: basesOf(source, source.checker.getDeclaredTypeOfSymbol(symbol)) }
}

function errorRef(source: Source, symbol: ts.Symbol): SymbolRef | null {
  if (symbol.name === 'Error' && !isOfApplication(source, symbol)) return { module: '', name: 'Error' }
  return exportedRef(source, symbol)
}

/** The ancestors that a handler can name, nearest first. */
function basesOf(source: Source, type: ts.Type): readonly SymbolRef[] {
  const [base] = (type.isClassOrInterface() ? type.getBaseTypes() : undefined) ?? []
  const symbol = base?.getSymbol()
  if (symbol === undefined) return []
  const above = basesOf(source, source.checker.getDeclaredTypeOfSymbol(symbol))
  const ref = errorRef(source, symbol)
  return ref === null ? above : [ref, ...above]
}

function isOfApplication(source: Source, symbol: ts.Symbol): boolean {
  return symbol.declarations?.some((node) => source.files.includes(node.getSourceFile())) === true
}

function readReturns(reader: TypeReader, tags: readonly Tag[], spot: Spot): readonly DeclaredReturns[] {
  const { source } = reader
  return tags
    .filter(({ name }) => name === 'returns')
    .map((tag) => {
      const [status = '', rest = ''] = splitFirst(tag.text)
      const hasStatus = /^\d+$/.test(status)
      const type =
        tag.type === null || tag.typeText === '' ? null : source.checker.getTypeFromTypeNode(tag.type)
      return {
        schema: type === null ? null : readResult(reader, type, { ...spot, at: tag.at }),
        status: hasStatus ? readStatus(source, tag, status) : null,
        text: (hasStatus ? rest : tag.text).replace(/^-\s*/, ''),
      }
    })
}

/** `{E} status text`: without a status it is for readers of the source alone. */
function readThrows(source: Source, tags: readonly Tag[]): readonly DeclaredThrows[] {
  return tags
    .filter(({ name }) => name === 'throws')
    .flatMap((tag) => {
      const [written = '', rest = ''] = splitFirst(tag.text)
      const status = /^\d+$/.test(written) ? readStatus(source, tag, written) : null
      return status === null ? [] : [{ status, text: rest.replace(/^-\s*/, '') || tag.typeText }]
    })
}

function splitFirst(text: string): readonly string[] {
  const [, first = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(text) ?? []
  return [first, rest]
}

function readProduces(source: Source, tags: readonly Tag[]): string | null {
  const tag = tags.find(({ name }) => name === 'produces')
  if (tag === undefined) return null
  if (/^[\w.+-]+\/[\w.+-]+(;.*)?$/.test(tag.text)) return tag.text
  refuse(source, tag, `'${tag.text}' is not a content type`, 'Write a type such as text/csv.')
  return null
}

/** `Promise<T>` is `T`; what the method renders itself, and nothing, have no schema. */
function readResult(reader: TypeReader, written: ts.Type, spot: Spot): Schema | null {
  const { checker } = reader.source
  const type = checker.getAwaitedType(written) ?? written
  const members = type.isUnion() ? type.types : [type]
  const kept = members.filter((member) => !isNoBody(reader.source, member))
  if (kept.length === 0) return null
  const inside = { ...spot, path: `${spot.path}()` }
  if (kept.length === members.length) return reader.read(type, inside)
  if (!members.some((member) => isRendered(reader.source, member)) && !includes(type, ts.TypeFlags.Null)) {
    return reader.read(checker.getNonNullableType(type), inside)
  }
  return joined(kept.map((member) => reader.read(member, inside)))
}

function joined(members: readonly Schema[]): Schema {
  const [only] = members
  if (members.length === 1 && only !== undefined) return only
  const values = members.map((member) => (member.kind === 'literal' ? member.value : null))
  if (values.every((value) => typeof value === 'boolean')) return { kind: 'boolean' }
  const known = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  return known.length === members.length
    ? { kind: 'enum', values: known }
    : { kind: 'union', members, discriminator: null }
}

const isRendered = (source: Source, type: ts.Type): boolean =>
  publicName(source, type.getSymbol()) === 'Rendered'

function isNoBody(source: Source, type: ts.Type): boolean {
  const nothing = ts.TypeFlags.Void | ts.TypeFlags.Undefined | ts.TypeFlags.Never
  return Boolean(type.flags & nothing) || isRendered(source, type)
}
