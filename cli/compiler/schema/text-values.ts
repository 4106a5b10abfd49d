/** What check and emit both ask of arguments that travel as texts: those of prompts and resources. Source: MCP, Prompts;
 *  Completion. */
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { resolved } from './tools.ts'

type Named = readonly NamedSchema[]

/** Whether a text can be read as a value of it. */
export function isTextual(schema: Schema, named: Named): boolean {
  const bare = bareSchema(schema, named)
  switch (bare.kind) {
    case 'array':
      return isTextual(bare.items, named)
    case 'union':
      return bare.members.every((member) => isTextual(member, named))
    case 'object':
    case 'record':
    case 'tuple':
    case 'file':
    case 'binary':
    case 'events':
    case 'never':
    case 'verbatim':
      return false
    default:
      return true
  }
}

/** The values as clients write them, where there are but so many; null = there is no end of them. */
export function valuesOf(schema: Schema, named: Named): readonly string[] | null {
  const bare = bareSchema(schema, named)
  switch (bare.kind) {
    case 'literal':
      return [String(bare.value)]
    case 'enum':
      return bare.values.map(String)
    case 'boolean':
      return ['true', 'false']
    case 'null':
      return []
    case 'union': {
      const all = bare.members.map((member) => valuesOf(member, named))
      return all.every((values) => values !== null) ? [...new Set(all.flat())] : null
    }
    default:
      return null
  }
}

/** Behind references, tags, brands and classes. */
function bareSchema(schema: Schema, named: Named): Schema {
  const found = resolved(schema, named)
  if (found.kind === 'constrained' || found.kind === 'branded') return bareSchema(found.inner, named)
  if (found.kind === 'converted' && found.to !== 'Map') return bareSchema(found.inner, named)
  return found
}
