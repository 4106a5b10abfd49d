/** What of a value its type declares, as JSON: written from the words of templates/docs/answers.md alone, to judge what leaves. */
import { type DrawnTypes, type Field, type ObjectShape, open, type Shape, tagName } from './shapes.ts'

type Fields = Readonly<Record<string, unknown>>
type Named = DrawnTypes['named']

/** Who asks, and how the application is set. */
export interface Asked {
  readonly withSecrets: boolean
  /** `answers: 'whole'`: what no type declares leaves too, but for what any member of a union keeps secret. */
  readonly isWhole: boolean
}

export const projection = (value: unknown, shape: Shape, named: Named, asked: Asked): unknown =>
  new Projection(named, asked).of(value, shape)

/** All of it. */
export const wholeJson = (value: unknown): string =>
  JSON.stringify(projection(value, open, new Map(), { withSecrets: true, isWhole: true }))

const writesItself = (value: unknown): boolean =>
  typeof Object(value).toJSON === 'function' && !(value instanceof Date)

/** What JSON looks at: what writes itself has done so, a set is a list, and a map an object. */
function written(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const { toJSON } = value as { readonly toJSON?: unknown } // whatever it is
  if (typeof toJSON === 'function') return written(toJSON.call(value, ''))
  if (value instanceof Set) return [...value]
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof String ? String(value) : value
}

class Projection {
  readonly #named: Named
  readonly #asked: Asked

  constructor(named: Named, asked: Asked) {
    this.#named = named
    this.#asked = asked
  }

  /** `unfit`: what does not speak of the value, and says all the same what of it is secret. */
  of(raw: unknown, declared: Shape, unfit: readonly Shape[] = []): unknown {
    const value = written(raw)
    const shape = this.#target(declared)
    if (value instanceof Date) return value.toISOString()
    if (typeof value === 'bigint') return String(value)
    if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value
    return Array.isArray(value)
      ? this.#list(value, shape, unfit)
      : this.#object(value as Fields, shape, unfit)
  }

  #target(shape: Shape): Shape {
    return shape.kind === 'name' ? (this.#named.get(shape.text) ?? shape) : shape
  }

  #list(items: readonly unknown[], shape: Shape, unfit: readonly Shape[]): unknown {
    return items.map((item, index) => {
      const inner = unfit.flatMap((member) => this.#itemShapes(member, index))
      return this.of(item, this.#union(this.#itemShapes(shape, index)), inner) ?? null
    })
  }

  /** What is declared of the item at a place of a list. */
  #itemShapes(declared: Shape, index: number): readonly Shape[] {
    const shape = this.#target(declared)
    if (shape.kind === 'open') return [shape]
    if (shape.kind === 'list') return [shape.items]
    if (shape.kind === 'tuple') return shape.items.slice(index, index + 1)
    return shape.kind === 'union' ? shape.members.flatMap((member) => this.#itemShapes(member, index)) : []
  }

  #object(value: Fields, shape: Shape, besides: readonly Shape[]): unknown {
    const all = this.#candidates(value, shape)
    const fitting = this.#asked.isWhole ? all : all.filter((member) => this.#hasRequired(value, member))
    const members = fitting.length === 0 ? all : fitting
    const unfit = [...all, ...besides.flatMap((member) => this.#candidates(value, member))].filter(
      (member) => !members.includes(member),
    )
    const entries = Object.entries(value).flatMap(([name, item]) => {
      const fields = members.flatMap((member) => fieldsNamed(member, name))
      const others = unfit.flatMap((member) => fieldsNamed(member, name))
      const isSecret = [...fields, ...others].some((field) => field.isSecret)
      const isUndeclared = fields.length === 0 && !this.#asked.isWhole
      const isLeftOut = isUndeclared || (!this.#asked.withSecrets && isSecret)
      const shapes = others.map((field) => field.shape)
      const part = isLeftOut
        ? undefined
        : this.of(item, this.#union(fields.map((field) => field.shape)), shapes)
      return part === undefined ? [] : [[name, part] as const]
    })
    return Object.fromEntries(entries)
  }

  /** Of all that several say of one value; of none nothing is declared. */
  #union(members: readonly Shape[]): Shape {
    const [first] = members
    if (first !== undefined && members.length === 1) return first
    if (first === undefined && this.#asked.isWhole) return open
    return { kind: 'union', members, isTagged: false, text: '' }
  }

  #candidates(value: Fields, declared: Shape): readonly Shape[] {
    const shape = this.#target(declared)
    if (shape.kind !== 'union') return ['object', 'map', 'open'].includes(shape.kind) ? [shape] : []
    const named =
      shape.isTagged && !this.#asked.isWhole
        ? shape.members.filter((member) => isTagged(member, value[tagName]))
        : []
    return named.length > 0 ? named : shape.members.flatMap((member) => this.#candidates(value, member))
  }

  #hasRequired(value: Fields, member: Shape): boolean {
    if (member.kind !== 'object') return true
    const required = member.fields.filter(({ isOptional }) => !isOptional)
    return required.every(
      ({ name, shape }) => Object.hasOwn(value, name) && this.#isOfKind(value[name], shape),
    )
  }

  /** What writes itself may be of any kind. */
  #isOfKind(raw: unknown, declared: Shape): boolean {
    const value = written(raw)
    if (writesItself(raw)) return true
    const shape = this.#target(declared)
    switch (shape.kind) {
      case 'open':
        return true
      case 'union':
        return shape.members.some((member) => this.#isOfKind(value, member))
      case 'list':
      case 'tuple':
        return Array.isArray(value)
      case 'object':
      case 'map':
        return isObject(value)
      default:
        return isScalar(value, shape.text)
    }
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

function isScalar(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'Date') return value instanceof Date || typeof value === 'string'
  if (type === 'Sealed') return typeof value === 'string'
  if (type === 'number' || type === 'bigint') return typeof value === 'number' || typeof value === 'bigint'
  return type.startsWith("'") ? `'${value}'` === type : typeof value === type
}

const isTagged = (member: Shape, tag: unknown): boolean =>
  member.kind === 'object' &&
  member.fields.some(({ name, shape }) => name === tagName && shape.text === `'${tag}'`)

function fieldsNamed(member: Shape, name: string): readonly Pick<Field, 'shape' | 'isSecret'>[] {
  if (member.kind === 'open') return [{ shape: member, isSecret: false }]
  if (member.kind === 'map') return [{ shape: member.values, isSecret: false }]
  return member.kind === 'object' ? ofObject(member, name) : []
}

function ofObject(
  { fields, others }: ObjectShape,
  name: string,
): readonly Pick<Field, 'shape' | 'isSecret'>[] {
  const own = fields.filter((field) => field.name === name)
  if (own.length > 0 || others === null || !name.startsWith(others.prefix)) return own
  return [{ shape: others.shape, isSecret: false }]
}
