/** What the reference says of mistakes in `@mcp budget` and `@mcp paging`. */
import type { Explanations } from './explanation.ts'

const lists = (...tags: readonly string[]): string => `/**
 * Lists orders, oldest first.
 *
 * @get /
 * @param since - the number of the order before the first
 * @param amount - how many at most
${tags.map((tag) => ` * ${tag}`).join('\n')}
 */
index(since = 0, amount = 20): { orders: string[]; last: { order: number } } {
  return { orders: ['apples'].slice(0, amount), last: { order: since } }
}`

const adds = (...tags: readonly string[]): string => `/**
 * Counts again, a part of the orders with each call.
 *
 * @post /count
 * @param since - the number of the order before the first
${tags.map((tag) => ` * ${tag}`).join('\n')}
 */
count(since = 0): { last: number } { return { last: since } }`

export const aboutAnswers: Explanations = {
  ACM300: {
    meaning:
      'A budget is a number of characters, of which about four are a token: how long the text of an answer may be. On a class it is that of each of its tools.',
    wrong: lists('@mcp budget 20kb'),
    right: lists('@mcp budget 20000'),
  },
  ACM305: {
    meaning:
      'The tag says which argument asks for a further page: `offset=` counts items, `page=` counts pages, `cursor=` takes what the answer before gave under `next=`. `limit=` is how many items a page has. `none` says that what looks like paging is none.',
    wrong: lists('@mcp paging by=since'),
    right: lists('@mcp paging cursor=since next=last.order'),
  },
  ACM306: {
    meaning: 'The tag names an argument that the tool does not have.',
    wrong: lists('@mcp paging cursor=sinse next=last.order'),
    right: lists('@mcp paging cursor=since next=last.order'),
  },
  ACM307: {
    meaning: 'Offsets, pages and limits are counted on from one call to the next, so they are numbers.',
    wrong: `/**
 * Lists orders.
 *
 * @get /
 * @param from - the order before the first
 * @mcp paging offset=from
 */
index(from?: string): string[] { return [from ?? ''] }`,
    right: `/**
 * Lists orders.
 *
 * @get /
 * @param from - how many orders come before the first
 * @mcp paging offset=from
 */
index(from = 0): string[] { return [String(from)] }`,
  },
  ACM308: {
    meaning: 'What the cursor takes is looked up in the answer, and its type has no such property.',
    wrong: lists('@mcp paging cursor=since next=last.number'),
    right: lists('@mcp paging cursor=since next=last.order'),
  },
  ACM309: {
    meaning:
      'A model is told the call for the next page only of tools that change nothing. A route that reads, but is no GET, says so.',
    wrong: adds('@mcp paging cursor=since next=last'),
    right: adds('@mcp readOnly', '@mcp paging cursor=since next=last'),
  },
}
