/** The built-in responders: JSON, YAML and plain text. Source: rules.md, Accept; decisions/http.md, Negotiation and answers. */
import type { Responder } from '../../contract/application.ts'
import { toJsonText } from './json-text.ts'

/** In order of preference. */
export const builtInResponders: ReadonlyMap<string, Responder> = new Map<string, Responder>([
  ['application/json', toJsonText],
  ['application/yaml', toYamlText],
  ['text/yaml', toYamlText],
  ['text/plain', toPlainText],
])

/** YAML of the same form as the JSON. */
export async function toYamlText(value: unknown): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(JSON.parse(toJsonText(value)))
}

/** A text as it is, anything else as JSON; what is one text in JSON (a date, a bigint) without its quotes. */
function toPlainText(value: unknown): string {
  if (typeof value === 'string') return value
  const json = toJsonText(value)
  return json.startsWith('"') ? String(JSON.parse(json)) : json
}
