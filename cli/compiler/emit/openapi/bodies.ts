/** The request body of an operation, under every content type that is documented. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import type { Action, Model } from '../../ir/model.ts'
import { isFile } from '../../ir/schema-walk.ts'
import type { Param } from '../../ir/steps.ts'
import { bodyTypes } from '../../schema/body-types.ts'
import { described } from '../../schema/json-schema.ts'
import { parameterSchema } from './responses.ts'

/** The body that the inputs are read from; null when they read none. Only a multipart form has the files. */
export function toBody(action: Action, model: Model): object | null {
  const contentOf = (schemaOf: (type: string) => JsonSchema): object =>
    Object.fromEntries(bodyTypes(action, model).map((type) => [type, { schema: schemaOf(type) }]))
  const body = action.inputs.find(({ from }) => from === 'body')
  if (body !== undefined) {
    const schema = parameterSchema(body)
    return { ...textOf(body.doc.summary), required: body.required, content: contentOf(() => schema) }
  }
  const fields = action.inputs.filter(({ from }) => from === 'field')
  if (fields.length === 0) return null
  const plain = fields.filter((field) => !isFile(field.schema))
  const content = contentOf((type) => fieldsSchema(type === 'multipart/form-data' ? fields : plain))
  return { required: fields.some(({ required }) => required), content }
}

const textOf = (description: string): object => (description === '' ? {} : { description })

function fieldsSchema(fields: readonly Param[]): JsonSchema {
  const required = fields.filter((field) => field.required).map(({ wireName }) => wireName)
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => {
        const { wireName, doc, fallback } = field
        const inner = described(parameterSchema(field), doc)
        return [wireName, fallback === null ? inner : { ...inner, default: fallback }]
      }),
    ),
    ...(required.length === 0 ? {} : { required }),
  }
}
