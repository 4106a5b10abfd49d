/** The request body of an operation, once a content type. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import type { Model } from '../../ir/model.ts'
import type { Schema } from '../../ir/schema.ts'
import { alternativesOf, isFile } from '../../ir/schema-walk.ts'
import type { Param } from '../../ir/steps.ts'
import { described, jsonSchema } from '../../schema/json-schema.ts'
import { schemaNamed } from '../../schema/references.ts'
import { refTo } from './responses.ts'

/** The body that `params` are read from, under every type that is taken; YAML where the application reads it (`text/yaml` is
 *  the old name of `application/yaml`, RFC 9512); null when they read none. Files travel as multipart/form-data only. */
export function toBody(params: readonly Param[], { schemas, parsers }: Model): object | null {
  const contentOf = (types: readonly string[], schema: JsonSchema): object =>
    Object.fromEntries([...types, ...parsers].map((type) => [type, { schema }]))
  const body = params.find(({ from }) => from === 'body')
  if (body !== undefined) {
    const types = wholeBodyTypes(body.schema, schemas)
    const content = contentOf(types, jsonSchema(body.schema, refTo))
    return { ...textOf(body.doc.summary), required: body.required, content }
  }
  const fields = params.filter(({ from }) => from === 'field')
  if (fields.length === 0) return null
  const schema = fieldsSchema(fields)
  const hasFile = fields.some((field) => isFile(field.schema))
  const content = hasFile ? { 'multipart/form-data': { schema } } : contentOf(fieldTypes, schema)
  return { required: fields.some(({ required }) => required), content }
}

/** The types in the order of the parsers. */
function wholeBodyTypes(schema: Schema, named: Model['schemas']): readonly string[] {
  const taken = formsOf(schema, named)
  return [
    'application/json',
    ...(taken.includes('fields') ? ['application/x-www-form-urlencoded', 'multipart/form-data'] : []),
    ...(taken.includes('text') ? ['text/plain'] : []),
  ]
}

type Form = 'fields' | 'text'

/** What a value can be sent as beside JSON: a form has fields, so that it can hold an object; a plain value is a text. Lists
 *  are JSON alone, and of a schema file nothing is known; what stands for another schema is looked through. */
const forms: Readonly<Record<Schema['kind'], readonly Form[]>> = {
  object: ['fields'],
  record: ['fields'],
  unknown: ['fields', 'text'],
  array: [],
  tuple: [],
  null: [],
  never: [],
  verbatim: [],
  string: ['text'],
  template: ['text'],
  date: ['text'],
  bytes: ['text'],
  integer: ['text'],
  bigint: ['text'],
  number: ['text'],
  boolean: ['text'],
  literal: ['text'],
  enum: ['text'],
  file: ['text'],
  binary: ['text'],
  events: ['text'],
  constrained: [],
  converted: [],
  branded: [],
  union: [],
  ref: [],
}

const formsOf = (schema: Schema, named: Model['schemas']): readonly Form[] =>
  alternativesOf(schema, (name) => schemaNamed(name, named)).flatMap((one) =>
    one.kind === 'converted' ? formsOf(one.inner, named) : forms[one.kind],
  )

const fieldTypes = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']

const textOf = (description: string): object => (description === '' ? {} : { description })

function fieldsSchema(fields: readonly Param[]): JsonSchema {
  const required = fields.filter((field) => field.required).map(({ wireName }) => wireName)
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ wireName, schema, doc, fallback }) => {
        const inner = described(jsonSchema(schema, refTo), doc)
        return [wireName, fallback === null ? inner : { ...inner, default: fallback }]
      }),
    ),
    ...(required.length === 0 ? {} : { required }),
  }
}
