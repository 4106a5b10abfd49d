/** The decoder of a value that the application describes by a JSON Schema file (`@schema`). Public as `acmcp/codec/schema`, a
 *  module of its own: only applications that have such a file load what judges it. */
import { anyAnswer } from './answer-types.ts'
import { copiedJson, countRead, DecodeError, Decoder } from './decoder.ts'
import { type Misfit, Run, stepsOfMisfit, TooMuch } from './json-schema/judge.ts'
import { nodesOf } from './json-schema/schema-nodes.ts'

/** Takes any JSON that `schema` takes, as a copy; bounded in depth as every decoder is, and in work. A text is itself, else JSON. */
export function schema(schema: Readonly<Record<string, unknown>>): Decoder {
  const restriction = typeof schema.title === 'string' ? schema.title : 'a value of its JSON Schema'
  const { node, constants } = nodesOf(schema)
  const refused = new DecodeError(restriction)
  const tooMuch = new DecodeError(restriction, 'invalid', [], 'it is too deep or too large for its schema')
  const json = (value: unknown): unknown => {
    const copy = copiedJson(value, refused)
    if (copy instanceof DecodeError) return copy
    const run = new Run(constants)
    try {
      const misfit = run.judge(node, copy)
      return misfit === null ? copy : errorOf(misfit)
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error
      return tooMuch
    } finally {
      countRead(run.judged)
    }
  }
  const errorOf = (misfit: Misfit): DecodeError => {
    const { message } = misfit
    const steps = stepsOfMisfit(misfit)
    return new DecodeError(steps.length === 0 ? restriction : message, 'invalid', steps, message)
  }
  const text = ([value = '']: readonly string[]): unknown => {
    const itself = json(value)
    return itself instanceof DecodeError ? json(parsed(value)) : itself
  }
  return new Decoder(restriction, anyAnswer, json, text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
