/** What reaches a model of an application's tools, looked for in its `mcp.yml`. */
import { parse } from 'yaml'
import { skillsOf } from '../../../runtime/capabilities/skills/skill-entry.ts'
import type { Catalogue } from '../../../runtime/contract/mcp.ts'
import { toolLists } from '../../../runtime/mcp/tools/tool-list.ts'
import { createMetaTools } from '../../../runtime/mcp/tools/toolboxes.ts'

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keywords whose own word says all: a reviewer misses nothing. */
const silent = new Set(['type', '$ref', 'required', 'additionalProperties'])
/** Keywords under which names stand that the application chose. */
const naming = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** Every name, text and value in a schema. */
function wordsOf(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(wordsOf)
  if (!isRecord(schema)) return [JSON.stringify(schema)]
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (naming.has(keyword) && isRecord(value))
      return [
        ...Object.keys(value).map((name) => JSON.stringify(name)),
        ...Object.values(value).flatMap(wordsOf),
      ]
    if (!silent.has(keyword)) return wordsOf(value)
    return typeof value === 'object' && keyword === 'additionalProperties' ? wordsOf(value) : []
  })
}

/** Every name and value of a parsed document. */
export function scalarsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(scalarsOf)
  if (!isRecord(value)) return [JSON.stringify(value)]
  return Object.entries(value).flatMap(([name, inner]) => [JSON.stringify(name), ...scalarsOf(inner)])
}

/** What is said of a property, and behind it what is said of its type, may stand in two places. */
function isShown(word: string, known: ReadonlySet<string>): boolean {
  if (known.has(word)) return true
  const parts: unknown = JSON.parse(word)
  if (typeof parts !== 'string') return false
  const paragraphs = parts.split('\n\n')
  const text = (from: number, to: number): string => JSON.stringify(paragraphs.slice(from, to).join('\n\n'))
  return paragraphs.some(
    (_, at) => at > 0 && known.has(text(0, at)) && known.has(text(at, paragraphs.length)),
  )
}

/** What stands in no fitting place of the file: by toolbox and tool, what it lacks. */
export function unreviewed(yml: string, catalogue: Catalogue): readonly string[] {
  const document = parse(yml)
  const shared = scalarsOf(document.types ?? {})
  const boxes = new Map<string, Json>(document.toolboxes.map((box: Json) => [box.name, box]))
  const metaTools = createMetaTools(catalogue)
  const ofBoxes = catalogue.toolboxes.flatMap(({ name, description }) => {
    const box = boxes.get(name) ?? {}
    return (box.description ?? box.instructions) === description ? [] : [`${name}: ${description}`]
  })
  const reported = [...boxes.values()].filter(({ instructions }) => instructions !== undefined)
  const lines = reported.map(({ name, instructions }) =>
    instructions === '' ? name : `${name}: ${instructions}`,
  )
  const ofInstructions = catalogue.instructions === lines.join('\n') ? [] : [catalogue.instructions]
  const ofTools = toolLists(catalogue).all.flatMap((tool) => {
    const entry = catalogue.tools.find(({ name }) => name === tool.name)
    const box: Json = boxes.get(entry?.toolbox ?? '') ?? {}
    const own = ((box.tools ?? []) as readonly Json[]).find(({ name }) => name === tool.name) ?? {} // a list in the file
    const known = new Set([...scalarsOf(own), ...scalarsOf(box.types ?? {}), ...shared])
    const opened = metaTools.get('open_toolbox')?.({ name: entry?.toolbox }, 'modern')
    const answer: Json = opened?.kind === 'answer' ? Object(opened.result.structuredContent) : {}
    const inside = Array.isArray(answer.tools)
      ? answer.tools.find(({ name }) => name === tool.name)
      : undefined
    const words = [
      ...[tool.name, tool.title ?? null, tool.description].map((text) => JSON.stringify(text)),
      ...[tool.inputSchema, entry?.outputSchema ?? {}, inside?.inputSchema ?? {}].flatMap(wordsOf),
    ]
    const lacking = words.filter((word) => word !== 'null' && !isShown(word, known))
    const summary: string = inside?.summary ?? entry?.summary ?? ''
    const isReported = String(own.description).startsWith(summary)
    return [...lacking, ...(isReported ? [] : [summary])].map((word) => `${tool.name}: ${word}`)
  })
  const ofSkills = (skillsOf(catalogue) ?? []).flatMap((skill) => {
    const text = [skill.text, ...skill.tools.map(({ line }) => line)].join('').trimEnd()
    const shown: Json = Object(boxes.get(skill.toolbox)?.skill)
    return shown.text === text ? [] : [`${skill.toolbox}: ${text}`]
  })
  return [...ofBoxes, ...ofInstructions, ...ofTools, ...ofSkills]
}
