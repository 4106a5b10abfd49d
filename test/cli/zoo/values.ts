/** Random JSON of a published schema, and near it. */
import fc from 'fast-check'
import { Chance } from '../../flow/permission/support/random-scopes.ts'
import { type Json, resolved } from './judge.ts'

type Fields = Readonly<Record<string, Json>>

const texts = [
  ...[
    '',
    ' ',
    'a',
    'b',
    'abc',
    'a,b',
    '[x',
    '[]',
    '["a"]',
    '{"d"',
    '{}',
    'null',
    'true',
    'false',
    'undefined',
    '0',
    '1',
    '-1',
    '01',
  ],
  ...[
    '1.5',
    '1e3',
    '5.0',
    '0x10',
    'NaN',
    '12345678901234567890',
    '2024-02-29',
    '2024-02-30',
    '2024-01-01T10:00:00Z',
    '..',
    '.',
    'a/b',
  ],
  ...[
    '😀',
    'äöü',
    '"',
    "'",
    '\\',
    '%',
    '%20',
    '+',
    '&=',
    'a b',
    'a\nb',
    ' a ',
    '#',
    '?',
    ';',
    'aGk=',
    'https://a.example/?b=c',
    'T-1',
  ],
  ...[
    '0190163d-8694-739b-aea5-966c26f8ad91',
    'a@b.example',
    'red',
    'v1',
    'x-a',
    'circle',
    'square',
    '__proto__',
    'constructor',
  ],
]
const numbers = [
  0,
  1,
  -1,
  2,
  5,
  7,
  42,
  1.5,
  0.5,
  -0.25,
  1e21,
  1e-7,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31,
  2 ** 53,
  200,
  1.7976931348623157e308,
]
const keys = [
  'a',
  'b',
  'x',
  'x-a',
  'x-',
  'at-1',
  'at-',
  'a b',
  'constructor',
  'toString',
  'ä',
  '1',
  '',
  'name',
  'kind',
  'id',
  'value',
]

const formatted: Readonly<Record<string, readonly string[]>> = {
  'date-time': [
    ...[
      '2024-02-29',
      '2024-02-29T10:00:00Z',
      '2024-02-29T10:00:00.123+02:00',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
    ],
    ...[
      '2024-06-30t10:00:00z',
      '2024-06-30T10:00',
      '2024-06-30T10:00:59',
      '2000-02-29T00:00:00-11:30',
      '2024-12-31T10:00:00.5Z',
    ],
  ],
  email: ['a@b', 'ada@example.org', 'ü@ö.example', "o'hara+x@e.example"],
  uri: [
    'https://example.org',
    'https://example.org/a?b=c#d',
    'mailto:a@b',
    'urn:a:b',
    'http://[::1]:80/',
    'HTTPS://EXAMPLE.org/%41',
  ],
  uuid: [
    '0190163d-8694-739b-aea5-966c26f8ad91',
    '0190163D-8694-739B-AEA5-966C26F8AD91',
    '00000000-0000-0000-0000-000000000000',
  ],
  int64: ['0', '-0', '007', '9223372036854775807', '-9223372036854775808', '1'],
}

/** Texts of patterns: making them takes long. */
const matching = new Map<string, readonly string[]>()

const seeded = (chance: Chance): number => chance.below(2 ** 31)

/** Values of the schemas of one document. */
export class Values {
  readonly #document: Json
  readonly #chance: Chance

  constructor(document: Json, seed: number) {
    this.#document = document
    this.#chance = new Chance(seed)
  }

  /** A value that `schema` says; not all are of it, where its keywords are about each other. */
  inside(schema: Json, depth = 0): unknown {
    const { $ref, anyOf, oneOf, type, const: only, enum: some } = schema
    if (typeof $ref === 'string') return this.inside(resolved(this.#document, $ref), depth + 1)
    if (Array.isArray(anyOf))
      return this.inside({ ...rest(schema, 'anyOf'), ...this.#member(anyOf, depth) }, depth)
    if (Array.isArray(oneOf))
      return this.inside({ ...rest(schema, 'oneOf'), ...this.#member(oneOf, depth) }, depth)
    if ('const' in schema) return only
    if (Array.isArray(some)) return this.#pick(some)
    switch (Array.isArray(type) ? this.#pick(type) : type) {
      case 'string':
        return this.#text(schema, depth)
      case 'number':
        return this.#number(schema, false)
      case 'integer':
        return this.#number(schema, true)
      case 'boolean':
        return this.#chance.below(2) === 0
      case 'null':
        return null
      case 'array':
        return this.#list(schema, depth)
      case 'object':
        return this.#object(schema, depth)
      default:
        return this.anything(depth)
    }
  }

  /** Any JSON. */
  anything(depth = 0): unknown {
    const kind = this.#chance.below(depth > 2 ? 5 : 8)
    if (kind < 2) return this.#pick(texts)
    if (kind === 2) return this.#pick(numbers)
    if (kind === 3) return this.#chance.below(2) === 0
    if (kind === 4) return null
    if (kind === 5) return Array.from({ length: this.#chance.below(4) }, () => this.anything(depth + 1))
    return Object.fromEntries(
      Array.from({ length: this.#chance.below(4) }, () => [this.#pick(keys), this.anything(depth + 1)]),
    )
  }

  /** A value of `schema` of which one part is another, is missing, or is too much; or any. */
  near(schema: Json): unknown {
    return this.#chance.below(4) === 0 ? this.anything() : this.#changed(this.inside(schema))
  }

  #changed(value: unknown): unknown {
    if (this.#chance.below(3) === 0) return this.#other(value)
    if (Array.isArray(value) && value.length > 0) {
      const place = this.#chance.below(value.length)
      const how = this.#chance.below(4)
      if (how === 0) return value.slice(0, -1)
      if (how === 1) return [...value, value[place]]
      return value.map((item, index) => (index === place ? this.#changed(item) : item))
    }
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
      const name = this.#pick(Object.keys(value))
      const fields = value as Json
      if (this.#chance.below(3) === 0) return rest(fields, name)
      return { ...fields, [name]: this.#changed(fields[name]) }
    }
    return this.#other(value)
  }

  #other(value: unknown): unknown {
    if (typeof value === 'string')
      return this.#pick([
        `${value}x`,
        [...value].slice(0, -1).join(''),
        ` ${value}`,
        value.toUpperCase(),
        this.anything(2),
        [value],
      ])
    if (typeof value === 'number')
      return this.#pick([value + 0.5, 0 - value, value * 1e10, String(value), this.anything(2), [value]])
    if (typeof value === 'boolean')
      return this.#pick([String(value), Number(value), !value, this.anything(2)])
    if (Array.isArray(value) && value.length === 1) return this.#pick([value[0], this.anything(1)])
    return this.anything(1)
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#chance.below(list.length)] as T // it is not empty
  }

  /** Deep down the last one, which is the end of types that hold themselves. */
  #member(members: readonly Json[], depth: number): Json {
    const found = depth > 8 ? members.find(({ type }) => type === 'null') : undefined
    return found ?? this.#pick(members)
  }

  #text(
    { format, pattern, minLength = 0, maxLength = Infinity, contentSchema, contentEncoding }: Json,
    depth: number,
  ): string {
    if (typeof contentSchema === 'object')
      return JSON.stringify(this.inside(contentSchema as Json, depth + 1))
    const known = typeof format === 'string' ? formatted[format] : undefined
    if (known !== undefined) return this.#pick(known)
    if (typeof pattern !== 'string') return this.#padded(Number(minLength), Number(maxLength))
    const text = this.#pick(this.#matches(pattern))
    return contentEncoding === 'base64' ? Buffer.from(text, 'base64').toString('base64') : text
  }

  #padded(minLength: number, maxLength: number): string {
    const text = this.#pick(texts)
    const padded = [...text].length < minLength ? text + 'x'.repeat(minLength) : text
    return [...padded].slice(0, maxLength).join('')
  }

  #matches(pattern: string): readonly string[] {
    const known = matching.get(pattern)
    if (known !== undefined) return known
    const all = fc
      .sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: 60, seed: seeded(this.#chance) })
      .filter((text) => !/[\0\ud800-\udfff]/.test(text) && text.length < 200)
    matching.set(pattern, all)
    return all
  }

  #number(schema: Json, isInteger: boolean): number {
    const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf: step } = schema
    const [least, most] = [minimum ?? exclusiveMinimum, maximum ?? exclusiveMaximum]
    const bound = step === undefined ? (isInteger ? 1 : 0) : Number(step)
    if (least === undefined && most === undefined) {
      const number = this.#pick(numbers)
      return bound === 0
        ? number
        : Math.round(Math.abs(number / bound) > 2 ** 31 ? 3 : number / bound) * bound + 0
    }
    const from = Number(least ?? Number(most) - 100)
    const value = from + (this.#chance.below(1001) / 1000) * (Number(most ?? from + 100) - from)
    return (bound === 0 ? value : Math.round(value / bound) * bound) + 0 // no negative zero, which JSON does not tell
  }

  #list(schema: Json, depth: number): readonly unknown[] {
    const { items, prefixItems, minItems = 0, maxItems } = schema
    const first = Array.isArray(prefixItems) ? (prefixItems as readonly Json[]) : []
    const least = Number(minItems)
    const canGrow = items !== undefined && items !== false
    const most = Math.min(Number(maxItems ?? Infinity), canGrow ? least + (depth > 6 ? 0 : 3) : first.length)
    const length = Math.max(least, this.#chance.below(most + 1))
    return Array.from({ length }, (_, place) => this.inside(first[place] ?? (items as Json) ?? {}, depth + 1))
  }

  #object(schema: Json, depth: number): object {
    const {
      properties = {},
      required = [],
      patternProperties = {},
      additionalProperties,
      propertyNames,
    } = schema
    const requested = new Set(required as readonly string[])
    const own = Object.entries(properties as Fields).flatMap(([name, of]) =>
      requested.has(name) || (depth < 7 && this.#chance.below(2) === 0)
        ? [[name, this.inside(of, depth + 1)] as const]
        : [],
    )
    const byPattern = Object.entries(patternProperties as Fields).flatMap(([pattern, of]) =>
      this.#some(depth).map(() => [this.#pick(this.#matches(pattern)), this.inside(of, depth + 1)] as const),
    )
    const nameOf = (): string =>
      typeof propertyNames === 'object'
        ? String(this.inside({ type: 'string', ...propertyNames }))
        : this.#pick(keys)
    const others =
      typeof additionalProperties !== 'object'
        ? []
        : this.#some(depth).map(
            () => [nameOf(), this.inside(additionalProperties as Json, depth + 1)] as const,
          )
    return Object.fromEntries([...others, ...byPattern, ...own].filter(([name]) => name !== '__proto__'))
  }

  #some(depth: number): readonly unknown[] {
    return Array.from({ length: depth > 6 ? 0 : this.#chance.below(3) })
  }
}

const rest = (fields: Json, without: string): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== without))
