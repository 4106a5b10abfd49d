/** The request body of an operation, under every content type that is documented. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import type { Model } from '../../ir/model.ts'
import { isFile } from '../../ir/schema-walk.ts'
import type { Param } from '../../ir/steps.ts'
import { described, jsonSchema } from '../../schema/json-schema.ts'
import { refTo } from './responses.ts'

/** The body that `params` are read from: JSON, and what the application reads beside it (`text/yaml` is the old name of
 *  `application/yaml`, RFC 9512); null when they read none. Files travel as multipart/form-data only. Forms and texts are taken
 *  too, and not documented: one way to send a body is enough. */
export function toBody(params: readonly Param[], { parsers }: Model): object | null {
  const contentOf = (schema: JsonSchema): object =>
    Object.fromEntries(['application/json', ...parsers].map((type) => [type, { schema }]))
  const body = params.find(({ from }) => from === 'body')
  if (body !== undefined) {
    const content = contentOf(jsonSchema(body.schema, refTo))
    return { ...textOf(body.doc.summary), required: body.required, content }
  }
  const fields = params.filter(({ from }) => from === 'field')
  if (fields.length === 0) return null
  const schema = fieldsSchema(fields)
  const hasFile = fields.some((field) => isFile(field.schema))
  const content = hasFile ? { 'multipart/form-data': { schema } } : contentOf(schema)
  return { required: fields.some(({ required }) => required), content }
}

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
