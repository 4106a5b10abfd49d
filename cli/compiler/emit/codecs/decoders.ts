/** Prints the functions that read JSON: `(v) => value | Misfit`. */
import type { Schema } from '../../ir/schema.ts'
import type { OpenKind, ScalarKind, StreamKind } from '../../ir/schema-walk.ts'
import { access, quote } from '../javascript.ts'
import { restriction } from './expected-type.ts'
import type { Fragment } from './module-section.ts'
import { objectBody } from './object-decoder.ts'
import { definite, keptOf, madeBy, misfitText, readFunction, refusedBy } from './reading.ts'
import { rulesText } from './rules.ts'
import { isNullable, membersOf, tagsOf, tagValuesOf, type Union } from './unions.ts'

/** What the function of a type that is made does. */
export function bodyOf(fragment: Fragment, schema: Schema): string {
  switch (schema.kind) {
    case 'object':
      return objectBody(fragment, schema)
    case 'array':
      return arrayBody(fragment, schema)
    case 'tuple':
      return tupleBody(fragment, schema)
    case 'record':
      return `return ${fragment.use('readRecord')}(v,${readFunction(fragment, schema.values)})`
    case 'constrained':
      return constrainedBody(fragment, schema)
    case 'converted':
      return `const x=${readFunction(fragment, schema.inner)}(v)\nreturn x instanceof ${fragment.use('Misfit')}?x:${conversions[schema.to]}`
    case 'union':
      return unionBody(fragment, schema)
    default:
      schema.kind satisfies ScalarKind | OpenKind | StreamKind | 'branded' | 'ref'
      return `return ${readFunction(fragment, schema)}(v)`
  }
}

function arrayBody(fragment: Fragment, schema: Extract<Schema, { kind: 'array' }>): string {
  const { items, unique } = schema
  const head = `if(!${fragment.use('opensList')}(v))return ${misfitText(fragment, restriction(fragment, schema))}\n`
  const loop = 'let m\nfor(let i=0;i<v.length;i++)'
  const told = (misfit: string): string =>
    `(m=${fragment.use('also')}(m,${misfit}.within(i))).isFull)return m\n`
  const kept = keptOf(fragment, items, 'v[i]')
  if (kept !== null) {
    const refused = `if(${refusedBy(kept.test)}&&${told(misfitText(fragment, kept.misfit))}`
    return `${head}${loop}${refused}return m??${unique ? 'new Set(v)' : 'v.slice()'}`
  }
  return [
    `${head}const o=[]\n${loop}{const x=${madeBy(fragment, items)}(v[i])\n`,
    `if(x instanceof ${fragment.use('Misfit')}&&${told('x')}o.push(x)}\nreturn m??${unique ? 'new Set(o)' : 'o'}`,
  ].join('')
}

function tupleBody(fragment: Fragment, schema: Extract<Schema, { kind: 'tuple' }>): string {
  const { items, required, rest } = schema
  const tooMany = rest === null ? `||v.length>${items.length}` : ''
  const places = fragment.constant(`[${items.map((one) => readFunction(fragment, one)).join()}]`)
  const more = rest === null ? '' : `,${readFunction(fragment, rest)}`
  return [
    `if(!Array.isArray(v)||v.length<${required}${tooMany})return ${misfitText(fragment, restriction(fragment, schema))}\n`,
    `return ${fragment.use('readTuple')}(v,${places}${more})`,
  ].join('')
}

/** What is inside, and then the rules. */
function constrainedBody(fragment: Fragment, schema: Extract<Schema, { kind: 'constrained' }>): string {
  const read = `${readFunction(fragment, schema.inner)}(v)`
  const rules = rulesText(fragment, schema, 'x')
  if (rules === null) return `return ${read}`
  const misfit = misfitText(fragment, restriction(fragment, schema.inner))
  return `const x=${read}\nreturn x instanceof ${fragment.use('Misfit')}||${rules}?x:${misfit}`
}

/** From the JSON form, `x`, to the class. */
export const conversions = {
  Map: 'new Map(Object.entries(x))',
  URL: 'new URL(x)',
  Buffer: 'Buffer.from(x)',
  undefined: 'x??undefined',
}

function unionBody(fragment: Fragment, schema: Union): string {
  const members = membersOf(schema)
  const orNull = isNullable(schema) ? 'if(v===null)return null\n' : ''
  const [only] = members
  if (only !== undefined && members.length === 1) return `${orNull}return ${readFunction(fragment, only)}(v)`
  const misfit = misfitText(fragment, definite(fragment, schema), hintOf(fragment, schema))
  return (
    orNull +
    (taggedBody(fragment, schema, misfit) ??
      oneStructure(fragment, members, misfit) ??
      anyOf(fragment, schema))
  )
}

/** The text of the type does not say how its members are told apart. */
function hintOf(fragment: Fragment, schema: Union): string {
  const values = tagValuesOf(fragment, schema)?.slice(0, mostTags) ?? []
  const texts = values.map((value) => JSON.stringify(value)).join(', ')
  return values.length === 0 ? '' : `${schema.discriminator} must be one of ${texts}`
}

/** More would make a long message of one mistake. */
const mostTags = 20

/** A tag names the member, so that what is wrong inside is told by its own path. */
function taggedBody(fragment: Fragment, schema: Union, misfit: string): string | null {
  const tags = tagsOf(fragment, schema)
  if (tags === null) return null
  const cases = schema.members.map(
    (member, index) => `case ${tags[index]}:return ${readFunction(fragment, member)}(v)\n`,
  )
  return [
    `if(${fragment.use('isRecord')}(v))switch(${access('v', schema.discriminator ?? '')}){${cases.join('')}}\n`,
    `return ${misfit}`,
  ].join('')
}

const structures = new Set<Schema['kind']>(['object', 'record', 'array', 'tuple'])

/** Values that stay, none of them an object, beside one structure: the kind of the value decides. */
function oneStructure(fragment: Fragment, members: readonly Schema[], misfit: string): string | null {
  const made = members.filter((member) => structures.has(fragment.resolved(member).kind))
  const [structure] = made
  if (structure === undefined || made.length > 1) return null
  const kept = members.filter((member) => member !== structure).map((member) => keptScalar(fragment, member))
  const tests = kept.flatMap((one) => one ?? [])
  if (tests.length < kept.length) return null
  return [
    `if(typeof v!=='object'||v===null)return ${tests.join('||')}?v:${misfit}\n`,
    `const x=${readFunction(fragment, structure)}(v)\nreturn x instanceof ${fragment.use('Misfit')}?${misfit}:x`,
  ].join('')
}

const scalars = new Set<Schema['kind']>([
  'string',
  'template',
  'number',
  'integer',
  'boolean',
  'literal',
  'enum',
])

/** The test of a value that stays and is no object; null = it may be one, or does not stay. */
const keptScalar = (fragment: Fragment, schema: Schema): string | null =>
  scalars.has(fragment.resolved(schema).kind) ? (keptOf(fragment, schema, 'v')?.test ?? null) : null

function anyOf(fragment: Fragment, schema: Union): string {
  const reads = membersOf(schema).map((member) => readFunction(fragment, member))
  const text = quote(definite(fragment, schema))
  return `return ${fragment.use('readUnion')}(v,${fragment.constant(`[${reads.join()}]`)},${text})`
}
