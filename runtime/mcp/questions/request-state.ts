/** The state of a multi round-trip request on its way through the client, which can read it but not change it. Source: MCP
 *  2026-07-28, multi round-trip requests: integrity, principal, lifetime and request are checked on the way back. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { HeaderMap } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import { sha256Hex } from '../../secret.ts'
import { type HeadersForRoute, headersWith } from '../auth/credentials.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'

/** One call of one client: a state is only good for the same again. */
export interface StateOwner {
  readonly headers: HeaderMap
  readonly name: string
  readonly args: WireObject
}

/** What the next round needs of this one. */
export interface RoundState {
  /** What the route carries along; null = nothing. */
  readonly state: unknown
  /** The answers that it has had. */
  readonly answers: WireObject
}

export interface RequestStates {
  seal(round: RoundState, owner: StateOwner): string
  /** What was sealed, or null when the text is forged, too old, or another call's. */
  open(text: string, owner: StateOwner): RoundState | null
}

const lifetimeMs = 10 * 60 * 1000
const label = 'acmcp mcp request state v1\n'

interface StateOptions {
  /** They rotate: the first signs, all verify. */
  readonly stateSecrets: readonly string[]
  /** A call with another value of one of these is another call. */
  readonly forwardHeaders: readonly string[]
  readonly clock: Clock
}

export function createRequestStates({
  stateSecrets: secrets,
  forwardHeaders,
  clock,
}: StateOptions): RequestStates {
  const digestOf = ownerDigest(headersWith(forwardHeaders))
  const keys = secrets.map((secret) => createHmac('sha256', secret).update(label).digest())
  const sign = (key: Buffer, payload: string): Buffer => createHmac('sha256', key).update(payload).digest()
  return {
    seal({ state, answers }, owner) {
      const sealed = { state, answers, until: clock() + lifetimeMs, owner: digestOf(owner) }
      const payload = Buffer.from(JSON.stringify(sealed)).toString('base64url')
      const [key] = keys
      if (key === undefined) throw new Error('a request state needs a secret')
      return `${payload}.${sign(key, payload).toString('base64url')}`
    },
    open(text, owner) {
      const [payload = '', mac = ''] = text.split('.')
      const sent = Buffer.from(mac, 'base64url')
      const isOurs = keys.map((key) => sign(key, payload)).some((own) => isEqual(own, sent))
      if (!isOurs) return null
      const sealed: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
      if (!isObject(sealed) || typeof sealed.until !== 'number') return null
      if (sealed.until <= clock() || sealed.owner !== digestOf(owner)) return null
      return { state: sealed.state, answers: isObject(sealed.answers) ? sealed.answers : {} }
    },
  }
}

const isEqual = (own: Buffer, sent: Buffer): boolean =>
  own.length === sent.length && timingSafeEqual(own, sent)

const ownerDigest =
  (headersFor: HeadersForRoute) =>
  ({ headers, name, args }: StateOwner): string =>
    sha256Hex(JSON.stringify([headersFor(headers), 'tools/call', name, args]))
