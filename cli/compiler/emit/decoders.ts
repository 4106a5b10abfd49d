/** Prints the functions that read JSON: `(v) => value | Misfit`. */
import type { Schema } from '../model.ts'
import type { Fragment } from './fragment.ts'
import { objectBody } from './object-decoder.ts'
import { definite, group, keptOf, misfitText, readFunction, readingOf } from './reading.ts'
import { restriction } from './restriction.ts'
import { rulesText } from './rules.ts'
import { quote } from './type-text.ts'
import { isNullable, membersOf, tagsOf, type Union } from './unions.ts'

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
      return `  return ${fragment.use('readRecord')}(v, ${readFunction(fragment, schema.values)})\n`
    case 'constrained':
      return constrainedBody(fragment, schema, `${readFunction(fragment, schema.inner)}(v)`)
    case 'converted':
      return convertedBody(fragment, schema, `${readFunction(fragment, schema.inner)}(v)`)
    case 'union':
      return unionBody(fragment, schema)
    default:
      return `  return ${readFunction(fragment, schema)}(v)\n`
  }
}

function arrayBody(fragment: Fragment, schema: Extract<Schema, { kind: 'array' }>): string {
  const reading = readingOf(fragment, schema.items)
  const finished = (list: string): string => (schema.unique ? `new Set(${list})` : list)
  const head = [
    `  if (!Array.isArray(v)) return ${misfitText(fragment, restriction(fragment, schema))}\n`,
    `  ${fragment.use('countRead')}(v.length)\n`,
  ]
  if (reading.kind === 'kept') {
    const refused = `${misfitText(fragment, reading.misfit)}.within(i)`
    const loop = `  for (let i = 0; i < v.length; i++) if (!${group(reading.test('v[i]'))}) return ${refused}\n`
    return [...head, loop, `  return ${schema.unique ? finished('v') : 'v.slice()'}\n`].join('')
  }
  return [
    ...head,
    '  const items = []\n  for (let i = 0; i < v.length; i++) {\n',
    `    const item = ${reading.read}(v[i])\n`,
    `    if (item instanceof ${fragment.use('Misfit')}) return item.within(i)\n    items.push(item)\n  }\n`,
    `  return ${finished('items')}\n`,
  ].join('')
}

function tupleBody(fragment: Fragment, schema: Extract<Schema, { kind: 'tuple' }>): string {
  const { items, required, rest } = schema
  const tooMany = rest === null ? ` || v.length > ${items.length}` : ''
  const places = fragment.constant(`[${items.map((one) => readFunction(fragment, one)).join(', ')}]`)
  const more = rest === null ? '' : `, ${readFunction(fragment, rest)}`
  return [
    `  if (!Array.isArray(v) || v.length < ${required}${tooMany}) return ${misfitText(fragment, restriction(fragment, schema))}\n`,
    `  return ${fragment.use('readTuple')}(v, ${places}${more})\n`,
  ].join('')
}

/** `read`, an expression, and then the rules. */
export function constrainedBody(
  fragment: Fragment,
  schema: Extract<Schema, { kind: 'constrained' }>,
  read: string,
): string {
  const rules = rulesText(fragment, schema, 'x')
  if (rules === null) return `  return ${read}\n`
  const misfit = misfitText(fragment, restriction(fragment, schema.inner))
  return `  const x = ${read}\n  return x instanceof ${fragment.use('Misfit')} || ${rules} ? x : ${misfit}\n`
}

/** From the JSON form to the class. */
const conversions = {
  Map: 'new Map(Object.entries(x))',
  URL: 'new URL(x)',
  Buffer: 'Buffer.from(x)',
}

/** `read`, an expression, and then the class. */
export function convertedBody(
  fragment: Fragment,
  { to }: Extract<Schema, { kind: 'converted' }>,
  read: string,
): string {
  return `  const x = ${read}\n  return x instanceof ${fragment.use('Misfit')} ? x : ${conversions[to]}\n`
}

function unionBody(fragment: Fragment, schema: Union): string {
  const members = membersOf(schema)
  const orNull = isNullable(schema) ? '  if (v === null) return null\n' : ''
  const [only] = members
  if (only !== undefined && members.length === 1)
    return `${orNull}  return ${readFunction(fragment, only)}(v)\n`
  const misfit = misfitText(fragment, definite(fragment, schema))
  return (
    orNull +
    (taggedBody(fragment, schema, misfit) ??
      oneStructure(fragment, members, misfit) ??
      anyOf(fragment, schema))
  )
}

function taggedBody(fragment: Fragment, schema: Union, misfit: string): string | null {
  const tags = tagsOf(fragment, schema)
  if (tags === null) return null
  const cases = schema.members.map(
    (member, index) =>
      `    case ${tags[index]}:\n      x = ${readFunction(fragment, member)}(v)\n      break\n`,
  )
  return [
    `  if (!${fragment.use('isRecord')}(v)) return ${misfit}\n  let x\n`,
    `  switch (v[${quote(schema.discriminator ?? '')}]) {\n${cases.join('')}    default:\n      return ${misfit}\n  }\n`,
    `  return x instanceof ${fragment.use('Misfit')} ? ${misfit} : x\n`,
  ].join('')
}

const structures = new Set<Schema['kind']>(['object', 'record', 'array', 'tuple'])

/** Values that stay, none of them an object, beside one structure: the kind of the value decides. */
function oneStructure(fragment: Fragment, members: readonly Schema[], misfit: string): string | null {
  const made = members.filter((member) => structures.has(fragment.resolved(member).kind))
  const kept = members
    .filter((member) => !made.includes(member))
    .map((member) => keptScalar(fragment, member))
  const tests = kept.flatMap((one) => one ?? [])
  const [structure] = made
  if (structure === undefined || made.length > 1 || tests.length < kept.length) return null
  return [
    `  if (typeof v !== 'object' || v === null) return ${tests.map((test) => test('v')).join(' || ')} ? v : ${misfit}\n`,
    `  const x = ${readFunction(fragment, structure)}(v)\n`,
    `  return x instanceof ${fragment.use('Misfit')} ? ${misfit} : x\n`,
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

function keptScalar(fragment: Fragment, schema: Schema): ((value: string) => string) | null {
  return scalars.has(fragment.resolved(schema).kind) ? (keptOf(fragment, schema)?.test ?? null) : null
}

function anyOf(fragment: Fragment, schema: Union): string {
  const reads = membersOf(schema).map((member) => readFunction(fragment, member))
  const text = quote(definite(fragment, schema))
  return `  return ${fragment.use('readUnion')}(v, ${fragment.constant(`[${reads.join(', ')}]`)}, ${text})\n`
}
