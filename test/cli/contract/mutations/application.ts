/** A random application as data, and as the files that it is written in: what a mutation changes is a part of the data. */
import type { Files } from '../../support/memory-host.ts'

export type Type =
  | { kind: 'plain'; name: 'string' | 'number' | 'boolean' | 'Int32' | 'Uuid' | 'Date' }
  | { kind: 'words'; values: string[] }
  | { kind: 'named'; name: string }
  | { kind: 'either'; names: string[] }
  | { kind: 'list' | 'map' | 'nullable'; of: Type }
  | { kind: 'object'; fields: Field[] }

export interface Field {
  name: string
  type: Type
  isOptional: boolean
  text: string
  /** `@secret`, `@maxLength 5`; by name. */
  tags: Record<string, string>
}

export interface Declared {
  name: string
  fields: Field[]
  /** By which members of a union are told apart. */
  kind: string | null
}

export interface Param {
  name: string
  type: Type
  isOptional: boolean
  fallback: number | null
  text: string
  tags: Record<string, string>
}

export interface Route {
  name: string
  verb: 'get' | 'post'
  address: string
  text: string
  params: Param[]
  /** A named type. */
  body: string | null
  /** A named type, or a list of it; null = a text. */
  answer: { name: string; isList: boolean } | null
  tags: Record<string, string>
}

export interface Box {
  name: string
  text: string
  tags: Record<string, string>
  routes: Route[]
}

export interface Scope {
  name: string
  text: string
  isSensitive: boolean
}

export interface Application {
  types: Declared[]
  boxes: Box[]
  scopes: Scope[]
}

/** Draws from one stream of numbers. */
export class Draw {
  readonly #next: () => number
  #count = 0

  constructor(next: () => number) {
    this.#next = next
  }

  upTo(most: number): number {
    return Math.floor(this.#next() * most)
  }

  chance(of: number): boolean {
    return this.#next() < of
  }

  one<T>(list: readonly T[]): T {
    const found = list[this.upTo(list.length)]
    if (found === undefined) throw new RangeError('nothing to draw from')
    return found
  }

  word(): string {
    this.#count += 1
    return `w${this.#count}x`
  }

  text(): string {
    return `Text ${this.word()}: "a" - {b} #c.`
  }
}

const plains = ['string', 'number', 'boolean', 'Int32', 'Uuid', 'Date'] as const

export function randomType(draw: Draw, names: readonly string[], depth = 0): Type {
  const inner = (): Type => randomType(draw, names, depth + 1)
  switch (draw.upTo(depth > 2 ? 5 : 9)) {
    case 0:
      return { kind: 'words', values: [draw.word(), draw.word(), draw.word()] }
    case 1:
    case 2:
      return { kind: 'named', name: draw.one(names) }
    case 5:
      return { kind: 'list', of: inner() }
    case 6:
      return { kind: 'map', of: inner() }
    case 7: {
      const of = inner()
      return of.kind === 'nullable' ? of : { kind: 'nullable', of }
    }
    case 8:
      return { kind: 'object', fields: [fieldUnder(draw, inner()), fieldUnder(draw, inner())] }
    default:
      return { kind: 'plain', name: draw.one(plains) }
  }
}

export const fieldUnder = (draw: Draw, type: Type): Field => ({
  name: draw.word(),
  type,
  isOptional: draw.chance(0.3),
  text: draw.text(),
  tags: {},
})

const marked = (draw: Draw, tag: string): Field => ({
  ...fieldUnder(draw, { kind: 'plain', name: 'string' }),
  isOptional: true,
  tags: { [tag.slice(1)]: tag },
})

const typeCount = 24
/** Types name later ones of their block alone, and themselves. */
const blockSize = 6
/** Each kind of route is at least once in every application. */
const routeKinds = 8

/** `boxes`: how many controllers, and toolboxes. */
export function randomApplication(draw: Draw, boxCount = 40): Application {
  const names = Array.from({ length: typeCount }, (_, at) => `T${at}`)
  const tagged = ['Cat', 'Dog']
  const types = names.map((name, at): Declared => {
    const later = names.slice(at + 1, at - (at % blockSize) + blockSize)
    const known = later.length === 0 ? [name] : later
    const fields = [0, 1, 2].map(() => fieldUnder(draw, randomType(draw, known)))
    // a type that holds itself, always in a way that ends
    if (at % 5 === 0) fields.push(fieldUnder(draw, { kind: 'list', of: { kind: 'named', name } }))
    if (at % 6 === 0) fields.push(fieldUnder(draw, { kind: 'either', names: tagged }))
    if (at % 8 === 3) fields.push(marked(draw, '@untrusted'))
    if (at % 12 === 7) fields.push(marked(draw, '@secret'))
    return { name, kind: null, fields: fields.map(endless) }
  })
  const members = tagged.map(
    (name): Declared => ({
      name,
      kind: draw.word(),
      fields: [fieldUnder(draw, { kind: 'plain', name: 'string' })],
    }),
  )
  const scopes = [0, 1, 2, 3].map(
    (at): Scope => ({ name: `s${at}`, text: draw.text(), isSensitive: at === 3 }),
  )
  const boxes = Array.from({ length: boxCount }, (_, at): Box => boxOf(draw, at, names))
  return { types: [...types, ...members], boxes, scopes }
}

/** A value of a type that must hold itself would never end. */
const endless = (field: Field): Field => ({
  ...field,
  isOptional: field.isOptional || holdsNamed(field.type),
})

function holdsNamed(type: Type): boolean {
  if (type.kind === 'object') return type.fields.some((field) => holdsNamed(field.type))
  return type.kind === 'named' || (type.kind === 'nullable' && holdsNamed(type.of))
}

function boxOf(draw: Draw, at: number, names: readonly string[]): Box {
  const routes = [0, 1, 2].map((place): Route => {
    const verb = (at + place) % 2 === 0 ? 'post' : 'get'
    const isSent = verb === 'post' && draw.chance(0.6)
    const name = `m${place}`
    const own = ofKind(draw, (at * 3 + place + Math.floor(at / 8)) % routeKinds, verb)
    const paramsOf = 'resource' in own ? [] : [0, 1, 2].map((one) => paramOf(draw, one, 'prompt' in own))
    return {
      name,
      verb,
      address: `/${name}`,
      text: draw.text(),
      params: isSent ? [] : paramsOf,
      body: isSent ? draw.one(names) : null,
      answer:
        !('prompt' in own) && draw.chance(0.8) ? { name: draw.one(names), isList: draw.chance(0.3) } : null,
      tags: { ...own, ...(draw.chance(0.2) ? { scope: '@scope s0' } : {}) },
    }
  })
  return { name: `C${at}`, text: draw.text(), tags: {}, routes }
}

function ofKind(draw: Draw, kind: number, verb: Route['verb']): Record<string, string> {
  const tags: readonly Record<string, string>[] = [
    {},
    { limit: '@limit 5/s', timeout: '@timeout 5s' },
    { scope: '@scope s1' },
    { keywords: `@mcp keywords ${draw.word()}` },
    verb === 'get' ? { prompt: '@mcp prompt' } : { approval: `@approval Do ${draw.word()}` },
    verb === 'get'
      ? { resource: `@mcp resource uri=note://${draw.word()}` }
      : { idempotencyKey: '@idempotencyKey' },
    { hide: '@mcp hide' },
    { title: `@mcp title="${draw.word()}"` },
  ]
  return tags[kind] ?? {}
}

function paramOf(draw: Draw, place: number, isText: boolean): Param {
  const types: readonly Type[] = [
    { kind: 'words', values: [draw.word(), draw.word(), draw.word()] },
    { kind: 'plain', name: 'string' },
    { kind: 'plain', name: 'Int32' },
    { kind: 'list', of: { kind: 'plain', name: 'string' } },
  ]
  const type = draw.one(isText ? types.slice(0, 2) : types)
  const isNumber = type.kind === 'plain' && type.name === 'Int32'
  const isBounded = type.kind === 'plain' && type.name === 'string' && !isText
  return {
    name: `p${place}`,
    type,
    isOptional: place > 0,
    fallback: isNumber && place > 0 && draw.chance(0.5) ? draw.upTo(9) : null,
    text: draw.text(),
    tags: isBounded && draw.chance(0.5) ? { maxLength: '@maxLength 10' } : {},
  }
}

const comment = (text: string, tags: Readonly<Record<string, string>>): string =>
  `/**\n * ${text}\n${Object.keys(tags).length === 0 ? '' : ' *\n'}${Object.values(tags)
    .map((tag) => ` * ${tag}\n`)
    .join('')} */`

export function written(type: Type): string {
  switch (type.kind) {
    case 'plain':
    case 'named':
      return type.name
    case 'words':
      return type.values.map((value) => `'${value}'`).join(' | ')
    case 'either':
      return type.names.join(' | ')
    case 'list':
      return `(${written(type.of)})[]`
    case 'map':
      return `Record<string, ${written(type.of)}>`
    case 'nullable':
      return `(${written(type.of)}) | null`
    case 'object':
      return `{\n${type.fields.map(member).join('\n')} }`
  }
}

const member = ({ name, type, isOptional, text, tags }: Field): string =>
  `${comment(text, tags)}\n${name}${isOptional ? '?' : ''}: ${written(type)}\n`

const declared = ({ name, kind, fields }: Declared): string =>
  `export interface ${name} {\n${kind === null ? '' : `kind: '${kind}'\n`}${fields.map(member).join('')}}\n`

function parameter({ name, type, isOptional, fallback, tags }: Param): string {
  const said = Object.values(tags)
    .map((tag) => `/** ${tag} */ `)
    .join('')
  if (fallback !== null) return `${said}${name}: ${written(type)} = ${fallback}`
  return `${said}${name}${isOptional ? '?' : ''}: ${written(type)}`
}

function method({ name, verb, address, text, params, body, answer, tags }: Route): string {
  const told = Object.fromEntries(
    params.map((param) => [`param ${param.name}`, `@param ${param.name} - ${param.text}`]),
  )
  const type = answer === null ? 'string' : `${answer.name}${answer.isList ? '[]' : ''}`
  const taken = body === null ? params.map(parameter).join(', ') : `body: Body<${body}>`
  return `${comment(text, { route: `@${verb} ${address}`, ...told, ...tags })}\n${name}(${taken}): ${type} { throw new Error() }\n`
}

const fileOf = ({ name, text, tags, routes }: Box, types: readonly Declared[]): string =>
  `import { type Body, Controller, type Int32 } from 'acmcp'
import type { ${types.map((type) => type.name).join(', ')} } from '../types.ts'
${comment(text, { base: `@base /${name.toLowerCase()}`, ...tags })}
export class ${name} extends Controller {
${routes.map(method).join('\n')}
}
`

export function filesOf({ types, boxes, scopes }: Application): Files {
  const said = scopes.map(
    ({ name, text, isSensitive }) => `${name}: { text: '${text}'${isSensitive ? ', sensitive: true' : ''} }`,
  )
  return {
    'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({ scopes: { ${said.join(', ')} } })\n`,
    'app/types.ts': `import type { Int32, Uuid } from 'acmcp'\n${types.map(declared).join('')}`,
    ...Object.fromEntries(
      boxes.map((box) => [`app/controllers/${box.name.toLowerCase()}.ts`, fileOf(box, types)]),
    ),
  }
}
