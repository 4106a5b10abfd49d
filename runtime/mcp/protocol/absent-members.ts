/** Members that a client sends as null because its language has no other word for "nothing": they are absent. Source: rules.md, null
 *  members. */
import { isObject, type WireObject } from './constants.ts'

/** What is the caller's and not the protocol's to read: of a tool its own arguments, and what a user answered. */
const untouched: ReadonlySet<string> = new Set(['inputResponses'])

/** The parameters of the protocol are not nested deeper. */
const maxDepth = 5

/** A message, or a batch, without them. An id that is null is absent of a notification alone: a request needs one. */
export function withoutNulls(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(messageWithoutNulls)
  return messageWithoutNulls(body)
}

function messageWithoutNulls(message: unknown): unknown {
  if (!isObject(message) || typeof message.method !== 'string') return message
  const { method, params } = message
  const isNotification = method.startsWith('notifications/')
  const entries = Object.entries(message).filter(
    ([name, value]) => value !== null || (name === 'id' && !isNotification),
  )
  const kept = Object.fromEntries(entries)
  return isObject(params) ? { ...kept, params: paramsWithoutNulls(method, params) } : kept
}

function paramsWithoutNulls(method: string, params: WireObject): WireObject {
  const isOwn = (name: string): boolean =>
    untouched.has(name) || (name === 'arguments' && method === 'tools/call')
  const entries = Object.entries(params).flatMap(([name, value]) => {
    if (value === null) return []
    return [[name, isOwn(name) ? value : presentIn(value, maxDepth)]]
  })
  return Object.fromEntries(entries)
}

function presentIn(value: unknown, depth: number): unknown {
  if (!isObject(value) || depth === 0) return value
  const entries = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(entries.map(([name, member]) => [name, presentIn(member, depth - 1)]))
}
