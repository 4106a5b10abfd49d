/** Finds tools by words. Source: decisions/mcp.md, Finding tools. */
import type { ToolEntry } from '../../contract/mcp.ts'
import { meaningOf, meaningsIn } from './meanings.ts'
import { createRanking } from './ranking.ts'
import { isDestroying, toolWords } from './tool-words.ts'
import { wordsOf } from './words.ts'

/** What a query finds: what the caller may call, and what it lacks permission for and would be as good. */
export interface FoundTools {
  readonly tools: readonly ToolEntry[]
  readonly hidden: ReadonlySet<ToolEntry>
}

export type Find = (query: string) => FoundTools

const maxTools = 5
/** Looking for more costs whoever has many tools, and finds nothing better. */
const maxWords = 64
const maxCharacters = 2000

/** The words are counted with the first query. Equal catalogues find the same in the same order. */
export function createFind(tools: readonly ToolEntry[], hidden: readonly ToolEntry[]): Find {
  const all = [...tools, ...hidden]
  let rank: ReturnType<typeof createRanking> | null = null
  return (query) => {
    rank ??= createRanking(all.map(toolWords))
    const words = wordsOf(query.slice(0, maxCharacters)).slice(0, maxWords)
    const found: ToolEntry[] = []
    const passed = new Set<ToolEntry>()
    const meanings = meaningsIn(words)
    for (const place of rank([...words, ...meanings])) {
      if (found.length === maxTools) break
      const tool = all[place]
      if (tool === undefined) continue
      if (place < tools.length) found.push(tool)
      else if (passed.size < maxTools) passed.add(tool)
    }
    return { tools: meanings.includes(meaningOf('delete')) ? found : destroyingLast(found), hidden: passed }
  }
}

/** A model that takes the first tool for the right one destroys nothing that nobody spoke of. */
const destroyingLast = (tools: readonly ToolEntry[]): readonly ToolEntry[] => [
  ...tools.filter((tool) => !isDestroying(tool)),
  ...tools.filter(isDestroying),
]
