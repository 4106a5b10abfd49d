/** What delegated credentials are answered: schemas without their secret properties. A named type that has one inside has a
 *  second form, beside it in the list. */
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { alternativesOf } from '../ir/schema-walk.ts'
import { hasMark } from './marks.ts'
import { schemaNamed } from './references.ts'

type Named = readonly NamedSchema[]

/** No type of an application is called so. */
const answeredName = (name: string): string => `${name}.answered`

/** Also the forms without secrets, each behind its type. */
const lists = new WeakMap<Named, Named>()

/** The named schemas, and the forms of those that have secrets without them. */
export function withAnswered(named: Named): Named {
  const known = lists.get(named)
  if (known !== undefined) return known
  const all = named.flatMap((item) => {
    const schema = withoutSecrets(item.schema, named)
    return schema === item.schema ? [item] : [item, { ...item, name: answeredName(item.name), schema }]
  })
  const list = all.length === named.length ? named : all
  lists.set(named, list)
  return list
}

/** The schema without its secrets; it is the same where it has none. */
export function withoutSecrets(schema: Schema, named: Named): Schema {
  if (!hasMark('isSecret', schema, named)) return schema
  const inner = (item: Schema): Schema => withoutSecrets(item, named)
  switch (schema.kind) {
    case 'object':
      return withoutProperties(schema, inner)
    case 'array':
    case 'events':
      return { ...schema, items: inner(schema.items) }
    case 'tuple':
      return {
        ...schema,
        items: schema.items.map(inner),
        rest: schema.rest === null ? null : inner(schema.rest),
      }
    case 'record':
      return { ...schema, values: inner(schema.values) }
    case 'union':
      return withoutInMembers(schema, named, inner)
    case 'constrained':
    case 'converted':
      return { ...schema, inner: inner(schema.inner) }
    case 'ref':
      return { kind: 'ref', name: answeredName(schema.name) }
    default:
      return schema // nothing stands inside
  }
}

type ObjectSchema = Extract<Schema, { kind: 'object' }>
type Inner = (schema: Schema) => Schema

function withoutProperties(schema: ObjectSchema, inner: Inner): Schema {
  const { properties, rest, named } = schema
  return {
    ...schema,
    properties: properties.flatMap((property) =>
      property.isSecret ? [] : [{ ...property, schema: inner(property.schema) }],
    ),
    rest: rest === null ? null : { ...rest, values: inner(rest.values) },
    named: named.map((index) => ({ ...index, values: inner(index.values) })),
  }
}

/** A property that tells the members apart may be left out: then any of them fits. */
function withoutInMembers(schema: Extract<Schema, { kind: 'union' }>, named: Named, inner: Inner): Schema {
  const { discriminator, members } = schema
  const all = alternativesOf(schema, (name) => schemaNamed(name, named))
  const isLeft = all.every(
    (member) =>
      member.kind === 'object' &&
      member.properties.some(({ name, isSecret }) => name === discriminator && !isSecret),
  )
  const kept = discriminator === null ? withoutContested(all, named) : null
  return { ...schema, members: (kept ?? members).map(inner), discriminator: isLeft ? discriminator : null }
}

/** Where no tag tells the members apart, what one keeps secret is left out of the others too: of a name that several have, one of
 *  them with a secret, nothing is promised. Null = there is none. */
function withoutContested(members: readonly Schema[], named: Named): readonly Schema[] | null {
  const isMarked = (schema: Schema): boolean => hasMark('isSecret', schema, named)
  const all = members.flatMap((member) => (member.kind === 'object' ? member.properties : []))
  const secret = new Set(
    all.filter(({ isSecret, schema }) => isSecret || isMarked(schema)).map(({ name }) => name),
  )
  const several = [...secret].filter((name) => all.filter((property) => property.name === name).length > 1)
  const contested = new Set(several)
  const isVague = ({ kind }: Schema): boolean => {
    const kinds = kindsBeside.find((list) => list.includes(kind)) ?? []
    const beside = members.filter((member) => kinds.includes(member.kind))
    return kind !== 'object' && beside.length > 1 && beside.some(isMarked)
  }
  if (contested.size === 0 && !members.some(isVague)) return null
  return members.map((member) => {
    if (isVague(member)) return { kind: 'unknown' }
    if (member.kind !== 'object') return member
    return { ...member, properties: member.properties.filter(({ name }) => !contested.has(name)) }
  })
}

/** What stands for one value. */
const kindsBeside: readonly (readonly Schema['kind'][])[] = [
  ['object', 'record'],
  ['array', 'tuple'],
]
