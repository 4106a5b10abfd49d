/** Walks of schemas. */
import { memoize } from '../cache/memoize.ts'
import type { Marks, NamedSchema, Rest, Schema } from './schema.ts'

/** The schemas directly inside `schema`. The switch is closed: a new kind does not compile until it says what it holds. */
export function childrenOf(schema: Schema): readonly Schema[] {
  switch (schema.kind) {
    case 'array':
    case 'events':
      return [schema.items]
    case 'tuple':
      return schema.rest === null ? schema.items : [...schema.items, schema.rest]
    case 'object':
      return [
        ...schema.properties.map((property) => property.schema),
        ...restsOf(schema).map(({ values }) => values),
      ]
    case 'union':
      return schema.members
    case 'record':
      return [schema.values]
    case 'constrained':
    case 'converted':
      return [schema.inner]
    case 'string':
    case 'template':
    case 'date':
    case 'bytes':
    case 'integer':
    case 'bigint':
    case 'number':
    case 'boolean':
    case 'null':
    case 'literal':
    case 'enum':
    case 'unknown':
    case 'never':
    case 'ref':
    case 'file':
    case 'binary':
      return []
  }
}

/** The index signatures of an object. */
const restsOf = ({ rest, named }: Extract<Schema, { kind: 'object' }>): readonly Rest[] =>
  rest === null ? named : [rest, ...named]

/** What tags narrow. */
export type Constrained = Extract<Schema, { kind: 'constrained' }>

/** What a schema names, where tags narrow it, and whether its properties are marked; not what named schemas do. */
export interface Parts extends Marks {
  /** Named schemas, each once. */
  readonly refs: readonly string[]
  readonly constrained: readonly Constrained[]
  /** An object has names that nobody is answered. */
  readonly withholds: boolean
}

const noParts: Parts = {
  refs: [],
  constrained: [],
  isSecret: false,
  isUntrusted: false,
  isWriteOnly: false,
  withholds: false,
}

/** The parts of `schema`, in the order in which they are written. Each type is searched once: every pass asks again what it names. */
export const partsOf: (schema: Schema) => Parts = memoize((schema) => {
  const isLeaf = schema.kind !== 'ref' && schema.kind !== 'constrained' && schema.kind !== 'object'
  if (isLeaf && childrenOf(schema).length === 0) return noParts
  const all: Schema[] = []
  collect(schema, all)
  const objects = all.filter((part) => part.kind === 'object')
  const properties = objects.flatMap((object) => object.properties)
  return {
    refs: [...new Set(all.flatMap((part) => (part.kind === 'ref' ? [part.name] : [])))],
    constrained: all.filter((part) => part.kind === 'constrained'),
    isSecret: properties.some(({ isSecret }) => isSecret),
    isUntrusted: properties.some(({ isUntrusted }) => isUntrusted),
    isWriteOnly: properties.some(({ isWriteOnly }) => isWriteOnly),
    withholds: objects.some(({ withheld }) => withheld.length > 0),
  }
})

/** The schema and all inside it. */
function collect(schema: Schema, all: Schema[]): void {
  all.push(schema)
  for (const inner of childrenOf(schema)) collect(inner, all)
}

/** The names that stand in `schema`, each once. */
export const refsOf = (schema: Schema): readonly string[] => partsOf(schema).refs

/** Whether `schema` is an uploaded file or a list of files. */
export const isFile = (schema: Schema): boolean =>
  schema.kind === 'array' ? isFile(schema.items) : schema.kind === 'file'

type StreamedType = Extract<Schema, { kind: 'binary' }>['type'] | 'text/event-stream'

/** The content type of a response that is no JSON, but sent as it comes; null = it is negotiated. */
export function streamedType(schema: Schema): StreamedType | null {
  if (schema.kind === 'binary') return schema.type
  return schema.kind === 'events' ? 'text/event-stream' : null
}

/** Whether one of these answers is a stream of events; null = no value. */
export const hasEvents = (answers: readonly (Schema | null)[]): boolean =>
  answers.some((schema) => schema !== null && streamedType(schema) === 'text/event-stream')

/** The schema without its constraints. */
export function bare(schema: Schema): Schema {
  return schema.kind === 'constrained' ? bare(schema.inner) : schema
}

/** What a value of `schema` may be, without names, brands and constraints; members of unions one by one. What was `seen` by
 *  its name is not looked at again. */
export function alternativesOf(
  schema: Schema,
  find: (name: string) => NamedSchema | null,
  seen: Set<string> = new Set(),
): readonly Schema[] {
  const inner = (item: Schema): readonly Schema[] => alternativesOf(item, find, seen)
  switch (schema.kind) {
    case 'constrained':
      return inner(schema.inner)
    case 'union':
      return schema.members.flatMap(inner)
    case 'ref': {
      const target = seen.has(schema.name) ? null : find(schema.name)
      seen.add(schema.name)
      return target === null ? [] : inner(target.schema)
    }
    default:
      return [schema]
  }
}

/** What is left of a union that has null. */
export function withoutNull(schema: Schema): Schema {
  if (schema.kind === 'constrained') return { ...schema, inner: withoutNull(schema.inner) }
  if (schema.kind !== 'union') return schema
  return { ...schema, members: schema.members.filter(({ kind }) => kind !== 'null') }
}
