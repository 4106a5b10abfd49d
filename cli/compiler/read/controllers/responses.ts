/** What a method answers: its return type, and what `@returns`, `@throws` and `@produces` say. */

import { secretAnswer } from '../../diagnostics/secret-diagnostics.ts'
import { returnsOther, statusNotTellable, unresolvedType } from '../../diagnostics/source-diagnostics.ts'
import type { Schema } from '../../ir/schema.ts'
import type { DeclaredMethod, DeclaredReturns, DeclaredThrows } from '../../ir/source-model.ts'
import { readTypeOf, withoutLinks } from '../jsdoc/doc-comment.ts'
import { refuse, type Tag } from '../jsdoc/tag.ts'
import { readStatus } from '../jsdoc/tag-grammar.ts'
import { orderedMembers } from '../program/canonical-order.ts'
import { isLibraryType } from '../program/library.ts'
import { isReference, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { hasMarks } from '../types/marks/marked-names.ts'
import { marksOfNode } from '../types/marks/marks.ts'
import { returnedBy } from '../types/marks/written-types.ts'
import { includes } from '../types/objects.ts'
import type { TypeLocation, TypeReader } from '../types/type-reader.ts'
import { classSymbol, reportNoClass, reportUnexported } from './exception-classes.ts'
import { importOf } from './imported-classes.ts'

/** What a method answers. */
export type Results = Pick<
  DeclaredMethod,
  'returns' | 'result' | 'returnsMore' | 'rendersItself' | 'answersNothing'
>

/** The answers of a method whose return type is `written`. `Promise<T>` is `T`. */
export function readResults(
  reader: TypeReader,
  written: ts.Type,
  tags: readonly Tag[],
  location: TypeLocation,
): Results {
  const { source } = reader
  const type = promisedBy(source, written) ?? source.checker.getAwaitedType(written) ?? written
  const members = type.isUnion() ? orderedMembers(source.checker, type) : [type]
  const tagged = tags
    .filter(({ name }) => name === 'returns')
    .map((tag) => readReturns(reader, tag, location))
  const named = tagged.flatMap(({ symbol }) => symbol ?? [])
  const isNamed = (member: ts.Type): boolean => named.some((symbol) => symbol === member.getSymbol())
  const isSplit = members.some(isNamed)
  const left = members.filter((member) => !isNamed(member) && !isRendered(source, member))
  const rendersItself = members.some((member) => isRendered(source, member))
  if (!rendersItself) {
    reportUntellable(source, tagged, isSplit && left.length > 0)
    reportOtherTypes(source, tagged, type)
  }
  return {
    returns: tagged.map(({ returns }) => returns),
    result: isSplit ? readMembers(reader, left, location) : readResult(reader, type, location),
    returnsMore: isSplit && left.length > 0 && tagged.every(({ returns }) => returns.isTyped),
    rendersItself,
    answersNothing: left.some((member) => isNoBody(source, member)),
  }
}

/** Reports an answer of which nothing would be left: its type is written with an alias that is secret, or it is a secret property's
 *  value. */
export function reportSecretAnswer(
  source: Source,
  signature: ts.Signature,
  { at, path }: TypeLocation,
): void {
  if (!hasMarks(source.program)) return
  if (returnedBy(signature.getDeclaration()).some((node) => marksOfNode(source, node).isSecret))
    source.report(secretAnswer(at, path))
}

/** `T` of a plain `Promise<T>`, without asking the checker what `await` would make of it; null = ask. */
function promisedBy(source: Source, type: ts.Type): ts.Type | null {
  if (type.getSymbol()?.name !== 'Promise' || !isReference(type) || !isLibraryType(source, type)) return null
  const [inner] = source.checker.getTypeArguments(type)
  if (inner === undefined || !(inner.flags & (ts.TypeFlags.Object | ts.TypeFlags.Void))) return null
  return inner.getProperty('then') === undefined ? inner : null
}

interface Tagged {
  readonly tag: Tag
  readonly symbol: ts.Symbol | null
  readonly type: ts.Type | null
  readonly returns: DeclaredReturns
}

function readReturns(reader: TypeReader, tag: Tag, location: TypeLocation): Tagged {
  const { source } = reader
  const [status = '', rest = ''] = splitFirst(tag.text)
  const hasStatus = /^\d+$/.test(status)
  const read = (): TaggedType => readTaggedType(reader, tag, location)
  const { symbol, type, schema } = readTypeOf(source, tag, read, noType)
  const named = hasStatus ? symbol : null
  return {
    tag,
    symbol: named,
    type,
    returns: {
      schema,
      type: named === null || tag.type === null ? null : importOf(source, tag.type, named),
      isTyped: type !== null,
      status: hasStatus ? readStatus(source, tag, status) : null,
      text: withoutLinks((hasStatus ? rest : tag.text).replace(/^-\s*/, '')),
    },
  }
}

interface TaggedType {
  readonly symbol: ts.Symbol | null
  readonly type: ts.Type | null
  readonly schema: Schema | null
}

const noType: TaggedType = { symbol: null, type: null, schema: null }

/** The type in the braces of a tag: its class, what it is when awaited, and its schema. */
function readTaggedType(reader: TypeReader, tag: Tag, location: TypeLocation): TaggedType {
  const { source } = reader
  const { type: node, typeText, typeAt } = tag
  if (typeText === '' || node === null || !isKnown(source, tag)) return noType
  const written = source.checker.getTypeFromTypeNode(node)
  const type = source.checker.getAwaitedType(written) ?? written
  const schema = readResult(reader, type, { ...location, at: typeAt })
  if (marksOfNode(source, node).isSecret) source.report(secretAnswer(typeAt, location.path))
  return {
    symbol: classSymbol(source, node),
    type,
    schema: schema === null ? null : reader.names.aliased(schema, node),
  }
}

/** With several statuses the class of the value decides: every type but one must be an exported class. */
function reportUntellable(source: Source, tagged: readonly Tagged[], isPlainToo: boolean): void {
  const statuses = new Set(tagged.map(({ returns }) => returns.status ?? 200))
  if (statuses.size + (isPlainToo ? 1 : 0) < 2) return
  for (const { tag, symbol, returns } of tagged) {
    if (symbol !== null && returns.type === null) reportUnexported(source, symbol, tag)
  }
  const others = tagged.filter(({ symbol }) => symbol === null).slice(isPlainToo ? 0 : 1)
  for (const { tag, returns } of others) {
    if (!isPlainToo || returns.isTyped) source.report(statusNotTellable(tag.typeAt, tag.typeText))
  }
}

/** A type that the method cannot return would be a promise in the document that the route does not keep. */
function reportOtherTypes(source: Source, tagged: readonly Tagged[], returned: ts.Type): void {
  const { checker } = source
  if (events.has(returned.getSymbol()?.name ?? '')) return
  for (const { tag, type } of tagged) {
    if (type === null) continue
    const fits = (a: ts.Type, b: ts.Type): boolean => checker.isTypeAssignableTo(a, b)
    const isReturned = (): boolean => fits(type, returned) || fits(returned, type)
    if (!readTypeOf(source, tag, isReturned, true)) source.report(returnsOther(tag.typeAt, tag.typeText))
  }
}

/** Whether the checker knows the type of a tag; TypeScript itself is silent about one that it does not. */
function isKnown(source: Source, tag: Tag): boolean {
  const { type, typeText, name, typeAt } = tag
  if (type !== null && hasMembers(type)) {
    refuse(
      source,
      tag,
      `'${typeText}' has no name`,
      'Declare it as a type or an interface, and name that here.',
    )
    return false
  }
  if (type === null || !ts.isTypeReferenceNode(type)) return true
  if (source.checker.getSymbolAtLocation(type.typeName)?.declarations !== undefined) return true
  source.report(unresolvedType(typeAt, name, typeText))
  return false
}

/** Whether members are written in the type: TypeScript does not bind them in a comment, so they would be lost. */
function hasMembers(node: ts.Node): boolean {
  if (ts.isTypeLiteralNode(node) || ts.isMappedTypeNode(node)) return true
  return ts.forEachChild(node, (child) => hasMembers(child) || undefined) ?? false
}

/** `{E} status text`: without a status it is for readers of the source alone. */
export function readThrows(source: Source, tags: readonly Tag[]): readonly DeclaredThrows[] {
  return tags
    .filter(({ name }) => name === 'throws')
    .flatMap((tag) => {
      readTypeOf(source, tag, () => reportUnlessClass(source, tag), undefined)
      const [written = '', rest = ''] = splitFirst(tag.text)
      const status = /^\d+$/.test(written) ? readStatus(source, tag, written) : null
      const text = withoutLinks(rest.replace(/^-\s*/, '')) || tag.typeText
      return status === null ? [] : [{ status, schema: null, text }]
    })
}

function reportUnlessClass(source: Source, tag: Tag): void {
  const { type, typeText } = tag
  if (typeText !== '' && type !== null && classSymbol(source, type) === null) reportNoClass(source, type, tag)
}

/** `@returns {T} status text` of a filter: what a covered route answers when the filter renders. */
export function readFilterAnswers(
  reader: TypeReader,
  tags: readonly Tag[],
  location: TypeLocation,
): readonly DeclaredThrows[] {
  return tags
    .filter(({ name }) => name === 'returns')
    .flatMap((tag) => {
      const { schema, status, text } = readReturns(reader, tag, location).returns
      return status === null ? [] : [{ status, schema, text }]
    })
}

function splitFirst(text: string): readonly string[] {
  const [, first = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(text) ?? []
  return [first, rest]
}

/** The type of `@produces`, or null. */
export function readProduces(source: Source, tags: readonly Tag[]): string | null {
  const tag = tags.find(({ name }) => name === 'produces')
  if (tag === undefined) return null
  if (/^[\w.+-]+\/[\w.+-]+(;.*)?$/.test(tag.text)) return tag.text
  refuse(source, tag, `'${tag.text}' is not a content type`, 'Write a type such as text/csv.')
  return null
}

/** What the method renders itself, and nothing, have no schema. */
function readResult(reader: TypeReader, type: ts.Type, location: TypeLocation): Schema | null {
  const members = type.isUnion() ? orderedMembers(reader.source.checker, type) : [type]
  const kept = members.filter((member) => !isNoBody(reader.source, member))
  if (kept.length === 0) return null
  const inside = { ...location, path: `${location.path}()` }
  if (kept.length === members.length) return readAnswer(reader, type, inside)
  if (!members.some((member) => isRendered(reader.source, member)) && !includes(type, ts.TypeFlags.Null)) {
    return readAnswer(reader, reader.source.checker.getNonNullableType(type), inside)
  }
  return readMembers(reader, kept, location)
}

function readMembers(reader: TypeReader, members: readonly ts.Type[], location: TypeLocation): Schema | null {
  const kept = members.filter((member) => !isNoBody(reader.source, member))
  const inside = { ...location, path: `${location.path}()` }
  return kept.length === 0 ? null : joined(kept.map((member) => readAnswer(reader, member, inside)))
}

const streams = new Set(['Readable', 'ReadableStream'])
const blobs = new Set(['Blob', 'File'])
const events = new Set(['AsyncIterable', 'AsyncIterableIterator', 'AsyncGenerator', 'AsyncIteratorObject'])

/** A whole answer may also be bytes or events, which have no JSON form inside a value. */
function readAnswer(reader: TypeReader, type: ts.Type, location: TypeLocation): Schema {
  if (!isLibraryType(reader.source, type)) return reader.read(type, location)
  const { name } = type.symbol
  if (streams.has(name)) return { kind: 'binary', type: 'application/octet-stream' }
  if (blobs.has(name)) return { kind: 'binary', type: '*/*' }
  if (!events.has(name) || !isReference(type)) return reader.read(type, location)
  const [item] = reader.source.checker.getTypeArguments(type)
  if (item === undefined) return reader.read(type, location)
  return { kind: 'events', items: readEvents(reader, item, location) }
}

/** Of events of several kinds each has data of its own. */
function readEvents(reader: TypeReader, item: ts.Type, location: TypeLocation): Schema {
  const { source } = reader
  const kinds = item.isUnion() ? orderedMembers(source.checker, item) : [item]
  const data = kinds.map((kind) => eventData(source, kind))
  if (data.every((type, index) => type === kinds[index])) return reader.read(item, location)
  return joined([...new Set(data)].map((type) => reader.read(type, location)))
}

/** What the `data` lines of an event hold. */
function eventData(source: Source, item: ts.Type): ts.Type {
  if (publicName(source, item.getSymbol()) !== 'ServerEvent' || !isReference(item)) return item
  return source.checker.getTypeArguments(item)[0] ?? item
}

function joined(members: readonly Schema[]): Schema {
  const [only] = members
  if (members.length === 1 && only !== undefined) return only
  const values = members.map((member) => (member.kind === 'literal' ? member.value : null))
  if (values.every((value) => typeof value === 'boolean')) return { kind: 'boolean' }
  const known = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  return known.length === members.length
    ? { kind: 'enum', values: known, ofEnum: false }
    : { kind: 'union', members, discriminator: null }
}

const isRendered = (source: Source, type: ts.Type): boolean =>
  publicName(source, type.getSymbol()) === 'Rendered'

function isNoBody(source: Source, type: ts.Type): boolean {
  const nothing = ts.TypeFlags.Void | ts.TypeFlags.Undefined | ts.TypeFlags.Never
  return Boolean(type.flags & nothing) || isRendered(source, type)
}
