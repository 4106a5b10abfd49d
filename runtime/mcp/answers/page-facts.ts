/** What a page says of itself: how many items it has, whether there are more, and where they begin. By what is usual: names beside
 *  the list or in an object of their own (`meta`, `pageInfo`), addresses under `links`. Below the answer's own names only those count
 *  that the tool's output type declares: others may be data that a user stored, who would write the sentence that a model reads. */
import type { JsonSchema } from '../../contract/mcp.ts'
import { isObject } from '../protocol/constants.ts'
import { wholeNumber } from './argument-values.ts'
import { heldBy } from './cut-fits.ts'
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

/** `outputSchema`: of the tool that answered; null = nothing is declared. */
export function pageFacts(answer: unknown, outputSchema: JsonSchema | null): PageFacts {
  const whole = { value: answer, schemas: outputSchema === null ? [] : [outputSchema], depth: 0 }
  const root = outputSchema ?? {}
  const told = toldBy(whole, root)
  const first = <T>(known: ReadonlySet<string>, read: (value: unknown) => T | null): T | null => {
    for (const { name, value } of told) {
      const found = known.has(foldedName(name)) ? read(value) : null
      if (found !== null) return found
    }
    return null
  }
  const { path, list } = listIn(whole, root)
  return {
    listPath: path,
    count: list?.length ?? null,
    hasMore: first(mores, (value) => (typeof value === 'boolean' ? value : null)),
    total: first(totals, wholeNumber),
    totalPages: first(totalsOfPages, wholeNumber),
    page: first(currents, wholeNumber),
    limit: first(sizes, wholeNumber),
    next: told.flatMap((place) => {
      const plain = foldedName(place.name)
      const next = nexts.has(plain) ? nextValue(place, root) : undefined
      return next === undefined ? [] : [[plain, next] as const]
    }),
  }
}

/** A part of an answer. */
interface Place {
  readonly value: unknown
  /** What declares it; empty where nothing does. */
  readonly schemas: readonly unknown[]
  readonly depth: number
}

interface NamedPlace extends Place {
  readonly name: string
}

/** The names of an object: all that an answer itself has, below it those that are declared. */
function namesIn({ value, schemas, depth }: Place, root: JsonSchema): readonly NamedPlace[] {
  if (!isObject(value) || (depth > 0 && schemas.length === 0)) return []
  const held = heldBy(schemas, value, root) ?? []
  const all = Object.entries(value)
    .slice(0, mostNames)
    .map(([name, below]) => ({ name, value: below, schemas: declaredBelow(held, name), depth: depth + 1 }))
  return depth === 0 ? all : all.filter((one) => one.schemas.length > 0)
}

const declaredBelow = (held: readonly JsonSchema[], name: string): readonly unknown[] =>
  held.flatMap(({ properties }) =>
    isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
  )

/** The names of an answer and of the objects in it that speak of pages, the outermost first. */
function toldBy(place: Place, root: JsonSchema): readonly NamedPlace[] {
  const own = namesIn(place, root)
  if (place.depth === deepest) return own
  const inside = own.filter(({ name }) => envelopes.has(foldedName(name)) || wrappers.has(foldedName(name)))
  return [...own, ...inside.flatMap((one) => toldBy(one, root))]
}

const deepest = 2

/** An empty text and `false` say what null says. HAL and JSON:API wrap an address. What is no plain cursor or address is nothing that a
 *  server made: the model reads it in a sentence of ours. */
function nextValue(place: Place, root: JsonSchema): string | number | null | undefined {
  const { value } = place
  if (value === null || value === '' || value === false) return null
  const next = isObject(value) ? namesIn(place, root).find(({ name }) => name === 'href')?.value : value
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
function listIn(place: Place, root: JsonSchema): FoundList {
  if (Array.isArray(place.value)) return { path: [], list: place.value }
  const own = namesIn(place, root)
  const found = own.flatMap(({ name, value }) => (Array.isArray(value) ? [{ name, list: value }] : []))
  const usual = found.filter(({ name }) => lists.has(foldedName(name)))
  const [only, second] = usual.length > 0 ? usual : found
  if (only !== undefined) return second === undefined ? { path: [only.name], list: only.list } : noList
  for (const one of own) {
    if (!wrappers.has(foldedName(one.name))) continue
    const { path, list } = listIn(one, root)
    if (path !== null) return { path: [one.name, ...path], list }
  }
  return noList
}
