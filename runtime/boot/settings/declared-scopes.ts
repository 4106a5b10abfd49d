/** The fields of `scopes`. */
import type { ScopeConfig, ScopesConfig } from '../../contract/scopes.ts'
import { createScopes } from '../../scopes.ts'
import {
  type Check,
  callable,
  checkAll,
  checkFields,
  describedCheck,
  type Fields,
  fieldsOf,
  flag,
  nonEmptyText,
  plainObject,
  texts,
  wrongSetting,
} from './checks.ts'

const fields: Fields = fieldsOf<ScopeConfig>({
  text: nonEmptyText,
  implies: texts,
  sensitive: flag,
  mayHave: callable,
})

/** The shape of each, then what they say of each other. */
export const scopes: Check = describedCheck(
  'texts, or objects with a text, by name',
  (at, value) => {
    plainObject(at, value)
    checkAll(
      Object.entries(value as object).map(([name, scope]) => () => {
        const inside = `${at}['${name}']`
        if (typeof scope === 'string') return nonEmptyText(inside, scope)
        checkFields(inside, scope, fields)
        nonEmptyText(`${inside}.text`, scope.text)
      }),
    )
    try {
      createScopes(value as ScopesConfig) // every field was checked above
    } catch (error) {
      throw wrongSetting(at, error instanceof Error ? error.message : String(error))
    }
  },
  fields,
)
