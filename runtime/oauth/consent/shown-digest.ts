/** A keyed digest of what a consent page showed. The form carries it: an answer counts for that page alone. */
import { createHmac } from 'node:crypto'
import type { Session } from '../../contract/http.ts'
import type { RandomBytes, User } from '../../contract/store.ts'
import { equalInConstantTime } from '../../secret.ts'
import type { HeldGrant } from '../../store/store.ts'
import type { ScopedChange } from '../../surface.ts'
import type { Client } from '../clients/client.ts'
import { randomState, type SigningOptions } from '../options.ts'
import type { Offer } from './offer.ts'

/** Everything that an answer is about. */
export interface ConsentSubject {
  readonly user: User
  readonly client: Client
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly offer: Offer
  /** What the client holds of the user now. */
  readonly held: readonly HeldGrant[]
  /** What joined the scopes that it holds, and comes with them. */
  readonly joined: readonly ScopedChange[]
}

/** The key never leaves the session, which a sign-in begins anew: another session's digest is another one. */
export function shownDigest(
  shown: ConsentSubject,
  session: Session,
  { coverage, randomBytes }: Pick<SigningOptions, 'coverage' | 'randomBytes'>,
): string {
  const { user, client, redirectUri, challenge, resource, offer, joined } = shown
  const scopes = offer.shown.map(({ name, text, implies, sensitive }) => [name, text, implies, sensitive])
  const grown = [coverage?.surface.name, joined]
  const whose = [user.id, client.id, client.name, redirectUri, challenge, resource]
  const about = [...whose, offer.requested, scopes, grown]
  return digestOf(about, session, randomBytes)
}

/** Of whatever a page showed. */
export const digestOf = (about: readonly unknown[], session: Session, randomBytes: RandomBytes): string =>
  createHmac('sha256', keyOf(session, randomBytes)).update(JSON.stringify(about)).digest('base64url')

export const isDigestOf = (text: string, digest: string): boolean => equalInConstantTime(text, digest)

function keyOf(session: Session, randomBytes: RandomBytes): string {
  const kept = session.get('consent_key')
  if (typeof kept === 'string') return kept
  const key = randomState(randomBytes)
  session.set('consent_key', key)
  return key
}
