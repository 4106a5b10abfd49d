/** What the readers of types share: where a type stands, its reader, and what happens when it has no JSON form or no end. */
import { anyType, typeNotFound, typeTooLarge, unsupportedType } from '../../diagnostics/source-diagnostics.ts'
import type { Schema } from '../../ir/schema.ts'
import { isOfNode } from '../program/library.ts'
import { noEnd, textOfType, withinStack, writtenType } from '../program/overflow.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import type { Names } from './component-names.ts'
import type { DepthGuard, Frame, TypeLocation } from './depth-guard.ts'

export type { TypeLocation } from './depth-guard.ts'

export interface TypeReader {
  readonly source: Source
  readonly names: Names
  readonly guard: DepthGuard
  /** The schema of `type`; a reported type becomes `unknown`. */
  read(type: ts.Type, location: TypeLocation): Schema
  /** Says that what is being read depends on where it stands: elsewhere it is read again. */
  depends(): void
}

/** Reports a type without a JSON form, or one that TypeScript does not know. */
export function fail(
  reader: TypeReader,
  type: ts.Type,
  location: TypeLocation,
  why = 'has no JSON form',
): Schema {
  reader.depends()
  if (reader.guard.isOver) return { kind: 'unknown' }
  if (location.isInferred === true && type.flags & ts.TypeFlags.Any && !isUnresolved(type))
    return { kind: 'unknown' }
  reader.guard.countMistake()
  const { checker, report } = reader.source
  const path = short(location.path)
  if (isUnresolved(type))
    report(typeNotFound(location.at, path, textOfType(checker, type), hintOfNode(reader.source)))
  else if (type.flags & ts.TypeFlags.Any) report(anyType(location.at, path))
  else report(unsupportedType(location.at, path, `'${textOfType(checker, type)}'`, why))
  return { kind: 'unknown' }
}

/** An author cannot guess it from `cannot find the type 'Buffer'`, least of all below `import … from 'node:stream'`. */
function hintOfNode({ host, program }: Source): string {
  const isFound = program.getSourceFiles().some(({ fileName }) => isOfNode(host, fileName))
  return isFound
    ? ''
    : ' Types of Node are found by "types": ["node"] in tsconfig.json, with @types/node installed.'
}

/** What `read` makes of a type, if the checker can be asked all of it. */
export function bounded(
  reader: TypeReader,
  { type, location }: Pick<Frame, 'type' | 'location'>,
  read: () => Schema,
): Schema {
  if (reader.guard.isOver) return { kind: 'unknown' }
  return withinStack(read, () => endless(reader, location, textOfType(reader.source.checker, type)))
}

/** Reports a type that has no end, or too many parts: nothing more is read of what holds it. */
export function endless(
  { source, guard, depends }: TypeReader,
  location: TypeLocation,
  text: string,
  why: string = noEnd,
): Schema {
  depends()
  if (!guard.isOver) source.report(typeTooLarge(location.at, short(location.path), text, why))
  guard.stop({ isEndless: why === noEnd })
  return { kind: 'unknown' }
}

/** The type of a property; one that TypeScript runs out of stack over has no end. */
export function typeOfProperty(reader: TypeReader, symbol: ts.Symbol, location: TypeLocation): ts.Type {
  const { checker } = reader.source
  const type = withinStack(
    () => checker.getTypeOfSymbol(symbol),
    () => null,
  )
  if (type !== null && !(reader.guard.hasOverflowed && isUnresolved(type))) return type
  reader.guard.hasOverflowed = true
  endless(reader, location, writtenType(symbol))
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
