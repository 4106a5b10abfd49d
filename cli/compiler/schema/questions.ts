/** The forms that a user fills in (`Elicited<T>`), as MCP clients can show them. Source: MCP 2026-07-28, Elicitation, requested schema: a
 *  flat object of texts, numbers, booleans, choices and lists of choices. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import type { Action } from '../ir/model.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { type Of, type PartialVisitor, visitSome } from '../ir/schema-walk.ts'
import { described } from './json-schema.ts'
import { bareSchema, resolved } from './references.ts'

type Named = readonly NamedSchema[]

/** The forms of an action's `Elicited` parameters that are flat, by public name; null = it has none. */
export function questionsOf(
  { params }: Pick<Action, 'params'>,
  named: Named,
): Record<string, JsonSchema> | null {
  const forms = params
    .filter(({ isElicited }) => isElicited)
    .flatMap(({ wireName, schema }) => {
      const form = formOf(schema, named)
      return 'form' in form ? [[wireName, form.form] as const] : []
    })
  return forms.length === 0 ? null : Object.fromEntries(forms)
}

/** The form, or the name of the first property that cannot be asked for; null = the type is no object with properties. */
type Form = { readonly form: JsonSchema } | { readonly unfit: string | null }

/** What clients are asked to show for a type. */
export function formOf(schema: Schema, named: Named): Form {
  const bare = bareSchema(schema, named)
  if (bare.kind !== 'object' || bare.rest !== null || bare.named.length > 0) return { unfit: null }
  const shownFields = bare.properties.map(({ name, schema: inner, doc }) => {
    const field = fieldOf(inner, named)
    return [name, field === null ? null : described(field, doc)] as const
  })
  const unfit = shownFields.find(([, field]) => field === null)
  if (unfit !== undefined) return { unfit: unfit[0] }
  const required = bare.properties.filter((property) => property.required).map(({ name }) => name)
  return {
    form: {
      type: 'object',
      properties: Object.fromEntries(shownFields),
      ...(required.length === 0 ? {} : { required }),
    },
  }
}

/** Of the keywords of JSON Schema those that clients know in forms; the others are judged when the answer is there. */
const shown = new Set([
  ...['title', 'default', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'],
])

/** Formats of texts that clients know. */
const formats = new Set(['email', 'uri', 'date', 'date-time'])

/** One field of a form; null = clients cannot show it. */
const fieldOf = (schema: Schema, named: Named): JsonSchema | null => visitSome(schema, fields, named)

const fields: PartialVisitor<JsonSchema | null, Named> = {
  ref: (schema, named) => {
    const target = resolved(schema, named)
    return target.kind === 'ref' ? null : fieldOf(target, named)
  },
  converted: ({ to, inner }, named) => (to === 'URL' ? fieldOf(inner, named) : null),
  constrained: constrainedField,
  string: ({ format, pattern }) => ({
    type: 'string',
    ...(format !== null && formats.has(format) ? { format } : {}),
    ...(pattern === null ? {} : { pattern }),
  }),
  date: () => ({ type: 'string', format: 'date-time' }),
  template: ({ pattern }) => ({ type: 'string', pattern }),
  bigint: ({ values }) =>
    values === null ? { type: 'string', pattern: '^-?[0-9]+$' } : { type: 'string', enum: values },
  integer: () => ({ type: 'integer' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  literal: ({ value }) => literalField(value),
  enum: ({ values }) =>
    values.every((value) => typeof value === 'string') ? { type: 'string', enum: values } : null,
  array: ({ items }, named) => listField(items, named),
  union: ({ members }, named) => unionField(members, named),
}

function literalField(value: string | number | boolean): JsonSchema | null {
  if (typeof value === 'boolean') return { type: 'boolean' }
  return typeof value === 'string' ? { type: 'string', enum: [value] } : null
}

/** Titles (`@choice`) take the place of the bare values. */
function constrainedField({ inner, keywords }: Of<'constrained'>, named: Named): JsonSchema | null {
  const field = fieldOf(inner, named)
  if (field === null) return null
  const { oneOf } = keywords
  const { enum: values, ...rest } = field
  const choices = oneOf === undefined || values === undefined ? field : { ...rest, oneOf }
  return { ...choices, ...Object.fromEntries(Object.entries(keywords).filter(([name]) => shown.has(name))) }
}

/** A list of choices; titled ones are `anyOf` in a list. */
function listField(items: Schema, named: Named): JsonSchema | null {
  const { enum: values, oneOf } = fieldOf(items, named) ?? {}
  if (oneOf !== undefined) return { type: 'array', items: { anyOf: oneOf } }
  return values === undefined ? null : { type: 'array', items: { type: 'string', enum: values } }
}

/** Of something or null that something; a text or a date is a text. */
function unionField(members: readonly Schema[], named: Named): JsonSchema | null {
  const [only, second] = members.filter(({ kind }) => kind !== 'null')
  return only === undefined || second !== undefined ? null : fieldOf(only, named)
}
