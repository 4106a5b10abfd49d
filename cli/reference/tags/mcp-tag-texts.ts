/** The tags beside `@mcp` that say what MCP clients get, by name. */
import type { TagText } from './tag-text.ts'

export const mcpTagTexts: Readonly<Record<string, TagText>> = {
  icon: {
    meaning:
      'A picture that clients show beside the tool: PNG, JPEG, SVG or WebP, 8 KiB at most, in the application beside the source. Every list of tools has it, as a data URI.',
    example: `// app/controllers/chart.svg
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 8h8V0z"/></svg>
// app/controllers/orders.ts
export class Orders extends Controller {
  /**
   * Draws the orders of a month.
   *
   * @get /chart
   * @icon ./chart.svg
   */
  chart(): string { return '' }
}`,
  },
  complete: {
    meaning:
      'The method returns texts and completes an argument of a prompt or a resource while a user writes it. `of` names a method of the same class, or a prompt or resource of any (`orders_show`). It may have a route too. The parameter that is called as the argument gets what is written so far, others what is chosen already. Enums and literal unions complete themselves.',
    example: `/**
 * Asks for a summary of an order.
 *
 * @mcp prompt
 * @param id - which order
 */
summary(id: string): string { return \`Summarise the order \${id}.\` }

/** @complete id of=summary */
ids(id: string): string[] { return ['a1', 'a2'].filter((one) => one.startsWith(id)) }`,
  },
}
