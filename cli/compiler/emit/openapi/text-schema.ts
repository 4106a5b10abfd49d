/** The schema of a parameter outside of a JSON body. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import type { Model } from '../../ir/model.ts'
import type { Schema } from '../../ir/schema.ts'
import { bare } from '../../ir/schema-walk.ts'
import type { Param } from '../../ir/steps.ts'
import { type TextForm, type TextMember, textFormOf } from '../../schema/text-forms.ts'
import { documentedSchema, parameterSchema } from './responses.ts'

/** `isJson`: it travels as one JSON text, not as OpenAPI would spread it. Where only some members of a union do, these are texts with JSON
 *  inside. */
export function schemaOfTexts(
  param: Param,
  named: Model['schemas'],
): { readonly schema: JsonSchema; readonly isJson: boolean } {
  const { schema, how, members } = formOf(param, named)
  if (how !== 'either')
    return { schema: parameterSchema({ ...param, schema }, named), isJson: how === 'json' }
  const union = schema
  const inText = ({ schema, isJson }: TextMember): JsonSchema => {
    const inner = documentedSchema(constrainedAs(union, schema), named)
    return isJson ? { type: 'string', contentMediaType: 'application/json', contentSchema: inner } : inner
  }
  const alternatives = bare(union)
  const orNull = alternatives.kind === 'union' && alternatives.members.some(({ kind }) => kind === 'null')
  const all = [...members.map(inText), ...(orNull ? [{ type: 'null' }] : [])]
  return { schema: { anyOf: all }, isJson: false }
}

/** A header is a list of texts where nothing in it is JSON: beside an object its list is JSON too. */
function formOf({ schema, from }: Param, named: Model['schemas']): TextForm {
  const form = textFormOf(schema, named, from === 'query' || from === 'field' || from === 'header')
  return from === 'header' && form.how === 'either' ? textFormOf(schema, named, false) : form
}

/** A member of a union with the rules that stand around the union. */
function constrainedAs(union: Schema, member: Schema): Schema {
  return union.kind === 'constrained' ? { ...union, inner: constrainedAs(union.inner, member) } : member
}
