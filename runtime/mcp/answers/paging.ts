/** The call that gets what comes next, as the build wrote it: by what the answer says, or counted from what was asked for. */
import type { JsonSchema, ToolEntry } from '../../contract/mcp.ts'
import { isObject } from '../protocol/constants.ts'
import { schemaOfArgument } from './argument-values.ts'

type Arguments = Readonly<Record<string, unknown>>

/** The paging of a tool, with what its schema says of the numbers that it takes. */
export interface AnswerPaging {
  readonly cursor: { readonly name: string; readonly next: readonly string[] } | null
  readonly counter: Counter | null
  readonly limit: Counter | null
  /** The names on the way to the list of a page; null = it has none. */
  readonly items: readonly string[] | null
}

/** An argument that is a number: how many items come before a page, which page it is, or how many items it has. */
interface Counter {
  readonly name: string
  readonly counts: 'items' | 'pages'
  /** Without it; null = not known. */
  readonly fallback: number | null
}

/** Null where no argument asks for what comes next. */
export function pagingOfTool(tool: Pick<ToolEntry, 'inputSchema' | 'paging'>): AnswerPaging | null {
  const { offset, page, cursor, next, limit, items } = tool.paging ?? {}
  const counter = (
    name: string,
    counts: Counter['counts'],
    first: (schema: JsonSchema) => unknown,
  ): Counter => ({ name, counts, fallback: numberOrNull(first(schemaOfArgument(tool, name))) })
  const counted =
    offset !== undefined
      ? counter(offset, 'items', (schema) => schema.default ?? 0)
      : page !== undefined
        ? counter(page, 'pages', (schema) => schema.default ?? schema.minimum)
        : null
  const cursored = cursor === undefined || next === undefined ? null : { name: cursor, next: next.split('.') }
  if (counted === null && cursored === null) return null
  return {
    cursor: cursored,
    counter: counted,
    limit: limit === undefined ? null : counter(limit, 'items', (schema) => schema.default),
    items: items === undefined ? null : items === '' ? [] : [items],
  }
}

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** The arguments of a further call. */
export interface NextPage {
  readonly args: Arguments
  /** Whether there is more; else the page is full, and nothing says how many there are. */
  readonly isSure: boolean
}

/** After a whole page; null = there is none, or it is not known. */
export function nextPage(paging: AnswerPaging, answer: unknown, args: Arguments): NextPage | null {
  const { cursor, counter, items, limit } = paging
  if (cursor !== null) {
    const value = cursorIn(valueAt(answer, cursor.next))
    return value === null || value === args[cursor.name]
      ? null
      : { args: { ...args, [cursor.name]: value }, isSure: true }
  }
  const list = items === null ? null : valueAt(answer, items)
  if (counter === null || !Array.isArray(list)) return null
  const most = (limit && passed(limit, args)) ?? 1
  return list.length < Math.max(most, 1) ? null : counted(counter, args, list.length, false)
}

/** After the first items of a page; null = no argument says so. */
export function restOfPage({ counter }: AnswerPaging, args: Arguments, shown: number): NextPage | null {
  return counter?.counts === 'items' ? counted(counter, args, shown, true) : null
}

function counted(counter: Counter, args: Arguments, items: number, isSure: boolean): NextPage | null {
  const current = passed(counter, args)
  const further = counter.counts === 'items' ? items : 1
  return current === null ? null : { args: { ...args, [counter.name]: current + further }, isSure }
}

const passed = ({ name, fallback }: Counter, args: Arguments): number | null =>
  args[name] == null ? fallback : numberOrNull(args[name])

const valueAt = (answer: unknown, names: readonly string[]): unknown =>
  names.reduce(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    answer,
  )

const maxCursorCharacters = 2_048

/** Null where there is no further page. What is no plain cursor is nothing that a server made: the model reads it in a sentence of
 *  ours. So it has the characters of base64, of ids and of addresses alone: no blank, no quote. */
function cursorIn(value: unknown): string | number | null {
  if (typeof value === 'number') return value
  const isPlain = typeof value === 'string' && /^[\w.~:/?#[\]@!$&()*+,;=%|{}-]+$/.test(value)
  return isPlain && value.length <= maxCursorCharacters ? value : null
}
