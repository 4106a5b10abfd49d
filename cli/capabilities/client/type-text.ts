/** A schema as TypeScript writes it, of the value that an application works with. */
import type { NamedRest, Rest, Schema } from '../../compiler/ir/schema.ts'
import { type Of, type Visitor, visit, withoutNull } from '../../compiler/ir/schema-walk.ts'
import { literalText, propertyName } from '../../compiler/schema/javascript.ts'
import { docText } from './doc-text.ts'

/** The names that the named schemas have in the file. */
export interface TypeNames {
  nameOf(schema: string): string
  isTaken(name: string): boolean
}

/** The text of a type, one line but for the properties of objects that have a doc comment. */
export const typeText = (schema: Schema, names: TypeNames): string => visit(schema, texts, names)

const texts: Visitor<string, TypeNames> = {
  string: () => 'string',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  unknown: () => 'unknown',
  never: () => 'never',
  integer: () => 'number',
  date: () => 'Date',
  bigint: ({ values }) => (values === null ? 'bigint' : values.map((value) => `${value}n`).join(' | ')),
  bytes: () => 'Uint8Array',
  literal: ({ value }) => literalText(value),
  enum: ({ values }) => (values.length === 0 ? 'never' : values.map(literalText).join(' | ')),
  array: ({ items, unique }, names) =>
    unique ? `Set<${typeText(items, names)}>` : listText(typeText(items, names)),
  tuple: tupleText,
  object: objectText,
  union: ({ members }, names) => unionText(members.map((member) => typeText(member, names))),
  ref: ({ name }, names) => names.nameOf(name),
  record: ({ values }, names) => `{ [name: string]: ${typeText(values, names)} }`, // `Record` may not hold itself
  file: () => 'Blob',
  binary: () => 'AsyncIterable<Uint8Array>',
  events: ({ items }, names) => `AsyncIterable<ServerSentEvent<${typeText(items, names)}>>`,
  template: ({ text }) => text,
  converted: convertedText,
  constrained: ({ inner }, names) => typeText(inner, names),
}

const listText = (items: string): string => (/^[\w.]+(\[\])*$/.test(items) ? `${items}[]` : `Array<${items}>`)

/** Each member once; `unknown` is all of them. */
export function unionText(members: readonly string[]): string {
  const unique = [...new Set(members)]
  if (unique.includes('unknown')) return 'unknown'
  return unique.length === 0 ? 'never' : unique.join(' | ')
}

function convertedText({ to, inner }: Of<'converted'>, names: TypeNames): string {
  switch (to) {
    case 'Map':
      return inner.kind === 'record'
        ? `Map<string, ${typeText(inner.values, names)}>`
        : 'Map<string, unknown>'
    case 'URL':
      return 'URL'
    case 'Buffer':
      return 'Uint8Array'
    case 'undefined':
      return unionText([typeText(withoutNull(inner), names), 'undefined'])
  }
}

function tupleText({ items, required, rest }: Of<'tuple'>, names: TypeNames): string {
  const inner = (item: Schema): string => typeText(item, names)
  const places = items.map((item, place) => (place < required ? inner(item) : optionalText(inner(item))))
  return `[${[...places, ...(rest === null ? [] : [`...${listText(inner(rest))}`])].join(', ')}]`
}

const optionalText = (item: string): string => (item.includes(' | ') ? `(${item})?` : `${item}?`)

function objectText({ properties, rest, named }: Of<'object'>, names: TypeNames): string {
  const fields = properties.map(({ name, schema, required, orUndefined, doc }) => {
    const text = typeText(schema, names)
    const more = orUndefined ? ' | undefined' : ''
    return `${docText(doc, '')}${propertyName(name)}${required ? '' : '?'}: ${text}${more}`
  })
  const all = [...fields, ...indexTexts(properties, rest, { named, names })]
  return all.length === 0
    ? '{ [name: string]: unknown }'
    : `{\n${all.map((text) => `${indent(text)}\n`).join('')}}`
}

interface Others {
  readonly named: readonly NamedRest[]
  readonly names: TypeNames
}

/** TypeScript holds an index signature of any text against every property, and against other signatures: where one does not fit,
 *  nothing is said of the others. */
function indexTexts(
  properties: Of<'object'>['properties'],
  rest: Rest | null,
  { named, names }: Others,
): readonly string[] {
  const textOf = ({ values, orUndefined }: Rest): string =>
    unionText([typeText(values, names), ...(orUndefined ? ['undefined'] : [])])
  const own = named.map((index) => `[name: ${index.key}]: ${textOf(index)}`)
  if (rest === null) return own
  const known = new Set(textOf(rest).split(' | '))
  const others = [
    ...properties.map(({ schema, required, orUndefined }) =>
      textOf({ values: schema, orUndefined: orUndefined || !required }),
    ),
    ...named.map(textOf),
  ]
  return others.every((text) => text.split(' | ').every((part) => known.has(part)))
    ? [...own, `[name: string]: ${textOf(rest)}`]
    : ['[name: string]: unknown']
}

/** Two spaces before each line. */
export const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ')
