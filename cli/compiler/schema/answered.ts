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
  const isLeft = alternativesOf(schema, (name) => schemaNamed(name, named)).every(
    (member) =>
      member.kind === 'object' &&
      member.properties.some(({ name, isSecret }) => name === discriminator && !isSecret),
  )
  return { ...schema, members: members.map(inner), discriminator: isLeft ? discriminator : null }
}
