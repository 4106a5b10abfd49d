/** What a tool's arguments may be, as far as its own schema says so at once. */
import type { JsonSchema, ToolEntry } from '../../contract/mcp.ts'
import { isObject } from '../protocol/constants.ts'

/** A whole number that a caller may pass. */
export interface NumberArgument {
  readonly name: string
  /** Without it; null where the schema does not say. */
  readonly fallback: number | null
  readonly least: number | null
}

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

/** Null where the argument is no number. */
export function numberArgument(tool: Pick<ToolEntry, 'inputSchema'>, name: string): NumberArgument | null {
  const schema = schemaOfArgument(tool, name)
  if (!schemaTypes(schema).some((type) => type === 'integer' || type === 'number')) return null
  return { name, fallback: wholeNumber(schema.default), least: wholeNumber(schema.minimum) }
}

/** The names of types in a schema. */
export const schemaTypes = ({ type }: JsonSchema): readonly unknown[] => [type].flat()

/** A number that counts something, else null. */
export const wholeNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

/** A text of an address as the schema wants it. */
export function valueFromText(texts: readonly string[], schema: JsonSchema): unknown {
  const types = schemaTypes(schema)
  if (types.includes('array')) return texts
  const [text = ''] = texts
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (types.some((type) => type === 'integer' || type === 'number'))
    return Number.isNaN(number) ? text : number
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
