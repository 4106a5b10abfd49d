/** Judges values by a published schema: JSON Schema 2020-12 as far as the compiler writes it, formats as `templates/docs/types.md`
 *  has them. Independent of the server's own judge. What it does not know throws: a keyword that nobody judges says nothing. */
import { formats } from './formats.ts'

export type Json = Readonly<Record<string, unknown>>
export type Judge = (value: unknown) => boolean

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes judges of schemas of one document; its references are looked up there. */
/** `isClosed`: names that an object does not declare are none of it. */
export function judgesOf(document: Json, isClosed = false): (schema: Json) => Judge {
  const known = new Map<string, Judge>()
  const lookUp = (ref: string): Judge => {
    const found = known.get(ref)
    if (found !== undefined) return found
    let judge: Judge | null = null
    const lazy: Judge = (value) => {
      judge ??= judgeOf(resolved(document, ref))
      return judge(value)
    }
    known.set(ref, lazy)
    return lazy
  }
  const judgeOf = (schema: Json): Judge => {
    const all = Object.entries(schema).flatMap(([keyword, said]) => {
      if (annotations.has(keyword) || keyword.startsWith('x-')) return []
      if (keyword === '$ref') return [lookUp(String(said))]
      const make = keywords[keyword]
      if (make === undefined) throw new Error(`nobody judges the keyword ${keyword}`)
      return [make(said as never, schema, judgeOf)] // each takes what its keyword says
    })
    const { properties, additionalProperties } = schema
    if (isClosed && isRecord(properties) && additionalProperties === undefined) all.push(closedTo(schema))
    return (value) => all.every((judge) => judge(value))
  }
  return judgeOf
}

/** What a local reference of `document` leads to. */
export function resolved(document: Json, ref: string): Json {
  const steps = ref
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = steps.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), document)
  if (!isRecord(found)) throw new Error(`${ref} leads nowhere`)
  return found
}

const closedTo = (schema: Json): Judge =>
  keywords.additionalProperties?.(false as never, schema, () => () => false) ?? (() => true)

const annotations = new Set(
  'title description default example examples deprecated contentEncoding discriminator $defs readOnly writeOnly'.split(
    ' ',
  ),
)

type Make = (said: never, schema: Json, judgeOf: (schema: Json) => Judge) => Judge

const ofKind: Readonly<Record<string, Judge>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
}

const onNumber =
  (is: (value: number) => boolean): Judge =>
  (value) =>
    typeof value !== 'number' || is(value)
const onText =
  (is: (value: string) => boolean): Judge =>
  (value) =>
    typeof value !== 'string' || is(value)
const onList =
  (is: (value: readonly unknown[]) => boolean): Judge =>
  (value) =>
    !Array.isArray(value) || is(value)
const onObject =
  (is: (value: Json) => boolean): Judge =>
  (value) =>
    !isRecord(value) || is(value)

const keywords: Readonly<Record<string, Make>> = {
  type: (said: string | readonly string[]) => {
    const kinds = [said].flat().map((name) => ofKind[name])
    return (value) => kinds.some((kind) => kind?.(value))
  },
  const: (said: unknown) => (value) => sameJson(value, said),
  enum: (said: readonly unknown[]) => (value) => said.some((one) => sameJson(value, one)),
  not: (said: Json, _, judgeOf) => {
    const judge = judgeOf(said)
    return (value) => !judge(value)
  },
  anyOf: (said: readonly Json[], _, judgeOf) => {
    const all = said.map(judgeOf)
    return (value) => all.some((judge) => judge(value))
  },
  oneOf: (said: readonly Json[], _, judgeOf) => {
    const all = said.map(judgeOf)
    return (value) => all.filter((judge) => judge(value)).length === 1
  },
  minimum: (said: number) => onNumber((value) => value >= said),
  maximum: (said: number) => onNumber((value) => value <= said),
  exclusiveMinimum: (said: number) => onNumber((value) => value > said),
  exclusiveMaximum: (said: number) => onNumber((value) => value < said),
  multipleOf: (said: number) =>
    onNumber((value) =>
      Number.isInteger(value) && Number.isInteger(said)
        ? value % said === 0
        : Math.abs(value / said - Math.round(value / said)) < 1e-9,
    ),
  minLength: (said: number) => onText((value) => [...value].length >= said),
  maxLength: (said: number) => onText((value) => [...value].length <= said),
  pattern: (said: string) => {
    const pattern = new RegExp(said, 'u')
    return onText((value) => pattern.test(value))
  },
  format: (said: string) => {
    const judge = formats[said]
    return judge === undefined ? () => true : judge
  },
  contentMediaType: () => onText((value) => value.trim() === value && parsed(value) !== undefined),
  contentSchema: (said: Json, _, judgeOf) => {
    const judge = judgeOf(said)
    return onText((value) => judge(parsed(value)))
  },
  minItems: (said: number) => onList((value) => value.length >= said),
  maxItems: (said: number) => onList((value) => value.length <= said),
  uniqueItems: (said: boolean) =>
    onList(
      (value) =>
        !said || value.every((item, place) => !value.slice(0, place).some((other) => sameJson(item, other))),
    ),
  prefixItems: (said: readonly Json[], _, judgeOf) => {
    const all = said.map(judgeOf)
    return onList((value) => value.every((item, place) => all[place]?.(item) ?? true))
  },
  items: (said: Json | boolean, { prefixItems = [] }, judgeOf) => {
    const judge: Judge = typeof said === 'boolean' ? () => said : judgeOf(said)
    const from = Array.isArray(prefixItems) ? prefixItems.length : 0
    return onList((value) => value.slice(from).every(judge))
  },
  required: (said: readonly string[]) =>
    onObject((value) => said.every((name) => Object.hasOwn(value, name))),
  properties: (said: Readonly<Record<string, Json>>, _, judgeOf) => {
    const all = Object.entries(said).map(([name, schema]) => [name, judgeOf(schema)] as const)
    return onObject((value) =>
      all.every(([name, judge]) => !Object.hasOwn(value, name) || judge(value[name])),
    )
  },
  propertyNames: (said: Json, _, judgeOf) => {
    const judge = judgeOf(said)
    return onObject((value) => Object.keys(value).every(judge))
  },
  patternProperties: (said: Readonly<Record<string, Json>>, _, judgeOf) => {
    const all = Object.entries(said).map(
      ([text, schema]) => [new RegExp(text, 'u'), judgeOf(schema)] as const,
    )
    return onObject((value) =>
      Object.entries(value).every(([name, item]) =>
        all.every(([pattern, judge]) => !pattern.test(name) || judge(item)),
      ),
    )
  },
  additionalProperties: (said: Json | boolean, { properties = {}, patternProperties = {} }, judgeOf) => {
    const judge: Judge = typeof said === 'boolean' ? () => said : judgeOf(said)
    const patterns = Object.keys(patternProperties as Json).map((text) => new RegExp(text, 'u'))
    const isKnown = (name: string): boolean =>
      Object.hasOwn(properties as Json, name) || patterns.some((pattern) => pattern.test(name))
    return onObject((value) => Object.entries(value).every(([name, item]) => isKnown(name) || judge(item)))
  },
} as Readonly<Record<string, Make>>

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, place) => sameJson(item, b[place]))
  if (!isRecord(a) || !isRecord(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  )
}
