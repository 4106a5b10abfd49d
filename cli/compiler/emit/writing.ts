/** How a value of a type is written as JSON: in place, or by a function. */
import type { Schema } from '../model.ts'
import type { Fragment } from './fragment.ts'
import { quote } from './type-text.ts'
import type { Union } from './unions.ts'

/** How a value is written. `inline`: by `text` when `guard` says so, expressions of the value; `called`: by the function
 *  named. */
export type Writing =
  | { readonly kind: 'inline'; readonly guard: Expression; readonly text: Expression }
  | { readonly kind: 'called'; readonly name: string }

type Expression = (value: string) => string

/** How `schema` is written; null = nothing is known about it. */
export function writingOf(fragment: Fragment, schema: Schema): Writing | null {
  switch (schema.kind) {
    case 'constrained':
    case 'branded':
      return writingOf(fragment, schema.inner)
    case 'converted':
      return convertedWriting(fragment, schema)
    case 'object':
    case 'record':
    case 'array':
    case 'tuple':
      return { kind: 'called', name: fragment.declare('encode', schema) }
    case 'ref':
      return isCalled(fragment, fragment.resolved(schema))
        ? { kind: 'called', name: fragment.ask('encode', schema.name) }
        : writingOf(fragment, fragment.named(schema.name).schema)
    case 'union':
      return unionWriting(fragment, schema)
    default:
      return inlineWriting(fragment, schema)
  }
}

/** Whether a type has a function of its own. */
function isCalled(fragment: Fragment, schema: Schema): boolean {
  if (schema.kind === 'converted') return schema.to === 'Map'
  if (schema.kind === 'union')
    return schema.members.some((member) => isCalled(fragment, fragment.resolved(member)))
  return ['object', 'record', 'array', 'tuple'].includes(schema.kind)
}

const inline = (guard: Expression, text: Expression): Writing => ({ kind: 'inline', guard, text })

/** A text that is always the same, as a literal of JavaScript. */
const fixed = (value: string | boolean | null): Writing =>
  inline(
    (x) => `${x} === ${typeof value === 'string' ? quote(value) : value}`,
    () => quote(JSON.stringify(value)),
  )

function inlineWriting(fragment: Fragment, schema: Schema): Writing | null {
  switch (schema.kind) {
    case 'string':
    case 'template':
      return textWriting(fragment)
    case 'number':
    case 'integer':
      return numberWriting
    case 'boolean':
      return inline(
        (x) => `typeof ${x} === 'boolean'`,
        (x) => `(${x} ? 'true' : 'false')`,
      )
    case 'null':
      return fixed(null)
    case 'literal':
      return typeof schema.value === 'number' ? numberWriting : fixed(schema.value)
    case 'enum':
      return enumWriting(fragment, schema.values)
    default:
      return formWriting(fragment, schema)
  }
}

const textWriting = (fragment: Fragment): Writing =>
  inline(
    (x) => `typeof ${x} === 'string'`,
    (x) => `${fragment.use('quoted')}(${x})`,
  )

const numberWriting: Writing = inline(
  (x) => `Number.isFinite(${x})`,
  (x) => `String(${x})`,
)

function enumWriting(fragment: Fragment, values: readonly (string | number)[]): Writing {
  const kinds = new Set(values.map((value) => typeof value))
  if (kinds.size > 1) return either([textWriting(fragment), numberWriting])
  return kinds.has('number') ? numberWriting : textWriting(fragment)
}

/** What JSON knows in another form. */
function formWriting(fragment: Fragment, schema: Schema): Writing | null {
  const called = (guard: string, text: Expression): Writing =>
    inline((x) => `${fragment.use(guard)}(${x})`, text)
  switch (schema.kind) {
    case 'date':
      return called('isDate', (x) => `${fragment.use('dateText')}(${x})`)
    case 'bigint':
      return called('isBigint', (x) => `'"' + ${x} + '"'`)
    case 'bytes':
      return bytesWriting(fragment)
    default:
      return null
  }
}

const bytesWriting = (fragment: Fragment): Writing =>
  inline(
    (x) => `${x} instanceof Uint8Array`,
    (x) => `'"' + ${fragment.use('toBase64')}(${x}) + '"'`,
  )

function convertedWriting(
  fragment: Fragment,
  schema: Extract<Schema, { kind: 'converted' }>,
): Writing | null {
  if (schema.to === 'Buffer') return bytesWriting(fragment)
  if (schema.to === 'Map') {
    return { kind: 'called', name: fragment.declare('encode', schema) }
  }
  return inline(
    (x) => `${fragment.use('isUrl')}(${x})`,
    (x) => `${fragment.use('quoted')}(${x}.href)`,
  )
}

/** One after the other, for values that are told apart by their kind. */
function either(parts: readonly (Writing & { readonly kind: 'inline' })[] | readonly Writing[]): Writing {
  const all = parts.flatMap((part) => (part.kind === 'inline' ? [part] : []))
  const [only] = all
  if (only !== undefined && all.length === 1) return only
  const last = all.at(-1)
  return inline(
    (x) => `(${all.map(({ guard }) => guard(x)).join(' || ')})`,
    (x) =>
      `(${all.map((part) => (part === last ? part.text(x) : `${part.guard(x)} ? ${part.text(x)} : `)).join('')})`,
  )
}

function unionWriting(fragment: Fragment, schema: Union): Writing | null {
  if (isCalled(fragment, schema)) {
    return { kind: 'called', name: fragment.declare('encode', schema) }
  }
  const parts = partsOf(fragment, schema)
  return parts.length === 0 ? null : either(parts)
}

/** How the members that are no objects are written, each way once. */
export function partsOf(fragment: Fragment, schema: Union): readonly Writing[] {
  const found = new Map<string, Writing>()
  for (const member of flat(fragment, schema)) {
    const writing = fragment.resolved(member).kind === 'object' ? null : writingOf(fragment, member)
    if (writing !== null) found.set(writing.kind === 'called' ? writing.name : writing.guard('v'), writing)
  }
  return [...found.values()]
}

/** The members, and those of unions among them. */
export function flat(fragment: Fragment, schema: Union): readonly Schema[] {
  return schema.members.flatMap((member) => {
    const inner = fragment.resolved(member)
    return inner.kind === 'union' ? flat(fragment, inner) : [member]
  })
}
