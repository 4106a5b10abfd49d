/** The request body of an operation, once a content type. */
import type { JsonSchema } from '../../../runtime/contract.ts'
import type { Model, Param, Schema } from '../model.ts'
import { isUpload } from './arguments.ts'
import { described, jsonSchema } from './json-schema.ts'
import { refTo } from './responses.ts'
import { schemaNamed } from './type-text.ts'

/** The body that `params` are read from; null when they read none. YAML is taken wherever JSON is, multipart/form-data
 *  wherever a form is: one of each stands for both. Files travel as multipart/form-data only. */
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
  const hasFile = fields.some((field) => isUpload(field.schema))
  const content = hasFile ? { 'multipart/form-data': { schema } } : contentOf(fieldTypes, schema)
  return { required: fields.some(({ required }) => required), content }
}

/** A form has fields, so that it can hold an object; a plain text is a text. */
function wholeBodyTypes(schema: Schema, named: Model['schemas']): readonly string[] {
  switch (schema.kind) {
    case 'object':
      return fieldTypes
    case 'string':
      return ['application/json', 'text/plain']
    case 'constrained':
      return wholeBodyTypes(schema.inner, named)
    case 'ref': {
      const target = schemaNamed(schema.name, named)
      return target === null ? jsonOnly : wholeBodyTypes(target.schema, named)
    }
    default:
      return jsonOnly
  }
}

const jsonOnly = ['application/json']
const fieldTypes = ['application/json', 'application/x-www-form-urlencoded']

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
