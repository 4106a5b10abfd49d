/** The schemas of a toolbox as its part of the catalogue holds them: each once, and each definition once, for most tools of
 *  a controller take and return the same. */
import { memberText, type SchemaText } from '../../schema/json-schema.ts'

/** Schemas by number. */
export class SharedSchemas {
  readonly #numbers = new Map<string, number>()
  readonly #definitions = new Map<string, number>()

  /** The number of the schema. */
  add({ json, defined }: SchemaText): number {
    const places = defined.map((definition) => numberIn(this.#definitions, memberText(definition)))
    return numberIn(this.#numbers, places.length === 0 ? json : withPlaces(json, places))
  }

  /** The JSON of all: a list of definitions, an object each, and that of the schemas, whose `$defs` are numbers of these. */
  get json(): { readonly definitions: string; readonly schemas: string } {
    const definitions = [...this.#definitions.keys()].map((member) => `{${member}}`)
    return { definitions: `[${definitions.join(',')}]`, schemas: `[${[...this.#numbers.keys()].join(',')}]` }
  }
}

const withPlaces = (json: string, places: readonly number[]): string =>
  `${json.slice(0, -1)}${json.length === 2 ? '' : ','}"$defs":[${places.join(',')}]}`

function numberIn(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text)
  if (known !== undefined) return known
  numbers.set(text, numbers.size)
  return numbers.size - 1
}
