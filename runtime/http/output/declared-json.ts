/** Answers by their declared type: a property that the type does not declare does not leave. The work is linear in the value.
 *  Source: decisions/http.md, Answers by type. */
import type { AnswerObject, AnswerProperty, AnswerType } from '../../contract/answer-type.ts'
import { type AnswerList, allMembers, isOfKind, memberOf, target } from './answer-members.ts'
import { hasHidden, spelledOut } from './hidden-characters.ts'
import { dateToJson, deepest, isPlain, toJsonText } from './json-text.ts'

/** What of a value does not leave as it is. */
export interface Omission {
  /** Properties that are `@secret`. */
  readonly secrets: boolean
  /** Whether properties are withheld from all: a type of the route has some. */
  readonly withheld: boolean
  /** Properties that the type does not declare. */
  readonly undeclared: boolean
  /** Whether invisible characters in text that is `@untrusted` are spelled out. */
  readonly hidden: boolean
}

/** How a value differs from its type; `path` holds names and no values. */
export interface Difference {
  readonly kind: 'undeclared' | 'missing' | 'other'
  readonly path: string
}

type Tell = (difference: Difference) => void
type Fields = Readonly<Record<string, unknown>>

/** JSON text of what `type` declares of `value`, with the forms of language.md, Parameters. Throws `TypeError` for a value that holds
 *  itself. */
export function declaredJson(value: unknown, type: AnswerType, omission: Omission): string {
  return isDeclared(value, type, omission)
    ? JSON.stringify(value)
    : toJsonText(declaredPart(value, type, omission))
}

/** What `type` declares of `value`, of plain objects and lists: dates, bytes, maps and bigints stay what they are. Throws as
 *  `declaredJson` does. `tell` is called for each difference. */
export function declaredPart(
  value: unknown,
  type: AnswerType,
  omission: Omission,
  tell: Tell | null = null,
): unknown {
  return new Copy(omission, tell).of(value, type, '', '')
}

const whole = { kind: 'whole' } as const

/** Whether `JSON.stringify` writes the value as it should, and nothing of it is left out. */
export function isDeclared(value: unknown, type: AnswerType, omission: Omission, depth = 0): boolean {
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'bigint' && typeof value !== 'function'
  if (value instanceof Date && value.toJSON === dateToJson) return true
  if ('toJSON' in value || depth > deepest || isSpecial(value)) return false
  const declared = structureOf(target(type), value, omission)
  if (declared === null) return false
  if (declared.kind === 'whole') return isPlain(value, depth)
  if (declared.kind === 'list')
    return Array.isArray(value) && isDeclaredList(value, declared, omission, depth)
  return !Array.isArray(value) && isDeclaredObject(value as Fields, declared, omission, depth)
}

/** What `JSON.stringify` writes in another way than we do, or unwraps. */
const isSpecial = (value: object): boolean =>
  value instanceof Map || value instanceof Set || value instanceof Uint8Array || isBoxed(value)

const isBoxed = (value: object): value is { valueOf(): unknown } =>
  value instanceof String || value instanceof Number || value instanceof Boolean

type Structure = AnswerObject | AnswerList | Extract<AnswerType, { kind: 'whole' }>

/** What a type declares of a list or an object; null = nothing. */
function structureOf(type: AnswerType, value: object, omission: Omission): Structure | null {
  const declared = target(type)
  if (declared.kind === 'scalar') return omission.undeclared ? null : whole
  if (declared.kind !== 'union') return declared
  const member = omission.undeclared
    ? memberOf(declared, value, omission.secrets || omission.withheld)
    : allMembers(declared, value)
  return structureOf(member ?? nothing, value, omission)
}

function isDeclaredList(
  items: readonly unknown[],
  { places, items: type }: AnswerList,
  omission: Omission,
  depth: number,
): boolean {
  for (let index = 0; index < items.length; index++) {
    const declared = places[index] ?? type ?? furtherType(omission)
    if (declared === null || !isDeclared(items[index], declared, omission, depth + 1)) return false
  }
  return true
}

const isLeftOut = ({ isSecret, isWithheld }: AnswerProperty, { secrets }: Omission): boolean =>
  isWithheld || (isSecret && secrets)

const furtherType = ({ undeclared }: Omission): AnswerType | null => (undeclared ? null : whole)

function isDeclaredObject(
  fields: Fields,
  { properties, others }: AnswerObject,
  omission: Omission,
  depth: number,
): boolean {
  for (const name in fields) {
    const property = properties.get(name)
    if (property !== undefined && isLeftOut(property, omission)) return false
    const type = property?.type ?? others?.(name) ?? furtherType(omission)
    if (type === null) return false
    const value = fields[name]
    if (omission.hidden && property?.isUntrusted === true && !isVisible(value)) return false
    if (typeof value === 'string' || typeof value === 'number') continue
    if (!isDeclared(value, type, omission, depth + 1)) return false
  }
  return true
}

/** What is more than one text is left to the copy. */
const isVisible = (value: unknown): boolean =>
  typeof value === 'string' ? !hasHidden(value) : typeof value !== 'object' || value === null

/** Copies the declared part of one value. */
class Copy {
  readonly #omission: Omission
  readonly #tell: Tell | null
  /** What holds the value, from `deepest` on. */
  readonly #around = new Set<object>()
  #depth = 0
  /** What is copied is below a property whose text others wrote, and spelled out. */
  #isUntrusted = false

  constructor(omission: Omission, tell: Tell | null) {
    this.#omission = omission
    this.#tell = tell
  }

  of(value: unknown, type: AnswerType, name: string, path: string): unknown {
    if (target(type).kind === 'whole' && !this.#isUntrusted) return value
    const form = formOf(value, name)
    if (this.#tell !== null && form !== undefined && !isOfKind(form, type))
      this.#tell({ kind: 'other', path })
    if (typeof form === 'string') return this.#text(form)
    if (typeof form !== 'object' || form === null || form instanceof Date || form instanceof Uint8Array)
      return form
    this.#enter(form)
    const copy = this.#structure(form, type, path)
    this.#leave(form)
    return copy
  }

  #structure(form: object, type: AnswerType, path: string): unknown {
    const items = form instanceof Set ? [...form] : form
    const declared = structureOf(type, items, this.#omission)
    const isWhole = declared?.kind === 'whole'
    if (isWhole && !this.#isUntrusted) return items
    const [list, fields] = isWhole ? [anyItems, anyProperties] : [noItems, noProperties]
    if (Array.isArray(items)) return this.#list(items, declared?.kind === 'list' ? declared : list, path)
    const object = declared?.kind === 'object' ? declared : fields
    return items instanceof Map ? this.#map(items, object, path) : this.#object(items as Fields, object, path)
  }

  #list(items: readonly unknown[], { places, items: type }: AnswerList, path: string): readonly unknown[] {
    const further = type ?? furtherType(this.#omission) ?? nothing
    return Array.from(items, (item, index) =>
      this.of(item, places[index] ?? further, String(index), `${path}[]`),
    )
  }

  #map(map: ReadonlyMap<unknown, unknown>, type: AnswerObject, path: string): ReadonlyMap<unknown, unknown> {
    const kept = [...map].flatMap(([key, value]) => {
      const name = String(key)
      const declared = this.#typeOf(name, type, path)
      if (declared === null) return []
      return [
        [
          typeof key === 'string' ? this.#text(key) : key,
          this.#property(value, declared, { of: type, name, path: `${path}{}` }),
        ] as const,
      ]
    })
    return new Map(kept)
  }

  #object(fields: Fields, type: AnswerObject, path: string): Fields {
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(fields)) {
      const declared = this.#typeOf(name, type, path)
      if (declared === null) continue
      const place = { of: type, name, path: inside(path, name) }
      setOwn(copy, this.#text(name), this.#property(fields[name], declared, place))
    }
    if (this.#tell !== null) this.#tellMissing(copy, type, path)
    return copy
  }

  #property(
    value: unknown,
    type: AnswerType,
    { of, name, path }: { readonly of: AnswerObject; readonly name: string; readonly path: string },
  ): unknown {
    const before = this.#isUntrusted
    if (this.#omission.hidden && of.properties.get(name)?.isUntrusted === true) this.#isUntrusted = true
    const copy = this.of(value, type, name, path)
    this.#isUntrusted = before
    return copy
  }

  #text(text: string): string {
    return this.#isUntrusted ? spelledOut(text) : text
  }

  /** What a property is declared to be; null = it is left out. */
  #typeOf(name: string, { properties, others }: AnswerObject, path: string): AnswerType | null {
    const property = properties.get(name)
    if (property !== undefined && isLeftOut(property, this.#omission)) return null
    const type = property?.type ?? others?.(name) ?? furtherType(this.#omission)
    if (type === null) this.#tell?.({ kind: 'undeclared', path: inside(path, name) })
    return type
  }

  #tellMissing(copy: Fields, { properties }: AnswerObject, path: string): void {
    for (const [name, property] of properties) {
      if (property.isRequired && !isLeftOut(property, this.#omission) && copy[name] === undefined)
        this.#tell?.({ kind: 'missing', path: inside(path, name) })
    }
  }

  /** Types may hold themselves, and so may values: that is looked for where it is deep. */
  #enter(value: object): void {
    this.#depth += 1
    if (this.#depth <= deepest) return
    if (this.#around.has(value)) throw new TypeError('an answer that holds itself has no JSON form')
    this.#around.add(value)
  }

  #leave(value: object): void {
    this.#depth -= 1
    this.#around.delete(value)
  }
}

const inside = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** Of a value that is declared to be a single one. */
const nothing: AnswerType = { kind: 'scalar', accepts: () => true }
const noItems: AnswerList = { kind: 'list', places: [], items: null }
const anyItems: AnswerList = { kind: 'list', places: [], items: whole }
const anyProperties: AnswerObject = { kind: 'object', properties: new Map(), others: () => whole }
const noProperties: AnswerObject = { kind: 'object', properties: new Map(), others: null }

/** What `JSON.stringify` would look at: what `toJSON` returns, and the value in a box; a function is nothing. */
function formOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' && typeof value !== 'function') return value
  if (value === null || value instanceof Uint8Array) return value
  if (value instanceof Date && value.toJSON === dateToJson) return value
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === 'function') return toJSON.call(value, name)
  if (typeof value === 'function') return undefined
  return isBoxed(value) ? value.valueOf() : value
}

/** To assign `__proto__` would set the prototype. */
function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
}
