/** Which values of JSON are equal, whatever the order of their names. Source: JSON Schema Core, 4.2.2. */

/** Numbers that values of equal JSON have in common, and others have not. Each value is looked at once, however often what holds it is
 *  asked for. */
export class Numbered {
  readonly #ofScalars = new Map<unknown, number>()
  readonly #ofObjects = new Map<object, number>()
  /** By what they are made of, the numbers of what is inside in its place. */
  readonly #ofParts = new Map<string, number>()
  #next = 0

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return this.#numberIn(this.#ofScalars, value)
    const known = this.#ofObjects.get(value)
    if (known !== undefined) return known
    const number = this.#numberOf(value)
    this.#ofObjects.set(value, number)
    return number
  }

  #numberOf(value: object): number {
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.of(value.toJSON()) // a `Date`
    const parts = Array.isArray(value) ? this.#itemsOf(value) : this.#fieldsOf(value)
    return this.#numberIn(this.#ofParts, parts)
  }

  #itemsOf(value: readonly unknown[]): string {
    let parts = '['
    for (const item of value) parts += `${this.of(item)},`
    return parts
  }

  #fieldsOf(value: object): string {
    const fields = value as Readonly<Record<string, unknown>> // it has names
    let parts = '{'
    for (const name of Object.keys(fields).sort()) {
      const field = fields[name]
      if (field !== undefined) parts += `${this.of(name)}:${this.of(field)},`
    }
    return parts
  }

  #numberIn<Key>(numbers: Map<Key, number>, key: Key): number {
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, this.#next)
    this.#next += 1
    return this.#next - 1
  }
}

/** Whether no two items have the same JSON. */
export function areUnique(items: readonly unknown[], numbered: Numbered): boolean {
  const scalars = new Set<unknown>()
  const structures = new Set<number>()
  for (const item of items)
    if (typeof item === 'object' && item !== null) structures.add(numbered.of(item))
    else scalars.add(item)
  return scalars.size + structures.size === items.length
}
