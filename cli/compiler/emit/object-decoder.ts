/** Prints the function that reads an object of JSON. */
import type { Property, Schema } from '../model.ts'
import type { Fragment } from './fragment.ts'
import { group, keptOf, madeBy, type Reading, readFunction } from './reading.ts'
import { restriction } from './restriction.ts'
import { propertyName, quote } from './type-text.ts'

type ObjectSchema = Extract<Schema, { kind: 'object' }>

/** Properties are read in their order and the first that fails is told; further ones are dropped, or read by `rest`. */
export function objectBody(fragment: Fragment, schema: ObjectSchema): string {
  const { rest } = schema
  const properties = inOrder(schema.properties)
  return [
    `  if (!${fragment.use('isRecord')}(v)) return ${fragment.use('misfit')}('object')\n`,
    `  ${fragment.use('countRead')}(${properties.length})\n`,
    ...properties.map((property, index) => propertyText(fragment, property, `p${index}`)),
    ...(rest === null
      ? builtText(properties, (made) => `  return ${made}\n`)
      : builtText(properties, (made) => furtherText(fragment, { properties, rest }, made))),
  ].join('')
}

const isIndex = ({ name }: Property): boolean => name < ':' && /^(0|[1-9]\d{0,8})$/.test(name) // digits come before ':'

/** As an object of JavaScript has its properties: indices first, so that the value's order is the order of reading. */
export function inOrder(properties: readonly Property[]): readonly Property[] {
  const indices = properties.filter(isIndex).sort((a, b) => Number(a.name) - Number(b.name))
  return indices.length === 0 ? properties : [...indices, ...properties.filter((one) => !isIndex(one))]
}

function propertyText(fragment: Fragment, property: Property, local: string): string {
  const { name, schema } = property
  const isInherited = name in Object.prototype
  const given = isInherited ? `${fragment.use('own')}(v, ${quote(name)})` : access('v', name)
  const kept = keptOf(fragment, schema)
  if (kept !== null) return `  const ${local} = ${given}\n${keptText(fragment, property, { kept, local })}`
  return madeText(fragment, property, { given, local })
}

const access = (object: string, name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `${object}.${name}` : `${object}[${quote(name)}]`

function keptText(
  fragment: Fragment,
  { name, required }: Property,
  { kept, local }: { readonly kept: Extract<Reading, { kind: 'kept' }>; readonly local: string },
): string {
  const { misfit, whole } = kept
  const texts = [quote(misfit), quote(name), local, ...(whole === misfit ? [] : [quote(whole)])]
  const test = group(kept.test(local))
  const isOpen = test.includes('isTame(') // takes `undefined` too
  const refused = required
    ? `${isOpen ? `${local} === undefined || ` : ''}!${test}`
    : `${local} !== undefined && !${test}`
  return `  if (${refused}) return ${fragment.use('unfit')}(${texts.join(', ')})\n`
}

/** What is not there misfits as well, and is told to be missing. */
function madeText(
  fragment: Fragment,
  { name, schema, required }: Property,
  { given, local }: { readonly given: string; readonly local: string },
): string {
  const read = `${madeBy(fragment, schema)}(${given})`
  const failed = `if (${local} instanceof ${fragment.use('Misfit')}) return`
  if (!required) {
    const value = `${given} === undefined ? undefined : ${read}`
    return `  const ${local} = ${value}\n  ${failed} ${local}.within(${quote(name)})\n`
  }
  const texts = [local, quote(restriction(fragment, schema)), quote(name), given]
  return `  const ${local} = ${read}\n  ${failed} ${fragment.use('failed')}(${texts.join(', ')})\n`
}

/** One literal as far as properties must be there, so that all objects of the type share a shape; the rest in order. */
function builtText(properties: readonly Property[], finish: (made: string) => string): readonly string[] {
  const optional = properties.findIndex(({ required }) => !required)
  const first = optional === -1 ? properties.length : optional
  const fields = properties.slice(0, first).map(({ name }, index) => `${propertyName(name)}: p${index}`)
  const literal = fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  if (optional === -1) return [finish(literal)]
  const more = properties.slice(first).map(({ name, required }, index) => {
    const local = `p${first + index}`
    return `  ${required ? '' : `if (${local} !== undefined) `}${assigned(name, local)}\n`
  })
  return [`  const made = ${literal}\n`, ...more, finish('made')]
}

/** To assign this one name would set the prototype. */
const assigned = (name: string, local: string): string =>
  name === '__proto__'
    ? `Object.defineProperty(made, ${quote(name)}, { value: ${local}, configurable: true, enumerable: true, writable: true })`
    : `${access('made', name)} = ${local}`

function furtherText(
  fragment: Fragment,
  {
    properties,
    rest,
  }: { readonly properties: readonly Property[]; readonly rest: NonNullable<ObjectSchema['rest']> },
  made: string,
): string {
  const names = fragment.constant(`new Set([${properties.map(({ name }) => quote(name)).join(', ')}])`)
  const read = `${fragment.use('readRecord')}(v, ${readFunction(fragment, rest.values)}, ${names})`
  return `  return ${fragment.use('withFurther')}(${read}, ${made})\n`
}
