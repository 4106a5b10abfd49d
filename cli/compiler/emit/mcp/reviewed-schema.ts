/** A JSON Schema as `mcp.yml` shows it to a reviewer: every name, text, value and type in it, without what the rest says
 *  already: the type beside properties, items or values, and which objects are closed. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import { isListOfSchemas, isSchemaKeyword, mapSchemas } from '../../schema/tool-form.ts'
import { oneLine, type Plain } from '../yaml.ts'

type Fields = Readonly<Record<string, Plain>>

const saysType = ['properties', 'additionalProperties', 'items', 'prefixItems', 'enum', 'const']

/** The schema in words. A reference to a named type is `type: Note`; properties say themselves that they are required. */
export function toReviewSchema(schema: JsonSchema): Fields {
  const { type, $ref, properties, required, ...rest } = mapSchemas(schema, toReviewSchema)
  const names = new Set([required].flat())
  const shown = Object.entries(Object(properties)).map(([name, property]): [string, Plain] => [
    name,
    names.has(name) ? { required: true, ...Object(property) } : property,
  ])
  const fields: Fields = {
    ...Object.fromEntries(Object.entries(rest).flatMap(saying)),
    ...(shown.length === 0 ? {} : { properties: Object.fromEntries(shown) }),
  }
  if ($ref !== undefined) return { type: String($ref).split('/').at(-1), ...fields }
  const isSaid = type === undefined || saysType.some((keyword) => Object.hasOwn(fields, keyword))
  return isSaid ? fields : { type, ...fields }
}

/** Schemas that say nothing are left out. */
function saying([keyword, value]: readonly [string, unknown]): readonly [string, Plain][] {
  if (isSchemaKeyword(keyword)) return isEmpty(value) || value === false ? [] : [[keyword, value]]
  if (!isListOfSchemas(keyword) || !Array.isArray(value)) return [[keyword, value]]
  const items = value.filter((item) => !isEmpty(item))
  return items.length === 0 ? [] : [[keyword, items]]
}

const longestLine = 100

/** On one line where it is short, or has nothing inside; else a line for each part. */
export function flowMap(value: Plain): Plain {
  if (typeof value !== 'object' || value === null) return value
  if (isShort(value)) return oneLine(value)
  if (Array.isArray(value)) return value.map(flowMap)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, flowMap(inner)]))
}

function isShort(value: object): boolean {
  if (roomAfter(value, longestLine) >= 0) return true
  return isRecord(value) && Object.values(value).every(isSmall)
}

/** A text of one line, however long, or little else. */
const isSmall = (value: Plain): boolean =>
  typeof value === 'string' ? !value.includes('\n') : roomAfter(value, longestLine / 2) >= 0

/** What `value` leaves of `room` characters on a line; negative when it does not fit, or holds a line break. */
function roomAfter(value: Plain, room: number): number {
  if (typeof value === 'string') return value.includes('\n') ? -1 : room - value.length - 2
  if (typeof value !== 'object' || value === null) return room - String(value).length
  let left = room - 2
  for (const [name, inner] of Object.entries(value)) {
    if (left < 0) return left
    left = roomAfter(inner, left - (Array.isArray(value) ? 1 : name.length + 4))
  }
  return left
}

const isEmpty = (value: Plain): boolean => isRecord(value) && Object.keys(value).length === 0

const isRecord = (value: Plain): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
