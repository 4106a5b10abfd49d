/** One table of memos, owned by a session: what was made of a controller, a named schema or a list, while that does not
 *  change. After one edit most of the next build is the same. Objects of the model are never edited, so that an object stands
 *  for its content. */
import type { Action, Controller } from '../ir/model.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { reachable, reachedBy, schemaNamed } from '../schema/references.ts'

/** Opaque: what is made by `memo`, `memoizeEach` and `memoizeLatest` looks into it. */
export interface Memos {
  readonly entries: WeakMap<Owner, Entry>
  readonly each: Map<object, WeakMap<object, unknown>>
  readonly latest: Map<object, { readonly list: readonly unknown[]; readonly result: unknown }>
}

/** An empty table. */
export const createMemos = (): Memos => ({
  entries: new WeakMap(),
  each: new Map(),
  latest: new Map(),
})

type Owner = Controller | NamedSchema

/** What was made of an owner. It holds as long as these schemas are the ones of their names. */
interface Entry {
  readonly dependencies: readonly NamedSchema[]
  /** The list for which that was looked at last. */
  seen: readonly NamedSchema[]
  readonly values: Map<object, { readonly context: string; readonly value: unknown }>
}

interface Making<T> {
  /** Everything else that the value depends on. */
  readonly context: string
  readonly make: () => T
}

/** What `make` makes of an owner. */
type Memo<T> = (memos: Memos, owner: Owner, named: readonly NamedSchema[], making: Making<T>) => T

/** A kind of memos, of controllers and named schemas. */
export function memo<T>(): Memo<T> {
  const key: Memo<T> = (memos, owner, named, { context, make }) => {
    const { values } = entryOf(memos, owner, named)
    const known = values.get(key)
    if (known?.context === context) return known.value as T // nothing else is put there
    const value = make()
    values.set(key, { context, value })
    return value
  }
  return key
}

function entryOf({ entries }: Memos, owner: Owner, named: readonly NamedSchema[]): Entry {
  const known = entries.get(owner)
  if (known?.seen === named) return known
  if (
    known?.dependencies.every((dependency) => schemaNamed(dependency.name, named) === dependency) === true
  ) {
    known.seen = named
    return known
  }
  const dependencies = 'schema' in owner ? reachedBy(owner, named) : reachable(schemasOf(owner), named)
  const entry = { dependencies, seen: named, values: new Map() }
  entries.set(owner, entry)
  return entry
}

const schemasOf = ({ actions, mcpOnly }: Controller): readonly Schema[] =>
  [...actions, ...mcpOnly].flatMap(schemasOfAction)

/** Every schema that stands at a route: of parameters, answers, filters and handlers. */
function schemasOfAction({ filters, handlers, ...action }: Action): readonly Schema[] {
  const params = [action, ...filters, ...handlers].flatMap((filter) => filter.params)
  const ofHandlers = handlers.flatMap(({ results, returned, rendered }) => [
    ...results,
    { schema: returned },
    ...rendered,
  ])
  const answers = [...action.results, ...action.errors, ...ofHandlers]
  return [...params.map(({ schema }) => schema), ...answers.flatMap(({ schema }) => schema ?? [])]
}

/** `make`, once an object. */
export function memoizeEach<T extends object, Result>(
  make: (item: T) => Result,
): (memos: Memos, item: T) => Result {
  return ({ each }, item) => {
    const known = each.get(make) ?? new WeakMap<object, unknown>()
    each.set(make, known)
    if (!known.has(item)) known.set(item, make(item))
    return known.get(item) as Result // nothing else is put there
  }
}

/** `make`, which is asked again only about another list than the last one; items of one JSON text are the same. */
export function memoizeLatest<List extends readonly unknown[], Result>(
  make: (list: List, memos: Memos) => Result,
): (memos: Memos, list: List) => Result {
  return (memos, list) => {
    const { latest } = memos
    const last = latest.get(make)
    if (last !== undefined && areEqual(last.list, list)) return last.result as Result // nothing else is put there
    const result = make(list, memos)
    latest.set(make, { list, result })
    return result
  }
}

const areEqual = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, place) => value === b[place] || textOf(value) === textOf(b[place]))

/** The order of keys counts: it is printed. */
const textOf = (value: unknown): string => JSON.stringify(value)

/** A list; the same object as the last time for the same items. */
export const listed = <Item>(): ((memos: Memos, list: readonly Item[]) => readonly Item[]) =>
  memoizeLatest((list: readonly Item[]) => list)

/** Joins texts; those of the last time give the same text object, which is compared at a glance. */
export const joiner = (): ((memos: Memos, texts: readonly string[]) => string) =>
  memoizeLatest((texts: readonly string[]) => texts.join(''))
