/** Whether an answer that was cut still has its declared type, as far as that type says so at once. Nothing is validated: the whole
 *  answer had the type, so only the places of the cuts are looked at, each in the schemas that may hold there. */
import type { JsonSchema } from '../../contract/mcp.ts'
import { isObject } from '../protocol/constants.ts'
import type { JsonCut } from './cut-json.ts'

/** `value`: before it was cut. False where the schema does not say so for certain. Takes at most the length of each path times the
 *  schemas there are. */
export function cutsFit(root: JsonSchema, value: unknown, cuts: readonly JsonCut[]): boolean {
  return cuts.every((cut) => {
    let held = heldBy([root], value, root)
    let at = value
    for (const part of cut.path) {
      if (held?.every((schema) => hasOnly(schema, passed)) !== true) return false
      at = Object(at)[part]
      held = heldBy(
        held.flatMap((schema) => schemasBelow(schema, part)),
        at,
        root,
      )
    }
    return held !== null && held.length > 0 && held.every((schema) => fits(schema, at, cut))
  })
}

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

/** Keywords that hold of any part of a value that they hold of. */
const neutral = names(
  'title description default examples deprecated readOnly writeOnly $comment type $ref $defs anyOf oneOf allOf',
)
/** Those that a cut further inside does not touch. */
const passed = names(
  'properties required additionalProperties patternProperties minProperties maxProperties items minItems maxItems uniqueItems',
)
/** Those that hold of fewer items, entries or characters too. */
const cuttable: Readonly<Record<JsonCut['kind'], ReadonlySet<string>>> = {
  items: names('items maxItems uniqueItems'),
  entries: names('properties required additionalProperties patternProperties maxProperties'),
  characters: names('maxLength'),
}

const hasOnly = (schema: JsonSchema, known: ReadonlySet<string>): boolean =>
  Object.keys(schema).every((keyword) => neutral.has(keyword) || known.has(keyword))

function fits(schema: JsonSchema, value: unknown, { kind, shown }: JsonCut): boolean {
  if (!hasOnly(schema, cuttable[kind])) return false
  if (kind !== 'entries' || schema.required === undefined) return true
  const left = new Set(Object.keys(Object(value)).slice(0, shown))
  return listOf(schema.required).every((name) => left.has(String(name)))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Every schema that may hold of a part: which names a pattern matches is not tried. */
function schemasBelow(schema: JsonSchema, part: string | number): readonly unknown[] {
  const { properties, patternProperties = {}, additionalProperties, items } = schema
  if (typeof part === 'number') return items === undefined ? [true] : [items]
  const own = isObject(properties) && Object.hasOwn(properties, part) ? properties[part] : undefined
  const others = own === undefined ? [additionalProperties ?? true] : [own]
  return [...others, ...Object.values(Object(patternProperties))]
}

/** The schemas that hold of a value, through references and unions; a member of a union that the value cannot have is left out. Null
 *  where it is not known which hold. */
export function heldBy(
  schemas: readonly unknown[],
  value: unknown,
  root: JsonSchema,
): readonly JsonSchema[] | null {
  const held = new Set<JsonSchema>()
  const waiting = [...schemas]
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    const found = schema === true ? anything : schema
    if (!isObject(found)) {
      if (found === false) continue
      return null
    }
    if (held.has(found) || !isPossible(found, value)) continue
    held.add(found)
    if (found.oneOf !== undefined && !isTagged(listOf(found.oneOf), root)) return null
    if (found.$ref !== undefined) waiting.push(referred(found.$ref, root))
    waiting.push(...listOf(found.anyOf), ...listOf(found.oneOf), ...listOf(found.allOf))
  }
  return [...held]
}

const anything: JsonSchema = {}

/** What a reference inside of the schema leads to; null = nothing. */
function referred(ref: unknown, root: JsonSchema): unknown {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return null
  const found = ref
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (Object.hasOwn(Object(at), part) ? Object(at)[part] : null), root)
  return found ?? null
}

/** By its type, by the properties that it must have, and by those that say which member of a union it is. */
function isPossible({ type, required, properties }: JsonSchema, value: unknown): boolean {
  const types = [type ?? []].flat()
  if (types.length > 0 && !types.some((item) => isOfType(value, item))) return false
  if (!isObject(value)) return true
  if (!listOf(required).every((name) => Object.hasOwn(value, String(name)))) return false
  return Object.entries(Object(properties)).every(([name, property]) => {
    const only = isObject(property) ? property.const : undefined
    return (
      typeof only === 'object' || only === undefined || !Object.hasOwn(value, name) || value[name] === only
    )
  })
}

function isOfType(value: unknown, type: unknown): boolean {
  if (Array.isArray(value)) return type === 'array'
  if (value === null) return type === 'null'
  return type === typeof value || (typeof value === 'number' && type === 'integer')
}

/** Whether no value can have two of the members, cut or whole: each must have another text under the same name. */
function isTagged(members: readonly unknown[], root: JsonSchema): boolean {
  const resolved = members.map((member) =>
    isObject(member) && member.$ref !== undefined ? referred(member.$ref, root) : member,
  )
  const [first] = resolved
  if (!isObject(first) || !resolved.every(isObject)) return false
  return listOf(first.required).some((name) => {
    const tags = resolved.map((item) => tagIn(item, String(name)))
    return tags.every((tag) => tag !== undefined) && new Set(tags).size === tags.length
  })
}

function tagIn({ required, properties }: Readonly<Record<string, unknown>>, name: string): unknown {
  const property = listOf(required).includes(name) ? Object(properties)[name] : undefined
  return isObject(property) ? property.const : undefined
}
