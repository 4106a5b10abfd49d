/** Every list of a catalogue, judged. */
import { judge } from '../../../cli/dialects/judge.ts'
import type { Catalogue } from '../../../runtime/contract/mcp.ts'
import { schemaFor } from '../../../runtime/mcp/protocol/param-headers.ts'
import { toolLists } from '../../../runtime/mcp/tools/tool-list.ts'

/** All lists that an address of the application has, for clients of both kinds: `client: what it does not take`. */
export function refusedLists(catalogue: Catalogue, serverName = 'acmcp'): readonly string[] {
  const { root, all, toolboxes } = toolLists(catalogue)
  // who asks for one toolbox, or for all, knows how many these are
  const lists = [root, ...[...toolboxes.values(), all].flatMap((list) => list.map((tool) => [tool]))]
  const found = lists.flatMap((list) =>
    (['modern', 'initialize'] as const).flatMap((era) => {
      const schemaEra = era === 'modern' ? 'modern' : 'legacy'
      const tools = list.map((tool) => ({ ...tool, inputSchema: schemaFor(schemaEra, tool.inputSchema) }))
      return judge({ tools, serverName, era, answerChars: null }).map(
        ({ rule, what }) => `${rule.client}: ${what}`,
      )
    }),
  )
  return [...new Set(found)]
}
