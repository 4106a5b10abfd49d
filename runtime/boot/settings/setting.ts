/** A setting of `defineApp`: what it must be, and what holds without it. Tables of settings are classes: their fields have comment, type
 *  and value in one place, and declarations keep the first two, which editors show to the author of `app/config.ts`. */
import { type Check, type Fields, nested } from './checks.ts'

/** `Given` is what an application writes, `Resolved` what the runtime works with. */
export interface Setting<Configured, Resolved = Configured> {
  readonly check: Check
  readonly byDefault: Resolved
  /** Of what passed the check. */
  readonly read: (configured: Configured) => Resolved
}

/** A table of settings, whatever is in it. */
export type SettingsTable = Pick<Setting<never, unknown>, 'check' | 'byDefault'>

/** Null without it. */
export type Optional<Configured> = Setting<Configured, Configured | null>
/** `false` switches it off; null = no limit. */
export type Limit = Setting<number | false, number | null>
export type Group<Table> = Setting<Configured<Table>, Resolved<Table>>

export type Configured<Table> = {
  readonly [Name in keyof Table]?: Table[Name] extends Setting<infer Written, unknown> ? Written : never
}
export type Resolved<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<never, infer Known> ? Known : never
}

export const setting = <Configured>(check: Check, byDefault: NoInfer<Configured>): Setting<Configured> => ({
  check,
  byDefault,
  read: (configured) => configured,
})

export const settingOrNull = <Configured>(check: Check): Optional<Configured> => ({
  check,
  byDefault: null,
  read: (configured) => configured,
})

export const limit = (check: Check, byDefault: number | null): Limit => ({
  check,
  byDefault,
  read: (configured) => configured || null,
})

/** An object of settings. */
export function group<Table extends object>(table: Table): Group<Table> {
  const settings: readonly (readonly [string, Setting<unknown, unknown>])[] = Object.entries(table)
  const fields: Fields = new Map(settings.map(([name, { check }]) => [name, check]))
  const read = (configured: Configured<Table>): Resolved<Table> => {
    const values = settings.map(([name, { byDefault, read }]) => {
      const value: unknown = Reflect.get(configured, name)
      return [name, value === undefined ? byDefault : read(value)]
    })
    return Object.fromEntries(values) as Resolved<Table> // a value of each setting of the table
  }
  return { check: nested(fields), byDefault: read({}), read }
}
