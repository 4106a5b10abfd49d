/** What a setting can be: the pieces of which the tables of settings are made. */
import { meantName } from '../../suggestions.ts'

/** One setting that is not what it must be. */
export interface SettingMistake {
  /** The setting, as `config.limits.fileBytes`. */
  readonly at: string
  /** Names it too. */
  readonly text: string
}

/** The configuration does not have the shape that it must have; the message names each mistake in a line of its own. */
export class ConfigError extends Error {
  readonly mistakes: readonly SettingMistake[]

  constructor(message: string, mistakes: readonly SettingMistake[] = []) {
    super(message)
    this.mistakes = mistakes
  }
}

const configError = (mistakes: readonly SettingMistake[]): ConfigError =>
  new ConfigError(mistakes.map(({ text }) => `app/config.ts: ${text}`).join('\n'), mistakes)

/** A `ConfigError` of one setting; `text` names it. */
export const wrongSetting = (at: string, text: string): ConfigError => configError([{ at, text }])

/** What one setting must be. */
export interface Check {
  (at: string, value: unknown): void
  /** In words, behind `must be`. */
  readonly expected: string
  /** The settings in it, when it is an object of them. */
  readonly inner: Fields | null
}
export type Fields = ReadonlyMap<string, Check>

/** A check with what it expects. */
export const describedCheck = (
  expected: string,
  check: (at: string, value: unknown) => void,
  inner: Fields | null = null,
): Check => Object.assign((at: string, value: unknown) => check(at, value), { expected, inner })

export function is(expected: string, test: (value: unknown) => boolean): Check {
  return describedCheck(expected, (at, value) => {
    if (!test(value)) throw wrongSetting(at, `${at} must be ${expected}`)
  })
}

export const nonEmptyText: Check = describedCheck('a text', (at, value) => {
  if (value === '') throw wrongSetting(at, `${at} is empty: write it, or set the variable it comes from`)
  if (typeof value !== 'string') throw wrongSetting(at, `${at} must be a text`)
})
export const texts: Check = is(
  'a list of texts',
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
)
export const callable: Check = is('a function', (value) => typeof value === 'function')
export const flag: Check = is('true or false', (value) => typeof value === 'boolean')
export const positive: Check = is('a positive number', (value) => typeof value === 'number' && value > 0)
export const notNegative: Check = is('a number from 0', (value) => typeof value === 'number' && value >= 0)
export const wholeOrFalse: Check = is(
  'a positive whole number or false',
  (value) => value === false || (Number.isInteger(value) && Number(value) > 0),
)
export const positives: Check = is(
  'positive numbers by name',
  (value) => typeof value === 'object' && value !== null && Object.values(value).every((item) => item > 0),
)
export const plainObject: Check = is('an object', (value) => typeof value === 'object' && value !== null)
export const count: Check = is(
  'a whole number from 0',
  (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0,
)

/** One of these texts. */
export function oneOf(...texts: readonly string[]): Check {
  const quoted = texts.map((text) => `'${text}'`)
  const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
  return is(expected, (value) => texts.some((text) => text === value))
}

export const nested = (fields: Fields): Check =>
  describedCheck('an object', (at, value) => checkFields(at, value, fields), fields)

/** A check for each field of a type, and for nothing else. */
export const fieldsOf = <T>(checks: { readonly [Name in keyof T]-?: Check }): Fields =>
  new Map(Object.entries(checks))

/** Settings of earlier versions, and what does their work. */
const removed: ReadonlyMap<string, string> = new Map([
  ['config.limits.stallSeconds', 'the watchdog is gone, let a supervisor ask /livez'],
  ['config.yamlBodies', 'let a parser of the application read YAML, as the page plugins shows'],
])

function insteadOf(at: string, fields: Fields): string {
  const instead = removed.get(at)
  const name = at.slice(at.lastIndexOf('.') + 1)
  return instead === undefined ? meantName(name, fields.keys()) : ` any more: ${instead}`
}

/** Throws a `ConfigError` that tells, a line each, every setting that is unknown or not what it must be. */
export function checkFields(at: string, value: unknown, fields: Fields): void {
  plainObject(at, value)
  checkAll(
    Object.entries(value as object).map(([name, field]) => () => {
      if (field === undefined) return
      const check = fields.get(name)
      if (check === undefined)
        throw configError([
          { at: `${at}.${name}`, text: `${at} has no setting ${name}${insteadOf(`${at}.${name}`, fields)}` },
        ])
      check(`${at}.${name}`, field)
    }),
  )
}

/** Runs all, then throws one `ConfigError` of what they threw, a line each. */
export function checkAll(all: readonly (() => void)[]): void {
  const wrong = all.flatMap((check) => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.mistakes
      throw error
    }
  })
  if (wrong.length > 0) throw configError(wrong)
}

const hourMs = 3_600_000
const units: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', hourMs],
  ['d', 24 * hourMs],
])

export function milliseconds(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([smhd])$/.exec(text) ?? []
  return Number(count) * (units.get(unit ?? '') ?? Number.NaN)
}

export function duration(longestHours = 24): Check {
  return is(`a time in s, m or h up to ${longestHours}h, as '5m'`, isUpTo(longestHours, 'smh'))
}

export const isUpTo =
  (longestHours: number, units: string) =>
  (value: unknown): boolean =>
    typeof value === 'string' &&
    units.includes(value.slice(-1)) &&
    milliseconds(value) <= longestHours * hourMs
