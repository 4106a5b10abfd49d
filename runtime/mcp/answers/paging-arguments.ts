/** How a route takes a further page: by what its arguments are called, or as its author says (`@mcp paging`). */
import type { DeclaredPaging, ToolEntry } from '../../contract/mcp.ts'
import { type NumberArgument, numberArgument } from './argument-values.ts'

/** The arguments of one tool that page. */
export interface PagingArguments {
  /** How many items a page has. */
  readonly limit: NumberArgument | null
  /** How many come before its first. */
  readonly offset: NumberArgument | null
  readonly page: NumberArgument | null
  /** Take what the answer before gave, by `foldedName`. */
  readonly cursors: ReadonlyMap<string, string>
  /** The only one, where its author names it. */
  readonly cursor: string | null
  /** Where the answer holds what the cursor takes; null = by convention. */
  readonly next: readonly string[] | null
}

const limits = names(
  'limit size count take top first max perPage itemsPerPage maxItems maxResults pageLimit pageSize batchSize',
)
const offsets = names('offset skip')
const pages = names('page pageNumber pageNo pageNum pageIndex')
const cursors = names(
  'cursor nextCursor pageCursor after startingAfter pageToken nextPageToken nextToken continuation continuationToken marker',
)

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').map(foldedName))
}

/** Whatever way of writing: `per_page`, `perPage`, `$perpage`. */
export function foldedName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

type PagedTool = Pick<ToolEntry, 'arguments' | 'inputSchema' | 'paging'>

/** Null where `@mcp paging none` says that what looks so is none. */
export function pagingArguments(tool: PagedTool): PagingArguments | null {
  const { paging: said = {} } = tool
  if (said === false) return null
  const all = tool.arguments.map(({ argument }) => argument)
  const number = (written: string | undefined, known: ReadonlySet<string>): NumberArgument | null => {
    const candidates = written === undefined ? all.filter((name) => known.has(foldedName(name))) : [written]
    return candidates.map((name) => numberArgument(tool, name)).find((found) => found !== null) ?? null
  }
  const isSaid = [said.offset, said.page, said.cursor].some((name) => name !== undefined)
  const unlessSaid = (known: ReadonlySet<string>): ReadonlySet<string> => (isSaid ? none : known)
  return {
    limit: number(said.limit, limits),
    offset: number(said.offset, unlessSaid(offsets)),
    page: number(said.page, unlessSaid(pages)),
    cursors: cursorsOf(all, said, unlessSaid(cursors)),
    cursor: said.cursor ?? null,
    next: said.next?.split('.') ?? null,
  }
}

const none: ReadonlySet<string> = new Set()

function cursorsOf(
  all: readonly string[],
  { cursor }: DeclaredPaging,
  known: ReadonlySet<string>,
): PagingArguments['cursors'] {
  if (cursor !== undefined) return new Map([[foldedName(cursor), cursor]])
  return new Map(all.map((name) => [foldedName(name), name] as const).filter(([plain]) => known.has(plain)))
}

/** Whether a further page can be asked for at all. */
export const isPaged = ({ offset, page, cursors: all }: PagingArguments): boolean =>
  offset !== null || page !== null || all.size > 0
