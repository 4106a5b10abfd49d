/** Prints what reads texts (of a path, query, header, cookie or form field) and forms, and the decoders that hold it all
 *  together. Texts and forms with parts are rare: what reads them is put together from functions of the runtime. */
import type { Property, Schema } from '../../ir/schema.ts'
import {
  alternativesOf,
  type OpenKind,
  type ScalarKind,
  type StreamKind,
  type StructureKind,
  type WrapperKind,
} from '../../ir/schema-walk.ts'
import { literalText, quote } from '../javascript.ts'
import { conversions } from './decoders.ts'
import { restriction } from './expected-type.ts'
import type { Fragment } from './module-section.ts'
import { nameText } from './name-text.ts'
import { inOrder } from './object-decoder.ts'
import { plainListName, readFunction, scalarName, schemaConstant, verbatimText } from './reading.ts'
import { patternTest, rulesText } from './rules.ts'
import { membersOf, type Union } from './unions.ts'

/** A decoder: the runtime's own for plain types, else one of printed functions; `isBody` = it may have to read a form. */
export function decoderText(fragment: Fragment, schema: Schema, isBody = false): string {
  const plain = plainText(fragment, schema)
  if (plain !== null) return plain
  const isText = !isJson(fragment, schema)
  const isForm = isBody && hasFields(fragment, schema)
  const parts = [quote(restriction(fragment, schema)), readFunction(fragment, schema)]
  if (isText || isForm) parts.push(isText ? textReader(fragment, schema) : 'null')
  if (isForm) parts.push(formReader(fragment, schema))
  return `new ${fragment.use('Decoder')}(${parts.join()})`
}

/** A decoder of the runtime, maybe with rules. */
function plainText(fragment: Fragment, schema: Schema): string | null {
  const name = scalarName(schema)
  if (name !== null) return fragment.use(name)
  switch (schema.kind) {
    case 'string':
      return `${fragment.use('format')}(${quote(schema.format ?? '')})`
    case 'literal':
      return literals(fragment, [schema.value])
    case 'enum':
      return literals(fragment, schema.values)
    case 'file':
      return `${fragment.use('file')}()`
    case 'verbatim':
      return fragment.constant(verbatimText(fragment, schema.json))
    case 'template': {
      const test = patternTest(fragment, schema.pattern, 'x')
      return `${fragment.use('keeping')}(${fragment.use('string')},x=>${test})`
    }
    case 'branded':
      return plainText(fragment, schema.inner)
    case 'constrained':
      return keepingText(fragment, schema)
    case 'ref': {
      const target = fragment.named(schema.name).schema
      return target.kind === 'verbatim' ? schemaConstant(schema.name) : plainText(fragment, target)
    }
    default:
      schema.kind satisfies ScalarKind | StructureKind | OpenKind | StreamKind | 'converted' | 'union'
      return null
  }
}

const literals = (fragment: Fragment, values: readonly (string | number | boolean)[]): string =>
  `${fragment.use('literal')}([${values.map(literalText).join()}])`

function keepingText(fragment: Fragment, schema: Extract<Schema, { kind: 'constrained' }>): string | null {
  const plain = plainText(fragment, schema.inner)
  const rules = plain === null ? null : rulesText(fragment, schema, 'x')
  return rules === null ? plain : `${fragment.use('keeping')}(${plain},x=>${rules})`
}

/** Whether a text of the type is its JSON, whatever it is. */
export function isJson(fragment: Fragment, schema: Schema): boolean {
  switch (schema.kind) {
    case 'object':
    case 'record':
    case 'tuple':
      return true
    case 'constrained':
    case 'converted':
    case 'branded':
      return isJson(fragment, schema.inner)
    case 'ref':
      return isJson(fragment, fragment.named(schema.name).schema)
    default:
      schema.kind satisfies ScalarKind | OpenKind | StreamKind | 'array' | 'union'
      return false
  }
}

/** A function of texts. */
function textReader(fragment: Fragment, schema: Schema): string {
  const plain = plainText(fragment, schema)
  if (plain !== null) return `${/^\w+$/.test(plain) ? plain : fragment.constant(plain)}.text`
  if (isJson(fragment, schema)) {
    const text = quote(restriction(fragment, schema))
    return `${fragment.use('jsonText')}(${readFunction(fragment, schema)},${text})`
  }
  if (schema.kind === 'branded') return textReader(fragment, schema.inner)
  const only = onlyMember(schema)
  if (only !== null) return textReader(fragment, only) // a text is never null
  const name = schema.kind === 'ref' ? schema.name : plainListName(schema)
  return name === null ? `v=>${readText(fragment, schema)}` : fragment.ask('text', name)
}

/** What the function of texts does. */
export const textBody = (fragment: Fragment, schema: Schema): string => `return ${readText(fragment, schema)}`

/** What the texts `v` come to. */
function readText(fragment: Fragment, schema: Schema): string {
  switch (schema.kind) {
    case 'array': {
      const item = textReader(fragment, schema.items)
      const toSet = schema.unique ? ',x=>new Set(x)' : ''
      return `${fragment.use('readTexts')}(v,${item},${readFunction(fragment, schema)}${toSet})`
    }
    case 'constrained':
      return keptText(fragment, schema, called(textReader(fragment, schema.inner)))
    case 'converted': {
      const read = called(textReader(fragment, schema.inner))
      return `${fragment.use('converted')}(${read},x=>${conversions[schema.to]})`
    }
    case 'union':
      return firstFit(fragment, schema, (member) => textReader(fragment, member))
    default:
      schema.kind satisfies ScalarKind | StructureKind | OpenKind | StreamKind | 'branded' | 'ref'
      return called(textReader(fragment, schema))
  }
}

/** A call of `reader` with `v`. */
const called = (reader: string): string => `${reader.startsWith('v=>') ? `(${reader})` : reader}(v)`

/** `read`, and then the rules. */
function keptText(
  fragment: Fragment,
  schema: Extract<Schema, { kind: 'constrained' }>,
  read: string,
): string {
  const rules = rulesText(fragment, schema, 'x')
  if (rules === null) return read
  return `${fragment.use('keptIf')}(${read},x=>${rules},${quote(restriction(fragment, schema.inner))})`
}

/** The member of a union that has one beside null. */
function onlyMember(schema: Schema): Schema | null {
  const members = schema.kind === 'union' ? membersOf(schema) : []
  return members.length === 1 ? (members[0] ?? null) : null
}

function firstFit(fragment: Fragment, schema: Union, reader: (member: Schema) => string): string {
  const only = onlyMember(schema)
  if (only !== null) return called(reader(only))
  const members = membersOf(schema)
  const text = quote(restriction(fragment, { ...schema, members }))
  return `${fragment.use('firstFit')}([${members.map(reader).join()}],v,${text})`
}

/** Whether some value of the type is an object whose properties may be fields. */
export const hasFields = (fragment: Fragment, schema: Schema): boolean =>
  alternativesOf(schema, (name) => fragment.named(name)).some(({ kind }) => kind === 'object')

/** A function of forms; without fields their last values are an object of JSON. */
function formReader(fragment: Fragment, schema: Schema): string {
  if (!hasFields(fragment, schema))
    return `v=>${fragment.use('readFormAsObject')}(v,${readFunction(fragment, schema)})`
  if (schema.kind === 'branded') return formReader(fragment, schema.inner)
  if (schema.kind === 'ref') return fragment.ask('form', schema.name)
  return `v=>${readForm(fragment, schema)}`
}

/** What the function of forms does. */
export const formBody = (fragment: Fragment, schema: Schema): string => `return ${readForm(fragment, schema)}`

/** What the form `v` comes to. It has no further properties. */
function readForm(fragment: Fragment, schema: Schema): string {
  switch (schema.kind) {
    case 'object': {
      const rows = inOrder(schema.properties).map((property) => rowText(fragment, property))
      return `${fragment.use('readForm')}(v,[${rows.join()}])`
    }
    case 'constrained':
      return keptText(fragment, schema, called(formReader(fragment, schema.inner)))
    case 'union':
      return firstFit(fragment, schema, (member) => formReader(fragment, member))
    default:
      schema.kind satisfies ScalarKind | StructureKind | WrapperKind | OpenKind | StreamKind | 'ref'
      return called(formReader(fragment, schema))
  }
}

const rowText = (fragment: Fragment, { name, schema, required }: Property): string =>
  `[${nameText(name).quoted},${decoderText(fragment, schema)},${required ? 1 : 0}]`
