/** Values of JSON that cannot be changed, from what an application hands over. */
import type { BusMessage } from './contract/bus.ts'

/** A frozen copy; `what` is what messages call the value. Throws a `TypeError`: what JSON would leave out or change is refused:
 *  a later reader would find something else. */
export function frozenJson(value: unknown, what: string, depth = 0): BusMessage {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0 // JSON has no -0
  if (depth > maxDepth) throw new TypeError(`${what} is nested too deep, or holds itself`)
  if (Array.isArray(value))
    return Object.freeze(
      Array.from(value, (item: unknown, at) => frozenJson(item, `${what}[${at}]`, depth + 1)),
    )
  if (typeof value === 'object' && isPlain(value)) {
    const entries = Object.entries(value)
    return Object.freeze(
      Object.fromEntries(
        entries.map(([name, value]) => [name, frozenJson(value, `${what}.${name}`, depth + 1)]),
      ),
    )
  }
  throw new TypeError(`${what} is no JSON: ${named(value)}`)
}

/** What is deeper is longer than may be carried anyway, or without end. */
const maxDepth = 1000

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Not what it holds: that may be personal, and this stands in logs. */
function named(value: unknown): string {
  if (typeof value === 'object') return `an instance of ${value?.constructor.name}`
  return typeof value === 'number' ? String(value) : typeof value
}

/** The same for what was parsed: frozen as it is. */
export function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}
