/** Errors of the SDK that hold what its validator found, as JSON: a client, and a model, reads one sentence. Source: rules.md, null members. */
import { errorCodes, isObject, type WireObject } from './constants.ts'

/** The same message, JSON or the one event of a stream, whose error says in a sentence what is wrong with the parameters. */
export function inOneSentence(body: string): string {
  if (!body.includes(dumped)) return body
  const text = /^data: ([^\r\n]*)/m.exec(body)?.[1] ?? body
  const message = parsed(text)
  if (!isObject(message) || !isObject(message.error)) return body
  const sentence = sentenceOf(message.error)
  if (sentence === null) return body
  const error = { ...message.error, code: errorCodes.invalidParams, message: sentence }
  return body.replace(text, () => JSON.stringify({ ...message, error }))
}

/** As the issues of the validator stand in a message. */
const dumped = '\\"path\\"'

function sentenceOf({ message }: WireObject): string | null {
  if (typeof message !== 'string') return null
  const issues = parsed(message.slice(message.indexOf('[')))
  const [issue] = Array.isArray(issues) ? issues : []
  if (!isObject(issue) || !Array.isArray(issue.path)) return null
  const path = issue.path.filter((name, at) => at > 0 || name !== 'params').join('.')
  return `Invalid params: ${path === '' ? 'params' : path} ${claimOf(issue)}`
}

const types: ReadonlyMap<unknown, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
])

function claimOf({ code, expected, message }: WireObject): string {
  if (code === 'invalid_type' && /received undefined$/.test(String(message))) return 'is missing'
  const type = types.get(expected)
  return type === undefined ? 'is not what the method takes' : `must be ${type}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
