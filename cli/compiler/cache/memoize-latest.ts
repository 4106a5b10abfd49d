/** What came of a list as a whole: after one change most lists are those of the last build. */
import { isDeepStrictEqual } from 'node:util'

/** `make`, which is asked again only about another list than the last one; equal parts are the same however they came. */
export function rememberLast<Item, Result>(
  make: (list: readonly Item[]) => Result,
): (list: readonly Item[]) => Result {
  let last: { readonly list: readonly Item[]; readonly result: Result } | null = null
  return (list) => {
    if (last === null || !isSame(last.list, list)) last = { list, result: make(list) }
    return last.result
  }
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, place) => one === b[place] || isDeepStrictEqual(one, b[place]))

/** Joins texts; those of the last time give the same text object, which is compared at a glance. */
export const joiner = (): ((texts: readonly string[]) => string) =>
  rememberLast((texts: readonly string[]) => texts.join(''))
