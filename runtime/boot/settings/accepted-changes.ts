/** The entries of `contract.accept`. */
import type { AcceptedChange } from '../../contract/application.ts'
import {
  type Check,
  checkAll,
  checkFields,
  describedCheck,
  fieldsOf,
  is,
  nonEmptyText,
  wrongSetting,
} from './checks.ts'

const fields = fieldsOf<AcceptedChange>({
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
      checkFields(inside, entry, fields)
      const missing = [...fields.keys()].find((name) => Reflect.get(Object(entry), name) === undefined)
      if (missing !== undefined) throw wrongSetting(inside, `${inside} has no ${missing}`)
    }),
  )
})
