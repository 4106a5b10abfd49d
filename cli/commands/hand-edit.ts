/** Finds edits that somebody made in `generated/mcp.yml`, and the doc comments where the texts belong. */
import { parse } from 'yaml'
import type { Compilation } from '../compiler/compile.ts'
import { isAsGenerated } from '../compiler/emit/mcp-yml.ts'
import type { At } from '../compiler/model.ts'

const path = 'generated/mcp.yml'

/** One message a hand edit in `existing`, which is the committed mcp.yml; none when it is as it was generated. */
export function handEdits(existing: string, { files, model }: Compilation): readonly string[] {
  if (isAsGenerated(existing)) return []
  const places = new Map<string, At>(
    model.controllers.flatMap((controller) => [
      [controller.id, controller.at] as const,
      ...controller.actions.map((action) => [action.id, action.at] as const),
    ]),
  )
  const edited = textsOf(existing)
  const made = textsOf(files.find((file) => file.path === path)?.text ?? '')
  const found = [...made].flatMap(([key, { owner, text }]) => {
    const at = places.get(owner)
    if (at === undefined || edited.get(key)?.text === text) return []
    return [`${path} was edited by hand: ${key} belongs in the doc comment above ${at.file}:${at.line}`]
  })
  return found.length > 0 ? found : [`${path} was edited by hand: its texts belong in the doc comments`]
}

interface Text {
  readonly owner: string
  readonly text: string
}

/** Every field of every toolbox and tool as `name.field`. */
function textsOf(yml: string): ReadonlyMap<string, Text> {
  const texts = new Map<string, Text>()
  for (const toolbox of listOf(parsed(yml), 'toolboxes')) {
    addTexts(texts, toolbox, new Set(['tools', 'tokens']))
    for (const tool of listOf(toolbox, 'tools')) addTexts(texts, tool, new Set(['tokens']))
  }
  return texts
}

function parsed(yml: string): unknown {
  try {
    return parse(yml)
  } catch {
    return null
  }
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = fieldsOf(value).get(name)
  return Array.isArray(list) ? list : []
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
}

function addTexts(texts: Map<string, Text>, entry: unknown, without: ReadonlySet<string>): void {
  const fields = fieldsOf(entry)
  const owner = String(fields.get('name'))
  for (const [name, value] of fields) {
    if (!without.has(name)) texts.set(`${owner}.${name}`, { owner, text: JSON.stringify(value) })
  }
}
