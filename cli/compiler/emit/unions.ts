/** What is asked about unions by those who print decoders and encoders. */
import type { Schema } from '../model.ts'
import { type Fragment, literalText } from './fragment.ts'

export type Union = Extract<Schema, { kind: 'union' }>

/** The members but null. */
export const membersOf = ({ members }: Union): readonly Schema[] =>
  members.filter(({ kind }) => kind !== 'null')

export const isNullable = ({ members }: Union): boolean => members.some(({ kind }) => kind === 'null')

/** The members' tags, by which a value has one member at most. */
export function tagsOf(fragment: Fragment, { discriminator, members }: Union): readonly string[] | null {
  if (discriminator === null || discriminator in Object.prototype) return null
  const tags = members.map((member) => {
    const object = fragment.resolved(member)
    const properties = object.kind === 'object' ? object.properties : []
    const property = properties.find(({ name, required }) => name === discriminator && required)
    const value = property === undefined ? null : fragment.resolved(property.schema)
    return value?.kind === 'literal' ? literalText(value.value) : null
  })
  const known = tags.flatMap((tag) => tag ?? [])
  return known.length === tags.length && new Set(known).size === tags.length ? known : null
}
