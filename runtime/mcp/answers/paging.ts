/** How the answers of one tool go on, as the build wrote it, and what one page says of itself. */
import type { ToolEntry, ToolPaging } from '../../contract/mcp.ts'
import { isObject } from '../protocol/constants.ts'
import { type NumberArgument, numberArgument, wholeNumber } from './argument-values.ts'

/** The paging of a tool, with what its schema says of the numbers that it takes. */
export interface AnswerPaging {
  readonly limit: NumberArgument | null
  readonly offset: NumberArgument | null
  readonly page: NumberArgument | null
  readonly cursor: string | null
  /** The names on the way to the list of a page; null = it has none. */
  readonly items: readonly string[] | null
  readonly fields: ToolPaging
}

export function pagingOfTool(tool: Pick<ToolEntry, 'inputSchema' | 'paging'>): AnswerPaging | null {
  const { paging: fields } = tool
  if (fields === undefined) return null
  const number = (name: string | undefined): NumberArgument | null =>
    name === undefined ? null : numberArgument(tool, name)
  const { limit, offset, page, cursor = null, items } = fields
  return {
    ...{ limit: number(limit), offset: number(offset), page: number(page), cursor, fields },
    items: items === undefined ? null : namesOf(items),
  }
}

/** Whether a further page can be asked for at all. */
export const isPaged = ({ offset, page, cursor }: AnswerPaging): boolean =>
  offset !== null || page !== null || cursor !== null

const namesOf = (path: string): readonly string[] => (path === '' ? [] : path.split('.'))

/** What a page says of itself; what it does not say is null. */
export interface PageFacts {
  readonly count: number | null
  readonly hasMore: boolean | null
  readonly total: number | null
  readonly totalPages: number | null
  readonly page: number | null
  readonly limit: number | null
  /** Where the next page begins; null = there is none, undefined = the answer does not say. */
  readonly next: string | number | null | undefined
}

export function pageFacts(answer: unknown, { items, fields }: AnswerPaging): PageFacts {
  const list = items === null ? null : valueAt(answer, items)
  const read = (path: string | undefined): unknown =>
    path === undefined ? undefined : valueAt(answer, namesOf(path))
  const more = read(fields.more)
  return {
    count: Array.isArray(list) ? list.length : null,
    hasMore: typeof more === 'boolean' ? more : null,
    total: wholeNumber(read(fields.total)),
    totalPages: wholeNumber(read(fields.pages)),
    page: wholeNumber(read(fields.current)),
    limit: wholeNumber(read(fields.size)),
    next: nextValue(read(fields.next)),
  }
}

function valueAt(answer: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    answer,
  )
}

/** An empty text and `false` say what null says. What is no plain cursor or address is nothing that a server made: the model reads
 *  it in a sentence of ours. */
function nextValue(value: unknown): string | number | null | undefined {
  if (value === null || value === '' || value === false) return null
  return typeof value === 'number' || (typeof value === 'string' && isPlain(value)) ? value : undefined
}

const maxNextCharacters = 2_048

/** The characters of base64, of ids and of addresses: no blank, no quote. */
const isPlain = (text: string): boolean =>
  text.length <= maxNextCharacters && /^[\w.~:/?#[\]@!$&()*+,;=%|{}-]+$/.test(text)
