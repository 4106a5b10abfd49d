/** How a value of a type is written as JSON: in place, or by a function. */
import type { Schema } from '../../ir/schema.ts'
import { quote } from '../routes/type-text.ts'
import type { Fragment } from './module-section.ts'
import { plainListName } from './reading.ts'
import type { Union } from './unions.ts'

/** How a value is written. `inline`: when `guard` says so, then `value` stands between `open` and `close`; null = nothing
 *  stands there. `called`: as `text` says, which is '' for what is not of the type. All are expressions of the value. */
export type Writing = Inline | { readonly kind: 'called'; readonly text: string }

interface Inline {
  readonly kind: 'inline'
  readonly guard: string
  readonly open: string
  readonly value: string | null
  readonly close: string
}

/** The text of the value after `before`: an expression. Fixed texts that meet are one, for every piece of a text costs. */
export function writtenAfter(before: string, { open, value, close }: Inline): string {
  const head = before + open
  if (value === null) return quote(head + close)
  return `${head === '' ? '' : `${quote(head)}+`}${value}${close === '' ? '' : `+${quote(close)}`}`
}

/** How `x`, an expression of a value of the type, is written; null = nothing is known about it. */
export function writingOf(fragment: Fragment, given: Schema, x: string): Writing | null {
  const schema = written(given)
  switch (schema.kind) {
    case 'constrained':
    case 'branded':
      return writingOf(fragment, schema.inner, x)
    case 'ref':
      return isCalled(fragment, fragment.resolved(schema))
        ? { kind: 'called', text: `${fragment.ask('encode', schema.name)}(${x})` }
        : writingOf(fragment, fragment.named(schema.name).schema, x)
    case 'union':
      return unionWriting(fragment, schema, x)
    default: {
      const writer = writerOf(fragment, schema)
      return writer === null
        ? inlineWriting(fragment, schema, x)
        : { kind: 'called', text: `${writer}(${x})` }
    }
  }
}

/** The schema of what is written: `undefined` in a list is null there, as any item that is of no type. */
const written = (schema: Schema): Schema =>
  schema.kind === 'converted' && schema.to === 'undefined' ? schema.inner : schema

/** The function that writes a type; null = it has none. */
export function writerOf(fragment: Fragment, given: Schema): string | null {
  const schema = written(given)
  switch (schema.kind) {
    case 'constrained':
    case 'branded':
      return writerOf(fragment, schema.inner)
    case 'ref':
      return isCalled(fragment, fragment.resolved(schema)) ? fragment.ask('encode', schema.name) : null
    case 'array': {
      const list = plainListName(schema)
      return list === null ? fragment.declare('encode', schema) : fragment.ask('encode', list)
    }
    default:
      return isCalled(fragment, schema) ? fragment.declare('encode', schema) : null
  }
}

/** Whether a type has a function of its own. */
export function isCalled(fragment: Fragment, given: Schema): boolean {
  const schema = written(given)
  switch (schema.kind) {
    case 'object':
    case 'record':
    case 'array':
    case 'tuple':
      return true
    case 'converted':
      return schema.to === 'Map'
    case 'union':
      return schema.members.some((member) => isCalled(fragment, fragment.resolved(member)))
    default:
      return false
  }
}

const inline = (guard: string, value: string): Inline => ({
  kind: 'inline',
  guard,
  open: '',
  value,
  close: '',
})

const inQuotes = (guard: string, value: string): Inline => ({
  kind: 'inline',
  guard,
  open: '"',
  value,
  close: '"',
})

/** A text that is always the same. */
const fixed = (value: string | boolean | null, x: string): Inline => ({
  kind: 'inline',
  guard: `${x}===${typeof value === 'string' ? quote(value) : value}`,
  open: JSON.stringify(value),
  value: null,
  close: '',
})

function inlineWriting(fragment: Fragment, schema: Schema, x: string): Inline | null {
  switch (schema.kind) {
    case 'string':
    case 'template':
      return textWriting(fragment, x)
    case 'number':
    case 'integer':
      return numberWriting(x)
    case 'boolean':
      return inline(`typeof ${x}==='boolean'`, `(${x}?'true':'false')`)
    case 'null':
      return fixed(null, x)
    case 'literal':
      return typeof schema.value === 'number' ? numberWriting(x) : fixed(schema.value, x)
    case 'enum':
      return enumWriting(fragment, schema.values, x)
    default:
      return formWriting(fragment, schema, x)
  }
}

/** A text with nothing to escape, as nearly all are. */
const textWriting = (fragment: Fragment, x: string): Inline =>
  inQuotes(`${fragment.use('isSimple')}(${x})`, x)

const numberWriting = (x: string): Inline => inline(`Number.isFinite(${x})`, `String(${x})`)

function enumWriting(fragment: Fragment, values: readonly (string | number)[], x: string): Inline | null {
  const kinds = new Set(values.map((value) => typeof value))
  if (kinds.size > 1) return either([textWriting(fragment, x), numberWriting(x)])
  return kinds.has('number') ? numberWriting(x) : textWriting(fragment, x)
}

/** What JSON knows in another form. */
function formWriting(fragment: Fragment, schema: Schema, x: string): Inline | null {
  switch (schema.kind) {
    case 'date':
      return inline(`${fragment.use('isDate')}(${x})`, `${fragment.use('dateText')}(${x})`)
    case 'bigint':
      return inQuotes(`${fragment.use('isBigint')}(${x})`, x)
    case 'bytes':
      return bytesWriting(fragment, x)
    case 'converted':
      return schema.to === 'Buffer'
        ? bytesWriting(fragment, x)
        : inline(`${fragment.use('isUrl')}(${x})`, `${fragment.use('quoted')}(${x}.href)`)
    default:
      return null
  }
}

const bytesWriting = (fragment: Fragment, x: string): Inline =>
  inQuotes(`${x} instanceof Uint8Array`, `${fragment.use('toBase64')}(${x})`)

/** One or the other, for values that are told apart by their kind. */
function either(all: readonly Inline[]): Inline | null {
  const [only] = all
  if (only === undefined || all.length === 1) return only ?? null
  const last = all.at(-1)
  const values = all.map((one) => `${one === last ? '' : `${one.guard}?`}${writtenAfter('', one)}`)
  return inline(`(${all.map(({ guard }) => guard).join('||')})`, `(${values.join(':')})`)
}

function unionWriting(fragment: Fragment, schema: Union, x: string): Writing | null {
  const structures = schema.members.filter((member) => isCalled(fragment, fragment.resolved(member)))
  if (structures.length > 1) return { kind: 'called', text: `${fragment.declare('encode', schema)}(${x})` }
  const [structure] = structures
  const parts = inlineParts(fragment, flat(fragment, schema), x)
  if (structure === undefined) return either(parts)
  const others = parts.map((part) => `${part.guard}?${writtenAfter('', part)}:`)
  const text = `${writerOf(fragment, structure)}(${x})`
  return { kind: 'called', text: others.length === 0 ? text : `(${others.join('')}${text})` }
}

/** How the members that have no function are written, each way once. */
export function inlineParts(fragment: Fragment, members: readonly Schema[], x: string): readonly Inline[] {
  const found = new Map<string, Inline>()
  for (const member of members) {
    const writing = isCalled(fragment, fragment.resolved(member)) ? null : writingOf(fragment, member, x)
    if (writing?.kind === 'inline') found.set(writing.guard, writing)
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
