/** What is asked about unions by those who print decoders. */
import type { Schema } from '../../ir/schema.ts'
import { literalText } from '../javascript.ts'
import type { ModuleSection } from './module-section.ts'

export type Union = Extract<Schema, { kind: 'union' }>

/** The members but null. */
export const membersOf = ({ members }: Union): readonly Schema[] =>
  members.filter(({ kind }) => kind !== 'null')

export const isNullable = ({ members }: Union): boolean => members.some(({ kind }) => kind === 'null')

/** The members' tags, as code, by which a value has one member at most. */
export const tagsOf = (section: ModuleSection, union: Union): readonly string[] | null =>
  tagValuesOf(section, union)?.map(literalText) ?? null

/** The values of the property that tells the members apart; null = there is none. */
export function tagValuesOf(
  section: ModuleSection,
  { discriminator, members }: Union,
): readonly (string | number | boolean)[] | null {
  if (discriminator === null || discriminator in Object.prototype) return null
  const tags = members.map((member) => {
    const object = section.resolved(member)
    const properties = object.kind === 'object' ? object.properties : []
    const property = properties.find(({ name, required }) => name === discriminator && required)
    const value = property === undefined ? null : section.resolved(property.schema)
    return value?.kind === 'literal' ? value.value : null
  })
  const known = tags.flatMap((tag) => tag ?? [])
  return known.length === tags.length && new Set(known).size === tags.length ? known : null
}
