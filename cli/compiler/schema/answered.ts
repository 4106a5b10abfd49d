/** What is answered: schemas without their secret properties for delegated credentials, without those that are taken alone for
 *  all callers. A named type that has one inside has a second form, beside it in the list. */
import { memoize } from '../cache/memoize.ts'
import type { NamedSchema, Property, Schema } from '../ir/schema.ts'
import { mapInside, type Of } from '../ir/schema-walk.ts'
import { hasMark } from './marks.ts'
import { alternativesOf } from './references.ts'

type Named = readonly NamedSchema[]

/** No type of an application is called so. */
const answeredName = (name: string): string => `${name}.answered`

/** The named schemas, and the forms of those that have secrets without them, each behind its type. */
export const withAnswered: (named: Named) => Named = memoize((named) => {
  const all = named.flatMap((item) => {
    const schema = withoutSecrets(item.schema, named)
    return schema === item.schema ? [item] : [item, { ...item, name: answeredName(item.name), schema }]
  })
  return all.length === named.length ? named : all
})

/** The schema without its secrets; it is the same where it has none. */
export const withoutSecrets = (schema: Schema, named: Named): Schema =>
  answerForm(schema, {
    named,
    leavesOut: 'isSecret',
    isConcerned: (item) => hasMark('isSecret', item, named),
    nameOf: answeredName,
  })

/** Which properties an answer leaves out, and what its types are called. */
export interface AnswerForm {
  readonly named: Named
  readonly leavesOut: 'isSecret' | 'isWriteOnly'
  /** Whether something is left out inside; another schema stays the same. */
  readonly isConcerned: (schema: Schema) => boolean
  readonly nameOf: (name: string) => string
}

/** The schema without what is left out. */
export function answerForm(schema: Schema, form: AnswerForm): Schema {
  if (!form.isConcerned(schema)) return schema
  const inner = (item: Schema): Schema => answerForm(item, form)
  if (schema.kind === 'object') return mapInside(withoutProperties(schema, form), inner)
  if (schema.kind === 'union') return mapInside(withoutInMembers(schema, form), inner)
  return schema.kind === 'ref' ? { kind: 'ref', name: form.nameOf(schema.name) } : mapInside(schema, inner)
}

/** What is in no answer stays known by its name: a value has it all the same. */
function withoutProperties(schema: Of<'object'>, { leavesOut }: AnswerForm): Schema {
  const taken = schema.properties.flatMap(({ name, isWriteOnly }) => (isWriteOnly ? [name] : []))
  return {
    ...schema,
    properties: schema.properties.filter((property) => !property[leavesOut]),
    withheld: leavesOut === 'isWriteOnly' ? [...schema.withheld, ...taken] : schema.withheld,
  }
}

/** A property that tells the members apart may be left out: then any of them fits. */
function withoutInMembers(schema: Of<'union'>, form: AnswerForm): Schema {
  const { discriminator, members } = schema
  const all = alternativesOf(schema, form.named)
  const isLeft = all.every(
    (member) =>
      member.kind === 'object' &&
      member.properties.some((property) => property.name === discriminator && !property[form.leavesOut]),
  )
  const kept = discriminator === null ? withoutDoubt(schema, all, form) : null
  return { ...schema, members: kept ?? members, discriminator: isLeft ? discriminator : null }
}

function withoutDoubt(
  { members }: Of<'union'>,
  all: readonly Schema[],
  form: AnswerForm,
): readonly Schema[] | null {
  return form.leavesOut === 'isSecret'
    ? withoutContested(all, form)
    : members.map((member) => unpromised(member, all, form))
}

/** Where no tag tells the members apart, a name that one withholds may be missing in the others. */
function unpromised(member: Schema, all: readonly Schema[], { named }: AnswerForm): Schema {
  const hidden = new Set(all.flatMap((other) => (other.kind === 'object' ? hiddenIn(other) : [])))
  const [object, second] = alternativesOf(member, named)
  if (object?.kind !== 'object' || second !== undefined) return member
  const isPromised = ({ name, required }: Property): boolean => required && hidden.has(name)
  if (!object.properties.some(isPromised)) return member
  const properties = object.properties.map((item) => (isPromised(item) ? { ...item, required: false } : item))
  return { ...object, properties }
}

const hiddenIn = ({ properties, withheld }: Of<'object'>): readonly string[] => [
  ...withheld,
  ...properties.flatMap(({ name, isWriteOnly }) => (isWriteOnly ? [name] : [])),
]

/** Where no tag tells the members apart, what one keeps secret is left out of the others too: of a name that several have, one of
 *  them with a secret, nothing is promised. Null = there is none. */
function withoutContested(members: readonly Schema[], form: AnswerForm): readonly Schema[] | null {
  const isMarked = form.isConcerned
  const all = members.flatMap((member) => (member.kind === 'object' ? member.properties : []))
  const isHidden = (property: Property): boolean => property[form.leavesOut] || isMarked(property.schema)
  const count = new Map<string, number>()
  for (const { name } of all) count.set(name, (count.get(name) ?? 0) + 1)
  const hidden = all.filter(isHidden).filter(({ name }) => (count.get(name) ?? 0) > 1)
  const contested = new Set(hidden.map(({ name }) => name))
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

/** Kinds that one JSON value can match together. */
const kindsBeside: readonly (readonly Schema['kind'][])[] = [
  ['object', 'record'],
  ['array', 'tuple'],
]
