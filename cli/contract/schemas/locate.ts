/** Which property a path of `mcp.yml` leads to: `items[].owner.hash`, `byName{}.note`. Source: cli/compiler/schema/marks.ts. */
import type { Definitions } from './alternatives.ts'
import { itemsOf, recordOf } from './json.ts'

export interface Located {
  /** The definition in which it stands; null = the schema itself. */
  readonly owner: string | null
  /** From the owner down, as a `SchemaDifference` has it. */
  readonly path: readonly string[]
}

/** Null where nothing is at the path. */
export function located(schema: unknown, path: string, definitions: Definitions): Located | null {
  const steps = path.match(/\[\d*\]|\{\}|"(?:[^"\\]|\\.)*"|[\w$-]+/g) ?? []
  return within(schema, { steps, definitions, open: [] }, { owner: null, path: [] })
}

interface Search {
  /** Those that are left. */
  readonly steps: readonly string[]
  readonly definitions: Definitions
  /** References that were followed since the last step. */
  readonly open: readonly string[]
}

function within(schema: unknown, search: Search, at: Located): Located | null {
  const { steps, definitions, open } = search
  const [step, ...rest] = steps
  if (step === undefined) return at
  const fields = recordOf(schema)
  for (const [inner, name] of insideOf(fields, step)) {
    const next = { owner: at.owner, path: [...at.path, name] }
    const found = within(inner, { steps: rest, definitions, open: [] }, next)
    if (found !== null) return found
  }
  for (const member of [fields.anyOf, fields.oneOf, fields.allOf].flatMap(itemsOf)) {
    const found = within(member, search, at)
    if (found !== null) return found
  }
  const { $ref } = fields
  const definition = typeof $ref === 'string' && !open.includes($ref) ? definitions($ref) : null
  if (definition === null) return null
  return within(
    definition.schema,
    { ...search, open: [...open, String($ref)] },
    { owner: definition.name, path: [] },
  )
}

function insideOf(
  fields: ReturnType<typeof recordOf>,
  step: string,
): readonly (readonly [schema: unknown, step: string])[] {
  const { properties, additionalProperties, patternProperties, items, prefixItems } = fields
  if (step === '{}')
    return [additionalProperties, ...Object.values(recordOf(patternProperties))].map((one) => [one, '*'])
  if (step === '[]') return [[items, '[]']]
  if (step.startsWith('[')) return [[itemsOf(prefixItems)[Number(step.slice(1, -1))], step]]
  const name = step.startsWith('"') ? nameIn(step) : step
  const own = recordOf(properties)
  return Object.hasOwn(own, name) ? [[own[name], name]] : []
}

function nameIn(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}
