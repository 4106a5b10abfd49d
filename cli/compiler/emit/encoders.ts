/** Prints the functions that write JSON: `(v) => text`, or '' for what is not of the type. Their text is that of
 *  `JSON.stringify` with the forms of annotations.md: an object's own names in its own order, whether the type knows them or
 *  not, so that what does not fit the declared type is answered as it is. */
import type { Property, Schema } from '../model.ts'
import type { Fragment } from './fragment.ts'
import { quote } from './type-text.ts'
import { tagsOf, type Union } from './unions.ts'
import { flat, isCalled, partsOf, type Writing, writingOf, writtenAfter } from './writing.ts'

/** What the function of a type does. */
export function encodeBody(fragment: Fragment, schema: Schema): string {
  switch (schema.kind) {
    case 'object':
      return objectBody(fragment, schema)
    case 'record':
      return namesBody(fragment, '', schema.values)
    case 'array':
      return schema.unique ? setBody(fragment, schema.items) : arrayBody(fragment, schema.items)
    case 'tuple':
      return tupleBody(fragment, schema)
    case 'union':
      return unionBody(fragment, schema)
    case 'converted':
      if (schema.to === 'Map') return mapBody(fragment, schema.inner)
      return returned(writingOf(fragment, schema))
    default:
      return returned(writingOf(fragment, schema))
  }
}

function returned(writing: Writing | null): string {
  if (writing === null) return `  return ''\n`
  return writing.kind === 'called'
    ? `  return ${writing.name}(v)\n`
    : `  return ${writing.guard('v')} ? ${writtenAfter('', writing, 'v')} : ''\n`
}

function mapBody(fragment: Fragment, inner: Schema): string {
  const writing = writingOf(fragment, inner)
  if (writing?.kind !== 'called') return `  return ''\n`
  return `  return ${fragment.use('isMap')}(v) ? ${writing.name}(Object.fromEntries(v)) : ''\n`
}

function objectBody(fragment: Fragment, { properties, rest }: Extract<Schema, { kind: 'object' }>): string {
  const cases = properties.map((property) => caseText(fragment, property)).join('')
  const choice = cases === '' ? '' : `  switch (k) {\n${cases}  }\n`
  return namesBody(fragment, choice, rest === null ? null : rest.values)
}

/** Every name of an object: those of `choice`, then what `values` says, then anything. There are many such lines: they are
 *  not indented. */
function namesBody(fragment: Fragment, choice: string, values: Schema | null): string {
  const writing = values === null ? null : writingOf(fragment, values)
  const lines = `${choice}${writing === null ? '' : `  ${namedText(fragment, writing)}\n`}`
  return [
    `  if (!${fragment.use('isPlain')}(v)) return ''\n  let t = ''${lines.includes('(y = ') ? ', y' : ''}\n`,
    `  for (const k in v) {\n  const x = v[k]\n${lines}`,
    `  t = ${fragment.use('more')}(t, k, x)\n  }\n  return t ? t + '}' : '{}'\n`,
  ].join('')
}

/** A property of any name. */
function namedText(fragment: Fragment, writing: Writing): string {
  const key = `(t ? ',' : '{') + ${fragment.use('quoted')}(k) + `
  return writing.kind === 'called'
    ? `if ((y = ${writing.name}(x)) !== '') { t += ${key}':' + y; continue }`
    : `if (${writing.guard('x')}) { t += ${key}${writtenAfter(':', writing, 'x')}; continue }`
}

function caseText(fragment: Fragment, { name, schema }: Property): string {
  const writing = writingOf(fragment, schema)
  return writing === null ? '' : `  case ${quote(name)}: ${propertyText(name, writing)} break\n`
}

function propertyText(name: string, writing: Writing): string {
  const key = `${JSON.stringify(name)}:`
  if (writing.kind === 'called') {
    return `if ((y = ${writing.name}(x)) !== '') { t += ${firstOrNext(key)} + y; continue }`
  }
  const value = writtenAfter('', { ...writing, open: '' }, 'x')
  const text = `${firstOrNext(key + writing.open)}${value === '' ? '' : ` + ${value}`}`
  return `if (${writing.guard('x')}) { t += ${text}; continue }`
}

/** `text` with what must stand before it in an object: every piece of a text costs, so they are one. */
const firstOrNext = (text: string): string => `(t ? ${quote(`,${text}`)} : ${quote(`{${text}`)})`

function arrayBody(fragment: Fragment, items: Schema): string {
  return [
    `  if (!${fragment.use('isList')}(v)) return ''\n  let t = ''\n  for (let i = 0; i < v.length; i++) {\n`,
    `    const x = v[i]\n    t += (i ? ',' : '[') + ${itemText(fragment, writingOf(fragment, items))}\n  }\n`,
    `  return t ? t + ']' : '[]'\n`,
  ].join('')
}

function itemText(fragment: Fragment, writing: Writing | null): string {
  const otherwise = `${fragment.use('item')}(x, i)`
  if (writing === null) return otherwise
  if (writing.kind === 'called') return `(${writing.name}(x) || ${otherwise})`
  return `(${writing.guard('x')} ? ${writtenAfter('', writing, 'x')} : ${otherwise})`
}

function setBody(fragment: Fragment, items: Schema): string {
  const list: Schema = { kind: 'array', items, unique: false }
  const name = fragment.declare('encode', list, () => arrayBody(fragment, items))
  return `  return ${fragment.use('isSet')}(v) ? ${name}([...v]) : ''\n`
}

function tupleBody(fragment: Fragment, { items, rest }: Extract<Schema, { kind: 'tuple' }>): string {
  const places = items.map(
    (one, index) => `i === ${index} ? ${itemText(fragment, writingOf(fragment, one))} : `,
  )
  const further = itemText(fragment, rest === null ? null : writingOf(fragment, rest))
  return [
    `  if (!${fragment.use('isList')}(v)) return ''\n  let t = ''\n  for (let i = 0; i < v.length; i++) {\n`,
    `    const x = v[i]\n    t += (i ? ',' : '[') + (${places.join('')}${further})\n  }\n`,
    `  return t ? t + ']' : '[]'\n`,
  ].join('')
}

/** Values that are no objects first; of objects the one that its tag names, else all members at once. */
function unionBody(fragment: Fragment, schema: Union): string {
  const parts = partsOf(fragment, schema)
  const lines = parts.map((part) =>
    part.kind === 'called'
      ? `  if ((y = ${part.name}(v)) !== '') return y\n`
      : `  if (${part.guard('v')}) return ${writtenAfter('', part, 'v')}\n`,
  )
  const head = parts.some(({ kind }) => kind === 'called') ? '  let y\n' : ''
  const objects = flat(fragment, schema).filter((member) => fragment.resolved(member).kind === 'object')
  return `${head}${lines.join('')}${objectsText(fragment, { ...schema, members: objects })}`
}

function objectsText(fragment: Fragment, schema: Union): string {
  const [only] = schema.members
  if (only === undefined) return `  return ''\n`
  const written = (member: Schema): string => {
    const writing = writingOf(fragment, member)
    return writing?.kind === 'called' ? `return ${writing.name}(v)` : `return ''`
  }
  if (schema.members.length === 1) return `  ${written(only)}\n`
  const tags = tagsOf(fragment, schema)
  if (tags === null) return `  ${written(mergedObject(fragment, schema.members))}\n`
  const cases = schema.members.map((member, index) => `    case ${tags[index]}: ${written(member)}\n`)
  const tag = `v?.[${quote(schema.discriminator ?? '')}]`
  return `  switch (${tag}) {\n${cases.join('')}  }\n  return ''\n`
}

/** An object that has the properties of all; where their structures differ nothing is known. */
function mergedObject(fragment: Fragment, members: readonly Schema[]): Schema {
  const found = new Map<string, Property>()
  for (const member of members) {
    const object = fragment.resolved(member)
    for (const property of object.kind === 'object' ? object.properties : []) {
      const first = found.get(property.name)
      const schema =
        first === undefined ? property.schema : mergedSchema(fragment, first.schema, property.schema)
      found.set(property.name, { ...property, schema })
    }
  }
  return { kind: 'object', properties: [...found.values()], rest: null }
}

function mergedSchema(fragment: Fragment, one: Schema, other: Schema): Schema {
  if (JSON.stringify(one) === JSON.stringify(other)) return one
  const isPlain = [one, other].every((schema) => !isCalled(fragment, fragment.resolved(schema)))
  return isPlain ? { kind: 'union', members: [one, other], discriminator: null } : { kind: 'unknown' }
}
