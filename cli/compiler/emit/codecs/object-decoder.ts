/** Prints the function that reads an object of JSON. */
import type { Property, Schema } from '../../ir/schema.ts'
import { quote } from '../javascript.ts'
import { restriction } from './expected-type.ts'
import type { Fragment } from './module-section.ts'
import { type NameText, nameText } from './name-text.ts'
import { type Kept, keptOf, madeBy, readFunction, refusedBy } from './reading.ts'

type ObjectSchema = Extract<Schema, { kind: 'object' }>

/** A property, its name, and the variable that holds it. */
interface Field {
  readonly property: Property
  readonly name: NameText
  readonly local: string
}

/** Properties are read in their order; those that fail are told together (`m`); further ones are dropped, or read by `rest`. */
export function objectBody(fragment: Fragment, { properties, rest, named }: ObjectSchema): string {
  const fields = inOrder(properties).map((property, index) => ({
    property,
    name: nameText(property.name),
    local: localName(index),
  }))
  const locals = fields.length === 0 ? '' : `let m,${fields.map(({ local }) => local).join()};`
  let text = `${locals}if(!${fragment.use('opens')}(v,${fields.length}))return ${fragment.use('noObject')}\n`
  for (const field of fields) text += fieldText(fragment, field)
  const { made, before } = builtText(fields)
  const isClosed = rest === null && named.length === 0
  const result = isClosed ? made : furtherText(fragment, { fields, rest, named, made })
  return `${text}${before}return ${fields.length === 0 ? '' : 'm??'}${result}`
}

const letters = 'abcdefghjklnpqrstuwyz' // `v` is the value, `m` what does not fit

/** Short, and no name of the runtime or of a function. */
const localName = (index: number): string =>
  `${letters[index % letters.length]}${index < letters.length ? '' : Math.floor(index / letters.length)}`

const isIndex = ({ name }: Property): boolean => name.charCodeAt(0) <= 0x39 && /^(0|[1-9]\d{0,8})$/.test(name) // beyond 9 are the letters

/** As an object of JavaScript has its properties: indices first, so that the value's order is the order of reading. */
export function inOrder(properties: readonly Property[]): readonly Property[] {
  if (!properties.some(isIndex)) return properties
  const indices = properties.filter(isIndex).sort((a, b) => Number(a.name) - Number(b.name))
  return [...indices, ...properties.filter((one) => !isIndex(one))]
}

function fieldText(fragment: Fragment, field: Field): string {
  const { property, name, local } = field
  const given = name.isInherited ? `${fragment.use('own')}(v,${name.quoted})` : `v${name.access}`
  const kept = keptOf(fragment, property.schema, local)
  return kept === null
    ? madeText(fragment, field, given)
    : `${local}=${given};${keptText(fragment, field, kept)}`
}

function keptText(
  fragment: Fragment,
  { property, name, local }: Field,
  { test, misfit, whole }: Kept,
): string {
  const isOpen = test.includes('isTame(') // takes `undefined` too
  const refused = refusedBy(test)
  const condition = property.required
    ? `${isOpen ? `${local}===undefined||` : ''}${refused}`
    : `${local}!==undefined&&${refused}`
  const more = whole === misfit ? '' : `,${quote(whole)}`
  return `if(${condition})m=${fragment.use('unfit')}(m,${quote(misfit)},${name.quoted},${local}${more})\n`
}

/** What is not there misfits as well, and is told to be missing. */
function madeText(fragment: Fragment, { property, name, local }: Field, given: string): string {
  const { schema, required } = property
  const read = madeBy(fragment, schema)
  const isMisfit = `instanceof ${fragment.use('Misfit')})m=`
  if (!required) {
    const told = `${fragment.use('also')}(m,${local}.within(${name.quoted}))`
    return `${local}=${given};if(${local}!==undefined&&(${local}=${read}(${local}))${isMisfit}${told}\n`
  }
  const why = `m,${local},${quote(restriction(fragment, schema))},${name.quoted},v`
  return `if((${local}=${read}(${given}))${isMisfit}${fragment.use('failed')}(${why})\n`
}

/** One literal as far as properties must be there, so that all objects of the type share a shape; the rest in order.
 *  `made` is the expression of the object, after the statements `before`. */
function builtText(fields: readonly Field[]): { readonly made: string; readonly before: string } {
  const optional = fields.findIndex(({ property }) => !property.required)
  const first = optional === -1 ? fields : fields.slice(0, optional)
  const literal = `{${first.map(({ name, local }) => name.field + local).join()}}`
  if (optional === -1) return { made: literal, before: '' }
  const more = fields
    .slice(optional)
    .map((field) => `${field.property.required ? '' : `if(${field.local}!==undefined)`}${assigned(field)}\n`)
  return { made: 'o', before: `const o=${literal}\n${more.join('')}` }
}

/** To assign this one name would set the prototype. */
const assigned = ({ property, name, local }: Field): string =>
  property.name === '__proto__'
    ? `Object.defineProperty(o,${name.quoted},{value:${local},configurable:true,enumerable:true,writable:true})`
    : `o${name.access}=${local}`

function furtherText(
  fragment: Fragment,
  {
    fields,
    rest,
    named,
    made,
  }: Pick<ObjectSchema, 'rest' | 'named'> & { readonly fields: readonly Field[]; readonly made: string },
): string {
  const names = fields.map(({ name }) => name.quoted).join()
  const known = fragment.constant(`new Set([${names}])`)
  const further = rest === null ? 'null' : readFunction(fragment, rest.values)
  const some = named.map(
    ({ pattern, values }) => `[new RegExp(${quote(pattern)},'u'),${readFunction(fragment, values)}]`,
  )
  const read =
    some.length === 0
      ? `${fragment.use('readRecord')}(v,${further},${known})`
      : `${fragment.use('readNamed')}(v,[${some.join()}],{rest:${further},except:${known}})`
  return `${fragment.use('withFurther')}(${read},${made})`
}
