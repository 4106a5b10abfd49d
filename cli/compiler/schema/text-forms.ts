/** What texts can say of a type, outside of a JSON body: in a path, a query, a header, a cookie, a field of a form. Documents have no
 *  value there that a text does not come to be. Source: templates/docs/types.md, the column "as a text". */
import { textSchema } from '../ir/plain-schemas.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { textOfKinds } from '../ir/schema-kinds.ts'
import { bare, type Of, type PartialVisitor, visitSome } from '../ir/schema-walk.ts'
import { alternativesOf, schemaNamed } from './references.ts'

type Named = readonly NamedSchema[]

export interface TextForm {
  /** The type without what no text comes to be; null stays, for it is sent by leaving the parameter out. */
  readonly schema: Schema
  /** `either`: of `members` those that are `isJson` are JSON in a text, the others are texts. */
  readonly how: 'text' | 'json' | 'either'
  readonly members: readonly TextMember[]
}

export interface TextMember {
  readonly schema: Schema
  readonly isJson: boolean
}

/** The form in which a value of `schema` is a text; `isRepeatable`: a list may be several texts, where something else may stand too. */
export function textFormOf(schema: Schema, named: Named, isRepeatable: boolean): TextForm {
  const narrower = narrow(schema, named)
  const all = unionMembers(bare(narrower)).filter(({ kind }) => kind !== 'null')
  const lists = all.filter((member) => isAll(classesOf(member, named), ['list']))
  const members = all.map((member) => ({
    schema: member,
    isJson: lists.includes(member)
      ? lists.length > 1 || !isTextList(member, named) || (!isRepeatable && all.length > 1)
      : isAll(classesOf(member, named), ['json', 'list']),
  }))
  const isJson = members.map((member) => member.isJson)
  const how = !isJson.includes(true) ? 'text' : isJson.every(Boolean) ? 'json' : 'either'
  return { schema: narrower, how, members }
}

/** Two members of a union, in words, of which one text may be either, though their JSON differs; null = there are none. */
export function confusedMembers(schema: Schema, named: Named): readonly [string, string] | null {
  const members = unionMembers(bare(narrow(schema, named)))
  const counts = members.filter((member) => isAll(classesOf(member, named), ['number', 'boolean']))
  for (const text of members) {
    const samples = classesOf(text, named).has('text') ? samplesOf(text, named) : []
    const count = counts.find((other) => samples.some((sample) => isTaken(sample, classesOf(other, named))))
    if (count !== undefined) return [wordsOf(count, named), wordsOf(text, named)]
  }
  return null
}

const words: ReadonlyMap<Schema['kind'], string> = new Map<Schema['kind'], string>([
  ['boolean', 'a boolean'],
  ['bigint', 'a bigint'],
  ['bytes', 'base64'],
  ['converted', 'base64'],
  ['template', 'a text of its pattern'],
])

const wordsOf = (schema: Schema, named: Named): string =>
  words.get(alternativesOf(schema, named)[0]?.kind ?? 'number') ?? 'a number'

/** Whether it is a list and each item has a text of its own, so that a repeated text says the same as JSON. */
export function isTextList(schema: Schema, named: Named): boolean {
  const kinds = alternativesOf(schema, named).filter(({ kind }) => kind !== 'null')
  return kinds.length > 0 && kinds.every((kind) => kind.kind === 'array' && isText(kind.items, named))
}

function isText(schema: Schema, named: Named): boolean {
  const kinds = alternativesOf(schema, named)
  const [only] = kinds
  if (only !== undefined && kinds.length === 1 && textOfKinds[only.kind] === 'exactly') return true
  const values: readonly unknown[] = kinds.flatMap((kind): readonly unknown[] =>
    kind.kind === 'enum' ? kind.values : [kind.kind === 'literal' ? kind.value : undefined],
  )
  return !values.includes(undefined) && new Set(values.map(String)).size === new Set(values).size
}

/** `any`: it takes every text; `json`: an object; `list`: with it what has fixed places. */
type TextClass = 'any' | 'text' | 'number' | 'boolean' | 'json' | 'list'

const checkedFormats = new Set(['uuid', 'email', 'uri', 'date-time'])

const classes: PartialVisitor<readonly TextClass[]> = {
  string: ({ pattern, format }) =>
    pattern === null && !checkedFormats.has(format ?? '') ? ['any'] : ['text'],
  unknown: () => ['any'],
  number: () => ['number'],
  integer: () => ['number'],
  boolean: () => ['boolean'],
  literal: ({ value }) => [classOfValue(value)],
  enum: ({ values }) => values.map(classOfValue),
  object: () => ['json'],
  record: () => ['json'],
  tuple: () => ['json'],
  array: () => ['list'],
  converted: ({ to }) => [to === 'Map' ? 'json' : 'text'],
  null: () => [],
}

const classOfValue = (value: string | number | boolean): TextClass =>
  typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean'

const classesOf = (schema: Schema, named: Named): ReadonlySet<TextClass> =>
  new Set(alternativesOf(schema, named).flatMap((item) => visitSome(item, classes, null) ?? ['text']))

const isAll = (classes: ReadonlySet<TextClass>, some: readonly TextClass[]): boolean =>
  classes.size > 0 && [...classes].every((kind) => some.includes(kind))

const unionMembers = (schema: Schema): readonly Schema[] =>
  schema.kind === 'union' && schema.discriminator === null ? schema.members.flatMap(unionMembers) : [schema]

/** The same schema where texts come to be all of it. */
const narrow = (schema: Schema, named: Named): Schema => visitSome(schema, narrowed, named) ?? schema

const narrowed: PartialVisitor<Schema, Named> = {
  unknown: () => textSchema(),
  enum: (schema) => withValues(schema, schema.values, new Set()),
  constrained: (schema, named) => {
    const inner = narrow(schema.inner, named)
    return inner === schema.inner ? schema : { ...schema, inner }
  },
  ref: (schema, named) => {
    const target = schemaNamed(schema.name, named)?.schema
    if (target === undefined || !/^(union|enum|unknown|constrained)$/.test(target.kind)) return schema
    const inner = narrow(target, named)
    return inner === target ? schema : inner
  },
  union: narrowUnion,
}

/** In the order in which decoders try them: what takes every text leaves none to those behind it but lists, which are JSON. */
function narrowUnion(schema: Of<'union'>, named: Named): Schema {
  if (schema.discriminator !== null) return schema
  const before = new Set<TextClass>()
  const members = unionMembers(schema).flatMap((member) => {
    const classes = classesOf(member, named)
    const isList =
      isAll(classes, ['list']) || alternativesOf(member, named).every(({ kind }) => kind === 'tuple')
    if (before.has('any') && !isList && member.kind !== 'null') return []
    const kept = member.kind === 'enum' ? withValues(member, member.values, before) : member
    if (member.kind === 'literal' && isTaken(String(member.value), before)) return []
    if (member.kind === 'null') return [member]
    for (const kind of classes) before.add(kind)
    return kept.kind === 'enum' && kept.values.length === 0 ? [] : [kept]
  })
  const [only] = members
  if (
    members.length > 1 &&
    members.length === schema.members.length &&
    members.every((member) => schema.members.includes(member))
  )
    return schema
  return only !== undefined && members.length === 1 ? only : { ...schema, members }
}

/** Of values with one text the last is read. */
function withValues(
  schema: Of<'enum'>,
  values: readonly (string | number)[],
  before: ReadonlySet<TextClass>,
): Schema {
  const byText = new Map(values.map((value) => [String(value), value]))
  const kept = values.filter(
    (value) => byText.get(String(value)) === value && !isTaken(String(value), before),
  )
  return kept.length === values.length ? schema : { ...schema, values: kept }
}

const numberText = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Whether what was tried before reads the text. */
const isTaken = (text: string, before: ReadonlySet<TextClass>): boolean =>
  (before.has('number') && numberText.test(text)) ||
  (before.has('boolean') && /^(true|false|0|1)$/.test(text))

const plainTexts = ['0', '1', '-1', '10', '1.5', '1e3', 'true', 'false']

/** Texts of numbers and booleans that are also values of a text. */
function samplesOf(schema: Schema, named: Named): readonly string[] {
  return alternativesOf(schema, named).flatMap((kind) => {
    if (kind.kind === 'bigint') return kind.values ?? ['0', '1', '-1', '10']
    if (kind.kind === 'bytes' || kind.kind === 'converted')
      return kind.kind === 'bytes' || kind.to === 'Buffer' ? ['0', '1', '10', 'true'] : []
    if (kind.kind !== 'template') return []
    const pattern = new RegExp(kind.pattern, 'u')
    return plainTexts.filter((text) => pattern.test(text))
  })
}
