/** Prints the functions that read JSON: `(v) => value | Misfit`. */
import type { Schema } from '../../ir/schema.ts'
import type { OpenKind, ScalarKind, StreamKind, StructureKind } from '../../ir/schema-walk.ts'
import { access, quote } from '../javascript.ts'
import { expectedType } from './expected-type.ts'
import type { ModuleSection } from './module-section.ts'
import { objectBody } from './object-decoder.ts'
import {
  constructingDecoder,
  expectedWithoutNull,
  keptOf,
  misfitText,
  readFunction,
  refusedBy,
} from './reading.ts'
import { rulesText } from './rules.ts'
import { isNullable, membersOf, tagsOf, tagValuesOf, type Union } from './unions.ts'

/** What the function of a type that is made does. */
export function bodyOf(section: ModuleSection, schema: Schema): string {
  switch (schema.kind) {
    case 'object':
      return objectBody(section, schema)
    case 'array':
      return arrayBody(section, schema)
    case 'tuple':
      return tupleBody(section, schema)
    case 'record':
      return `return ${section.use('readRecord')}(v,${readFunction(section, schema.values)})`
    case 'constrained':
      return constrainedBody(section, schema)
    case 'converted':
      return `const x=${readFunction(section, schema.inner)}(v)\nreturn x instanceof ${section.use('Misfit')}?x:${conversions[schema.to]}`
    case 'union':
      return unionBody(section, schema)
    default:
      schema.kind satisfies ScalarKind | OpenKind | StreamKind | 'branded' | 'ref'
      return `return ${readFunction(section, schema)}(v)`
  }
}

function arrayBody(section: ModuleSection, schema: Extract<Schema, { kind: 'array' }>): string {
  const { items, unique } = schema
  const head = `if(!${section.use('opensList')}(v))return ${misfitText(section, expectedType(section, schema))}\n`
  const loop = 'let m\nfor(let i=0;i<v.length;i++)'
  const told = (misfit: string): string =>
    `(m=${section.use('also')}(m,${misfit}.within(i))).isFull)return m\n`
  const kept = keptOf(section, items, 'v[i]')
  if (kept !== null) {
    const refused = `if(${refusedBy(kept.test)}&&${told(misfitText(section, kept.misfit))}`
    return `${head}${loop}${refused}return m??${unique ? 'new Set(v)' : 'v.slice()'}`
  }
  return [
    `${head}const o=[]\n${loop}{const x=${constructingDecoder(section, items)}(v[i])\n`,
    `if(x instanceof ${section.use('Misfit')}&&${told('x')}o.push(x)}\nreturn m??${unique ? 'new Set(o)' : 'o'}`,
  ].join('')
}

function tupleBody(section: ModuleSection, schema: Extract<Schema, { kind: 'tuple' }>): string {
  const { items, required, rest } = schema
  const tooMany = rest === null ? `||v.length>${items.length}` : ''
  const places = section.constant(`[${items.map((one) => readFunction(section, one)).join()}]`)
  const more = rest === null ? '' : `,${readFunction(section, rest)}`
  return [
    `if(!Array.isArray(v)||v.length<${required}${tooMany})return ${misfitText(section, expectedType(section, schema))}\n`,
    `return ${section.use('readTuple')}(v,${places}${more})`,
  ].join('')
}

/** What is inside, and then the rules. */
function constrainedBody(section: ModuleSection, schema: Extract<Schema, { kind: 'constrained' }>): string {
  const read = `${readFunction(section, schema.inner)}(v)`
  const rules = rulesText(section, schema, 'x')
  if (rules === null) return `return ${read}`
  const misfit = misfitText(section, expectedType(section, schema.inner))
  return `const x=${read}\nreturn x instanceof ${section.use('Misfit')}||${rules}?x:${misfit}`
}

/** From the JSON form, `x`, to the class. */
export const conversions = {
  Map: 'new Map(Object.entries(x))',
  URL: 'new URL(x)',
  Buffer: 'Buffer.from(x)',
  undefined: 'x??undefined',
}

function unionBody(section: ModuleSection, schema: Union): string {
  const members = membersOf(schema)
  const orNull = isNullable(schema) ? 'if(v===null)return null\n' : ''
  const [only] = members
  if (only !== undefined && members.length === 1) return `${orNull}return ${readFunction(section, only)}(v)`
  const misfit = misfitText(section, expectedWithoutNull(section, schema), hintOf(section, schema))
  return (
    orNull +
    (taggedBody(section, schema, misfit) ?? oneStructure(section, members, misfit) ?? anyOf(section, schema))
  )
}

/** The text of the type does not say how its members are told apart. */
function hintOf(section: ModuleSection, schema: Union): string {
  const values = tagValuesOf(section, schema)?.slice(0, mostTags) ?? []
  const texts = values.map((value) => JSON.stringify(value)).join(', ')
  return values.length === 0 ? '' : `${schema.discriminator} must be one of ${texts}`
}

/** More would make a long message of one mistake. */
const mostTags = 20

/** A tag names the member, so that what is wrong inside is told by its own path. */
function taggedBody(section: ModuleSection, schema: Union, misfit: string): string | null {
  const tags = tagsOf(section, schema)
  if (tags === null) return null
  const cases = schema.members.map(
    (member, index) => `case ${tags[index]}:return ${readFunction(section, member)}(v)\n`,
  )
  return [
    `if(${section.use('isRecord')}(v))switch(${access('v', schema.discriminator ?? '')}){${cases.join('')}}\n`,
    `return ${misfit}`,
  ].join('')
}

const structures: Readonly<Record<StructureKind, true>> = {
  object: true,
  record: true,
  array: true,
  tuple: true,
}

/** Values that stay, none of them an object, beside one structure: the kind of the value decides. */
function oneStructure(section: ModuleSection, members: readonly Schema[], misfit: string): string | null {
  const made = members.filter((member) => section.resolved(member).kind in structures)
  const [structure] = made
  if (structure === undefined || made.length > 1) return null
  const kept = members.filter((member) => member !== structure).map((member) => keptScalar(section, member))
  const tests = kept.flatMap((one) => one ?? [])
  if (tests.length < kept.length) return null
  return [
    `if(typeof v!=='object'||v===null)return ${tests.join('||')}?v:${misfit}\n`,
    `const x=${readFunction(section, structure)}(v)\nreturn x instanceof ${section.use('Misfit')}?${misfit}:x`,
  ].join('')
}

/** Whether the JSON of a scalar is the value itself. */
const scalars: Readonly<Record<ScalarKind, boolean>> = {
  string: true,
  template: true,
  number: true,
  integer: true,
  boolean: true,
  literal: true,
  enum: true,
  null: false,
  date: false,
  bytes: false,
  bigint: false,
}
const keptScalars = new Set(Object.entries(scalars).flatMap(([kind, isKept]) => (isKept ? [kind] : [])))

/** The test of a value that stays and is no object; null = it may be one, or does not stay. */
const keptScalar = (section: ModuleSection, schema: Schema): string | null =>
  keptScalars.has(section.resolved(schema).kind) ? (keptOf(section, schema, 'v')?.test ?? null) : null

function anyOf(section: ModuleSection, schema: Union): string {
  const reads = membersOf(schema).map((member) => readFunction(section, member))
  const text = quote(expectedWithoutNull(section, schema))
  return `return ${section.use('readUnion')}(v,${section.constant(`[${reads.join()}]`)},${text})`
}
