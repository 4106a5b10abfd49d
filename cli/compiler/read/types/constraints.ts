/** Constraint tags of a property, or of the types that a parameter or property is written with: `@minimum`, `@pattern`,
 *  `@example` … → keywords around the schema. Values are judged here; what does not apply is reported. */

import { choiceUnfit } from '../../diagnostics/question-diagnostics.ts'
import { badConstraint, constraintUnfit } from '../../diagnostics/source-diagnostics.ts'
import { nestedQuantifiers } from '../../diagnostics/tag-diagnostics.ts'
import type { At, Schema } from '../../ir/schema.ts'
import { bare, type PartialVisitor, visitSome } from '../../ir/schema-walk.ts'
import { docTagsOf } from '../jsdoc/property-docs.ts'
import { placeOf, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { hasNestedQuantifiers } from './nested-quantifiers.ts'

type Kind = 'number' | 'text' | 'list' | 'any'
type Parse = (text: string) => unknown

const unreadable: unique symbol = Symbol('unreadable')
const number: Parse = (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : unreadable)
const positive: Parse = (text) => (Number(text) > 0 ? number(text) : unreadable)
const count: Parse = (text) => (/^\d+$/.test(text) ? Number(text) : unreadable)
const flag: Parse = (text) => (text === '' || text === 'true' ? true : text === 'false' ? false : unreadable)
const plain: Parse = (text) => (text === '' ? unreadable : text)

const keywords = new Map<string, readonly [Kind, Parse]>([
  ['minimum', ['number', number]],
  ['maximum', ['number', number]],
  ['exclusiveMinimum', ['number', number]],
  ['exclusiveMaximum', ['number', number]],
  ['multipleOf', ['number', positive]],
  ['minLength', ['text', count]],
  ['maxLength', ['text', count]],
  ['pattern', ['text', pattern]],
  ['format', ['text', plain]],
  ['minItems', ['list', count]],
  ['maxItems', ['list', count]],
  ['uniqueItems', ['list', flag]],
  ['choice', ['any', plain]],
  ['title', ['any', plain]],
  ['default', ['any', plain]],
  ['example', ['any', plain]],
])

/** A regular expression, with or without slashes around it. */
function pattern(text: string): unknown {
  const inner = /^\/(.*)\/$/.exec(text)?.[1] ?? text
  try {
    new RegExp(inner, 'u')
    return inner === '' ? unreadable : inner
  } catch {
    return unreadable
  }
}

/** What a package writes of itself is for its readers: `@default`, `@example` and their like mean there what they like. */
const isOfPackage = (node: ts.Node): boolean => node.getSourceFile().fileName.includes('/node_modules/')

/** The tags in `nodes`, in order: a later one of a name wins. */
export function constraintTags(nodes: readonly ts.Node[]): readonly ts.JSDocTag[] {
  return nodes
    .filter((node) => !isOfPackage(node))
    .flatMap((node) => docTagsOf(node).filter(({ tagName }) => keywords.has(tagName.text)))
}

/** Those of `tags` that are rules for such a value: of what a property overrides no example and no default goes along. */
export const rulesFor = (schema: Schema, tags: readonly ts.JSDocTag[]): readonly ts.JSDocTag[] =>
  tags.filter(({ tagName }) => {
    const [kind] = keywords.get(tagName.text) ?? ['any']
    return kind !== 'any' && kindsOf(schema).includes(kind)
  })

/** `schema` with the keywords of `tags`. */
export function constrain(source: Source, schema: Schema, tags: readonly ts.JSDocTag[]): Schema {
  const [first] = tags
  if (first === undefined) return schema
  let found: Keywords = {}
  for (const tag of tags) found = joined(found, keywordOf(source, schema, tag))
  found = withoutDoubles(withEveryChoice(found, schema), schema)
  warnOfPattern(source, found, schema, tags)
  if (Object.keys(found).length === 0) return schema
  return withKeywords(schema, found, placeOf(source, first.getSourceFile(), first.getStart()))
}

/** A text without a bound, and a pattern that some texts keep busy. */
function warnOfPattern(source: Source, found: Keywords, schema: Schema, tags: readonly ts.JSDocTag[]): void {
  const { pattern: written, maxLength } = {
    ...(schema.kind === 'constrained' ? schema.keywords : {}),
    ...found,
  }
  const tag = tags.findLast(({ tagName }) => tagName.text === 'pattern')
  if (tag === undefined || typeof written !== 'string' || maxLength !== undefined) return
  if (!hasNestedQuantifiers(written)) return
  source.report(
    nestedQuantifiers(placeOf(source, tag.getSourceFile(), tag.getStart()), `@pattern ${written}`),
  )
}

/** `schema` with the example that a parameter's text ends with. */
export function withExample(schema: Schema, text: string, at: At): Schema {
  return withKeywords(schema, { examples: [literalOf(schema, text)] }, at)
}

/** The examples of a schema's own keywords. */
export function examplesIn(schema: Schema): readonly unknown[] {
  const found = schema.kind === 'constrained' ? schema.keywords.examples : []
  return Array.isArray(found) ? found : []
}

type Keywords = Readonly<Record<string, unknown>>

/** Several examples are a list, and so are choices; of anything else the later one wins. */
function joined(found: Keywords, more: Keywords): Keywords {
  const examples = [found.examples ?? [], more.examples ?? []].flat()
  const oneOf = [found.oneOf ?? [], more.oneOf ?? []].flat()
  return {
    ...found,
    ...more,
    ...(examples.length === 0 ? {} : { examples }),
    ...(oneOf.length === 0 ? {} : { oneOf }),
  }
}

/** The texts among which a value is chosen; none where it is not. */
function choicesOf(schema: Schema): readonly string[] {
  if (schema.kind === 'constrained') return choicesOf(schema.inner)
  const values = schema.kind === 'enum' ? schema.values : schema.kind === 'literal' ? [schema.value] : []
  return values.filter((value) => typeof value === 'string')
}

/** `@choice damaged It arrived broken`: the title of one value. Source: JSON Schema 2020-12; MCP 2025-11-25, Elicitation, titled enums. */
function choiceOf(source: Source, schema: Schema, text: string, at: At): Keywords {
  const [, value = '', title = ''] = /^(\S+)\s+(.+)$/s.exec(text) ?? []
  const choices = choicesOf(schema)
  if (choices.includes(value)) return { oneOf: [{ const: value, title: title.trim() }] }
  if (choices.length === 0) source.report(constraintUnfit(at, 'choice'))
  else if (title === '') source.report(badConstraint(at, 'choice', text))
  else source.report(choiceUnfit(at, value, choices.join(', ')))
  return {}
}

/** A set drops what is there twice, so that only a list without doubles has as many items as it says. */
function withoutDoubles(found: Keywords, schema: Schema): Keywords {
  const inner = bare(schema)
  const isSet = inner.kind === 'array' && inner.unique
  return isSet && 'minItems' in found ? { ...found, uniqueItems: true } : found
}

/** A value without a title is its own: `oneOf` would refuse it. */
function withEveryChoice({ oneOf, ...found }: Keywords, schema: Schema): Keywords {
  if (!Array.isArray(oneOf)) return found
  const titles = new Map(oneOf.map((item: { const: string; title: string }) => [item.const, item.title]))
  return {
    ...found,
    oneOf: choicesOf(schema).map((value) => ({ const: value, title: titles.get(value) ?? value })),
  }
}

function keywordOf(source: Source, schema: Schema, tag: ts.JSDocTag): Keywords {
  const name = tag.tagName.text
  const [kind, parse] = keywords.get(name) ?? (['any', plain] as const)
  const text = (ts.getTextOfJSDocComment(tag.comment) ?? '').trim()
  const at = (): At => placeOf(source, tag.getSourceFile(), tag.getStart())
  if (name === 'example' && text.startsWith('```')) return {} // a code sample for readers of the source
  const value = parse(text)
  if (value === unreadable) {
    source.report(badConstraint(at(), name, text))
    return {}
  }
  if (kind !== 'any' && !kindsOf(schema).includes(kind)) {
    source.report(constraintUnfit(at(), name))
    return {}
  }
  if (name === 'choice') return choiceOf(source, schema, text, at())
  if (name === 'example') return { examples: [literalOf(schema, text)] }
  return { [name]: name === 'default' ? literalOf(schema, text) : value }
}

/** JSON where the type has such values, else a text where texts are wanted. */
function literalOf(schema: Schema, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'string' || kindsOfJson(schema).includes(kindOf(value))) return value
    return isTextual(schema) ? text : value
  } catch {
    return text
  }
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** The kinds of JSON among its values; of what has a name they are not needed. */
const kindsOfJson = (schema: Schema): readonly string[] => visitSome(schema, jsonKinds, null) ?? [schema.kind]

const jsonKinds: PartialVisitor<readonly string[]> = {
  constrained: ({ inner }) => kindsOfJson(inner),
  union: ({ members }) => members.flatMap(kindsOfJson),
  enum: ({ values }) => values.map(kindOf),
  literal: ({ value }) => [typeof value],
  integer: () => ['number'],
}

/** Whether the JSON form is a text. */
function isTextual(schema: Schema): boolean {
  if (schema.kind === 'constrained') return isTextual(schema.inner)
  if (schema.kind === 'union') return schema.members.some(isTextual)
  if (schema.kind === 'enum') return schema.values.every((value) => typeof value === 'string')
  if (schema.kind === 'converted') return isTextual(schema.inner)
  return ['string', 'date', 'bigint', 'bytes', 'template'].includes(schema.kind)
}

/** The kinds of JSON value that a schema's rules may speak about. */
const kindsOf = (schema: Schema): readonly Kind[] => visitSome(schema, ruled, null) ?? []

const ruled: PartialVisitor<readonly Kind[]> = {
  integer: () => ['number'],
  number: () => ['number'],
  string: () => ['text'],
  array: () => ['list'],
  tuple: () => ['list'],
  constrained: ({ inner }) => kindsOf(inner),
  union: ({ members }) => members.flatMap(kindsOf),
}

/** A format is part of the text's own schema: decoders know some. */
function withKeywords(schema: Schema, found: Keywords, at: At): Schema {
  const { format, ...rest } = found
  if (schema.kind === 'constrained') {
    return { ...schema, keywords: joined(schema.keywords, found) }
  }
  if (schema.kind !== 'string' || typeof format !== 'string') {
    return { kind: 'constrained', inner: schema, keywords: found, at }
  }
  const inner: Schema = { ...schema, format }
  return Object.keys(rest).length === 0 ? inner : { kind: 'constrained', inner, keywords: rest, at }
}
