/** The call that gets what comes after a page, where the answer, the arguments and their schema say it. What cannot be told for
 *  certain is left out: a wrong call costs more than a missing hint. */
import { type NumberArgument, wholeNumber } from './argument-values.ts'
import type { JsonCut } from './cut-json.ts'
import { argumentsOfAddress, type PagedCall } from './next-address.ts'
import type { AnswerPaging, PageFacts } from './paging.ts'

type Arguments = Readonly<Record<string, unknown>>

/** The arguments of a further call. */
export interface NextPage {
  readonly args: Arguments
  /** `next`: there is more. `maybe`: the page is full, and nothing says how many there are. `again`: the same items, fewer on a page,
   *  because what leads to the next page leads past those that were cut off. */
  readonly kind: 'next' | 'maybe' | 'again'
}

/** After a whole page; null = there is none, or nobody knows. */
export function nextPage(paging: AnswerPaging, facts: PageFacts, call: PagedCall): NextPage | null {
  if (facts.hasMore === false || facts.next === null) return null
  const said = facts.next === undefined ? null : saidNext(facts.next, paging, call)
  return said ?? counted(paging, facts, call.args)
}

/** What the page says: a cursor, an address, or a number. */
function saidNext(
  value: string | number,
  { cursor, page, offset }: AnswerPaging,
  call: PagedCall,
): NextPage | null {
  const { args } = call
  if (typeof value === 'string' && /^(?:https?:\/\/|[/?])/.test(value)) {
    const next = argumentsOfAddress(value, call)
    return next && { args: next, kind: 'next' }
  }
  if (cursor !== null)
    return value === args[cursor] ? null : { args: { ...args, [cursor]: value }, kind: 'next' }
  const counter = page ?? offset
  return counter === null || wholeNumber(value) === null
    ? null
    : { args: { ...args, [counter.name]: value }, kind: 'next' }
}

/** By numbers: the argument that was passed decides, else an offset, which has a beginning that everybody knows. */
function counted(paging: AnswerPaging, facts: PageFacts, args: Arguments): NextPage | null {
  const { offset, page } = paging
  if (facts.count === null || facts.count === 0) return null
  const isByPage = page !== null && (offset === null || args[page.name] !== undefined)
  const limit = limitOf(paging, facts, args)
  if (isByPage) return byPage(page, { facts, args, limit })
  return offset === null ? null : byOffset(offset, { facts, args, limit, count: facts.count })
}

interface Counted {
  readonly facts: PageFacts
  readonly args: Arguments
  readonly limit: number | null
}

const limitOf = ({ limit }: AnswerPaging, facts: Pick<PageFacts, 'limit'>, args: Arguments): number | null =>
  facts.limit ?? (limit && currentOf(limit, args))

/** What was passed, or what holds without; null = nobody knows. */
const currentOf = ({ name, fallback }: NumberArgument, args: Arguments): number | null =>
  args[name] == null ? fallback : wholeNumber(args[name])

function byOffset(
  offset: NumberArgument,
  { facts, args, limit, count }: Counted & { readonly count: number },
): NextPage | null {
  const current = startOf(offset, args)
  if (current === null) return null
  const next = { ...args, [offset.name]: current + count }
  if (facts.hasMore === true) return { args: next, kind: 'next' }
  if (facts.total !== null) return current + count < facts.total ? { args: next, kind: 'next' } : null
  return limit !== null && count >= limit ? { args: next, kind: 'maybe' } : null
}

const startOf = (offset: NumberArgument, args: Arguments): number | null =>
  args[offset.name] == null ? (offset.fallback ?? 0) : wholeNumber(args[offset.name])

/** Whether pages begin with 0 or 1 only a schema or a page can say. */
function byPage(page: NumberArgument, { facts, args, limit }: Counted): NextPage | null {
  const current = currentOf(page, args) ?? facts.page ?? (args[page.name] == null ? page.least : null)
  if (current === null) return null
  const next = { ...args, [page.name]: current + 1 }
  if (facts.hasMore === true) return { args: next, kind: 'next' }
  const pages =
    facts.totalPages ??
    (facts.total !== null && limit !== null && limit > 0 ? Math.ceil(facts.total / limit) : null)
  if (pages !== null) return withinPages(next, current + 1, { pages, first: firstOf(page) })
  return limit !== null && (facts.count ?? 0) >= limit ? { args: next, kind: 'maybe' } : null
}

/** The number of the first page; null = nobody knows. */
const firstOf = ({ least, fallback }: NumberArgument): number | null =>
  [least, fallback].find((number) => number === 0 || number === 1) ?? null

function withinPages(
  args: Arguments,
  next: number,
  { pages, first }: { readonly pages: number; readonly first: number | null },
): NextPage | null {
  if (next < pages + (first ?? 0)) return { args, kind: 'next' }
  return first === null && next === pages ? { args, kind: 'maybe' } : null
}

/** After a page of which the first items are shown alone; null = arguments do not get the others. */
export function restOfPage(
  paging: AnswerPaging,
  facts: PageFacts,
  args: Arguments,
  cuts: readonly JsonCut[],
): NextPage | null {
  const [cut, second] = cuts
  if (cut?.kind !== 'items' || second !== undefined || cut.path.join('.') !== paging.items?.join('.'))
    return null
  const { limit, offset, page, cursor } = paging
  const isByPage = page !== null && (offset === null || args[page.name] !== undefined)
  const isByCursor = cursor !== null && args[cursor] !== undefined
  const start = offset === null || isByPage || isByCursor ? null : startOf(offset, args)
  if (offset !== null && start !== null)
    return { args: { ...args, [offset.name]: start + cut.shown }, kind: 'next' }
  if (limit === null || cut.shown < (limit.least ?? 1)) return null
  const rest =
    isByPage && !isByCursor
      ? smallerPage(page, limit, { args, shown: cut.shown, size: limitOf(paging, facts, args) })
      : null
  return rest ?? { args: { ...args, [limit.name]: cut.shown }, kind: 'again' }
}

interface ShownOfPage {
  readonly args: Arguments
  readonly shown: number
  /** How many items the page had; null = nobody knows. */
  readonly size: number | null
}

/** A smaller page that begins at the first item that is missing, or as little before it as can be. */
function smallerPage(
  page: NumberArgument,
  limit: NumberArgument,
  { args, shown, size }: ShownOfPage,
): NextPage | null {
  const first = firstOf(page)
  if (first === null) return null
  const before = (currentOf(page, args) ?? first) - first
  if (before < 0 || (before > 0 && size === null)) return null
  const seen = before * (size ?? 0) + shown
  const smaller = bestSize(seen, shown, Math.max(limit.least ?? 1, Math.ceil(shown / 2)))
  const next = { [limit.name]: smaller, [page.name]: first + Math.floor(seen / smaller) }
  return { args: { ...args, ...next }, kind: 'next' }
}

/** The size from `least` to `most` at which a page begins nearest to the item at `seen`. */
function bestSize(seen: number, most: number, least: number): number {
  let best = most
  for (let size = most; size >= least && seen % best > 0; size -= 1)
    if (seen % size < seen % best) best = size
  return best
}
