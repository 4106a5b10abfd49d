/** Types of answers, drawn at random. */
import { Chance } from '../../../../flow/permission/support/random-scopes.ts'
import {
  bodyOf,
  type DrawnTypes,
  type Field,
  listOf,
  type ObjectShape,
  objectOf,
  open,
  orNull,
  type Shape,
  scalar,
  tagName,
  unionText,
} from './shapes.ts'

/** How deep types are drawn. */
const maxDepth = 3
const recursiveNames = ['Tree', 'Node', 'Leaf']
const fieldNames = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
/** Every object has something of that name. */
const oddNames = ['constructor', 'toString', 'a b', 'hasOwnProperty']

const shared = `export interface Page<T> { items: T[]; next: string | null
  /** @secret */
  total?: string }
export interface Box<T> { value: T
  /** @secret */
  key?: T }
/** @secret */
export type Sealed = string
`

export function drawTypes(seed: number, count: number): DrawnTypes {
  const types = new Types(new Chance(seed))
  const named = new Map(recursiveNames.map((name) => [name, types.recursive(name)]))
  const answers = Array.from({ length: count }, () => types.structure(0))
  return { module: `${shared}${types.declarations.join('\n')}\n`, answers, named }
}

class Types {
  readonly declarations: string[] = []
  readonly #chance: Chance
  /** Whether what is drawn is a part of a type that may hold itself. */
  #isRecursive = false

  constructor(chance: Chance) {
    this.#chance = chance
  }

  /** What an answer is: no single value. */
  structure(depth: number): Shape {
    const draw = this.#chance.pick([
      () => this.#object(depth),
      () => this.#object(depth),
      () => this.#generic(depth),
      () => this.#list(depth),
      () => this.#map(depth),
      () => this.#tuple(depth),
      () => this.#tagged(depth),
      () => this.#untagged(depth),
      () => this.#mixed(depth),
      () => this.#named(),
    ])
    return draw()
  }

  /** A type that may hold itself, always where a value can end. */
  recursive(name: string): ObjectShape {
    this.#isRecursive = true
    const object = { kind: 'object', text: name, fields: this.#fields(1), others: null } as const
    this.#isRecursive = false
    const next = { name: 'next', shape: orNull(this.#name()), isOptional: true, isSecret: false }
    const kept = { name: 'kept', shape: listOf(this.#name()), isOptional: true, isSecret: true }
    const inner = { name: 'inner', shape: listOf(this.#name()), isOptional: false, isSecret: false }
    const whole = { ...object, fields: [...object.fields, next, kept, inner] }
    this.#declare(`export interface ${name} ${bodyOf(whole)}`)
    return whole
  }

  #any(depth: number): Shape {
    if (depth >= maxDepth || this.#chance.below(3 + depth) > 1) return this.#scalar()
    const shape = this.structure(depth)
    return this.#chance.isOneIn(4) ? orNull(shape) : shape
  }

  #scalar(): Shape {
    const text = ['string', 'string', 'number', 'boolean', 'bigint', 'Date', 'unknown', 'string | null']
    const drawn = this.#chance.pick(text)
    if (drawn === 'unknown') return open
    return drawn === 'string | null' ? orNull(scalar('string')) : scalar(drawn)
  }

  /** A type holds itself in a list alone, so that its values end. */
  #named(): Shape {
    return this.#isRecursive ? listOf(this.#name()) : this.#name()
  }

  #name(): Shape {
    return { kind: 'name', text: this.#chance.pick(recursiveNames) }
  }

  #list(depth: number): Shape {
    const items = this.#any(depth + 1)
    return this.#chance.isOneIn(4) ? { kind: 'list', items, text: `Set<${items.text}>` } : listOf(items)
  }

  #tuple(depth: number): Shape {
    const items = [this.#any(depth + 1), this.#any(depth + 1)]
    return { kind: 'tuple', items, text: `[${items.map(({ text }) => text).join(', ')}]` }
  }

  #map(depth: number): Shape {
    const values = this.#any(depth + 1)
    const text = this.#chance.pick(['Map<string, T>', 'Record<string, T>', '{ [name: string]: T }'])
    return { kind: 'map', values, text: text.replace('T', () => values.text) }
  }

  #generic(depth: number): Shape {
    const of = this.#any(depth + 1)
    const field = (name: string, shape: Shape, isSecret = false): Field => {
      return { name, shape, isSecret, isOptional: isSecret }
    }
    return this.#chance.isOneIn(2)
      ? objectOf(`Box<${of.text}>`, [field('value', of), field('key', of, true)])
      : objectOf(`Page<${of.text}>`, [
          field('items', listOf(of)),
          field('next', orNull(scalar('string'))),
          field('total', scalar('string'), true),
        ])
  }

  #fields(depth: number): readonly Field[] {
    const odd = this.#chance.isOneIn(5) ? [this.#chance.pick(oddNames)] : []
    const drawn = fieldNames.filter(() => this.#chance.isOneIn(3))
    const names = [...drawn, ...odd]
    return names.map((name) => {
      const isSecret = this.#chance.isOneIn(4)
      const shape = isSecret && this.#chance.isOneIn(3) ? scalar('Sealed') : this.#any(depth + 1)
      const isOptional = !odd.includes(name) && this.#chance.isOneIn(3)
      return { name, shape, isSecret, isOptional }
    })
  }

  #object(depth: number): ObjectShape {
    const fields = this.#fields(depth)
    const name = `Type${this.declarations.length}`
    const how = this.#chance.below(6)
    if (how === 0) return this.#indexed(fields, depth)
    if (how === 1) return this.#intersection(fields)
    if (how === 2 && !fields.some((field) => field.name === 'constructor')) return this.#class(name, fields)
    const plain = objectOf('', fields)
    if (how === 3) return { ...plain, text: bodyOf(plain) }
    this.#declare(`export interface ${name} ${bodyOf(plain)}`)
    return { ...plain, text: name }
  }

  #indexed(fields: readonly Field[], depth: number): ObjectShape {
    const isOpen = this.#chance.isOneIn(2)
    const others = isOpen ? { prefix: '', shape: open } : { prefix: 'x-', shape: this.#any(depth + 1) }
    const object = { ...objectOf('', fields), others }
    return { ...object, text: bodyOf(object) }
  }

  #intersection(fields: readonly Field[]): ObjectShape {
    const half = Math.ceil(fields.length / 2)
    const texts = [fields.slice(0, half), fields.slice(half)].map((some) => bodyOf(objectOf('', some)))
    return objectOf(`(${texts.join(' & ')})`, fields)
  }

  #class(name: string, fields: readonly Field[]): ObjectShape {
    const hidden =
      'private hidden = 1; protected draft = 2; #deep = 3; sum() { return this.hidden + this.#deep }'
    this.#declare(`export class ${name} ${bodyOf(objectOf('', fields)).replace('{', `{ ${hidden};`)}`)
    return objectOf(name, fields)
  }

  #tagged(depth: number): Shape {
    const members = ['one', 'two', 'three'].map((tag) => {
      const kind = { name: tagName, shape: scalar(`'${tag}'`), isOptional: false, isSecret: false }
      const object = objectOf('', [kind, ...this.#fields(depth)])
      return { ...object, text: bodyOf(object) }
    })
    return { kind: 'union', members, isTagged: true, text: unionText(members) }
  }

  #untagged(depth: number): Shape {
    const members = [this.#member(depth), this.#member(depth)]
    return { kind: 'union', members, isTagged: false, text: unionText(members) }
  }

  /** Each has something that must be there. */
  #member(depth: number): ObjectShape {
    const must = { name: this.#chance.pick(fieldNames), isOptional: false, isSecret: false }
    const rest = this.#fields(depth).filter(({ name }) => name !== must.name)
    const object = objectOf('', [{ ...must, shape: this.#any(depth + 1) }, ...rest])
    return { ...object, text: bodyOf(object) }
  }

  /** Members of different kinds, and two lists. */
  #mixed(depth: number): Shape {
    const lists = [listOf(this.#member(depth)), listOf(this.#member(depth))]
    const members = [this.#member(depth), ...lists, scalar('string')]
    return { kind: 'union', members, isTagged: false, text: unionText(members) }
  }

  #declare(text: string): void {
    this.declarations.push(text)
  }
}
