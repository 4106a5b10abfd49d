/** The decoder of a value that the application describes by a JSON Schema file (`@schema`). Public as `acmcp/codec/schema`, a
 *  module of its own: only applications that have such a file load the checker. */
import Checker from 'typebox/schema'
import { DecodeError, Decoder, isSafeJson } from './decoder.ts'

/** Takes any JSON that `schema` takes, unchanged; bounded in depth as every decoder is. A text is itself, else JSON. */
export function schema(schema: Readonly<Record<string, unknown>>): Decoder {
  const restriction = typeof schema.title === 'string' ? schema.title : 'a value of its JSON Schema'
  const refused = new DecodeError(restriction)
  const json = (value: unknown): unknown =>
    isSafeJson(value) && Checker.Check(schema, value)
      ? value
      : (placeOf(schema, value, restriction) ?? refused)
  const text = ([value = '']: readonly string[]): unknown =>
    isSafeJson(value) && Checker.Check(schema, value) ? value : json(parsed(value))
  return new Decoder(restriction, json, text)
}

/** The first place that does not fit. */
function placeOf(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  restriction: string,
): DecodeError | null {
  if (!isSafeJson(value)) return null
  const [, [first]] = Checker.Errors(schema, value)
  const path = first?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  return path === '' ? null : new DecodeError(first?.message ?? restriction, 'invalid', path)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
