/** What a message may weigh before anything but JSON has looked at it: the SDK copies what it reads several times, name by name. */
import { PayloadTooLarge } from '../../errors.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'

/** Methods whose messages carry what a caller has to say (`isLarge`); all others carry names and addresses. */
export type SizedMethods = ReadonlyMap<unknown, { readonly isLarge?: true }>

/** Those of the protocol that are so, also where this server has no such method: it says so then. */
const largeOfProtocol: ReadonlySet<unknown> = new Set([
  ...['tools/call', 'prompts/get', 'completion/complete', 'tasks/update', 'subscriptions/listen'],
])

const maxPlainBytes = 65_536
/** Names and items, but those of a tool's arguments, which the SDK does not get to see, and of a user's answers. */
const maxMembers = 2_000
/** Up to here nothing need be counted: no message has more. */
const fewBytes = 16_384

/** What the answer, and everything that is told before it, says again. */
const maxIdCharacters = 1_000

/** Throws `PayloadTooLarge`. `message`: one, or a batch, which `bytes` of JSON have brought. */
export function checkMessageSize(message: unknown, bytes: number, methods: SizedMethods): void {
  if (bytes <= fewBytes) return
  const messages = Array.isArray(message) ? message : [message]
  const isLarge = (value: unknown): boolean =>
    isObject(value) && (methods.get(value.method)?.isLarge === true || largeOfProtocol.has(value.method))
  if (bytes > maxPlainBytes && !messages.some(isLarge))
    throw new PayloadTooLarge(maxPlainBytes, 'a message of this method')
  if (messages.length > maxMembers) throw tooManyMembers()
  if (messages.some(hasLongId))
    throw new PayloadTooLarge(
      maxIdCharacters,
      'the id of a message, or the token of its progress,',
      `longer than ${maxIdCharacters} characters`,
    )
  if (hasTooMany(message, new Set(messages.flatMap((value) => [argumentsIn(value), answersIn(value)]))))
    throw tooManyMembers()
}

const tooManyMembers = (): PayloadTooLarge =>
  new PayloadTooLarge(
    maxMembers,
    'the message',
    `made of more than ${maxMembers} names and items besides arguments and answers`,
  )

function hasLongId(message: unknown): boolean {
  if (!isObject(message)) return false
  const meta = isObject(message.params) ? message.params._meta : null
  return isLong(message.id) || (isObject(meta) && isLong(meta.progressToken))
}

const isLong = (id: unknown): boolean => typeof id === 'string' && id.length > maxIdCharacters

/** What a tool is called with; null for what is no such call. */
function argumentsIn(message: unknown): WireObject | null {
  if (!isObject(message) || message.method !== 'tools/call' || !isObject(message.params)) return null
  return isObject(message.params.arguments) ? message.params.arguments : null
}

/** What a user said to a question. */
const answersIn = (message: unknown): unknown =>
  isObject(message) && isObject(message.params) ? message.params.inputResponses : null

function hasTooMany(message: unknown, besides: ReadonlySet<unknown>): boolean {
  let left = maxMembers
  const waiting = [message]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null || besides.has(value)) continue
    const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    left -= parts.length
    if (left < 0) return true
    waiting.push(...parts)
  }
  return false
}

/** A call without what its tool takes, of which the SDK makes copies and nothing else; and what that was, or null. */
export function withoutArguments(message: unknown): {
  readonly message: unknown
  readonly args: WireObject | null
} {
  const args = argumentsIn(message)
  if (args === null || !isObject(message) || !isObject(message.params)) return { message, args: null }
  return { message: { ...message, params: { ...message.params, arguments: {} } }, args }
}
