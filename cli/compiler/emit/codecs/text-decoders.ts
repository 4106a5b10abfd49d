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
import { expectedType } from './expected-type.ts'
import type { ModuleSection } from './module-section.ts'
import { inOrder } from './object-decoder.ts'
import { plainListName, readFunction, scalarName, schemaConstant, verbatimDecoder } from './reading.ts'
import { patternTest, rulesText } from './rules.ts'
import { membersOf, type Union } from './unions.ts'

/** A decoder: the runtime's own for plain types, else one of printed functions; `isBody` = it may have to read a form. */
export function decoderText(section: ModuleSection, schema: Schema, isBody = false): string {
  const plain = plainText(section, schema)
  if (plain !== null) return plain
  const isText = !isJson(section, schema)
  const isForm = isBody && hasFields(section, schema)
  const parts = [quote(expectedType(section, schema)), readFunction(section, schema)]
  if (isText || isForm) parts.push(isText ? textReader(section, schema) : 'null')
  if (isForm) parts.push(formReader(section, schema))
  return `new ${section.use('Decoder')}(${parts.join()})`
}

/** A decoder of the runtime, maybe with rules. */
function plainText(section: ModuleSection, schema: Schema): string | null {
  const name = scalarName(schema)
  if (name !== null) return section.use(name)
  switch (schema.kind) {
    case 'string':
      return `${section.use('format')}(${quote(schema.format ?? '')})`
    case 'literal':
      return literals(section, [schema.value])
    case 'enum':
      return literals(section, schema.values)
    case 'file':
      return `${section.use('file')}()`
    case 'verbatim':
      return section.constant(verbatimDecoder(section, schema.json))
    case 'template': {
      const test = patternTest(section, schema.pattern, 'x')
      return `${section.use('keeping')}(${section.use('string')},x=>${test})`
    }
    case 'branded':
      return plainText(section, schema.inner)
    case 'constrained':
      return keepingText(section, schema)
    case 'ref': {
      const target = section.named(schema.name).schema
      return target.kind === 'verbatim' ? schemaConstant(schema.name) : plainText(section, target)
    }
    default:
      schema.kind satisfies
        | 'date'
        | 'bytes'
        | 'integer'
        | 'bigint'
        | 'number'
        | 'boolean'
        | 'null'
        | StructureKind
        | OpenKind
        | StreamKind
        | 'converted'
        | 'union'
      return null
  }
}

const literals = (section: ModuleSection, values: readonly (string | number | boolean)[]): string =>
  `${section.use('literal')}([${values.map(literalText).join()}])`

function keepingText(
  section: ModuleSection,
  schema: Extract<Schema, { kind: 'constrained' }>,
): string | null {
  const plain = plainText(section, schema.inner)
  const rules = plain === null ? null : rulesText(section, schema, 'x')
  return rules === null ? plain : `${section.use('keeping')}(${plain},x=>${rules})`
}

/** Whether a text of the type is its JSON, whatever it is. */
export function isJson(section: ModuleSection, schema: Schema): boolean {
  switch (schema.kind) {
    case 'object':
    case 'record':
    case 'tuple':
      return true
    case 'constrained':
    case 'converted':
    case 'branded':
      return isJson(section, schema.inner)
    case 'ref':
      return isJson(section, section.named(schema.name).schema)
    default:
      schema.kind satisfies ScalarKind | OpenKind | StreamKind | 'array' | 'union'
      return false
  }
}

/** A function of texts. */
function textReader(section: ModuleSection, schema: Schema): string {
  const plain = plainText(section, schema)
  if (plain !== null) return `${/^\w+$/.test(plain) ? plain : section.constant(plain)}.text`
  if (isJson(section, schema)) {
    const text = quote(expectedType(section, schema))
    return `${section.use('jsonText')}(${readFunction(section, schema)},${text})`
  }
  if (schema.kind === 'branded') return textReader(section, schema.inner)
  const only = onlyMember(schema)
  if (only !== null) return textReader(section, only) // a text is never null
  const name = schema.kind === 'ref' ? schema.name : plainListName(schema)
  return name === null ? `v=>${readText(section, schema)}` : section.request('text', name)
}

/** What the function of texts does. */
export const textBody = (section: ModuleSection, schema: Schema): string =>
  `return ${readText(section, schema)}`

/** What the texts `v` come to. */
function readText(section: ModuleSection, schema: Schema): string {
  switch (schema.kind) {
    case 'array': {
      const item = textReader(section, schema.items)
      const toSet = schema.unique ? ',x=>new Set(x)' : ''
      return `${section.use('readTexts')}(v,${item},${readFunction(section, schema)}${toSet})`
    }
    case 'constrained':
      return keptText(section, schema, called(textReader(section, schema.inner)))
    case 'converted': {
      const read = called(textReader(section, schema.inner))
      return `${section.use('converted')}(${read},x=>${conversions[schema.to]})`
    }
    case 'union':
      return firstFit(section, schema, (member) => textReader(section, member))
    default:
      schema.kind satisfies ScalarKind | StructureKind | OpenKind | StreamKind | 'branded' | 'ref'
      return called(textReader(section, schema))
  }
}

/** A call of `reader` with `v`. */
const called = (reader: string): string => `${reader.startsWith('v=>') ? `(${reader})` : reader}(v)`

/** `read`, and then the rules. */
function keptText(
  section: ModuleSection,
  schema: Extract<Schema, { kind: 'constrained' }>,
  read: string,
): string {
  const rules = rulesText(section, schema, 'x')
  if (rules === null) return read
  return `${section.use('keptIf')}(${read},x=>${rules},${quote(expectedType(section, schema.inner))})`
}

/** The member of a union that has one beside null. */
function onlyMember(schema: Schema): Schema | null {
  const members = schema.kind === 'union' ? membersOf(schema) : []
  return members.length === 1 ? (members[0] ?? null) : null
}

function firstFit(section: ModuleSection, schema: Union, reader: (member: Schema) => string): string {
  const only = onlyMember(schema)
  if (only !== null) return called(reader(only))
  const members = membersOf(schema)
  const text = quote(expectedType(section, { ...schema, members }))
  return `${section.use('firstFit')}([${members.map(reader).join()}],v,${text})`
}

/** Whether some value of the type is an object whose properties may be fields. */
export const hasFields = (section: ModuleSection, schema: Schema): boolean =>
  alternativesOf(schema, (name) => section.named(name)).some(({ kind }) => kind === 'object')

/** A function of forms; without fields their last values are an object of JSON. */
function formReader(section: ModuleSection, schema: Schema): string {
  if (!hasFields(section, schema))
    return `v=>${section.use('readFormAsObject')}(v,${readFunction(section, schema)})`
  if (schema.kind === 'branded') return formReader(section, schema.inner)
  if (schema.kind === 'ref') return section.request('form', schema.name)
  return `v=>${readForm(section, schema)}`
}

/** What the function of forms does. */
export const formBody = (section: ModuleSection, schema: Schema): string =>
  `return ${readForm(section, schema)}`

/** What the form `v` comes to. It has no further properties. */
function readForm(section: ModuleSection, schema: Schema): string {
  switch (schema.kind) {
    case 'object': {
      const rows = inOrder(schema.properties).map((property) => rowText(section, property))
      return `${section.use('readForm')}(v,[${rows.join()}])`
    }
    case 'constrained':
      return keptText(section, schema, called(formReader(section, schema.inner)))
    case 'union':
      return firstFit(section, schema, (member) => formReader(section, member))
    default:
      schema.kind satisfies ScalarKind | StructureKind | WrapperKind | OpenKind | StreamKind | 'ref'
      return called(formReader(section, schema))
  }
}

const rowText = (section: ModuleSection, { name, schema, required }: Property): string =>
  `[${quote(name)},${decoderText(section, schema)},${required ? 1 : 0}]`
