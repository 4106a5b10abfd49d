/** What is asked about unions by those who print decoders. */
import type { Schema } from '../../ir/schema.ts'
import { literalText } from '../javascript.ts'
import type { Fragment } from './module-section.ts'

export type Union = Extract<Schema, { kind: 'union' }>

/** The members but null. */
export const membersOf = ({ members }: Union): readonly Schema[] =>
  members.filter(({ kind }) => kind !== 'null')

export const isNullable = ({ members }: Union): boolean => members.some(({ kind }) => kind === 'null')

/** The members' tags, as code, by which a value has one member at most. */
export const tagsOf = (fragment: Fragment, union: Union): readonly string[] | null =>
  tagValuesOf(fragment, union)?.map(literalText) ?? null

/** The values of the property that tells the members apart; null = there is none. */
export function tagValuesOf(
  fragment: Fragment,
  { discriminator, members }: Union,
): readonly (string | number | boolean)[] | null {
  if (discriminator === null || discriminator in Object.prototype) return null
  const tags = members.map((member) => {
    const object = fragment.resolved(member)
    const properties = object.kind === 'object' ? object.properties : []
    const property = properties.find(({ name, required }) => name === discriminator && required)
    const value = property === undefined ? null : fragment.resolved(property.schema)
    return value?.kind === 'literal' ? value.value : null
  })
  const known = tags.flatMap((tag) => tag ?? [])
  return known.length === tags.length && new Set(known).size === tags.length ? known : null
}
