/** Which values of JSON are equal, whatever the order of their names. Source: JSON Schema Core, 4.2.2. */
import { isRecord } from '../structures.ts'

/** Whether a value equals what a schema holds: it is looked at no further than that goes. */
export function isSame(value: unknown, constant: unknown): boolean {
  if (Array.isArray(constant))
    return (
      Array.isArray(value) &&
      value.length === constant.length &&
      constant.every((item, index) => isSame(value[index], item))
    )
  if (!isRecord(constant)) return value === constant
  const names = Object.keys(constant)
  if (!isRecord(value) || Object.keys(value).length !== names.length) return false
  return names.every((name) => Object.hasOwn(value, name) && isSame(value[name], constant[name]))
}

/** Numbers that equal values have in common, and others have not. Each value is looked at once. */
export class Numbered {
  readonly #ofObjects = new Map<object, number>()
  readonly #ofTexts = new Map<string, number>()

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return this.#next(JSON.stringify(value))
    const known = this.#ofObjects.get(value) ?? this.#next(this.#textOf(value))
    this.#ofObjects.set(value, known)
    return known
  }

  /** The numbers of what is inside stand in its place. */
  #textOf(value: object): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.of(item)).join()}]`
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${this.of(field)}`).join()}}`
  }

  #next(text: string): number {
    const known = this.#ofTexts.get(text) ?? this.#ofTexts.size
    this.#ofTexts.set(text, known)
    return known
  }
}
