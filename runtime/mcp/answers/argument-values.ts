/** What a tool's arguments may be, as far as its own schema says so at once. */
import type { JsonSchema, ToolEntry } from '../../contract/mcp.ts'
import { isObject } from '../protocol/constants.ts'

/** What the schema says of an argument, references and `null` beside it left out. */
export function schemaOfArgument({ inputSchema }: Pick<ToolEntry, 'inputSchema'>, name: string): JsonSchema {
  const own = propertyOf(propertyOf(inputSchema, 'properties'), name)
  return { ...resolved(own, inputSchema), ...own }
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref, anyOf } = schema
  if (Array.isArray(anyOf)) {
    const others = anyOf.filter((value) => isObject(value) && value.type !== 'null')
    return others.length === 1 ? resolved(others[0], root) : {}
  }
  const name = typeof $ref === 'string' ? /^#\/\$defs\/([^/]+)$/.exec($ref)?.[1] : undefined
  return name === undefined ? schema : propertyOf(propertyOf(root, '$defs'), name)
}

const propertyOf = (value: unknown, name: string): JsonSchema => {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return isObject(found) ? found : {}
}

/** A text of an address as the schema wants it. */
export function valueFromText(texts: readonly string[], schema: JsonSchema): unknown {
  const types = [schema.type].flat()
  if (types.includes('array')) return texts
  const [text = ''] = texts
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (types.some((type) => type === 'integer' || type === 'number'))
    return Number.isNaN(number) ? text : number
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
