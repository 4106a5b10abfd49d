/** Prints the function that reads an object of JSON. */
import type { Property, Schema } from '../../ir/schema.ts'
import { access, propertyName, quote } from '../javascript.ts'
import { expectedType } from './expected-type.ts'
import type { ModuleSection } from './module-section.ts'
import { constructingDecoder, type Kept, keptOf, readFunction, refusedBy } from './reading.ts'

type ObjectSchema = Extract<Schema, { kind: 'object' }>

/** A property, its name in quotes, and the variable that holds it. */
interface Field {
  readonly property: Property
  readonly name: string
  readonly local: string
}

/** Properties are read in their order; those that fail are told together (`m`); further ones are dropped, or read by `rest`. */
export function objectBody(section: ModuleSection, { properties, rest, named }: ObjectSchema): string {
  const fields = inOrder(properties).map((property, index) => ({
    property,
    name: quote(property.name),
    local: localName(index),
  }))
  const locals = fields.length === 0 ? '' : `let m,${fields.map(({ local }) => local).join()};`
  let text = `${locals}if(!${section.use('opens')}(v,${fields.length}))return ${section.use('noObject')}\n`
  for (const field of fields) text += fieldText(section, field)
  const { made, before } = builtText(fields)
  const isClosed = rest === null && named.length === 0
  const result = isClosed ? made : furtherText(section, { fields, rest, named, made })
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

function fieldText(section: ModuleSection, field: Field): string {
  const { property, name, local } = field
  const isInherited = property.name in Object.prototype // every object has one of this name
  const given = isInherited ? `${section.use('own')}(v,${name})` : access('v', property.name)
  const kept = keptOf(section, property.schema, local)
  return kept === null
    ? madeText(section, field, given)
    : `${local}=${given};${keptText(section, field, kept)}`
}

function keptText(
  section: ModuleSection,
  { property, name, local }: Field,
  { test, misfit, whole }: Kept,
): string {
  const isOpen = test.includes('isTame(') // takes `undefined` too
  const refused = refusedBy(test)
  const condition = property.required
    ? `${isOpen ? `${local}===undefined||` : ''}${refused}`
    : `${local}!==undefined&&${refused}`
  const more = whole === misfit ? '' : `,${quote(whole)}`
  return `if(${condition})m=${section.use('unfit')}(m,${quote(misfit)},${name},${local}${more})\n`
}

/** What is not there misfits as well, and is told to be missing. */
function madeText(section: ModuleSection, { property, name, local }: Field, given: string): string {
  const { schema, required } = property
  const read = constructingDecoder(section, schema)
  const isMisfit = `instanceof ${section.use('Misfit')})m=`
  if (!required) {
    const told = `${section.use('also')}(m,${local}.within(${name}))`
    return `${local}=${given};if(${local}!==undefined&&(${local}=${read}(${local}))${isMisfit}${told}\n`
  }
  const why = `m,${local},${quote(expectedType(section, schema))},${name},v`
  return `if((${local}=${read}(${given}))${isMisfit}${section.use('failed')}(${why})\n`
}

/** One literal as far as properties must be there, so that all objects of the type share a shape; the rest in order.
 *  `made` is the expression of the object, after the statements `before`. */
function builtText(fields: readonly Field[]): { readonly made: string; readonly before: string } {
  const optional = fields.findIndex(({ property }) => !property.required)
  const first = optional === -1 ? fields : fields.slice(0, optional)
  const literal = `{${first.map(({ property, local }) => `${propertyName(property.name)}:${local}`).join()}}`
  if (optional === -1) return { made: literal, before: '' }
  const more = fields
    .slice(optional)
    .map((field) => `${field.property.required ? '' : `if(${field.local}!==undefined)`}${assigned(field)}\n`)
  return { made: 'o', before: `const o=${literal}\n${more.join('')}` }
}

/** To assign this one name would set the prototype. */
const assigned = ({ property, name, local }: Field): string =>
  property.name === '__proto__'
    ? `Object.defineProperty(o,${name},{value:${local},configurable:true,enumerable:true,writable:true})`
    : `${access('o', property.name)}=${local}`

function furtherText(
  section: ModuleSection,
  {
    fields,
    rest,
    named,
    made,
  }: Pick<ObjectSchema, 'rest' | 'named'> & { readonly fields: readonly Field[]; readonly made: string },
): string {
  const names = fields.map(({ name }) => name).join()
  const known = section.constant(`new Set([${names}])`)
  const further = rest === null ? 'null' : readFunction(section, rest.values)
  const some = named.map(
    ({ pattern, values }) => `[new RegExp(${quote(pattern)},'u'),${readFunction(section, values)}]`,
  )
  const read =
    some.length === 0
      ? `${section.use('readRecord')}(v,${further},${known})`
      : `${section.use('readNamed')}(v,[${some.join()}],{rest:${further},except:${known}})`
  return `${section.use('withFurther')}(${read},${made})`
}
