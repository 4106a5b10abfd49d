/** JSON Schema from the form in which `mcp.yml` shows it to reviewers. Source: cli/compiler/emit/mcp/reviewed-schema.ts. */
import type { JsonSchema } from '../../runtime/contract/mcp.ts'
import { isSchemaObject, itemsOf, recordOf } from './schemas/json.ts'

const jsonTypes = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'])

const holdsOne = new Set([
  ...[
    'items',
    'contains',
    'additionalProperties',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
  ],
  ...['not', 'if', 'then', 'else', 'contentSchema'],
])
const holdsList = new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf'])
const holdsNames = new Set(['patternProperties', 'dependentSchemas', '$defs', 'definitions'])

/** Types that stand where they are used, by name. */
export type InlineTypes = Map<string, JsonSchema>

/** The schema whose words these are; a named type that stands in it is added to `inline`, and referred to. */
export function schemaOfReviewed(shown: unknown, inline: InlineTypes): JsonSchema {
  const { required, properties, schema, 'of the type': ofType, type, ...rest } = recordOf(shown)
  const read = (value: unknown): JsonSchema => schemaOfReviewed(value, inline)
  const inner = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, innerOf(name, value, read)]),
  )
  const apart = [schema, ofType].filter((part) => part !== undefined).map(read)
  const own = Object.entries(recordOf(properties))
  const needed = [
    ...own.filter(([, property]) => recordOf(property).required === true).map(([name]) => name),
    ...(Array.isArray(required) ? required : []),
  ]
  const whole: JsonSchema = {
    ...inner,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(own.map(([name, property]) => [name, read(property)])) }),
    ...(needed.length === 0 ? {} : { required: needed }),
  }
  const typed = withType(type, whole, inline)
  return apart.length === 0 ? typed : { ...typed, allOf: [...itemsOf(typed.allOf), ...apart] }
}

function innerOf(name: string, value: unknown, read: (value: unknown) => JsonSchema): unknown {
  if (holdsOne.has(name)) return isSchemaObject(value) ? read(value) : value
  if (holdsList.has(name)) return itemsOf(value).map((item) => (isSchemaObject(item) ? read(item) : item))
  if (!holdsNames.has(name) || !isSchemaObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, read(item)]))
}

/** What only the content of a type has; what is said beside a reference may be of either. */
const ofContent = [
  ...[
    'properties',
    'additionalProperties',
    'patternProperties',
    'items',
    'prefixItems',
    'anyOf',
    'oneOf',
    'allOf',
  ],
  ...['enum', 'const', 'pattern', 'format', 'contentEncoding'],
]

/** A type that JSON does not know is the name of a definition, which stands here or by itself. */
function withType(type: unknown, fields: JsonSchema, inline: InlineTypes): JsonSchema {
  if (type === undefined) return { ...impliedType(fields), ...fields }
  if ([type].flat().every((name) => jsonTypes.has(String(name)))) return { type, ...fields }
  const $ref = `#/$defs/${type}`
  if (!ofContent.some((keyword) => Object.hasOwn(fields, keyword))) return { $ref, ...fields }
  const { description, title, default: fallback, ...content } = fields
  inline.set(String(type), { ...impliedType(content), ...content })
  const beside = { description, title, default: fallback }
  return { $ref, ...Object.fromEntries(Object.entries(beside).filter(([, value]) => value !== undefined)) }
}

function impliedType(fields: JsonSchema): JsonSchema {
  if (Object.hasOwn(fields, 'properties') || Object.hasOwn(fields, 'additionalProperties'))
    return { type: 'object' }
  return Object.hasOwn(fields, 'items') || Object.hasOwn(fields, 'prefixItems') ? { type: 'array' } : {}
}

/** The names of types in the text of a part of the file. */
export const typeNamesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\btype: "?([A-Za-z_$][\w.$-]*)/g)].flatMap(([, name = '']) =>
    jsonTypes.has(name) ? [] : [name],
  )
