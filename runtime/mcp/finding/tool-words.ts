/** A tool as the words that find it. */
import type { JsonSchema, ToolEntry } from '../../contract/mcp.ts'
import { meaningOf, meaningsIn } from './meanings.ts'
import type { WordCounts } from './ranking.ts'
import { wordsOf } from './words.ts'

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
export function toolWords(tool: ToolEntry): WordCounts {
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
export function isDelete({ name, title, summary, hints }: ToolEntry): boolean {
  if (!hints.destructive || !hints.idempotent) return false
  const verbs = meaningsIn(wordsOf(`${name} ${title ?? ''} ${firstSentence(summary)}`))
  return verbs.includes(meaningOf('delete')) || !verbs.some((verb) => overwriting.has(verb))
}

/** Whether it takes something away. */
export function isDestroying(tool: ToolEntry): boolean {
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
