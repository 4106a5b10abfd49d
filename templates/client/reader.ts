/** Makes values of their JSON. */
import type { JsonShape, Printed } from './operation.ts'
import { readScalar, takesScalar } from './scalars.ts'

type Structure = Exclude<JsonShape, string>

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes values of their JSON. What does not have its shape stays as it came. */
export class ShapeReader {
  readonly #texts: Printed['shapes']
  readonly #shapes = new Map<string, JsonShape>()
  /** What was found out: members of unions that hold the same unions would ask again and again. */
  readonly #taken = new Map<JsonShape, WeakMap<object, boolean>>()
  /** The members that were chosen, by union. */
  readonly #chosen = new Map<readonly JsonShape[], WeakMap<object, JsonShape>>()

  constructor(texts: Printed['shapes']) {
    this.#texts = texts
  }

  read(shape: JsonShape, value: unknown): unknown {
    if (typeof shape === 'string') return readScalar(shape, value)
    if ('named' in shape) return this.read(this.#named(shape.named), value)
    if ('absent' in shape) return value === null ? undefined : this.read(shape.absent, value)
    if ('union' in shape) return this.read(this.#memberOf(shape.union, value), value)
    if (Array.isArray(value)) return this.#readList(shape, value)
    return isRecord(value) ? this.#readObject(shape, value) : value
  }

  #named(name: string): JsonShape {
    const known = this.#shapes.get(name) ?? (JSON.parse(this.#texts[name] ?? '"json"') as JsonShape) // it was printed so
    this.#shapes.set(name, known)
    return known
  }

  #readList(shape: Structure, value: readonly unknown[]): unknown {
    if ('list' in shape) return value.map((item) => this.read(shape.list, item))
    if ('set' in shape) return new Set(value.map((item) => this.read(shape.set, item)))
    if ('tuple' in shape)
      return value.map((item, place) => this.read(shape.tuple[place] ?? shape.rest ?? 'json', item))
    return value
  }

  #readObject(shape: Structure, value: Readonly<Record<string, unknown>>): unknown {
    const entries = Object.entries(value)
    if ('map' in shape) return new Map(entries.map(([name, entry]) => [name, this.read(shape.map, entry)]))
    if ('record' in shape)
      return Object.fromEntries(entries.map(([name, entry]) => [name, this.read(shape.record, entry)]))
    if (!('object' in shape)) return value
    return Object.fromEntries(
      entries.map(([name, entry]) => [name, this.read(propertyOf(shape, name) ?? 'json', entry)]),
    )
  }

  /** The first member that takes the value; of objects the one that knows most of its properties, and a `Date` before a
   *  text: hardly another text is written as `toISOString()` writes it. */
  #memberOf(members: readonly JsonShape[], value: unknown): JsonShape {
    if (typeof value !== 'object' || value === null) return this.#bestOf(members, value)
    const known = this.#chosen.get(members) ?? new WeakMap<object, JsonShape>()
    this.#chosen.set(members, known)
    const chosen = known.get(value) ?? this.#bestOf(members, value)
    known.set(value, chosen)
    return chosen
  }

  #bestOf(members: readonly JsonShape[], value: unknown): JsonShape {
    const [first = 'json', ...others] = members.filter((member) => this.#takes(member, value))
    return others.reduce(
      (best, other) => (this.#known(other, value) > this.#known(best, value) ? other : best),
      first,
    )
  }

  #known(shape: JsonShape, value: unknown): number {
    if (typeof shape === 'string') return shape === 'date' && typeof value === 'string' ? 1 : 0
    if ('named' in shape) return this.#known(this.#named(shape.named), value)
    if ('union' in shape) return this.#known(this.#memberOf(shape.union, value), value)
    if ('absent' in shape) return this.#known(shape.absent, value)
    if (Array.isArray(value))
      return 'list' in shape && value.length > 0 ? this.#known(shape.list, value[0]) : 0
    if (!('object' in shape) || !isRecord(value)) return 0
    return Object.keys(value).filter((name) => propertyOf(shape, name) !== undefined).length
  }

  #takes(shape: JsonShape, value: unknown): boolean {
    if (typeof shape === 'string') return takesScalar(shape, value)
    if (typeof value !== 'object' || value === null) return this.#takesStructure(shape, value)
    const known = this.#taken.get(shape) ?? new WeakMap<object, boolean>()
    this.#taken.set(shape, known)
    const taken = known.get(value) ?? this.#takesStructure(shape, value)
    known.set(value, taken)
    return taken
  }

  #takesStructure(shape: Structure, value: unknown): boolean {
    if ('named' in shape) return this.#takes(this.#named(shape.named), value)
    if ('values' in shape) return shape.values.some((item) => item === value)
    if ('absent' in shape) return value === null || this.#takes(shape.absent, value)
    if ('union' in shape) return shape.union.some((member) => this.#takes(member, value))
    if (Array.isArray(value)) return this.#takesList(shape, value)
    return isRecord(value) && this.#takesObject(shape, value)
  }

  #takesList(shape: Structure, value: readonly unknown[]): boolean {
    if ('list' in shape) return value.every((item) => this.#takes(shape.list, item))
    if ('set' in shape) return value.every((item) => this.#takes(shape.set, item))
    if (!('tuple' in shape) || value.length < shape.required) return false
    return value.every((item, place) => this.#takes(shape.tuple[place] ?? shape.rest ?? 'never', item))
  }

  #takesObject(shape: Structure, value: Readonly<Record<string, unknown>>): boolean {
    const values = 'map' in shape ? shape.map : 'record' in shape ? shape.record : null
    if (values !== null) return Object.values(value).every((item) => this.#takes(values, item))
    if (!('object' in shape) || shape.required.some((name) => !Object.hasOwn(value, name))) return false
    return Object.entries(value).every(([name, item]) => this.#takes(propertyOf(shape, name) ?? 'json', item))
  }
}

/** Objects may have more properties than their type says. */
function propertyOf(
  shape: Extract<JsonShape, { readonly object: unknown }>,
  name: string,
): JsonShape | undefined {
  if (Object.hasOwn(shape.object, name)) return shape.object[name]
  const [, matching = shape.rest] = shape.patterns?.find(([pattern]) => regexOf(pattern).test(name)) ?? []
  return matching
}

const regexes = new Map<string, RegExp>()

function regexOf(pattern: string): RegExp {
  const known = regexes.get(pattern) ?? new RegExp(pattern, 'u')
  regexes.set(pattern, known)
  return known
}
