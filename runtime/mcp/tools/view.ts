/** The endpoint as those see it who may do the same: what is not theirs to call does not exist in it. Source: decisions/mcp.md,
 *  Scopes. */
import type { Catalogue, ToolEntry } from '../../contract/mcp.ts'
import type { Lacking } from '../access/lacking.ts'
import { instructionsFor } from './exposure.ts'
import type { Dangers } from './near-tools.ts'
import { type ToolLists, toolLists } from './tool-list.ts'
import { createMetaTools, dangersOf, type MetaTool } from './toolboxes.ts'

export interface View {
  /** Without the tools that the caller may not call, and without the lines of the instructions about toolboxes that come to
   *  nothing for it. */
  readonly catalogue: Catalogue
  readonly lists: ToolLists
  readonly metaTools: ReadonlyMap<string, MetaTool>
  /** The tools that may be named in place of one that does not exist. */
  readonly dangers: Dangers
  /** Names what the lists hold: a cursor is good for it alone. */
  readonly version: string
}

/** What everybody sees where no credentials are asked for. */
export function wholeView(catalogue: Catalogue, version: string): View {
  return {
    catalogue,
    lists: toolLists(catalogue),
    metaTools: createMetaTools(catalogue),
    dangers: dangersOf(catalogue),
    version,
  }
}

/** What is left of `whole` without the tools in `lacking`, of which their names are told, and those that are `barred`, of which nothing
 *  is. */
export function viewWithout(
  whole: Catalogue,
  { lacking, barred = [] }: { readonly lacking: readonly Lacking[]; readonly barred?: readonly ToolEntry[] },
  version: string,
): View {
  const left = new Set([...lacking.flatMap(({ tools }) => tools), ...barred])
  const tools = whole.tools.filter((tool) => !left.has(tool))
  const catalogue = { ...whole, tools, instructions: instructionsFor(whole, tools) }
  return {
    catalogue,
    lists: toolLists(catalogue),
    metaTools: createMetaTools(catalogue, { hidden: [...left], lacking }),
    dangers: dangersOf(catalogue),
    version,
  }
}
