/** Random schemas of JSON Schema 2020-12 and random documents, small enough that they often meet. */

type Json = Readonly<Record<string, unknown>>

/** The same numbers for the same seed. By mulberry32. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }

  of<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0]
  }

  some<T>(list: readonly T[]): readonly T[] {
    return list.filter(() => this.below(3) === 0)
  }
}

const names = ['a', 'b', 'ab', 'c'] as const
const texts = ['', 'a', 'ab', 'abc', '2026-11-23'] as const

export function randomValue(chance: Chance, depth: number): unknown {
  const kind = chance.below(depth > 0 ? 9 : 5)
  if (kind === 0) return chance.of(texts)
  if (kind === 1) return chance.below(5)
  if (kind === 2) return chance.of([1.5, -1, 0])
  if (kind === 3) return chance.of([true, false])
  if (kind === 4) return null
  if (kind < 7) return Array.from({ length: chance.below(4) }, () => randomValue(chance, depth - 1))
  return Object.fromEntries(
    chance.some([...names, ...names]).map((name) => [name, randomValue(chance, depth - 1)]),
  )
}

/** It may refer to itself, always inside of a property or an item: else no judgement ended. */
export function randomSchema(chance: Chance): Json {
  const $defs = Object.fromEntries(names.map((name) => [name, { $anchor: name, ...inner(chance, 2, false) }]))
  return { ...inner(chance, 3, true), $defs }
}

type Make = (chance: Chance, depth: number, mayRefer: boolean) => Json

const types = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const

const sub = (chance: Chance, depth: number, mayRefer: boolean): unknown =>
  chance.below(8) === 0 ? chance.below(2) === 0 : inner(chance, depth, mayRefer)

const list: Make = (chance, depth, mayRefer) =>
  Array.from({ length: 1 + chance.below(3) }, () => sub(chance, depth, mayRefer)) as never // a list of schemas

const byName = (chance: Chance, depth: number, mayRefer: boolean): Json =>
  Object.fromEntries(chance.some(names).map((name) => [name, sub(chance, depth, mayRefer)]))

const makers: readonly Make[] = [
  (chance) => ({ type: chance.of(types) }),
  (chance) => ({ type: [...new Set([chance.of(types), chance.of(types)])] }),
  (chance) => ({ const: randomValue(chance, 1) }),
  (chance) => ({ enum: [randomValue(chance, 1), randomValue(chance, 1), randomValue(chance, 0)] }),
  (chance) => ({ minimum: chance.below(3), exclusiveMaximum: 3 }),
  (chance) => ({ multipleOf: 2, maximum: chance.below(5) }),
  (chance) => ({ minLength: chance.below(3), maxLength: 2 }),
  (chance) => ({ pattern: chance.of(['^a', 'b$', '^$']) }),
  () => ({ format: 'date' }),
  (chance) => ({ minItems: chance.below(2), maxItems: 1 + chance.below(3) }),
  () => ({ uniqueItems: true }),
  (chance) => ({ required: chance.some(names) }),
  (chance) => ({ minProperties: chance.below(2), maxProperties: 1 + chance.below(3) }),
  (chance) => ({ dependentRequired: { [chance.of(names)]: chance.some(names) } }),
]

const holders: readonly Make[] = [
  (...provided) => ({ properties: byName(...provided) }),
  (...provided) => ({ properties: byName(...provided), additionalProperties: sub(...provided) }),
  (...provided) => ({
    patternProperties: { '^a': sub(...provided) },
    additionalProperties: sub(...provided),
  }),
  (chance, depth) => ({ propertyNames: sub(chance, depth, false) }),
  (...provided) => ({ prefixItems: list(...provided), items: sub(...provided) }),
  (...provided) => ({ items: sub(...provided) }),
  (chance, depth, mayRefer) => ({
    contains: sub(chance, depth, mayRefer),
    minContains: chance.below(3),
    maxContains: 1 + chance.below(3),
  }),
]

const beside: readonly Make[] = [
  (...provided) => ({ allOf: list(...provided) }),
  (...provided) => ({ anyOf: list(...provided) }),
  (...provided) => ({ oneOf: list(...provided) }),
  (...provided) => ({ not: sub(...provided) }),
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  (...provided) => ({ if: sub(...provided), then: sub(...provided), else: sub(...provided) }),
  (...provided) => ({ dependentSchemas: byName(...provided) }),
]

/** `mayRefer`: whether it stands inside of a property or an item of what the reference leads to. */
function inner(chance: Chance, depth: number, mayRefer: boolean): Json {
  const parts: Json[] = [chance.of(makers as [Make, ...Make[]])(chance, depth, mayRefer)]
  if (depth > 0 && chance.below(2) === 0)
    parts.push(chance.of(holders as [Make, ...Make[]])(chance, depth - 1, true))
  if (depth > 0 && chance.below(2) === 0)
    parts.push(chance.of(beside as [Make, ...Make[]])(chance, depth - 1, mayRefer))
  if (mayRefer && chance.below(4) === 0)
    parts.push({ [chance.of(['$ref', '$dynamicRef'])]: chance.of(['#/$defs/', '#']) + chance.of(names) })
  return Object.assign({}, ...(chance.below(3) === 0 ? parts.slice(1) : parts))
}
