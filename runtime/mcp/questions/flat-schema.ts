/** Judges answers by the flat schema that was asked. Source: MCP 2025-11-25, Elicitation, requested schema: an object of texts, numbers, booleans,
 *  choices and lists of choices. */

import { isUrlText } from '../../text-formats.ts'
import { textPattern } from '../../text-patterns.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'

/** The properties of `content` that `schema` names; null when one is missing or wrong. What it does not name is left out. */
export function flatContent(schema: WireObject, content: WireObject): WireObject | null {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const found: [string, unknown][] = []
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined
    if (value === undefined || value === null) {
      if (required.includes(name)) return null
      continue
    }
    if (!isObject(property) || !fits(value, property)) return null
    found.push([name, value])
  }
  return Object.fromEntries(found)
}

function fits(value: unknown, schema: WireObject, choices: Choices = choicesOf(schema)): boolean {
  if (choices !== null && !choices.has(value)) return false
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && isText(value, schema)
    case 'integer':
      return Number.isSafeInteger(value) && isWithin(value as number, schema, 'minimum', 'maximum') // it is an integer
    case 'number':
      return (
        typeof value === 'number' && Number.isFinite(value) && isWithin(value, schema, 'minimum', 'maximum')
      )
    case 'boolean':
      return typeof value === 'boolean'
    case 'array':
      return Array.isArray(value) && isList(value, schema)
    default:
      return choices !== null || schema.type === undefined
  }
}

/** Null where any value is right. */
type Choices = ReadonlySet<unknown> | null

/** `enum`, or titled choices. */
function choicesOf({ enum: values, oneOf, anyOf }: WireObject): Choices {
  if (Array.isArray(values)) return new Set(values)
  const titled = Array.isArray(oneOf) ? oneOf : anyOf
  if (!Array.isArray(titled)) return null
  return new Set(titled.map((value) => (isObject(value) ? value.const : undefined)))
}

const shapes: ReadonlyMap<unknown, (text: string) => boolean> = new Map([
  ['email', (text: string) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ['uri', isUrlText],
  ['date', (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))],
  ['date-time', (text: string) => /^\d{4}-\d\d-\d\d[Tt ]/.test(text) && !Number.isNaN(Date.parse(text))],
])

function isText(text: string, schema: WireObject): boolean {
  if (!isWithin([...text].length, schema, 'minLength', 'maxLength')) return false // a pattern may take long
  const isShaped = shapes.get(schema.format)?.(text) ?? true
  return isShaped && (typeof schema.pattern !== 'string' || textPattern(schema.pattern).test(text))
}

function isList(items: readonly unknown[], schema: WireObject): boolean {
  const { items: item, uniqueItems } = schema
  if (uniqueItems === true && new Set(items).size < items.length) return false
  if (!isWithin(items.length, schema, 'minItems', 'maxItems')) return false
  if (!isObject(item)) return true
  const choices = choicesOf(item)
  return items.every((value) => fits(value, item, choices))
}

function isWithin(value: number, schema: WireObject, least: string, most: string): boolean {
  const { [least]: from, [most]: to } = schema
  return !(typeof from === 'number' && value < from) && !(typeof to === 'number' && value > to)
}
