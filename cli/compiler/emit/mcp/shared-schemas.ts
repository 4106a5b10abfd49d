/** The schemas of a toolbox as its part of the catalogue holds them: each once, and each definition once, for most tools of
 *  a controller take and return the same. */
import type { NamedSchema } from '../../ir/schema.ts'
import { definitionText, type SchemaText } from '../../schema/json-schema.ts'

/** Schemas by number. */
export class SharedSchemas {
  readonly #numbers = new Map<string, number>()
  readonly #defined = new Set<NamedSchema>()

  /** The number of the schema. */
  add({ json, defined }: SchemaText): number {
    const known = this.#numbers.get(json)
    if (known !== undefined) return known
    for (const schema of defined) this.#defined.add(schema)
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
