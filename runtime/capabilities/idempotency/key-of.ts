/** The key that a call came with, and whose it is. */
import type { HttpRequest } from '../../contract/http.ts'
import type { RequestContext } from '../../http/pipeline/request-context.ts'
import { addressKey } from '../../rate-limit.ts'
import { IdempotencyRefused } from './errors.ts'

const keyHeader = 'idempotency-key'

/** A string of structured fields, or the characters alone, as most clients send them. Null = there is none. Throws `IdempotencyRefused`. */
// Source: draft-ietf-httpapi-idempotency-key-header-07, 2.1; RFC 9651, 3.3.3.
export function keyOf({ headers }: HttpRequest): string | null {
  const sent = headers[keyHeader]
  if (sent === undefined) return null
  if (typeof sent !== 'string') throw new IdempotencyRefused('malformed')
  const text = sent.trim()
  const key = text.startsWith('"') ? unquoted(text) : text
  if (!printable.test(key)) throw new IdempotencyRefused('malformed')
  return key
}

/** Those of ASCII. */
const printable = /^[\x20-\x7e]{1,255}$/

/** What no quotes end, or a backslash stands in alone, is no key. */
function unquoted(text: string): string {
  const inside = text.length > 1 && text.endsWith('"') ? text.slice(1, -1) : ''
  return /^(?:[^"\\]|\\["\\])*$/.test(inside) ? inside.replace(/\\(["\\])/g, '$1') : ''
}

/** Whose keys are told from those of others. */
export interface KeyOwner {
  /** Whose keys are counted. */
  readonly owner: string
  /** From where they come, which is counted too: a client has a share of its user's; of credentials that nothing here knows, invented ones
   *  among them, the address. */
  readonly source: { readonly kind: 'client' | 'address'; readonly name: string }
  /** Of the token. */
  readonly grant: string | null
  /** The caller that may repeat the call: no two have the same, and no secret changes it. It may hold credentials. */
  readonly caller: readonly unknown[]
}

/** The user and the client, or a client alone; else the credentials, which a guard has accepted by now. Throws `IdempotencyRefused` where strangers would share
 *  keys, or two users come in one request. */
export async function keyOwnerOf(
  { request, prepared: { access } }: RequestContext,
  digest: (of: readonly unknown[]) => string,
): Promise<KeyOwner> {
  const found = access === null ? null : await access.callerOf(request)
  if (found !== null) {
    const { subject, user, client, grant, bySession } = found
    const caller = [user === null ? 'client' : 'user', user, client, bySession]
    return { owner: subject, source: { kind: 'client', name: digest([subject, client]) }, grant, caller }
  }
  const { authorization = null, 'x-api-key': apiKey = null } = request.headers
  if (authorization === null && apiKey === null) throw new IdempotencyRefused('no_caller')
  // two users, or a token that has ended: its user came with a key of another name
  if (access !== null && ((await access.subjectOf(request)) !== null || (await access.isOfOurs(request))))
    throw new IdempotencyRefused('no_caller')
  const caller = ['credentials', authorization, apiKey]
  const source = { kind: 'address', name: digest(['address', addressKey(request.ip)]) } as const
  return { owner: `credentials ${digest(caller)}`, source, grant: null, caller }
}
