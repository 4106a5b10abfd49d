/** One type in one place: what is published of it, and how a value gets there. */
import type { RouteCodec } from '../../../runtime/contract/route.ts'
import { isRecord, type Json, resolved } from './judge.ts'
import type { Cell, RequestPlace } from './places.ts'
import { className } from './places.ts'

export interface Published {
  /** `openapi.yml`, parsed. */
  readonly document: Json
  /** The input schemas of tools, by name. */
  readonly schemas: ReadonlyMap<string, Json>
  /** What their routes call the keys that clients do not take, by the names that stand in the schemas; by tool. */
  readonly renamed: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/** The id of a method of the zoo. */
export const routeOf = ({ place, name }: Cell): string =>
  `${className(place).toLowerCase()}_${name.toLowerCase()}`

const at = (json: unknown, ...steps: readonly string[]): Json => {
  const found = steps.reduce<unknown>((inner, step) => (isRecord(inner) ? inner[step] : undefined), json)
  if (!isRecord(found)) throw new Error(`nothing is published at ${steps.join(' ')}`)
  return found
}

export interface OfParameter {
  readonly schema: Json
  /** It is sent as one JSON text. */
  readonly isJson: boolean
  readonly isRequired: boolean
}

/** What openapi.yml says of the value in its place. */
export function overHttp({ document }: Published, cell: Cell): OfParameter {
  const { place, name } = cell
  const path = `/${place}/${name}${place === 'path' ? '/{v}' : ''}`
  const verb = bodyTypes.has(place) ? 'post' : 'get'
  const operation = at(document, 'paths', path, verb)
  if (place === 'answer') {
    const schema = at(operation, 'responses', '200', 'content', 'application/json', 'schema')
    return { schema, isJson: true, isRequired: true }
  }
  const type = bodyTypes.get(place)
  if (type === undefined) {
    const [parameter] = operation.parameters as readonly Json[]
    const isJson = isRecord(parameter?.content)
    return {
      schema: isJson ? at(parameter, 'content', 'application/json', 'schema') : at(parameter, 'schema'),
      isJson,
      isRequired: parameter?.required === true,
    }
  }
  const schema = at(operation, 'requestBody', 'content', type, 'schema')
  const isRequired = ((schema.required ?? []) as readonly string[]).includes('v')
  if (place === 'body') return { schema, isJson: true, isRequired: true }
  if (place === 'nested')
    return { schema: at(schema, 'properties', 'outer', 'properties', 'v'), isJson: true, isRequired: true }
  const { encoding } = at(operation, 'requestBody', 'content', type)
  return {
    schema: at(schema, 'properties', 'v'),
    isJson: isRecord(encoding) && isRecord(encoding.v),
    isRequired,
  }
}

const bodyTypes: ReadonlyMap<string, string> = new Map([
  ['form', 'application/x-www-form-urlencoded'],
  ['body', 'application/json'],
  ['nested', 'application/json'],
  ['upload', 'multipart/form-data'],
])

/** What the tool's input schema says of the value; null = the route is no tool. */
export function ofTool(
  { schemas }: Published,
  cell: Cell,
): { readonly schema: Json; readonly document: Json; readonly isRequired: boolean } | null {
  const input = schemas.get(routeOf(cell))
  if (input === undefined) return null
  const argument = argumentOf(cell.place as RequestPlace)
  const isRequired = ((input.required ?? []) as readonly string[]).includes(argument)
  const whole = at(input, 'properties', argument)
  if (cell.place !== 'nested') return { schema: whole, document: input, isRequired }
  return { schema: inside(inside(whole, 'outer', input), 'v', input), document: input, isRequired }
}

function inside(schema: Json, name: string, document: Json): Json {
  const whole = typeof schema.$ref === 'string' ? resolved(document, schema.$ref) : schema
  return at(whole, 'properties', name)
}

const argumentOf = (place: RequestPlace): string =>
  place === 'header' ? 'x_v' : place === 'nested' ? 'body' : 'v'

/** The arguments of a tool call with a value. */
export const argumentsWith = (place: RequestPlace, value: unknown): Json =>
  place === 'nested' ? { body: { outer: { v: value } } } : { [argumentOf(place)]: value }

/** Reads the value as the route would: from JSON, or from the texts of its place. */
export function decoderOf(codecs: Readonly<Record<string, RouteCodec>>, cell: Cell) {
  const codec = codecs[routeOf(cell)]?.params[0]?.codec
  if (codec === undefined) throw new Error(`${routeOf(cell)} has no decoder`)
  const isNested = cell.place === 'nested'
  return {
    json: (value: unknown, isCall = false): unknown => {
      const rules = isCall ? ('call' as const) : undefined
      if (!isNested) return codec.fromJson(value, 'v', rules)
      return (codec.fromJson({ outer: { v: value } }, 'body', rules) as { outer: { v: unknown } }).outer.v // what the type says
    },
    text: (texts: readonly string[]): unknown => codec.fromText(texts, 'v'),
  }
}

/** A value as the texts of a query, header, path or form, as `templates/docs/types.md` writes them. */
export function textsOf(
  value: unknown,
  { isJson, schema }: Pick<OfParameter, 'isJson' | 'schema'>,
  place?: Cell['place'],
): readonly string[] {
  if (isJson) return [JSON.stringify(value)]
  if (!Array.isArray(value)) return [textOf(value)]
  const isPlain = value.every((item) => item !== null && typeof item !== 'object')
  const texts = value.map(textOf)
  const isRead = texts.length > 1 || (!isOther(schema) && /^[^[,]+$/.test(texts[0] ?? ''))
  const isParted = place === 'header' && texts.some((text) => /^\s|\s$|,|^$/.test(text)) // its lines are one list
  return isPlain && isRead && !isParted ? texts : [JSON.stringify(value)]
}

/** Where something else may stand a list of one is JSON. */
const isOther = ({ anyOf }: Json): boolean =>
  Array.isArray(anyOf) && anyOf.filter(({ type }) => type !== 'null').length > 1

const mayBeList = ({ anyOf }: Json): boolean =>
  Array.isArray(anyOf) &&
  anyOf.some(({ type }) => type === 'array') &&
  anyOf.every(({ type }) => type !== 'object')

/** The text of a header: one that would be read as a list is quoted (RFC 9110, 5.6.4). */
export const headerOf = (
  texts: readonly string[],
  value: unknown,
  { schema }: Pick<OfParameter, 'schema'>,
): string =>
  typeof value === 'string' && mayBeList(schema) && /^[[ \t]|[",]|[ \t]$/.test(value)
    ? `"${value.replace(/["\\]/g, '\\$&')}"`
    : texts.join(', ')

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
