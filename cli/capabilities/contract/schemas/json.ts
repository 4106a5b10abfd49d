/** Plain values of a document: what is an object, what is a list, what is equal. */
import { isDeepStrictEqual } from 'node:util'

/** FieldValues of a document. */
export type FieldValues = Readonly<Record<string, unknown>>

export const hasFields = (value: unknown): value is FieldValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields, or none. */
export const recordOf = (value: unknown): FieldValues => (hasFields(value) ? value : {})

export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textItems = (value: unknown): readonly string[] =>
  itemsOf(value).filter((item) => typeof item === 'string')

/** Equal values have equal texts, in whatever order their fields stand. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    hasFields(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )

/** In whatever order fields stand. */
export const isSame: (a: unknown, b: unknown) => boolean = isDeepStrictEqual

/** Not what every object inherits: `constructor` is a name as any. */
export const ownIn = (record: FieldValues, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined

type Pair<T> = readonly [name: string, before: T | undefined, after: T | undefined]

/** What stands under each name of either. */
export const pairsIn = <T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): readonly Pair<T>[] =>
  [...new Set([...before.keys(), ...after.keys()])].map((name) => [name, before.get(name), after.get(name)])

/** The same of the fields of two objects. */
export const fieldPairs = (before: unknown, after: unknown): readonly Pair<unknown>[] =>
  pairsIn(new Map(Object.entries(recordOf(before))), new Map(Object.entries(recordOf(after))))
