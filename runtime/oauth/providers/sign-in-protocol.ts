/** What a sign-in protocol (OpenID Connect, GitHub's OAuth 2) gets and gives. */
import { isLoopbackUrl } from '../../loopback.ts'
import type { PendingSignIn } from '../session.ts'

/** One sign-in under way: what was sent with the browser and must come back. */
export interface Flow {
  readonly state: string
  readonly pending: PendingSignIn
}

/** A person as a provider describes them; texts as they came. */
export interface Person {
  readonly uid: string
  readonly name: string | null
  readonly nickname: string | null
  readonly email: string | null
}

/** What a protocol does. Both functions reject with what the provider or the network came to. */
export interface SignInProtocol {
  authorizationUrl(flow: Flow): Promise<string>
  /** `callbackUrl`: our address with the query that the browser brought. */
  identify(callbackUrl: URL, flow: Flow): Promise<Person>
}

export interface ProtocolSurroundings {
  /** Our address that the provider sends the browser back to. */
  readonly callback: string
  /** For each request. */
  readonly timeoutSeconds: number
}

/** Plain http is spoken on loopback only. */
export function isInsecureAllowed(address: string): boolean {
  return new URL(address).protocol === 'http:' && isLoopbackUrl(address)
}
