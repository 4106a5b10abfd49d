/** The schemas of a toolbox as its part of the catalogue holds them: each once, and each definition once, for most tools of
 *  a controller take and answer the same. */
import type { JsonSchema } from '../../../runtime/contract.ts'
import type { NamedSchema } from '../model.ts'
import { definitionText } from './json-schema.ts'

/** The JSON of a schema of which `$defs` is a list of names. */
export interface OpenSchema {
  readonly json: string
  /** What it names. */
  readonly defined: readonly NamedSchema[]
}

/** A schema as it is, with whatever definitions of its own. */
export const wordForWord = (schema: JsonSchema): OpenSchema => ({ json: JSON.stringify(schema), defined: [] })

/** The schema, to be completed with the definitions of `defined`. */
export function openSchema(schema: JsonSchema, defined: readonly NamedSchema[]): OpenSchema {
  return defined.length === 0
    ? wordForWord(schema)
    : { json: JSON.stringify({ ...schema, $defs: defined.map(({ name }) => name) }), defined }
}

/** How long the JSON is with its definitions. */
export function completeLength({ json, defined }: OpenSchema): number {
  const names = defined.reduce((total, { name }) => total + JSON.stringify(name).length, 0)
  return defined.reduce((total, one) => total + definitionText(one).length, json.length - names)
}

/** Schemas by number. */
export class SharedSchemas {
  readonly #numbers = new Map<string, number>()
  readonly #defined = new Set<NamedSchema>()

  /** The number of the schema. */
  add({ json, defined }: OpenSchema): number {
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
