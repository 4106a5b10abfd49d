/** A method that lists what its caller may see, page by page. Source: MCP 2025-11-25, Pagination. */
import type { Catalogue } from '../../contract/mcp.ts'
import type { McpMethod } from '../method.ts'
import { cutPage } from '../protocol/list-cache.ts'

interface ListOptions {
  /** Of the result. */
  readonly member: string
  /** Names the list: a cursor is good for it alone. */
  readonly list: string
  readonly pageSize: number
}

export const listMethod = (
  { member, list, pageSize }: ListOptions,
  itemsIn: (seen: Catalogue) => readonly object[],
): McpMethod => ({
  isKept: true,
  answer: ({ params: { cursor }, client }) => {
    const { catalogue, version } = client.permission.view
    const paging = { pageSize, version: `${version} ${list}` }
    const { items, ...more } = cutPage(itemsIn(catalogue), textIn(cursor), paging)
    return { kind: 'result', result: { [member]: items, ...more } }
  },
})

/** The SDK has seen that it is one. */
const textIn = (cursor: unknown): string | undefined => (typeof cursor === 'string' ? cursor : undefined)
