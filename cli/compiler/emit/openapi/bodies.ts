/** The request body of an operation, under every content type that is documented. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import type { Action, Model } from '../../ir/model.ts'
import { isFile } from '../../ir/schema-walk.ts'
import type { Param } from '../../ir/steps.ts'
import { bodyTypes } from '../../schema/body-types.ts'
import { described } from '../../schema/json-schema.ts'
import { parameterSchema } from './responses.ts'
import { schemaOfTexts } from './text-schema.ts'

/** The body that the inputs are read from; null when they read none. Only a multipart form has the files. */
export function toBody(action: Action, model: Model): object | null {
  const { schemas } = model
  const contentOf = (mediaOf: (type: string) => Media): object =>
    Object.fromEntries(bodyTypes(action, model).map((type) => [type, mediaOf(type)]))
  const body = action.inputs.find(({ from }) => from === 'body')
  if (body !== undefined) {
    const schema = parameterSchema(body, schemas)
    return { ...textOf(body.doc.summary), required: body.required, content: contentOf(() => ({ schema })) }
  }
  const fields = action.inputs.filter(({ from }) => from === 'field')
  if (fields.length === 0) return null
  const plain = fields.filter((field) => !isFile(field.schema))
  const content = contentOf((type) => {
    const sent = type === 'multipart/form-data' ? fields : plain
    if (!forms.has(type)) return { schema: fieldsSchema(sent, (field) => parameterSchema(field, schemas)) }
    return formOf(sent, schemas)
  })
  return { required: fields.some(({ required }) => required), content }
}

const textOf = (description: string): object => (description === '' ? {} : { description })

/** What a body is in one type; `encoding`: which fields of a form are JSON. */
interface Media {
  readonly schema: JsonSchema
  readonly encoding?: JsonSchema
}

const forms = new Set(['application/x-www-form-urlencoded', 'multipart/form-data'])

/** Fields of a form are texts. */
function formOf(fields: readonly Param[], named: Model['schemas']): Media {
  const asText = (field: Param): ReturnType<typeof schemaOfTexts> => schemaOfTexts(field, named)
  const inJson = fields.filter((field) => !isFile(field.schema) && asText(field).isJson)
  const schema = fieldsSchema(fields, (field) => asText(field).schema)
  if (inJson.length === 0) return { schema }
  const encoding = inJson.map(({ wireName }) => [wireName, { contentType: 'application/json' }] as const)
  return { schema, encoding: Object.fromEntries(encoding) }
}

function fieldsSchema(fields: readonly Param[], schemaOf: (field: Param) => JsonSchema): JsonSchema {
  const required = fields.filter((field) => field.required).map(({ wireName }) => wireName)
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => {
        const { wireName, doc, fallback } = field
        const inner = described(schemaOf(field), doc)
        return [wireName, fallback === null ? inner : { ...inner, default: fallback }]
      }),
    ),
    ...(required.length === 0 ? {} : { required }),
  }
}
