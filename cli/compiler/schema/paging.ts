/** How the answers of a tool go on: as its author says (`@mcp paging`), or from `nextCursor` of the answer to the argument `cursor`.
 *  What is not declared counts for nothing: it may be data that a user stored. */
import type { ToolPaging } from '../../../runtime/contract/mcp.ts'
import type { Tool } from '../ir/model.ts'
import type { NamedSchema, Property, Schema } from '../ir/schema.ts'
import { withAnswered } from './answered.ts'
import { alternativesOf } from './references.ts'

type Named = readonly NamedSchema[]

/** What a cursor takes, unless the tag says otherwise. */
export const nextCursor = 'nextCursor'

/** Null where nothing pages. */
export function pagingOf({ paging: said, arguments: args, output }: Tool, named: Named): ToolPaging | null {
  if (said?.isNone === true) return null
  const answers = output === null ? [] : nonNullAlternatives(output, named)
  const isExact = args.some(({ argument }) => argument === 'cursor') && propertiesOf(answers).has(nextCursor)
  if (said === null && !isExact) return null
  const { offset, page, cursor, limit, next = nextCursor } = said?.names ?? { cursor: 'cursor' }
  const items = listIn(answers, named)
  const paging = { offset, page, cursor, limit, next: cursor && next, items }
  return Object.fromEntries(Object.entries(paging).filter(([, value]) => value !== undefined))
}

/** What the property at `path` may be, names with dots between; empty = there is none. One of unknown type may be anything. */
export const schemasAt = (schema: Schema, path: readonly string[], named: Named): readonly Schema[] =>
  path.reduce<readonly Schema[]>(
    (found, name) =>
      found.flatMap((outer) => nonNullAlternatives(outer, named)).flatMap((value) => propertyOf(value, name)),
    [schema],
  )

function propertyOf(schema: Schema, name: string): readonly Schema[] {
  if (schema.kind === 'unknown') return [schema]
  if (schema.kind === 'record') return [schema.values]
  if (schema.kind !== 'object') return []
  const found = schema.properties.find((property) => property.name === name)?.schema ?? schema.rest?.values
  return found === undefined ? [] : [found]
}

/** All that a value may be that is no null. */
export const nonNullAlternatives = (schema: Schema, named: Named): readonly Schema[] =>
  alternativesOf(schema, withAnswered(named)).filter(({ kind }) => kind !== 'null')

/** The properties that each of them has. */
function propertiesOf(schemas: readonly Schema[]): ReadonlyMap<string, Property> {
  const [first = new Map<string, Property>(), ...others] = schemas.map(
    (schema) =>
      new Map(schema.kind === 'object' ? schema.properties.map((property) => [property.name, property]) : []),
  )
  return new Map([...first].filter(([name]) => others.every((other) => other.has(name))))
}

/** The list that the answer is (an empty name), or the only one among its properties. */
function listIn(answers: readonly Schema[], named: Named): string | undefined {
  if (isList(answers)) return ''
  const [list, second] = [...propertiesOf(answers).values()].filter(({ schema }) =>
    isList(nonNullAlternatives(schema, named)),
  )
  return second === undefined ? list?.name : undefined
}

const isList = (values: readonly Schema[]): boolean =>
  values.length > 0 && values.every(({ kind }) => kind === 'array')
