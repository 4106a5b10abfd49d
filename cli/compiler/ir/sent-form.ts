/** What is sent of an answer under a media type: JSON is written by its type, everything else is a text or bytes. */
import { distinct, textSchema } from './plain-schemas.ts'
import type { Schema } from './schema.ts'

/** Whether it is JSON. Source: RFC 6839, 3.1. */
export const saysJson = (contentType: string): boolean => /[/+]json\s*(;|$)/i.test(contentType)

/** The form of a value of `schema`; `contentType`: null = it is negotiated. */
export function sentForm(schema: Schema, contentType: string | null): Schema {
  if (contentType === null || /^application\/json\b/i.test(contentType)) return schema
  if (schema.kind === 'union') {
    const members = schema.members.map((member) => sentForm(member, contentType))
    return members.every((member, place) => member === schema.members[place]) ? schema : unionOf(members)
  }
  if (schema.kind === 'constrained') {
    const inner = sentForm(schema.inner, contentType)
    return inner === schema.inner ? schema : inner
  }
  if (isSentAsIs(schema)) return asItIs(schema, contentType)
  return isPlainText(contentType) && !streamed.has(schema.kind) ? textSchema() : schema
}

/** Texts and bytes, which are sent as they are; not what has no declared form. */
export function isSentAsIs(schema: Schema): boolean {
  if (schema.kind === 'constrained') return isSentAsIs(schema.inner)
  if (schema.kind === 'converted') return schema.to === 'Buffer'
  if (schema.kind === 'union') return schema.members.every(isSentAsIs)
  if (schema.kind === 'enum') return schema.values.every((value) => typeof value === 'string')
  if (schema.kind === 'literal') return typeof schema.value === 'string'
  return ['string', 'template', 'bytes', 'unknown'].includes(schema.kind)
}

/** A text of JSON may be any. */
function asItIs(schema: Schema, contentType: string): Schema {
  if (saysJson(contentType)) return { kind: 'unknown' }
  return schema.kind === 'bytes' || schema.kind === 'converted' ? { kind: 'binary', type: '*/*' } : schema
}

/** The text of YAML is that of its value. */
const isPlainText = (contentType: string): boolean => /^text\/(?!(x-)?yaml\b)/i.test(contentType)

const streamed: ReadonlySet<Schema['kind']> = new Set(['binary', 'events'])

/** Each of them once. */
export function unionOf(members: readonly Schema[]): Schema {
  const unique = distinct(members)
  const [only] = unique
  return only !== undefined && unique.length === 1
    ? only
    : { kind: 'union', members: unique, discriminator: null }
}
