/** What the authorization server keeps in a browser session, read back with care: values are JSON of unknown age. */
import type { Session } from '../contract/http.ts'
import type { User } from '../contract/store.ts'
import type { Store } from '../store/store.ts'

/** A sign-in on its way through a provider. Bound to this browser by the session, to the provider by its name. */
export interface PendingSignIn {
  readonly provider: string
  readonly nonce: string
  readonly verifier: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** The user signed in to this browser, or null. */
export async function signedInUser(session: Session, store: Store): Promise<User | null> {
  const id = session.get('user_id')
  return typeof id === 'string' ? store.findUser(id) : null
}

/** Signs `user` in under a new session id, which ends session fixation, and answers where to go: the stored `return_to`,
 *  removed on use, when it is a path of ours, else `/auth`. Source: specification, Sign-in routes. */
export async function signIn(session: Session, store: Store, user: User): Promise<string> {
  await store.saveUser(user)
  const returnTo = session.get('return_to')
  await session.regenerate()
  session.set('user_id', user.id)
  return typeof returnTo === 'string' && isLocalPath(returnTo) ? returnTo : '/auth'
}

/** Stores `state` and the sign-in it belongs to. */
export function startSignIn(session: Session, state: string, pending: PendingSignIn): void {
  session.set('oauth_state', state)
  session.set('oauth_sign_in', pending)
}

/** The stored state and sign-in, removed from the session whatever comes of them; null when there is none. */
export function takeSignIn(
  session: Session,
): { readonly state: string; readonly pending: PendingSignIn } | null {
  const state = session.get('oauth_state')
  const pending = session.get('oauth_sign_in')
  session.remove('oauth_state')
  session.remove('oauth_sign_in')
  return typeof state === 'string' && isPendingSignIn(pending) ? { state, pending } : null
}

function isPendingSignIn(value: unknown): value is PendingSignIn {
  if (typeof value !== 'object' || value === null) return false
  const fields = new Map<string, unknown>(Object.entries(value))
  const areTexts = ['provider', 'nonce', 'verifier'].every((name) => typeof fields.get(name) === 'string')
  return areTexts && typeof fields.get('startedAt') === 'number'
}

/** A path of this host: one leading slash; browsers read `//` and `/\` as another host. */
function isLocalPath(path: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(path)
}
