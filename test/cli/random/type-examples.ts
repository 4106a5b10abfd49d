/** Values of schemas, as expressions of TypeScript. */
import type { Model } from '../../../cli/compiler/ir/model.ts'
import type { Schema } from '../../../cli/compiler/ir/schema.ts'

/** `full` has what is optional too, `small` nothing that need not be. */
type Size = 'full' | 'small'

const deepest = 8

/** An expression of a value, whose keys fit `Capitalize<string>` where not all do. TypeScript asks for a property that may be
 *  `undefined`, which JSON leaves out (the exception `undefined-is-absent`), so that is written. Null = every value is too deep. */
export function exampleOf(model: Model, schema: Schema, size: Size): string | null {
  const named = new Map(model.schemas.map((namedSchema) => [namedSchema.name, namedSchema.schema]))
  const of = (item: Schema, depth: number): string | null => {
    if (depth > deepest) return null
    const inner = (part: Schema): string | null => of(part, depth + 1)
    const isFull = size === 'full' && depth < 4
    const recordOf = (values: Schema, key: string): string =>
      `{ ${isFull ? property(key, inner(values)) : ''} }`
    switch (item.kind) {
      case 'ref':
        return of(named.get(item.name) ?? { kind: 'never' }, depth + 1)
      case 'constrained':
        return item.inner.kind === 'record' && 'propertyNames' in item.keywords
          ? recordOf(item.inner.values, 'K')
          : inner(item.inner)
      case 'union':
        return firstOf(isFull ? item.members : [...item.members].reverse(), inner)
      case 'array':
        return `[${isFull ? (inner(item.items) ?? '') : ''}]`
      case 'tuple':
        return allOf(item.items.map(inner), (texts) => `[${texts.join(', ')}]`)
      case 'record':
        return recordOf(item.values, 'k')
      case 'object': {
        const requested = item.properties.filter(({ required }) => required)
        const more = item.properties.filter(({ required }) => !required)
        const texts = requested.map(({ name, schema }) => property(name, inner(schema)) || null)
        const further = more.map(({ name, schema, orUndefined }) =>
          property(name, (isFull ? inner(schema) : null) ?? (orUndefined ? 'undefined' : null)),
        )
        return allOf(
          texts,
          (known) => `{ ${[...known, ...further].filter((text) => text !== '').join(', ')} }`,
        )
      }
      default:
        return plainOf(item)
    }
  }
  return of(schema, 0)
}

const property = (name: string, text: string | null): string =>
  text === null ? '' : `${JSON.stringify(name)}: ${text}`

function firstOf(members: readonly Schema[], of: (schema: Schema) => string | null): string | null {
  for (const member of members) {
    const text = of(member)
    if (text !== null) return text
  }
  return null
}

function allOf(texts: readonly (string | null)[], join: (texts: readonly string[]) => string): string | null {
  const known = texts.flatMap((text) => text ?? [])
  return known.length === texts.length ? join(known) : null
}

function plainOf(schema: Schema): string | null {
  switch (schema.kind) {
    case 'string':
      return "'x'"
    case 'number':
    case 'integer':
      return '1'
    case 'bigint':
      return '1n'
    case 'boolean':
      return 'true'
    case 'null':
      return 'null'
    case 'date':
      return 'new Date(0)'
    case 'literal':
      return JSON.stringify(schema.value)
    case 'enum':
      return JSON.stringify(schema.values[0])
    case 'unknown':
      return '1'
    default:
      return null
  }
}
