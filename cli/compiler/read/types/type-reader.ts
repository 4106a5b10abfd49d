/** What the readers of types share: where a type stands, who reads it, and what happens when it has no JSON form or no end. */
import { anyType, typeNotFound, typeTooLarge, unsupportedType } from '../../diagnostics/source-diagnostics.ts'
import type { Schema } from '../../ir/schema.ts'
import { noEnd, textOfType, withinStack, writtenType } from '../program/overflow.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import type { Names } from './component-names.ts'
import type { Course, Frame, Spot } from './depth-guard.ts'

export type { Spot } from './depth-guard.ts'

export interface TypeReader {
  readonly source: Source
  readonly names: Names
  readonly course: Course
  /** The schema of `type`; a reported type becomes `unknown`. */
  read(type: ts.Type, spot: Spot): Schema
  /** Says that what is being read depends on where it stands: elsewhere it is read again. */
  depends(): void
}

/** Reports a type without a JSON form, or one that TypeScript does not know. */
export function fail(reader: TypeReader, type: ts.Type, spot: Spot, why = 'has no JSON form'): Schema {
  reader.depends()
  if (reader.course.isOver) return { kind: 'unknown' }
  const { checker, report } = reader.source
  const text = textOfType(checker, type)
  if (!reader.course.isNew(spot, text)) return { kind: 'unknown' }
  const path = short(spot.path)
  if (isUnresolved(type)) report(typeNotFound(spot.at, path, text))
  else if (type.flags & ts.TypeFlags.Any) report(anyType(spot.at, path))
  else report(unsupportedType(spot.at, path, `'${text}'`, why))
  return { kind: 'unknown' }
}

/** What `read` makes of a type, if it is not too much, neither for us nor for the checker. */
export function bounded(
  reader: TypeReader,
  { type, spot }: Pick<Frame, 'type' | 'spot'>,
  read: () => Schema,
): Schema {
  const schema = withinStack(read, () => null)
  const why = schema === null ? noEnd : reader.course.excess()
  if (schema !== null && why === null) return schema
  return endless(reader, spot, why ?? noEnd, textOfType(reader.source.checker, type))
}

/** Nothing more is read of what has no end. */
export function endless(
  { source, course, depends }: TypeReader,
  spot: Spot,
  why: string,
  text: string,
): Schema {
  depends()
  if (!course.hasEndless && course.isNew(spot, text))
    source.report(typeTooLarge(spot.at, short(spot.path), text, why))
  course.stop(why)
  return { kind: 'unknown' }
}

/** The type of a property; one that TypeScript runs out of stack over has no end. */
export function typeOfProperty(reader: TypeReader, symbol: ts.Symbol, spot: Spot): ts.Type {
  const { checker } = reader.source
  const type = withinStack(
    () => checker.getTypeOfSymbol(symbol),
    () => null,
  )
  if (type !== null && !(reader.course.hasOverflowed && isUnresolved(type))) return type
  reader.course.overflow()
  endless(reader, spot, noEnd, writtenType(symbol))
  return checker.getAnyType()
}

const longestPath = 240

/** A path as messages have it: of a long one the beginning and the end. */
export function short(path: string): string {
  return path.length > longestPath ? `${path.slice(0, 120)} … ${path.slice(-100)}` : path
}

/** Whether the name of the type was found nowhere: the checker's own mark. */
const isUnresolved = (type: ts.Type): boolean =>
  (type.flags & ts.TypeFlags.Any) !== 0 && 'intrinsicName' in type && type.intrinsicName === 'error'
