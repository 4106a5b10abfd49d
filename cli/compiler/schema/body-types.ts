/** In which media types the body of a route travels: what the document names, the typed client sends, and checks allow. */
import type { Action, Model } from '../ir/model.ts'
import type { Schema } from '../ir/schema.ts'
import { isFile } from '../ir/schema-walk.ts'
import { alternativesOf } from './references.ts'

type Formats = Pick<Model, 'parsers' | 'schemas'>

const json = 'application/json'
const multipart = 'multipart/form-data'
const forms = ['application/x-www-form-urlencoded', multipart]

/** Every type in which the route can read its body; empty = it reads none. Files travel in multipart/form-data alone. */
export function readableTypes({ inputs }: Pick<Action, 'inputs'>, known: Formats): readonly string[] {
  const body = inputs.find(({ from }) => from === 'body')
  if (body !== undefined) {
    const asForm = hasFields(body.schema, known.schemas) ? forms : []
    return [json, ...asForm, 'text/plain', ...known.parsers]
  }
  const fields = inputs.filter(({ from }) => from === 'field')
  if (fields.length === 0) return []
  const needsFile = fields.some(({ required, schema }) => required && isFile(schema))
  return needsFile ? [multipart] : [json, ...forms, ...known.parsers]
}

/** The types that are documented: those that a tag names. Without one that is JSON and what the application
 *  reads beside it (`text/yaml` is the old name of `application/yaml`, RFC 9512), or multipart/form-data where there are files:
 *  forms and texts are taken too, but one way to send a body is enough. */
export function bodyTypes(action: Action, known: Formats): readonly string[] {
  if (readableTypes(action, known).length === 0) return []
  const named = action.features.find(({ bodyTypes }) => bodyTypes !== null)?.bodyTypes
  if (named !== undefined && named !== null) return named
  return hasFile(action) ? [multipart] : [json, ...known.parsers]
}

/** What the typed client sends, also where there is no body; null = it can write none of the route's types. */
export function sentType(action: Action, known: Formats): string | null {
  const types = bodyTypes(action, known)
  if (types.length === 0) return json
  const writable = hasFile(action) ? [multipart] : [json, ...forms]
  return writable.find((type) => types.includes(type)) ?? null
}

const hasFile = ({ inputs }: Action): boolean =>
  inputs.some(({ from, schema }) => from === 'field' && isFile(schema))

const withFields: ReadonlySet<Schema['kind']> = new Set(['object', 'record', 'unknown'])

/** Whether a form can be such a value. */
const hasFields = (schema: Schema, named: Model['schemas']): boolean =>
  alternativesOf(schema, named).some((alternative) =>
    alternative.kind === 'converted' ? hasFields(alternative.inner, named) : withFields.has(alternative.kind),
  )
