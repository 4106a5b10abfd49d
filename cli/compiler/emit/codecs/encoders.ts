/** Prints the functions that write JSON: `(v) => text`, or '' for what is not of the type. Their text is that of
 *  `JSON.stringify` with the forms of annotations.md: an object's own names in its own order, whether the type knows them or
 *  not, so that what does not fit the declared type is answered as it is. */
import type { Property, Schema } from '../../ir/schema.ts'
import { quote } from '../javascript.ts'
import type { Fragment } from './module-section.ts'
import { type NameText, nameText } from './name-text.ts'
import { tagsOf, type Union } from './unions.ts'
import { flat, inlineParts, isCalled, type Writing, writerOf, writingOf, writtenAfter } from './writing.ts'

/** What the function of a type does. */
export function encodeBody(fragment: Fragment, schema: Schema): string {
  switch (schema.kind) {
    case 'object':
      return namesBody(fragment, schema.properties, schema.rest === null ? null : schema.rest.values)
    case 'record':
      return namesBody(fragment, [], schema.values)
    case 'array':
      return schema.unique ? setBody(fragment, schema.items) : arrayBody(fragment, schema.items)
    case 'tuple':
      return tupleBody(fragment, schema)
    case 'union':
      return unionBody(fragment, schema)
    case 'converted':
      if (schema.to === 'Map') return mapBody(fragment, schema.inner)
      return returned(writingOf(fragment, schema, 'v'))
    default:
      return returned(writingOf(fragment, schema, 'v'))
  }
}

function returned(writing: Writing | null): string {
  if (writing === null) return `return ''`
  return writing.kind === 'called'
    ? `return ${writing.text}`
    : `return ${writing.guard}?${writtenAfter('', writing)}:''`
}

function mapBody(fragment: Fragment, inner: Schema): string {
  const writer = writerOf(fragment, inner)
  return writer === null
    ? `return ''`
    : `return ${fragment.use('isMap')}(v)?${writer}(Object.fromEntries(v)):''`
}

/** Every name of an object in its own order: those of `properties`, then what `values` says, then anything. `y` is what
 *  was written of a property, if it is of its type; `t` the text so far. */
function namesBody(fragment: Fragment, properties: readonly Property[], values: Schema | null): string {
  const choice = choiceText(properties.flatMap((property) => propertyText(fragment, property) ?? []))
  const further = values === null ? '' : namedText(writingOf(fragment, values, 'x'), fragment.use('quoted'))
  return [
    `if(!${fragment.use('isPlain')}(v))return''\nlet t=''\nfor(const k in v){let x=v[k],y\n`,
    `${choice}${further}`,
    `t=y?t+y:${fragment.use('more')}(t,k,x)}\nreturn(t||'{')+'}'`,
  ].join('')
}

/** A property of any name. */
function namedText(writing: Writing | null, quoted: string): string {
  if (writing === null) return ''
  const key = `y=(t?',':'{')+${quoted}(k)+`
  return writing.kind === 'called'
    ? `if(!y&&(y=${writing.text}))${key}':'+y\n`
    : `if(!y&&${writing.guard})${key}${writtenAfter(':', writing)}\n`
}

/** Engines read one choice inside the other: more would be too deep for them. */
const mostChoices = 200

/** What is written of the property that `k` names. */
function choiceText(choices: readonly string[]): string {
  if (choices.length === 0) return ''
  const further = choiceText(choices.slice(mostChoices))
  return `y=${choices.slice(0, mostChoices).join('')}''\n${further === '' ? '' : `if(!y)${further}`}`
}

/** A choice by name, of which the rest follows; null = nothing is known. */
function propertyText(fragment: Fragment, { name, schema }: Property): string | null {
  const writing = writingOf(fragment, schema, 'x')
  if (writing === null) return null
  const key = nameText(name)
  const text =
    writing.kind === 'called'
      ? `(y=${writing.text})&&${firstOrNext(key, '')}+y`
      : `${writing.guard}&&${firstOrNext(key, writing.open)}${inlineEnd(writing)}`
  return `k===${key.quoted}?${text}:\n`
}

const inlineEnd = ({ value, close }: Extract<Writing, { kind: 'inline' }>): string =>
  `${value === null ? '' : `+${value}`}${close === '' ? '' : `+${quote(close)}`}`

/** The key and what opens the value, with what must stand before it in an object: every piece of a text costs, so they
 *  are one. */
function firstOrNext({ next, first }: NameText, open: string): string {
  const end = open === '' || open === '"' ? `${open}'` : quote(open).slice(1)
  return `(t?${next}${end}:${first}${end})`
}

function arrayBody(fragment: Fragment, items: Schema): string {
  return listBody(fragment, itemText(fragment, writingOf(fragment, items, 'x')))
}

/** A list of which each `item` is written by an expression. */
const listBody = (fragment: Fragment, item: string): string =>
  [
    `if(!${fragment.use('isList')}(v))return''\nlet t=''\nfor(let i=0;i<v.length;i++){const x=v[i]\n`,
    `t+=(i?',':'[')+(${item})}\nreturn(t||'[')+']'`,
  ].join('')

function itemText(fragment: Fragment, writing: Writing | null): string {
  const otherwise = `${fragment.use('item')}(x,i)`
  if (writing === null) return otherwise
  if (writing.kind === 'called') return `${writing.text}||${otherwise}`
  return `${writing.guard}?${writtenAfter('', writing)}:${otherwise}`
}

function setBody(fragment: Fragment, items: Schema): string {
  const list: Schema = { kind: 'array', items, unique: false }
  const name = fragment.declare('encode', list, () => arrayBody(fragment, items))
  return `return ${fragment.use('isSet')}(v)?${name}([...v]):''`
}

function tupleBody(fragment: Fragment, { items, rest }: Extract<Schema, { kind: 'tuple' }>): string {
  const places = items.map(
    (one, index) => `i===${index}?(${itemText(fragment, writingOf(fragment, one, 'x'))}):`,
  )
  return listBody(
    fragment,
    `${places.join('')}${itemText(fragment, rest === null ? null : writingOf(fragment, rest, 'x'))}`,
  )
}

/** Values that are no objects first; of objects the one that its tag names, else all members at once. */
function unionBody(fragment: Fragment, schema: Union): string {
  const members = flat(fragment, schema)
  const lines = inlineParts(fragment, members, 'v').map(
    (part) => `if(${part.guard})return ${writtenAfter('', part)}\n`,
  )
  const objects = members.filter((member) => fragment.resolved(member).kind === 'object')
  const called = members.filter(
    (member) => !objects.includes(member) && isCalled(fragment, fragment.resolved(member)),
  )
  const writers = new Set(called.flatMap((member) => writerOf(fragment, member) ?? []))
  for (const writer of writers) lines.push(`if(y=${writer}(v))return y\n`)
  const head = writers.size === 0 ? '' : 'let y\n'
  return `${head}${lines.join('')}${objectsText(fragment, { ...schema, members: objects })}`
}

function objectsText(fragment: Fragment, schema: Union): string {
  const [only] = schema.members
  if (only === undefined) return `return''`
  const written = (member: Schema): string => `return ${writerOf(fragment, member)}(v)`
  if (schema.members.length === 1) return written(only)
  const tags = tagsOf(fragment, schema)
  if (tags === null) return written(mergedObject(fragment, schema.members))
  const cases = schema.members.map((member, index) => `case ${tags[index]}:${written(member)}\n`)
  return `switch(v?.[${quote(schema.discriminator ?? '')}]){${cases.join('')}}\nreturn''`
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
  return { kind: 'object', properties: [...found.values()], rest: null, named: [] }
}

function mergedSchema(fragment: Fragment, one: Schema, other: Schema): Schema {
  if (JSON.stringify(one) === JSON.stringify(other)) return one
  const isPlain = [one, other].every((schema) => !isCalled(fragment, fragment.resolved(schema)))
  return isPlain ? { kind: 'union', members: [one, other], discriminator: null } : { kind: 'unknown' }
}
