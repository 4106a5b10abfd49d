/** Values that a schema may let through, and some that it does not. */
import type { Schema } from './random-schemas.ts'

type Random = () => number

const few: readonly unknown[] = [
  '',
  'x',
  'y',
  'xyz',
  'abcdefg',
  '2026-01-31',
  0,
  1,
  2,
  4,
  2.5,
  -3,
  7,
  true,
  false,
  null,
  [],
  {},
]

/** One value; most are of the schema. */
export function randomValue(schema: unknown, definitions: Schema, random: Random, depth = 0): unknown {
  const one = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
  const of = (inner: unknown): unknown => randomValue(inner, definitions, random, depth + 1)
  if (depth > 6 || random() < 0.04) return one(few)
  const fields = record(schema)
  if (typeof fields.$ref === 'string')
    return of(definitions[fields.$ref.slice(fields.$ref.lastIndexOf('/') + 1)])
  for (const keyword of ['anyOf', 'oneOf', 'enum']) {
    const list = fields[keyword]
    if (Array.isArray(list)) return keyword === 'enum' ? one(list) : of(one(list))
  }
  if ('const' in fields) return fields.const
  if (Array.isArray(fields.allOf)) {
    const parts = fields.allOf.map((part) => of({ ...record(part), additionalProperties: false }))
    return parts.every((part) => typeof part === 'object') ? Object.assign({}, ...parts) : parts[0]
  }
  const type = [fields.type ?? one(['string', 'number', 'object', 'array', 'null'])].flat()
  switch (one(type)) {
    case 'object':
      return objectOf(fields, of, random)
    case 'array': {
      const least = Number(fields.minItems ?? 0)
      return Array.from({ length: least + Math.floor(random() * 3) }, () => of(fields.items ?? {}))
    }
    case 'string':
      return 'xyzabcdefg'.slice(0, Number(fields.minLength ?? 0) + Math.floor(random() * 4))
    case 'integer':
      return Number(fields.minimum ?? 0) + Math.floor(random() * 4)
    case 'number':
      return Number(fields.minimum ?? 0) + Math.floor(random() * 7) / 2
    case 'boolean':
      return random() < 0.5
    default:
      return null
  }
}

function objectOf(fields: Schema, of: (schema: unknown) => unknown, random: Random): object {
  const properties = record(fields.properties)
  const required = Array.isArray(fields.required) ? fields.required : []
  const names = [...Object.keys(properties), ...(fields.additionalProperties === false ? [] : ['c', 'd'])]
  const entries = names.flatMap((name) => {
    if (!required.includes(name) && random() < 0.4) return []
    return [[name, of(properties[name] ?? fields.additionalProperties ?? {})] as const]
  })
  const missing = required.filter((name) => !entries.some(([known]) => known === name))
  return Object.fromEntries([...entries, ...missing.map((name) => [name, of({})] as const)])
}

const record = (value: unknown): Schema => (typeof value === 'object' && value !== null ? { ...value } : {})
