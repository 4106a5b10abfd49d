/** Lists of tools as bytes, of which only the id differs from answer to answer. */
import type { Tool } from '@modelcontextprotocol/server'
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { HttpResponse } from '../../contract/http.ts'
import type { Era } from './constants.ts'
import { wellFormedJson } from './well-formed.ts'

/** One page of a list. */
export interface Page {
  readonly tools: Tool[]
  readonly nextCursor?: string
}

/** A list, and what its cursors are good for: one version of the catalogue, as one set of permissions sees it. */
export interface VersionedList {
  readonly tools: readonly Tool[]
  readonly version: string
}

/** Reads the page that a cursor names; cursors are opaque and good for one version. Throws -32602 for one that was never
 *  given out. The empty one starts from the beginning. Source: MCP 2025-11-25, Pagination. */
export function pageOf(
  { tools, version }: VersionedList,
  cursor: string | undefined,
  pageSize: number,
): Page {
  const { items, ...more } = cutPage(tools, cursor, { pageSize, version })
  return { tools: items, ...more }
}

/** The same of any list; `version` must name the list too. */
export function cutPage<Item>(
  all: readonly Item[],
  cursor: string | undefined,
  paging: Paging,
): { readonly items: Item[]; readonly nextCursor?: string } {
  const start = cursor === undefined || cursor === '' ? 0 : startOf(cursor, paging)
  if (start === null || (start > 0 && start >= all.length)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor')
  }
  const end = start + paging.pageSize
  const page = { items: all.slice(start, end) }
  return end < all.length ? { ...page, nextCursor: cursorAt(end, paging) } : page
}

interface Paging {
  readonly pageSize: number
  readonly version: string
}

const cursorAt = (start: number, { version }: Paging): string =>
  Buffer.from(`${version}.${start}`).toString('base64url')

function startOf(cursor: string, paging: Paging): number | null {
  const [, start] = Buffer.from(cursor, 'base64url').toString().split('.')
  const index = Number(start)
  const isIssued = index > 0 && index % paging.pageSize === 0 && cursorAt(index, paging) === cursor
  return isIssued ? index : null
}

/** One page of a list, as a message of that era. */
export interface PageRequest extends VersionedList {
  readonly era: Era
  readonly cursor: string | undefined
}

/** Asks the SDK for a page; the result that it wrote, or null for an error. */
export type AskForPage = (page: PageRequest) => Promise<object | null>

/** The answer to `tools/list` with that id (JSON), or null when the cursor is wrong. */
export type ListCache = (id: string, page: PageRequest) => Promise<HttpResponse | null>

/** Keeps what the SDK wrote once for every list, era and page, as long as a catalogue has the list. */
export function createListCache(ask: AskForPage): ListCache {
  const kept = new WeakMap<readonly Tool[], Map<string, Promise<CachedList | null>>>()
  const pageBytes = (page: PageRequest): Promise<CachedList | null> => {
    const { tools, era, cursor } = page
    const pages = kept.get(tools) ?? new Map<string, Promise<CachedList | null>>()
    kept.set(tools, pages)
    const key = `${era} ${cursor ?? ''}`
    const known = pages.get(key)
    if (known !== undefined) return known
    const bytes = ask(page).then((result) => result && new CachedList(result))
    pages.set(key, bytes)
    const forget = (): void => void pages.delete(key)
    bytes.then((found) => found ?? forget(), forget)
    return bytes
  }
  return async (id, request) => {
    const page = await pageBytes(request)
    return page === null ? null : { status: 200, headers: json, body: page.bytes(id) }
  }
}

const json = Object.freeze({ 'content-type': 'application/json' })

/** One answer, whatever the id. Clients count from 0 or 1 and ask for the list first, so that the same few ids come again
 *  and again: the bytes of the last one are not put together anew, which for a long list is half of the work. */
class CachedList {
  readonly #tail: Buffer
  #lastId: string | null = null
  #last: Buffer = Buffer.alloc(0)

  constructor(result: object) {
    this.#tail = Buffer.from(`,"result":${wellFormedJson(JSON.stringify(result))}}`)
  }

  bytes(id: string): Buffer {
    if (id === this.#lastId) return this.#last
    this.#last = Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id}`), this.#tail])
    this.#lastId = id
    return this.#last
  }
}
