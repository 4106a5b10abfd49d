/** A type in a few words, as TypeScript writes it: the name where it has one, else the names of its properties. */
import type { Schema } from '../ir/schema.ts'

/** More is left out. */
const maxNames = 6

export function shapeText(schema: Schema): string {
  switch (schema.kind) {
    case 'ref':
      return schema.name
    case 'array':
      return schema.unique ? `Set<${shapeText(schema.items)}>` : listText(shapeText(schema.items))
    case 'tuple':
      return `[${few(schema.items.map(shapeText), ', ')}${schema.rest === null ? '' : ', …'}]`
    case 'object': {
      const names = schema.properties.map(({ name }) => name)
      const more = schema.rest === null && schema.named.length === 0 ? [] : ['[name]']
      return `{ ${few([...names, ...more], ', ')} }`
    }
    case 'record':
      return `{ [name]: ${shapeText(schema.values)} }`
    case 'union':
      return few([...new Set(schema.members.map(shapeText))], ' | ')
    case 'constrained':
      return shapeText(schema.inner)
    case 'converted':
      return schema.to === 'undefined' ? shapeText(schema.inner) : schema.to
    case 'events':
      return `events of ${shapeText(schema.items)}`
    case 'literal':
      return JSON.stringify(schema.value)
    case 'enum':
      return few(
        schema.values.map((value) => JSON.stringify(value)),
        ' | ',
      )
    case 'template':
      return schema.text
    case 'binary':
      return 'bytes'
    case 'date':
      return 'Date'
    case 'integer':
      return 'number'
    case 'verbatim':
      return '@schema'
    default:
      return schema.kind
  }
}

const listText = (items: string): string => (items.includes(' | ') ? `(${items})[]` : `${items}[]`)

const few = (texts: readonly string[], between: string): string =>
  [...texts.slice(0, maxNames), ...(texts.length > maxNames ? ['…'] : [])].join(between)
