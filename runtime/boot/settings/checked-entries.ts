/** Settings whose entries have fields of their own: `scopes` and `contract.accept`. */

import type { AcceptedChange } from '../../contract/application.ts'
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
  is,
  nonEmptyText,
  plainObject,
  texts,
  wrongSetting,
} from './checks.ts'

const scopeFields: Fields = fieldsOf<ScopeConfig>({
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
        checkFields(inside, scope, scopeFields)
        nonEmptyText(`${inside}.text`, scope.text)
      }),
    )
    try {
      createScopes(value as ScopesConfig) // every field was checked above
    } catch (error) {
      throw wrongSetting(at, error instanceof Error ? error.message : String(error))
    }
  },
  scopeFields,
)

const changeFields = fieldsOf<AcceptedChange>({
  rule: is("the id of a rule, as 'CON012'", (value) => typeof value === 'string' && /^CON\d{3}$/.test(value)),
  at: nonEmptyText,
  until: is("a day, as '2027-01-31'", isDay),
  because: nonEmptyText,
})

function isDay(value: unknown): boolean {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(String(value))
}

export const acceptedChanges: Check = describedCheck('a list of changes', (at, value) => {
  is('a list of changes', Array.isArray)(at, value)
  const entries: readonly unknown[] = Array.isArray(value) ? value : []
  checkAll(
    entries.map((entry, place) => () => {
      const inside = `${at}[${place}]`
      checkFields(inside, entry, changeFields)
      const missing = [...changeFields.keys()].find((name) => Reflect.get(Object(entry), name) === undefined)
      if (missing !== undefined) throw wrongSetting(inside, `${inside} has no ${missing}`)
    }),
  )
})
