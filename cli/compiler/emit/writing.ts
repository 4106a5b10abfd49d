/** How a value of a type is written as JSON: in place, or by a function. */
import type { Schema } from '../model.ts'
import type { Fragment } from './fragment.ts'
import { plainListName } from './reading.ts'
import { quote } from './type-text.ts'
import type { Union } from './unions.ts'

/** How a value is written. `inline`: when `guard` says so, an expression of the value, then `value` stands between `open` and
 *  `close`; null = nothing stands there. `called`: by the function named. */
export type Writing =
  | {
      readonly kind: 'inline'
      readonly guard: Expression
      readonly open: string
      readonly value: Expression | null
      readonly close: string
    }
  | { readonly kind: 'called'; readonly name: string }

type Inline = Extract<Writing, { kind: 'inline' }>
type Expression = (value: string) => string

/** The text of `value` after `before`: an expression. Fixed texts that meet are one, for every piece of a text costs. */
export function writtenAfter(before: string, { open, value, close }: Inline, of: string): string {
  const head = before + open
  const pieces = [
    ...(head === '' ? [] : [quote(head)]),
    ...(value === null ? [] : [value(of)]),
    ...(close === '' ? [] : [quote(close)]),
  ]
  return pieces.join(' + ')
}

/** How `schema` is written; null = nothing is known about it. */
export function writingOf(fragment: Fragment, schema: Schema): Writing | null {
  switch (schema.kind) {
    case 'constrained':
    case 'branded':
      return writingOf(fragment, schema.inner)
    case 'converted':
      return convertedWriting(fragment, schema)
    case 'array': {
      const list = plainListName(schema)
      const name = list === null ? fragment.declare('encode', schema) : fragment.ask('encode', list)
      return { kind: 'called', name }
    }
    case 'object':
    case 'record':
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
export function isCalled(fragment: Fragment, schema: Schema): boolean {
  if (schema.kind === 'converted') return schema.to === 'Map'
  if (schema.kind === 'union')
    return schema.members.some((member) => isCalled(fragment, fragment.resolved(member)))
  return ['object', 'record', 'array', 'tuple'].includes(schema.kind)
}

const inline = (guard: Expression, value: Expression): Inline => ({
  kind: 'inline',
  guard,
  open: '',
  value,
  close: '',
})

const inQuotes = (guard: Expression, value: Expression): Inline => ({
  ...inline(guard, value),
  open: '"',
  close: '"',
})

/** A text that is always the same. */
const fixed = (value: string | boolean | null): Inline => ({
  ...inline(
    (x) => `${x} === ${typeof value === 'string' ? quote(value) : value}`,
    () => '',
  ),
  open: JSON.stringify(value),
  value: null,
})

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

/** A text with nothing to escape, as nearly all are. */
const textWriting = (fragment: Fragment): Inline =>
  inQuotes(
    (x) => `${fragment.use('isSimple')}(${x})`,
    (x) => x,
  )

const numberWriting: Inline = inline(
  (x) => `Number.isFinite(${x})`,
  (x) => `String(${x})`,
)

function enumWriting(fragment: Fragment, values: readonly (string | number)[]): Inline | null {
  const kinds = new Set(values.map((value) => typeof value))
  if (kinds.size > 1) return either([textWriting(fragment), numberWriting])
  return kinds.has('number') ? numberWriting : textWriting(fragment)
}

/** What JSON knows in another form. */
function formWriting(fragment: Fragment, schema: Schema): Writing | null {
  switch (schema.kind) {
    case 'date':
      return inline(
        (x) => `${fragment.use('isDate')}(${x})`,
        (x) => `${fragment.use('dateText')}(${x})`,
      )
    case 'bigint':
      return inQuotes(
        (x) => `${fragment.use('isBigint')}(${x})`,
        (x) => x,
      )
    case 'bytes':
      return bytesWriting(fragment)
    default:
      return null
  }
}

const bytesWriting = (fragment: Fragment): Inline =>
  inQuotes(
    (x) => `${x} instanceof Uint8Array`,
    (x) => `${fragment.use('toBase64')}(${x})`,
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

/** One or the other, for values that are told apart by their kind. */
function either(parts: readonly Writing[]): Inline | null {
  const all = parts.flatMap((part) => (part.kind === 'inline' ? [part] : []))
  const [only] = all
  if (only === undefined || all.length === 1) return only ?? null
  const last = all.at(-1)
  return inline(
    (x) => `(${all.map(({ guard }) => guard(x)).join(' || ')})`,
    (x) =>
      `(${all.map((part) => `${part === last ? '' : `${part.guard(x)} ? `}${writtenAfter('', part, x)}`).join(' : ')})`,
  )
}

function unionWriting(fragment: Fragment, schema: Union): Writing | null {
  if (isCalled(fragment, schema)) {
    return { kind: 'called', name: fragment.declare('encode', schema) }
  }
  return either(partsOf(fragment, schema))
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
