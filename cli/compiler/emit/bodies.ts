/** The request body of an operation, once a content type. */
import type { JsonSchema } from '../../../runtime/contract.ts'
import type { Param } from '../model.ts'
import { isUpload } from './catalogue.ts'
import { described, jsonSchema } from './json-schema.ts'
import { refTo } from './responses.ts'

/** The body that `params` are read from; null when they read none. Files travel as multipart/form-data only. */
export function toBody(params: readonly Param[]): object | null {
  const body = params.find(({ from }) => from === 'body')
  if (body !== undefined) {
    const content = { 'application/json': { schema: jsonSchema(body.schema, refTo) } }
    return { ...textOf(body.doc.summary), required: body.required, content }
  }
  const fields = params.filter(({ from }) => from === 'field')
  if (fields.length === 0) return null
  const schema = fieldsSchema(fields)
  const types = fields.some((field) => isUpload(field.schema)) ? ['multipart/form-data'] : fieldTypes
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  return { required: fields.some(({ required }) => required), content }
}

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
