/** Whether what arrived is what was sent, and the JSON of what arrived. */
import { parsed } from './judge.ts'

/** Whether a value that a method got is the JSON that was sent, read as the classes that it has say. What is `undefined` is absent. */
export function arrived(value: unknown, sent: unknown): boolean {
  if (value instanceof Date) return typeof sent === 'string' && value.getTime() === new Date(sent).getTime()
  if (typeof value === 'bigint') return typeof sent === 'string' && value === BigInt(sent)
  if (value instanceof URL) return typeof sent === 'string' && value.href === new URL(sent).href
  if (value instanceof Uint8Array)
    return typeof sent === 'string' && Buffer.from(sent, 'base64').equals(value)
  if (value instanceof Map) return arrived(Object.fromEntries(value), sent)
  if (value instanceof Set) return Array.isArray(sent) && isSetOf([...value], sent)
  if (value === undefined) return sent === null || sent === undefined
  if (Array.isArray(value))
    return (
      Array.isArray(sent) &&
      value.length === sent.length &&
      value.every((item, place) => arrived(item, sent[place]))
    )
  if (typeof value !== 'object' || value === null) return Object.is(value, sent)
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return false
  const [mine, other] = [value, sent] as unknown as readonly Readonly<Record<string, unknown>>[]
  const names = Object.keys(value).filter((name) => mine?.[name] !== undefined)
  return (
    names.length === Object.keys(sent).length &&
    names.every((name) => Object.hasOwn(sent, name) && arrived(mine?.[name], other?.[name]))
  )
}

/** Doubles are dropped: the first of each stays. */
function isSetOf(items: readonly unknown[], sent: readonly unknown[]): boolean {
  let at = 0
  for (const one of sent) {
    if (at < items.length && arrived(items[at], one)) at += 1
    else if (!items.slice(0, at).some((item) => arrived(item, one))) return false
  }
  return at === items.length
}

/** The JSON form of a value, as `templates/docs/types.md` has it. */
export function jsonOf(value: unknown): unknown {
  return parsed(
    JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, written: unknown) {
      const raw = this[name]
      if (raw instanceof Uint8Array) return Buffer.from(raw).toString('base64')
      if (typeof raw === 'bigint') return String(raw)
      if (raw instanceof Map) return Object.fromEntries(raw)
      return raw instanceof Set ? [...raw] : written
    }) ?? 'null',
  )
}
