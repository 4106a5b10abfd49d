/** Arguments that a tool does not have. Source: language.md, Parameters: they are an error that names them. */
import type { JsonSchema } from '../../contract/mcp.ts'
import { ForMcpClient } from '../../errors.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'
import { unknownName } from './suggestions.ts'

/** Raised where the route reads its parameters, after its filters: whoever may not use the route learns only that. */
export class UnknownArguments extends ForMcpClient {}

/** A sentence for each of the first arguments that the tool does not have, with near ones that it has; null when it has
 *  them all. */
export type CheckNames = (args: WireObject) => string | null

const maxNamed = 3

/** The check for a tool's input schema and the further names that it takes; null where the schema leaves names open. */
export function nameCheck(schema: JsonSchema, more: readonly string[] = []): CheckNames | null {
  if (schema.additionalProperties !== false || 'patternProperties' in schema) return null
  const properties = isObject(schema.properties) ? Object.keys(schema.properties) : []
  const known = new Set([...properties, ...more])
  return (args) => {
    const unknown = namesBesides(known, args)
    return unknown.length === 0 ? null : messageFor(unknown, known)
  }
}

const none: readonly string[] = []

function namesBesides(known: ReadonlySet<string>, args: WireObject): readonly string[] {
  let unknown = none
  for (const name in args) if (!known.has(name)) unknown = [...unknown.slice(0, maxNamed), name]
  return unknown
}

function messageFor(unknown: readonly string[], known: ReadonlySet<string>): string {
  const sentences = unknown.slice(0, maxNamed).map((name) => unknownName('argument', name, known))
  return [...sentences, ...(unknown.length > maxNamed ? ['and more'] : [])].join('\n')
}
