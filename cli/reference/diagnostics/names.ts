/** What the reference says of mistakes in names that MCP clients use. */
import type { Explanations } from './explanation.ts'

const lists = (tag: string): string => `/**
 * Lists orders.
 *
 * @get /
 * ${tag}
 */
index(): string[] { return [] }`

const finds = (tag: string): string => `/**
 * Finds orders.
 *
 * @get /search
 * ${tag}
 */
search(): string[] { return [] }`

export const aboutNames: Explanations = {
  ACM320: {
    meaning:
      'MCP clients take tool names of 1 to 64 letters, digits, `_` and `-`, and many put a name of their own before it.',
    wrong: lists('@mcp name=orders.list'),
    right: lists('@mcp name=list_orders'),
  },
  ACM321: {
    meaning:
      'Clients call tools, prompts and resources by name: two tools need two, also when a class inherits the tag from another that is a tool.',
    wrong: `${lists('@mcp name=orders')}\n\n${finds('@mcp name=orders')}`,
    right: `${lists('@mcp name=orders')}\n\n${finds('@mcp name=find_orders')}`,
  },
  ACM322: {
    meaning:
      'The MCP endpoint has tools of its own, with which models find and call those that are not listed. Their names are taken.',
    wrong: finds('@mcp name=find_tools'),
    right: finds('@mcp name=find_orders'),
  },
}
