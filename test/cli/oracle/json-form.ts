/** The JSON form of a value of TypeScript, as language.md states it. */

type Convert = (value: never) => unknown

const forms: readonly (readonly [type: abstract new (...provided: never[]) => unknown, convert: Convert])[] =
  [
    [Date, (value: Date) => value.toISOString()],
    [URL, (value: URL) => value.href],
    [Uint8Array, (value: Uint8Array) => Buffer.from(value).toString('base64')],
    [Map, (value: ReadonlyMap<string, unknown>) => jsonForm(Object.fromEntries(value))],
    [Set, (value: ReadonlySet<unknown>) => jsonForm([...value])],
  ]

/** Date → date-time, bigint → decimal text, bytes → base64, URL → its text, Map → object, Set → list; `undefined` is
 *  absent; of an instance its own fields. */
export function jsonForm(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  const form = forms.find(([type]) => value instanceof type)
  if (form !== undefined) return form[1](value as never) // the table pairs the class with what takes it
  if (Array.isArray(value)) return value.map(jsonForm)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : [[name, jsonForm(inner)]])),
  )
}
