/** Prints the functions that read texts (of a path, query, header, cookie or form field) and forms, and the decoders that
 *  hold them together. */
import type { Property, Schema } from '../model.ts'
import { constrainedBody, convertedBody } from './decoders.ts'
import { type Fragment, literalText } from './fragment.ts'
import { inOrder } from './object-decoder.ts'
import { plainListName, readFunction, scalarName, schemaConstant, verbatimText } from './reading.ts'
import { restriction } from './restriction.ts'
import { hasRules } from './rules.ts'
import { quote } from './type-text.ts'
import { membersOf } from './unions.ts'

/** A decoder: the runtime's own for plain types, else one of printed functions; `isBody` = it may have to read a form. */
export function decoderText(fragment: Fragment, schema: Schema, isBody = false): string {
  const plain = plainText(fragment, schema)
  if (plain !== null) return plain
  const text = textFunction(fragment, schema)
  const fields = isBody ? formFunction(fragment, schema) : null
  const parts = [quote(restriction(fragment, schema)), readFunction(fragment, schema)]
  if (text !== null || fields !== null) parts.push(text ?? 'null')
  if (fields !== null) parts.push(fields)
  return `new ${fragment.use('Decoder')}(${parts.join(', ')})`
}

/** A decoder of the runtime. */
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
    case 'branded':
      return plainText(fragment, schema.inner)
    case 'constrained':
      return hasRules(schema) ? null : plainText(fragment, schema.inner)
    case 'ref': {
      const target = fragment.named(schema.name).schema
      return target.kind === 'verbatim' ? schemaConstant(schema.name) : plainText(fragment, target)
    }
    default:
      return null
  }
}

const literals = (fragment: Fragment, values: readonly (string | number | boolean)[]): string =>
  `${fragment.use('literal')}([${values.map(literalText).join(', ')}])`

/** A function of texts; null = the text holds the type's JSON. */
function textFunction(fragment: Fragment, schema: Schema): string | null {
  const plain = plainText(fragment, schema)
  if (plain !== null) return `${/^\w+$/.test(plain) ? plain : fragment.constant(plain)}.text`
  if (schema.kind === 'branded') return textFunction(fragment, schema.inner)
  if (schema.kind === 'ref') {
    return isJson(fragment, fragment.named(schema.name).schema) ? null : fragment.ask('text', schema.name)
  }
  const list = plainListName(schema)
  if (list !== null) return fragment.ask('text', list)
  return isJson(fragment, schema) ? null : fragment.declare('text', schema)
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
      return false
  }
}

/** What the function of texts does. */
export function textBody(fragment: Fragment, schema: Schema): string {
  switch (schema.kind) {
    case 'array': {
      const item = calledText(fragment, schema.items)
      const toSet = schema.unique ? ', (items) => new Set(items)' : ''
      return `  return ${fragment.use('readTexts')}(v, ${item}, ${readFunction(fragment, schema)}${toSet})\n`
    }
    case 'template':
      return templateBody(fragment, schema)
    case 'constrained':
      return constrainedBody(fragment, schema, `${calledText(fragment, schema.inner)}(v)`)
    case 'converted':
      return convertedBody(fragment, schema, `${calledText(fragment, schema.inner)}(v)`)
    case 'union':
      return unionBody(fragment, schema)
    default:
      return `  return ${calledText(fragment, schema)}(v)\n`
  }
}

/** A function of texts, for any type. */
function calledText(fragment: Fragment, schema: Schema): string {
  const read = textFunction(fragment, schema)
  if (read !== null) return read
  return fragment.declare('text', schema, () => {
    const parts = `v, ${readFunction(fragment, schema)}, ${quote(restriction(fragment, schema))}`
    return `  return ${fragment.use('readJsonText')}(${parts})\n`
  })
}

function templateBody(fragment: Fragment, { pattern }: Extract<Schema, { kind: 'template' }>): string {
  const at: Extract<Schema, { kind: 'constrained' }> = {
    kind: 'constrained',
    inner: { kind: 'string', format: null, pattern: null },
    keywords: { pattern },
    at: { file: '', line: 0, column: 0 },
  }
  return constrainedBody(fragment, at, `${fragment.use('string')}.text(v)`)
}

/** A text is never null. */
function unionBody(fragment: Fragment, schema: Extract<Schema, { kind: 'union' }>): string {
  const members = membersOf(schema)
  const reads = members.map((member) => calledText(fragment, member))
  if (reads.length === 1) return `  return ${reads[0]}(v)\n`
  const text = quote(restriction(fragment, { ...schema, members }))
  return `  return ${fragment.use('firstFit')}(${fragment.constant(`[${reads.join(', ')}]`)}, v, ${text})\n`
}

/** A function of forms; null = the fields' last values are an object of JSON. */
function formFunction(fragment: Fragment, schema: Schema): string | null {
  if (!hasFields(fragment, schema)) return null
  if (schema.kind === 'branded') return formFunction(fragment, schema.inner)
  if (schema.kind === 'ref') return fragment.ask('form', schema.name)
  return fragment.declare('form', schema)
}

/** Whether some value of the type is an object whose properties may be fields. */
export function hasFields(fragment: Fragment, schema: Schema): boolean {
  const inner = fragment.resolved(schema)
  if (inner.kind === 'converted') return false
  return inner.kind === 'union' ? isOfFields(fragment, inner, new Set()) : inner.kind === 'object'
}

function isOfFields(fragment: Fragment, schema: Schema, seen: ReadonlySet<string>): boolean {
  switch (schema.kind) {
    case 'object':
      return true
    case 'union':
      return schema.members.some((member) => isOfFields(fragment, member, seen))
    case 'constrained':
    case 'branded':
      return isOfFields(fragment, schema.inner, seen)
    case 'ref':
      return (
        !seen.has(schema.name) &&
        isOfFields(fragment, fragment.named(schema.name).schema, new Set([...seen, schema.name]))
      )
    default:
      return false
  }
}

/** What the function of forms does. */
export function formBody(fragment: Fragment, schema: Schema): string {
  switch (schema.kind) {
    case 'object':
      return objectBody(fragment, schema)
    case 'constrained':
      return constrainedBody(fragment, schema, `${calledForm(fragment, schema.inner)}(v)`)
    case 'union': {
      const members = membersOf(schema)
      const reads = members.map((member) => calledForm(fragment, member))
      if (reads.length === 1) return `  return ${reads[0]}(v)\n`
      const text = quote(restriction(fragment, { ...schema, members }))
      return `  return ${fragment.use('firstFit')}(${fragment.constant(`[${reads.join(', ')}]`)}, v, ${text})\n`
    }
    default:
      return `  return ${calledForm(fragment, schema)}(v)\n`
  }
}

function calledForm(fragment: Fragment, schema: Schema): string {
  const read = formFunction(fragment, schema)
  if (read !== null) return read
  return fragment.declare(
    'form',
    schema,
    () => `  return ${fragment.use('readFormAsObject')}(v, ${readFunction(fragment, schema)})\n`,
  )
}

/** A form has no further properties. */
function objectBody(fragment: Fragment, { properties }: Extract<Schema, { kind: 'object' }>): string {
  const rows = inOrder(properties).map((property) => rowText(fragment, property))
  return `  return ${fragment.use('readForm')}(v, [${rows.join(', ')}])\n`
}

const rowText = (fragment: Fragment, { name, schema, required }: Property): string =>
  `[${quote(name)}, ${decoderText(fragment, schema)}, ${required ? 1 : 0}]`
