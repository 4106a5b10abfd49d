/** Values of drawn types, wider than those declare. A text says what it is: `kept-…`, `open-…` where the type is open,
 *  `canary-undeclared-…`, `canary-secret-…`, and `wrong-…` in what another member of a union declares. */
import type { Chance } from '../../../../flow/permission/support/random-scopes.ts'
import { type DrawnTypes, type Field, type ObjectShape, type Shape, tagName } from './shapes.ts'

type Mark = 'kept' | 'canary-secret' | 'wrong'

interface Place {
  readonly depth: number
  readonly mark: Mark
  /** Whether the value may differ from its type here: in unions that would change which member it is. */
  readonly mayLie: boolean
}

const maxDepth = 6
/** Names that no drawn type declares. */
const undeclared = ['passwordHash', '__proto__', 'valueOf', 'length', 'toJSON', 'items2', '$id', '']

export class WideValues {
  readonly #types: DrawnTypes
  readonly #chance: Chance
  #count = 0
  /** Whether JSON needs no help with the value: then it is written without a copy where all of it leaves. */
  #isPlain = false

  constructor(types: DrawnTypes, chance: Chance) {
    this.#types = types
    this.#chance = chance
  }

  of(shape: Shape, isPlain: boolean): unknown {
    this.#isPlain = isPlain
    return this.#value(shape, { depth: 0, mark: 'kept', mayLie: true })
  }

  /** The same value with other undeclared properties at its top. */
  static rewidened(value: unknown): unknown {
    if (Array.isArray(value) || value instanceof Set || value instanceof Map) return value
    const plain = value as { readonly toJSON?: unknown } // an object
    const fields = typeof plain.toJSON === 'function' ? plain.toJSON('') : plain
    return { ...fields, passwordHash: 'canary-undeclared-other', more: ['canary-undeclared-other'] }
  }

  #text(mark: string): string {
    this.#count += 1
    return `${mark}-${this.#count}`
  }

  #value(shape: Shape, place: Place): unknown {
    if (place.mayLie && this.#chance.isOneIn(40)) return this.#lie(shape)
    switch (shape.kind) {
      case 'scalar':
        return this.#scalar(shape.text, place.mark)
      case 'open':
        return this.#open(place.mark)
      case 'list':
        return this.#list(shape.items, shape.text.startsWith('Set'), place)
      case 'tuple':
        return shape.items.map((item) => this.#value(item, inner(place)))
      case 'map':
        return this.#map(shape.values, place)
      case 'object':
        return this.#object(shape, place)
      case 'union':
        return this.#member(shape, place)
      case 'name':
        return this.#object(this.#named(shape.text), place)
    }
  }

  #named(name: string): ObjectShape {
    const found = this.#types.named.get(name)
    if (found === undefined) throw new Error(`there is no type ${name}`)
    return found
  }

  /** An object in the place of a single value or a list, and a list in the place of an object. */
  #lie(shape: Shape): unknown {
    const wide = { lie: this.#text('canary-undeclared') }
    if (shape.kind === 'open') return this.#text('open')
    if (shape.kind === 'union' || shape.kind === 'map') return [this.#extra()].filter(() => false)
    return shape.kind === 'scalar' || shape.kind === 'list' || shape.kind === 'tuple' ? wide : [wide]
  }

  #scalar(type: string, mark: Mark): unknown {
    this.#count += 1
    if (type.startsWith("'")) return type.slice(1, -1)
    if (type === 'number') return this.#count
    if (type === 'boolean') return this.#chance.isOneIn(2)
    if (type === 'bigint') return this.#isPlain ? this.#count : BigInt(this.#count)
    if (type === 'Date') return new Date(this.#count * 1000)
    return type === 'null' ? null : this.#text(mark)
  }

  #open(mark: Mark): unknown {
    const text = (): string => this.#text(mark === 'kept' ? 'open' : mark)
    if (this.#isPlain) return this.#chance.pick<unknown>([text(), null, { as: text(), list: [text()] }])
    return this.#chance.pick<unknown>([
      text(),
      null,
      { as: text(), list: [text(), { of: text() }] },
      new Map([[`name ${this.#count}`, new Set([text(), 7n])]]),
      [new Date(0), new Row({ of: text() })],
    ])
  }

  #list(items: Shape, isSet: boolean, place: Place): unknown {
    const count = place.depth >= maxDepth ? 0 : this.#chance.below(4)
    const list = Array.from({ length: count }, () => this.#value(items, inner(place)))
    if (this.#isPlain) return list
    if (isSet || this.#chance.isOneIn(8)) return new Set(list)
    return this.#chance.isOneIn(8) ? new Row(list) : list
  }

  #map(values: Shape, place: Place): unknown {
    const count = place.depth >= maxDepth ? 0 : this.#chance.below(4)
    const entries = Array.from({ length: count }, (_, index) => {
      return [`key ${index}`, this.#value(values, inner(place))] as const
    })
    return !this.#isPlain && this.#chance.isOneIn(2) ? new Map(entries) : Object.fromEntries(entries)
  }

  #object(shape: ObjectShape, place: Place): unknown {
    const fields = shape.fields.flatMap((field) => this.#field(field, place))
    return this.#wide(shape, fields, place)
  }

  #field({ name, shape, isOptional, isSecret }: Field, place: Place): readonly Entry[] {
    const isAbsent = isOptional && (place.depth >= maxDepth || this.#chance.isOneIn(3))
    if (isAbsent) return this.#chance.isOneIn(3) ? [[name, undefined]] : []
    const mark = isSecret && place.mark === 'kept' ? 'canary-secret' : place.mark
    return [[name, this.#value(shape, { ...inner(place), mark })]]
  }

  /** Among more than the type declares, in any order and as any kind of object. */
  #wide({ others }: ObjectShape, fields: readonly Entry[], place: Place): unknown {
    const further = Array.from({ length: this.#chance.below(3) }, (_, index): Entry => {
      const name = `${others?.prefix ?? ''}more ${index}`
      return [name, this.#value(others?.shape ?? nothing, inner(place))]
    })
    const isOpen = others?.prefix === ''
    const isWide = !(isOpen || (this.#isPlain && this.#chance.isOneIn(2)))
    const extras = (isWide ? this.#chance.some(undeclared) : []).map((name): Entry => [name, this.#extra()])
    const declared = others === null ? fields : [...fields, ...further]
    return this.#dressed(this.#shuffled([...declared, ...extras]))
  }

  #extra(): unknown {
    const text = (): string => this.#text('canary-undeclared')
    if (this.#isPlain) return this.#chance.pick<unknown>([text(), { of: [text()] }])
    return this.#chance.pick<unknown>([
      text(),
      text(),
      { of: text(), list: [text()] },
      new Map([['key', text()]]),
      [new Row({ of: text() })],
    ])
  }

  #shuffled(entries: readonly Entry[]): readonly Entry[] {
    return entries
      .map((entry) => ({ entry, place: this.#chance.below(1000) }))
      .sort((a, b) => a.place - b.place)
      .map(({ entry }) => entry)
  }

  /** A plain object, one without a prototype, an instance of a class, or what writes itself. */
  #dressed(entries: readonly Entry[]): unknown {
    const plain = Object.fromEntries(entries)
    const how = this.#isPlain ? -1 : this.#chance.below(8)
    if (how === 0 && !entries.some(([name]) => name === 'toString')) return Object.setPrototypeOf(plain, null)
    if (how === 1) return new Row(plain)
    return how === 2 ? Object.setPrototypeOf(plain, Model.prototype) : plain
  }

  #member({ members, isTagged }: Extract<Shape, { kind: 'union' }>, place: Place): unknown {
    const ends = members.filter(({ text }) => text === 'null')
    const member = this.#chance.pick(place.depth >= maxDepth && ends.length > 0 ? ends : members)
    const at = { ...place, mayLie: false }
    if (member.kind !== 'object') return this.#value(member, at)
    const fields = member.fields.flatMap((field) => this.#field(field, at))
    const own = new Set(member.fields.map(({ name }) => name))
    const wrong = this.#wrongFields(members, own, at).filter(([name]) => !isTagged || name !== tagName)
    return this.#wide(member, [...fields, ...wrong], at)
  }

  /** Some of what other members declare, often not all that they must have. */
  #wrongFields(members: readonly Shape[], own: ReadonlySet<string>, place: Place): readonly Entry[] {
    const others = members.flatMap((member) => (member.kind === 'object' ? member.fields : []))
    const fields = new Map(others.filter(({ name }) => !own.has(name)).map((field) => [field.name, field]))
    return this.#chance.some([...fields.values()]).flatMap((field) => {
      return this.#field(field, { ...place, mark: place.mark === 'kept' ? 'wrong' : place.mark })
    })
  }
}

type Entry = readonly [name: string, value: unknown]

const nothing: Shape = { kind: 'scalar', text: 'null' }
const inner = (place: Place): Place => ({ ...place, depth: place.depth + 1 })

/** As a row of an ORM: what it is, its `toJSON` says. */
class Row {
  readonly #fields: unknown

  constructor(fields: unknown) {
    this.#fields = fields
  }

  toJSON(): unknown {
    return this.#fields
  }
}

/** What a method or a private field of it holds does not leave. */
class Model {
  get computed(): string {
    return 'canary-undeclared-getter'
  }

  save(): string {
    return this.computed
  }
}
