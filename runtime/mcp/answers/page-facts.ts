/** What a page says of itself: how many items it has, whether there are more, and where they begin. By what is usual: names beside
 *  the list or in an object of their own (`meta`, `pageInfo`), addresses under `links`. */
import { isObject } from '../protocol/constants.ts'
import { wholeNumber } from './argument-values.ts'
import { foldedName } from './paging-arguments.ts'

/** A page; what it does not say is null. */
export interface PageFacts {
  /** Where its items are; null = nowhere, or in several lists. */
  readonly listPath: readonly string[] | null
  readonly count: number | null
  readonly hasMore: boolean | null
  readonly total: number | null
  readonly totalPages: number | null
  readonly page: number | null
  readonly limit: number | null
  /** What stands under a name that tells of the next page, by `foldedName`; a null says that there is none. */
  readonly next: readonly (readonly [plain: string, value: string | number | null])[]
}

const envelopes = foldedNames('meta metadata pagination paging pageInfo page cursors links responseMetadata')
const wrappers = foldedNames('data result response body')
const lists = foldedNames(
  'items data results rows records entries list value values content nodes edges hits documents',
)
const nexts = foldedNames(
  'nextCursor nextPageToken nextToken continuationToken nextMarker endCursor nextPage nextOffset next nextLink nextUrl',
)
const mores = foldedNames('hasMore hasNextPage hasNext')
const totals = foldedNames('total totalCount totalItems totalResults totalElements totalRecords')
const totalsOfPages = foldedNames('totalPages pageCount lastPage')
const currents = foldedNames('page currentPage pageNumber')
const sizes = foldedNames('limit perPage pageSize size')

function foldedNames(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').map(foldedName))
}

/** An object with more is a map of something. */
const mostNames = 100

export function pageFacts(answer: unknown): PageFacts {
  const told = toldBy(answer)
  const first = <T>(known: ReadonlySet<string>, read: (value: unknown) => T | null): T | null => {
    for (const [plain, value] of told) {
      const found = known.has(plain) ? read(value) : null
      if (found !== null) return found
    }
    return null
  }
  const { path, list } = listIn(answer)
  return {
    listPath: path,
    count: list?.length ?? null,
    hasMore: first(mores, (value) => (typeof value === 'boolean' ? value : null)),
    total: first(totals, wholeNumber),
    totalPages: first(totalsOfPages, wholeNumber),
    page: first(currents, wholeNumber),
    limit: first(sizes, wholeNumber),
    next: told.flatMap(([plain, value]) => {
      const next = nexts.has(plain) ? nextValue(value) : undefined
      return next === undefined ? [] : [[plain, next] as const]
    }),
  }
}

type Told = readonly (readonly [plain: string, value: unknown])[]

/** The names of an answer and of the objects in it that speak of pages, the outermost first. */
function toldBy(answer: unknown, depth = 0): Told {
  if (!isObject(answer)) return []
  const own = Object.entries(answer)
    .slice(0, mostNames)
    .map(([name, value]) => [foldedName(name), value] as const)
  const inside = own.filter(
    ([plain, value]) => depth < 2 && isObject(value) && (envelopes.has(plain) || wrappers.has(plain)),
  )
  return [...own, ...inside.flatMap(([, value]) => toldBy(value, depth + 1))]
}

/** An empty text and `false` say what null says. HAL and JSON:API wrap an address. What is no plain cursor or address is nothing that a
 *  server made: the model reads it in a sentence of ours. */
function nextValue(value: unknown): string | number | null | undefined {
  if (value === null || value === '' || value === false) return null
  const next = isObject(value) ? value.href : value
  return typeof next === 'number' || (typeof next === 'string' && isPlain(next)) ? next : undefined
}

const longestNext = 2_048

/** The characters of base64, of ids and of addresses: no blank, no quote. */
export const isPlain = (text: string): boolean =>
  text.length <= longestNext && /^[\w.~:/?#[\]@!$&()*+,;=%|{}-]+$/.test(text)

interface FoundList {
  readonly path: readonly string[] | null
  readonly list: readonly unknown[] | null
}

const noList: FoundList = { path: null, list: null }

/** The list that is the answer, or in it the only one, or the only one with a usual name. */
function listIn(answer: unknown): FoundList {
  if (Array.isArray(answer)) return { path: [], list: answer }
  if (!isObject(answer)) return noList
  const found = Object.entries(answer)
    .slice(0, mostNames)
    .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  const usual = found.filter(([name]) => lists.has(foldedName(name)))
  const [only, second] = usual.length > 0 ? usual : found
  if (only !== undefined) return second === undefined ? { path: [only[0]], list: only[1] } : noList
  for (const [name, value] of Object.entries(answer).slice(0, mostNames)) {
    if (!wrappers.has(foldedName(name))) continue
    const { path, list } = listIn(value)
    if (path !== null) return { path: [name, ...path], list }
  }
  return noList
}
