/** The parameters of a method → records: public name, source, schema, default, text. */

import { didYouMean } from '../../diagnostics/similar-names.ts'
import {
  unknownParameter,
  unreadableParameter,
  wireNameInvalid,
} from '../../diagnostics/source-diagnostics.ts'
import type { Schema } from '../../ir/schema.ts'
import type { DeclaredParam } from '../../ir/source-model.ts'
import type { SchemaCheck } from '../../ir/steps.ts'
import { textDoc, withExamples } from '../jsdoc/doc-comment.ts'
import { refuse, type Tag } from '../jsdoc/tag.ts'
import { readOrReport, writtenType } from '../program/overflow.ts'
import { isReference, placeOfNode, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { constrain, constraintTags, examplesIn, withExample } from '../types/constraints.ts'
import { reportInstance } from '../types/decodable.ts'
import { marksOfNode } from '../types/marks/marks.ts'
import { includes, withoutUndefined } from '../types/objects.ts'
import { fail, type TypeLocation, type TypeReader } from '../types/type-reader.ts'
import { isCoerced, takesAbsent, withAbsent } from './absent-input.ts'
import { type CheckedParameter, readChecked, reportUnchecked } from './checked.ts'
import { unwrap } from './parameter-wrappers.ts'

interface MethodParameters {
  readonly signature: ts.Signature
  readonly tags: readonly Tag[]
  /** How many come first that the runtime passes itself: `next`, the error. */
  readonly skipped: number
}

/** The parameters that are read from the request, with the texts of `@param`. */
export function readDeclaredParams(
  reader: TypeReader,
  { signature, tags, skipped }: MethodParameters,
  location: TypeLocation,
): readonly DeclaredParam[] {
  const texts = tags.filter(({ name }) => name === 'param').map(toText)
  const symbols = signature.getParameters()
  for (const [index, { name, tag }] of texts.entries()) {
    if (!symbols.some((symbol) => symbol.name === name)) reportUnknown(reader, tag, name, symbols)
    const isSecond = texts.findIndex((text) => text.name === name) < index
    if (isSecond) refuse(reader.source, tag, `${name} is described twice`, 'Remove one of the two.')
  }
  return symbols.slice(skipped).flatMap((symbol) => {
    const text = texts.find(({ name }) => name === symbol.name) ?? null
    return readParameter(reader, symbol, text, location) ?? []
  })
}

function reportUnknown({ source }: TypeReader, tag: Tag, name: string, symbols: readonly ts.Symbol[]): void {
  const names = symbols.map((symbol) => symbol.name)
  source.report(unknownParameter(tag.textAt, name, didYouMean(name, names)))
}

interface ParamText {
  readonly name: string
  readonly text: string
  /** Of `example=` at the end. */
  readonly example: string | null
  readonly tag: Tag
}

/** `name - text`, the name alone or in brackets */
const shape = /^\[?([\p{ID_Continue}$.\u200c\u200d]+)[^\s\]]*\]?\s*(?:-\s*)?(.*)$/u

/** The parameter that a `@param` describes. */
export const paramName = ({ text }: Tag): string => shape.exec(text)?.[1] ?? ''

/** `name - text example="…"` */
function toText(tag: Tag): ParamText {
  const [, name = '', all = ''] = shape.exec(tag.text) ?? []
  const [shown = '', quoted, bare] = /(?:^|\s)example=(?:"([^"]*)"|(\S+))$/.exec(all) ?? []
  const text = all.slice(0, all.length - shown.length).trim()
  return { name, text, example: quoted ?? bare ?? null, tag }
}

function readParameter(
  reader: TypeReader,
  symbol: ts.Symbol,
  text: ParamText | null,
  location: TypeLocation,
): DeclaredParam | null {
  const { source } = reader
  const node = symbol.valueDeclaration
  if (
    node === undefined ||
    !ts.isParameter(node) ||
    !ts.isIdentifier(node.name) ||
    node.dotDotDotToken !== undefined
  ) {
    const at = node === undefined ? location.at : placeOfNode(source, node)
    source.report(unreadableParameter(at, `${location.path} has a rest or destructured parameter`))
    return null
  }
  const inside = { at: placeOfNode(source, node), path: `${location.path}(${symbol.name})` }
  const read = (): DeclaredParam => {
    const checked = readChecked(source, node.type, inside)
    return readTyped(reader, symbol, { node, text, checked }, inside)
  }
  return readOrReport(source, () => ({ ...inside, text: writtenType(symbol) }), read, null)
}

interface Written {
  readonly node: ts.ParameterDeclaration
  readonly text: ParamText | null
  readonly checked: CheckedParameter | null
}

function readTyped(
  reader: TypeReader,
  symbol: ts.Symbol,
  written: Written,
  location: TypeLocation,
): DeclaredParam {
  const { source } = reader
  const { node, text, checked } = written
  const outer = source.checker.getTypeOfSymbol(symbol)
  const { from, wireName, badName, isElicited, type: unwrapped } = unwrap(source, outer, node.type)
  if (badName !== null) source.report(wireNameInvalid(location.at, badName))
  const type = checked?.input ?? unwrapped
  const takes = (flag: ts.TypeFlags): boolean => includes(type, flag)
  // `Body<X | null>` is an intersection: the type inside takes null, the whole does not
  const has = (flag: ts.TypeFlags): boolean =>
    takes(flag) || (checked?.isBeside(flag) ?? includes(outer, flag))
  const asks = checked === null ? null : asksAbsent(source, node, checked)
  const mayOmit = isOmittable(node) || has(ts.TypeFlags.Undefined | ts.TypeFlags.Void) || asks !== null
  const schema = readSchema(reader, type, written, location)
  const { isSecret } = marksOfNode(source, node.type)
  if (checked === null) reportUnchecked(source, node)
  return {
    name: symbol.name,
    wireName: wireName ?? symbol.name,
    from,
    schema,
    required: !mayOmit && !has(ts.TypeFlags.Null),
    fallback: isSecret ? null : fallbackOf(source, fallbackRead(source, written)), // documents tell it
    absent: mayOmit ? 'undefined' : 'null',
    isElicited,
    isSecret,
    check: checkOf(checked, takes(mayOmit ? ts.TypeFlags.Undefined : ts.TypeFlags.Null) || (asks ?? false)),
    doc: withExamples(textDoc(text?.text ?? ''), examplesIn(schema)),
    at: location.at,
  }
}

const checkOf = (
  checked: CheckedParameter | null,
  takesAbsent: SchemaCheck['takesAbsent'],
): DeclaredParam['check'] =>
  checked === null || checked.schema === null ? null : { schema: checked.schema, takesAbsent }

/** How a schema whose input type does not name `undefined` is asked for an absent value; null = it takes none. A `?` stands where it
 *  refuses, and a default before it. */
function asksAbsent(
  source: Source,
  node: ts.ParameterDeclaration,
  { input, type }: CheckedParameter,
): SchemaCheck['takesAbsent'] | null {
  const takes =
    includes(input, ts.TypeFlags.Unknown | ts.TypeFlags.Void) || takesAbsent(source, type) === true
  if (!takes) return null
  if (node.initializer !== undefined) return false
  if (node.questionToken === undefined) return true
  return isCoerced(source, type) ? false : 'unless refused'
}

/** A default is what the method gets: of one whose rules are run it is shown where it could have been sent. */
function fallbackRead({ checker }: Source, { node, checked }: Written): ts.Expression | undefined {
  const { initializer } = node
  if (checked === null || initializer === undefined) return initializer
  return checker.isTypeAssignableTo(checker.getTypeAtLocation(initializer), checked.input)
    ? initializer
    : undefined
}

/** The schema of a parameter, with the constraints of its aliases, of its own comment and the example of its text. */
function readSchema(
  reader: TypeReader,
  type: ts.Type,
  { node, text, checked }: Written,
  location: TypeLocation,
): Schema {
  const { source } = reader
  if (type.flags & ts.TypeFlags.Never) return fail(reader, type, location, 'has no value')
  const definite = withoutUndefined(source.checker, type)
  const inside = checked === null ? location : { ...location, isInferred: true }
  const input = readUpload(source, type) ?? reader.read(definite, inside)
  const plain = checked === null ? input : withAbsent(reader, input, checked.type)
  reportInstance(reader, type, location)
  // an alias of what is checked names what comes out
  const named = checked === null ? reader.names.aliased(plain, node.type) : plain
  const known = constrain(source, named, constraintTags([...(checked?.aliases ?? []), node]))
  const example = text?.example ?? null
  return example === null ? known : withExample(known, example, text?.tag.at ?? location.at)
}

/** `UploadedFile`, or a list of it. */
function readUpload(source: Source, type: ts.Type): Schema | null {
  const { checker } = source
  const definite = checker.getNonNullableType(type)
  if (publicName(source, definite.getSymbol()) === 'UploadedFile') return { kind: 'file' }
  if (!checker.isArrayType(definite) || !isReference(definite)) return null
  const [item] = checker.getTypeArguments(definite)
  const items = item === undefined ? null : readUpload(source, item)
  return items === null ? null : { kind: 'array', items, unique: false }
}

function isOmittable(node: ts.ParameterDeclaration): boolean {
  return node.questionToken !== undefined || node.initializer !== undefined
}

/** The JSON value of a default that is written out, for the documents; null otherwise. */
function fallbackOf(source: Source, value: ts.Expression | undefined): unknown {
  if (value === undefined) return null
  if (ts.isStringLiteralLike(value)) return value.text
  if (ts.isNumericLiteral(value)) return Number(value.text)
  if (ts.isBigIntLiteral(value)) return String(BigInt(value.text.slice(0, -1)))
  if (value.kind === ts.SyntaxKind.TrueKeyword) return true
  if (value.kind === ts.SyntaxKind.FalseKeyword) return false
  if (ts.isAsExpression(value) || ts.isSatisfiesExpression(value) || ts.isParenthesizedExpression(value)) {
    return fallbackOf(source, value.expression)
  }
  if (ts.isPrefixUnaryExpression(value)) return negated(value.operator, fallbackOf(source, value.operand))
  if (ts.isPropertyAccessExpression(value)) return memberOf(source, value)
  return ts.isArrayLiteralExpression(value) ? listOf(source, value) : null
}

/** The value of an enum's member; null for any other property. */
function memberOf({ checker }: Source, value: ts.Expression): string | number | null {
  const member = checker.getSymbolAtLocation(value)?.valueDeclaration
  if (member === undefined || !ts.isEnumMember(member)) return null
  return checker.getConstantValue(member) ?? null
}

function negated(operator: ts.PrefixUnaryOperator, value: unknown): unknown {
  if (operator !== ts.SyntaxKind.MinusToken) return null
  if (typeof value === 'number') return -value
  return typeof value === 'string' && /^\d+$/.test(value) ? `-${value}` : null
}

/** A list of values that are all written out. */
function listOf(source: Source, { elements }: ts.ArrayLiteralExpression): readonly unknown[] | null {
  const values = elements.map((element) => fallbackOf(source, element))
  return values.includes(null) ? null : values
}
