/** The schemas of a toolbox as its part of the catalogue holds them: each once, and each definition once, for most tools of
 *  a controller take and return the same. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import type { NamedSchema } from '../ir/schema.ts'
import { definitionText } from './json-schema.ts'

/** The JSON of a schema of which `$defs` is a list of names. */
export interface SchemaText {
  readonly json: string
  /** What it names. */
  readonly defined: readonly NamedSchema[]
  /** Of the JSON with its definitions. */
  readonly length: number
}

/** A schema as it is, with whatever definitions of its own. */
export function verbatimText(schema: JsonSchema): SchemaText {
  const json = JSON.stringify(schema)
  return { json, defined: [], length: json.length }
}

/** The schema, to be completed with the definitions of `defined`. */
export function schemaWithDefs(schema: JsonSchema, defined: readonly NamedSchema[]): SchemaText {
  const plain = verbatimText(schema)
  if (defined.length === 0) return plain
  const start = plain.length === 2 ? '{"$defs":' : `${plain.json.slice(0, -1)},"$defs":`
  const definitions = defined.reduce((total, one) => total + definitionText(one).length + 1, 1)
  return {
    json: `${start}${JSON.stringify(defined.map(({ name }) => name))}}`,
    defined,
    length: start.length + definitions + 1,
  }
}

/** Schemas by number. */
export class SharedSchemas {
  readonly #numbers = new Map<string, number>()
  readonly #defined = new Set<NamedSchema>()

  /** The number of the schema. */
  add({ json, defined }: SchemaText): number {
    const known = this.#numbers.get(json)
    if (known !== undefined) return known
    for (const one of defined) this.#defined.add(one)
    this.#numbers.set(json, this.#numbers.size)
    return this.#numbers.size - 1
  }

  /** The JSON of all: an object of definitions, and the list. */
  get json(): { readonly definitions: string; readonly schemas: string } {
    return {
      definitions: `{${[...this.#defined].map(definitionText).join(',')}}`,
      schemas: `[${[...this.#numbers.keys()].join(',')}]`,
    }
  }
}
