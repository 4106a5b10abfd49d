/** Makes values of their JSON. */
import type { JsonShape, JsonShapes } from './operation.ts'

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes values of their JSON. What does not have its shape stays as it came. */
export class ShapeReader {
  readonly #shapes: JsonShapes

  constructor(shapes: JsonShapes) {
    this.#shapes = shapes
  }

  read(shape: JsonShape, value: unknown): unknown {
    if (typeof shape === 'string') return readScalar(shape, value)
    if ('named' in shape) return this.read(this.#shapes[shape.named] ?? 'json', value)
    if ('absent' in shape) return value === null ? undefined : this.read(shape.absent, value)
    if ('union' in shape) return this.read(this.#memberOf(shape.union, value), value)
    if (Array.isArray(value)) return this.#readList(shape, value)
    return isRecord(value) ? this.#readObject(shape, value) : value
  }

  #readList(shape: Exclude<JsonShape, string>, value: readonly unknown[]): unknown {
    if ('list' in shape) return value.map((item) => this.read(shape.list, item))
    if ('set' in shape) return new Set(value.map((item) => this.read(shape.set, item)))
    if ('tuple' in shape)
      return value.map((item, place) => this.read(shape.tuple[place] ?? shape.rest ?? 'json', item))
    return value
  }

  #readObject(shape: Exclude<JsonShape, string>, value: Readonly<Record<string, unknown>>): unknown {
    const entries = Object.entries(value)
    if ('map' in shape) return new Map(entries.map(([name, one]) => [name, this.read(shape.map, one)]))
    if ('record' in shape)
      return Object.fromEntries(entries.map(([name, one]) => [name, this.read(shape.record, one)]))
    if (!('object' in shape)) return value
    return Object.fromEntries(
      entries.map(([name, one]) => [name, this.read(propertyOf(shape, name) ?? 'json', one)]),
    )
  }

  /** The first member that takes the value; of objects the one that knows most of its properties. */
  #memberOf(members: readonly JsonShape[], value: unknown): JsonShape {
    const [first = 'json', ...others] = members.filter((member) => this.#takes(member, value))
    return others.reduce(
      (best, one) => (this.#known(one, value) > this.#known(best, value) ? one : best),
      first,
    )
  }

  #known(shape: JsonShape, value: unknown): number {
    if (typeof shape === 'string' || !isRecord(value)) return 0
    if ('named' in shape) return this.#known(this.#shapes[shape.named] ?? 'json', value)
    if (!('object' in shape)) return 0
    return Object.keys(value).filter((name) => propertyOf(shape, name) !== undefined).length
  }

  #takes(shape: JsonShape, value: unknown): boolean {
    if (typeof shape === 'string') return takesScalar(shape, value)
    if ('named' in shape) return this.#takes(this.#shapes[shape.named] ?? 'json', value)
    if ('values' in shape) return shape.values.some((one) => one === value)
    if ('absent' in shape) return value === null || this.#takes(shape.absent, value)
    if ('union' in shape) return shape.union.some((member) => this.#takes(member, value))
    if (Array.isArray(value)) return this.#takesList(shape, value)
    return isRecord(value) && this.#takesObject(shape, value)
  }

  #takesList(shape: Exclude<JsonShape, string>, value: readonly unknown[]): boolean {
    if ('list' in shape) return value.every((item) => this.#takes(shape.list, item))
    if ('set' in shape) return value.every((item) => this.#takes(shape.set, item))
    if (!('tuple' in shape) || value.length < shape.required) return false
    return value.every((item, place) => this.#takes(shape.tuple[place] ?? shape.rest ?? 'never', item))
  }

  #takesObject(shape: Exclude<JsonShape, string>, value: Readonly<Record<string, unknown>>): boolean {
    const values = 'map' in shape ? shape.map : 'record' in shape ? shape.record : null
    if (values !== null) return Object.values(value).every((one) => this.#takes(values, one))
    if (!('object' in shape) || shape.required.some((name) => !Object.hasOwn(value, name))) return false
    return Object.entries(value).every(([name, one]) => this.#takes(propertyOf(shape, name) ?? 'json', one))
  }
}

/** Objects may have more properties than their type says. */
function propertyOf(
  shape: Extract<JsonShape, { readonly object: unknown }>,
  name: string,
): JsonShape | undefined {
  return Object.hasOwn(shape.object, name) ? shape.object[name] : shape.rest
}

type ScalarShape = Extract<JsonShape, string>

function readScalar(shape: ScalarShape, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (shape === 'date') return new Date(value)
  if (shape === 'bigint') return BigInt(value)
  if (shape === 'bytes') return fromBase64(value)
  return shape === 'url' ? new URL(value) : value
}

function takesScalar(shape: ScalarShape, value: unknown): boolean {
  switch (shape) {
    case 'json':
      return true
    case 'never':
      return false
    case 'null':
      return value === null
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === shape
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))
    case 'bigint':
      return typeof value === 'string' && /^-?\d+$/.test(value)
    case 'bytes':
      return typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value)
    case 'url':
      return typeof value === 'string' && URL.canParse(value)
  }
}
