/** Finds tools by words. Source: decisions/mcp.md, Finding tools. */
import type { JsonSchema, ToolEntry } from '../../contract/mcp.ts'
import { meaningOf, meaningsIn, wordsOf } from './words.ts'

/** What a query finds: what the caller may call, and what it lacks permission for and would be as good. */
export interface FoundTools {
  readonly tools: readonly ToolEntry[]
  readonly hidden: ReadonlySet<ToolEntry>
}

export type Find = (query: string) => FoundTools

const maxTools = 5
/** Looking for more is expensive with many tools, and finds nothing better. */
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

/** A model that takes the first tool for the right one destroys nothing that the user did not name. */
const destroyingLast = (tools: readonly ToolEntry[]): readonly ToolEntry[] => [
  ...tools.filter((tool) => !isDestroying(tool)),
  ...tools.filter(isDestroying),
]

/** How much a word counts where it stands. On the first half of the help desk's requests (`npm run bench:find`) half and double of
 *  each finds the same, within a tool in a hundred. */
const weights = {
  name: 3,
  title: 2,
  summary: 2,
  keywords: 2,
  argument: 1,
  answer: 0.5,
  toolbox: 1,
  meaning: 1,
} as const

const known = new WeakMap<ToolEntry, WordCounts>()

/** Counted once for each tool, however many callers see it. */
function toolWords(tool: ToolEntry): WordCounts {
  const counted = known.get(tool) ?? countedWords(tool)
  known.set(tool, counted)
  return counted
}

function countedWords(tool: ToolEntry): WordCounts {
  const counts = new Map<string, number>()
  let length = 0
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) {
      counts.set(word, (counts.get(word) ?? 0) + weight)
      length += weight
    }
  }
  const addMeanings = (text: string, weight: number): void => {
    for (const word of meaningsIn(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + weight)
  }
  add(tool.name, weights.name)
  if (!tool.name.startsWith(`${tool.toolbox}_`)) add(tool.toolbox, weights.toolbox)
  addMeanings(`${tool.name} ${tool.title ?? ''} ${firstSentence(tool.summary)}`, weights.meaning)
  if (isDelete(tool)) addMeanings('delete', weights.meaning)
  add(tool.title ?? '', weights.title)
  add(firstSentence(tool.summary), weights.summary)
  for (const keyword of tool.keywords ?? []) add(keyword, weights.keywords)
  for (const text of schemaTexts(tool.inputSchema, 'whole')) add(text, weights.argument)
  for (const text of schemaTexts(tool.outputSchema, 'names')) add(text, weights.answer)
  return { counts, length }
}

/** What DELETE means is found by its words, whatever its author calls it. PUT has the same hints, and says what it does. */
function isDelete({ name, title, summary, hints }: ToolEntry): boolean {
  if (!hints.destructive || !hints.idempotent) return false
  const verbs = meaningsIn(wordsOf(`${name} ${title ?? ''} ${firstSentence(summary)}`))
  return verbs.includes(meaningOf('delete')) || !verbs.some((verb) => overwriting.has(verb))
}

/** Whether it takes something away. */
function isDestroying(tool: ToolEntry): boolean {
  if (!tool.hints.destructive) return false
  const { name, title, summary } = tool
  return (
    isDelete(tool) ||
    meaningsIn(wordsOf(`${name} ${title ?? ''} ${firstSentence(summary)}`)).includes(meaningOf('delete'))
  )
}

const overwriting: ReadonlySet<string> = new Set(['update', 'create', 'assign'].map(meaningOf))

/** Up to the first full stop before a blank. */
const firstSentence = (text: string): string => /^.*?[.!?。](?=\s|$)/su.exec(text)?.[0] ?? text

/** Whether the texts and the values of enums are told beside the names of properties. */
type SchemaDetail = 'whole' | 'names'

/** Each text once; types that stand beside the schema are read as those in it. */
function schemaTexts(schema: JsonSchema | null, detail: SchemaDetail): ReadonlySet<string> {
  const texts = new Set<string>()
  readSchema(schema, detail, texts)
  return texts
}

function readSchema(schema: unknown, detail: SchemaDetail, texts: Set<string>): void {
  if (Array.isArray(schema)) for (const value of schema) readSchema(value, detail, texts)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') for (const name of Object.keys(Object(value))) texts.add(name)
    if (byName.has(keyword)) readSchema(Object.values(Object(value)), detail, texts)
    else if (spoken.has(keyword)) {
      if (detail === 'whole') for (const item of [value].flat()) texts.add(String(item))
    } else if (!data.has(keyword)) readSchema(value, detail, texts)
  }
}

const byName: ReadonlySet<string> = new Set(['properties', '$defs', 'patternProperties', 'dependentSchemas'])
const spoken: ReadonlySet<string> = new Set(['description', 'enum', 'const'])
/** What stands behind these is no schema. */
const data: ReadonlySet<string> = new Set(['default', 'examples'])

/** How often each word stands in a document, and how many there are. */
interface WordCounts {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/** The places of the documents that have one of the words, the best first; equal ones in their order. */
type Rank = (words: readonly string[]) => readonly number[]

/** How fast a word that is repeated stops to count, and how much a long document loses: tools are short. */
const k1 = 0.9
const b = 0.4

/** BM25: nothing is asked of the documents but their counts; a query looks at each of them. Source: Robertson and Zaragoza, The
 *  Probabilistic Relevance Framework, 2009, 3.4. */
function createRanking(documents: readonly WordCounts[]): Rank {
  const total = documents.reduce((sum, { length }) => sum + length, 0)
  const mean = Math.max(total / Math.max(documents.length, 1), 1)
  const having = new Map<string, number>()
  for (const { counts } of documents) {
    for (const word of counts.keys()) having.set(word, (having.get(word) ?? 0) + 1)
  }
  const weightOf = (word: string): number => {
    const found = having.get(word) ?? 0
    return Math.log(1 + (documents.length - found + 0.5) / (found + 0.5))
  }
  return (words) => {
    const queried = [...new Set(words)].filter((word) => having.has(word))
    const weights = queried.map((word) => [word, weightOf(word)] as const)
    return documents
      .map((document, place) => ({ place, score: scoreOf(document, weights, mean) }))
      .filter(({ score }) => score > 0)
      .sort((item, other) => other.score - item.score || item.place - other.place)
      .map(({ place }) => place)
  }
}

type Weights = readonly (readonly [word: string, weight: number])[]

function scoreOf({ counts, length }: WordCounts, weights: Weights, mean: number): number {
  let score = 0
  const damping = k1 * (1 - b + (b * length) / mean)
  for (const [word, weight] of weights) {
    const count = counts.get(word)
    if (count !== undefined) score += (weight * count * (k1 + 1)) / (count + damping)
  }
  return score
}
