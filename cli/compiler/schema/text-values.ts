/** What check and emit both ask of arguments that travel as texts: those of prompts and resources. Source: MCP 2025-11-25, Prompts
 *  and Completion. */
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { textOfKinds } from '../ir/schema-kinds.ts'
import { bareSchema } from './references.ts'

type Named = readonly NamedSchema[]

/** Whether a text can be read as a value of it. */
export function isTextual(schema: Schema, named: Named): boolean {
  const bare = valueSchema(schema, named)
  if (bare.kind === 'array') return isTextual(bare.items, named)
  if (bare.kind === 'union') return bare.members.every((member) => isTextual(member, named))
  return textOfKinds[bare.kind] !== null
}

/** The values as clients write them, where there are but so many; null = there is no end of them. */
export function valuesOf(schema: Schema, named: Named): readonly string[] | null {
  const bare = valueSchema(schema, named)
  if (bare.kind === 'literal') return [String(bare.value)]
  if (bare.kind === 'enum') return bare.values.map(String)
  if (bare.kind === 'bigint') return bare.values
  if (bare.kind === 'boolean') return ['true', 'false']
  if (bare.kind === 'null') return []
  if (bare.kind !== 'union') return null
  const all = bare.members.map((member) => valuesOf(member, named))
  return all.every((values) => values !== null) ? [...new Set(all.flat())] : null
}

/** Behind references, tags and classes. */
function valueSchema(schema: Schema, named: Named): Schema {
  const found = bareSchema(schema, named)
  return found.kind === 'converted' && found.to !== 'Map' ? valueSchema(found.inner, named) : found
}
