/** The schemas of a toolbox as its part of the catalogue holds them: each once, and each definition once, for most tools of
 *  a controller take and return the same. */
import type { NamedSchema } from '../../ir/schema.ts'
import { definitionText, type SchemaText } from '../../schema/json-schema.ts'

/** Schemas by number. The definitions of those that are closed have a list of their own. */
export class SharedSchemas {
  readonly #numbers = new Map<string, number>()
  readonly #open = new Set<NamedSchema>()
  readonly #closed = new Set<NamedSchema>()

  /** The number of the schema. */
  add({ json, defined, isClosed }: SchemaText): number {
    const known = this.#numbers.get(json)
    if (known !== undefined) return known
    for (const schema of defined) (isClosed ? this.#closed : this.#open).add(schema)
    this.#numbers.set(json, this.#numbers.size)
    return this.#numbers.size - 1
  }

  /** The JSON of all: objects of definitions, and the list. */
  get json(): { readonly open: string; readonly closed: string; readonly schemas: string } {
    return {
      open: `{${[...this.#open].map((type) => definitionText(type, false)).join(',')}}`,
      closed: `{${[...this.#closed].map((type) => definitionText(type, true)).join(',')}}`,
      schemas: `[${[...this.#numbers.keys()].join(',')}]`,
    }
  }
}
