/** What a log, and the page of development, show of an exception: bounded however long its texts are, masked once. */
import { errorName } from '../../errors.ts'
import { redactText } from './redact.ts'

export interface RedactedError {
  /** The name of its class. */
  readonly type: string
  readonly message: string
  readonly stack: string
}

/** The exception with the traces of its causes, each under the name of its class. */
export function redactErrorChain(error: unknown, names: ReadonlySet<string>): RedactedError {
  const [first, ...causes] = causesOf(error)
  const { type, message, stack } = redactError(first, names)
  const causedBy = causes.map((cause) => `\ncaused by: ${redactError(cause, names).stack}`)
  return { type, message, stack: stack + causedBy.join('') }
}

/** The exception alone. */
export function redactError(error: unknown, names: ReadonlySet<string>): RedactedError {
  const type = errorName(error)
  const text = textOf(error)
  const message = redactText(text, names)
  if (!(error instanceof Error)) return { type, message, stack: message }
  const { head, frames } = splitTrace(String(error.stack ?? ''), String(error.message))
  const stack = `${head}${head === '' ? '' : message}${redactText(frames, names, framesLength)}`
  return { type, message, stack: stack.replace(/^Error\b/, type) }
}

/** Twice the frames that a trace has. */
const framesLength = 16_384

/** What stands before and behind the message in a trace, so that its frames are shown however long that is; where the message was
 *  changed later, all are frames. */
function splitTrace(stack: string, message: string): { readonly head: string; readonly frames: string } {
  const at = stack.indexOf(': ') + 2
  const end = at + message.length
  const isInside = message !== '' && stack.startsWith(message, at) && ['', '\n'].includes(stack.charAt(end))
  return isInside ? { head: stack.slice(0, at), frames: stack.slice(end) } : { head: '', frames: stack }
}

const maxCauses = 9

/** The exception first, then its causes, each once; nine at most. */
export function causesOf(error: unknown): readonly [unknown, ...unknown[]] {
  const causes: unknown[] = []
  let cause = error instanceof Error ? error.cause : undefined
  while (cause !== undefined && cause !== error && causes.length < maxCauses && !causes.includes(cause)) {
    causes.push(cause)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return [error, ...causes]
}

function textOf(error: unknown): string {
  try {
    if (error instanceof Error) return messageOf(error)
    if (error === undefined || error === null) return `${error} was thrown, no error`
    return typeof error === 'object' ? (JSON.stringify(error) ?? String(error)) : String(error) // JSON is masked
  } catch {
    return Object.prototype.toString.call(error) // an object without a prototype
  }
}

const maxReasons = 10

/** With the errors that one stands for (no address of a name could be reached), and its code, where the message does not say them. */
function messageOf(error: Error): string {
  const { message } = error
  const code: unknown = Object.hasOwn(error, 'code') ? Reflect.get(error, 'code') : undefined
  const reasons = error instanceof AggregateError ? error.errors.slice(0, maxReasons).map(reasonOf) : []
  const said = [String(message), ...reasons].filter((text) => text !== '').join('; ')
  const isSaid = typeof code !== 'string' || code === '' || said.includes(code)
  return isSaid ? said : `${said}${said === '' ? '' : ' '}(${code})`
}

const reasonOf = (reason: unknown): string =>
  reason instanceof Error ? String(reason.message) : String(reason)
