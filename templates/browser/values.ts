/** JSON of which nothing is known yet. */

export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise

export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The value of a JSON text; undefined for what is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
