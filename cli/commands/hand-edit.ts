/** Finds edits that somebody made in `generated/mcp.yml`, and the doc comments where the texts belong. */
import { parse } from 'yaml'
import type { Compilation } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics.ts'
import { toolArguments } from '../compiler/emit/arguments.ts'
import { isAsGenerated } from '../compiler/emit/mcp-yml.ts'
import type { At, Model } from '../compiler/model.ts'
import { handEdited } from './build-diagnostics.ts'

const path = 'generated/mcp.yml'

/** One diagnostic a hand edit in `existing`, which is the committed mcp.yml; none when it is as it was generated. */
export function handEdits(existing: string, { files, model }: Compilation): readonly Diagnostic[] {
  if (isAsGenerated(existing)) return []
  const places = placesIn(model)
  const edited = textsOf(existing)
  const made = textsOf(files.find((file) => file.path === path)?.text ?? '')
  const found = [...made].flatMap(([key, { owner, text }]) => {
    const at = places.get(key.replace(/\.[^.]*$/, '')) ?? places.get(owner)
    return at === undefined || edited.get(key)?.text === text ? [] : [handEdited(at, path, key)]
  })
  return found.length > 0 ? found : [handEdited({ file: path, line: 1, column: 1 }, path, 'its text')]
}

/** Where texts belong: by toolbox, by tool, and by argument, which may be one of a filter. */
function placesIn({ controllers }: Model): ReadonlyMap<string, At> {
  return new Map<string, At>(
    controllers.flatMap(({ id, at, actions }) => [
      [id, at] as const,
      ...actions.map((action) => [action.id, action.docAt] as const),
      ...actions.flatMap((action) =>
        toolArguments(action).map(
          ({ argument, param }) => [`${action.id}.params.${argument}`, param.at] as const,
        ),
      ),
    ]),
  )
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
    for (const tool of listOf(toolbox, 'tools')) {
      addTexts(texts, tool, new Set(['tokens', 'params']))
      const name = String(fieldsOf(tool).get('name'))
      for (const [argument, param] of fieldsOf(fieldsOf(tool).get('params'))) {
        addTexts(texts, { ...Object(param), name: `${name}.params.${argument}` }, new Set(['name']))
      }
    }
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
