/** What the authorization server keeps in a browser session, read back with care: values are JSON of unknown age. */
import type { Session } from '../contract/http.ts'
import type { User } from '../contract/store.ts'
import { sha256Hex } from '../secret.ts'
import type { Store } from '../store/store.ts'
import { type AuthorizationServerOptions, randomState } from './options.ts'

/** A sign-in on its way through a provider. Bound to this browser by the session, to the provider by its name. */
export interface PendingLogin {
  /** Sent with the browser; it must come back. */
  readonly state: string
  readonly provider: string
  readonly nonce: string
  readonly verifier: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** For what else than to sign a user in it was begun: the name of an end (`AuthorizationServerPart.signIns`), and what that keeps. */
  readonly purpose?: SignInPurpose
}

export interface SignInPurpose {
  readonly name: string
  readonly kept: unknown
}

/** The user signed in to this browser, or null. */
export async function signedInUser(session: Session, store: Store): Promise<User | null> {
  const id = session.get('user_id')
  return typeof id === 'string' ? store.findUser(id) : null
}

/** The same for a user who connects a client: not one who signed in too long ago for the refresh that follows (`signInWithinMs`). */
export async function recentlySignedInUser(
  session: Session,
  { store, clock, signInWithinMs }: Pick<AuthorizationServerOptions, 'store' | 'clock' | 'signInWithinMs'>,
): Promise<User | null> {
  const at = session.get('signed_in_at')
  const age = typeof at === 'number' ? clock() - at : Number.POSITIVE_INFINITY
  return signInWithinMs === null || age <= signInWithinMs ? signedInUser(session, store) : null
}

/** The user who signed in, and when the provider last identified them (milliseconds since the epoch); null where it does not say. */
export interface Identified {
  readonly user: User
  readonly authTime: number | null
  /** All that the provider said. */
  readonly claims: Readonly<Record<string, unknown>>
}

export interface SignedIn extends Identified {
  /** When the provider was asked (milliseconds): what it said of a user later counts more. */
  readonly beganAt: number
}

/** Whom the application lets in. */
export interface Admitted extends SignedIn {
  /** JSON; null = none. */
  readonly attributes: string | null
}

/** Signs `user` in under a new session id, which ends session fixation, and resolves with where to go: the stored `return_to`,
 *  removed on use, when it is a path of ours, else `/auth`. Source: rules.md, Sign-in. */
export async function signIn(
  session: Session,
  options: AuthorizationServerOptions,
  admitted: Admitted,
): Promise<string> {
  const { user, authTime, claims } = admitted
  await keepSignIn(admitted, options)
  const returnTo = session.get('return_to')
  await session.regenerate()
  session.set('user_id', user.id)
  if (options.signInWithinMs !== null) session.set('signed_in_at', options.clock())
  keepAuthTime(session, authTime)
  keepSid(session, { user, claims }, options)
  return typeof returnTo === 'string' && isLocalPath(returnTo) ? returnTo : '/auth'
}

type KeepOptions = Pick<AuthorizationServerOptions, 'store' | 'onSignIn' | 'onRevoked'>

/** Keeps the user who signed in, with what the application says of them. `hasSignedIn`: false where only their identity provider names them. */
export async function keepSignIn(
  { user, attributes, beganAt }: Admitted,
  { store, onSignIn, onRevoked }: KeepOptions,
  hasSignedIn = true,
): Promise<void> {
  await store.saveSignIn(user, attributes, beganAt, hasSignedIn)
  if (onSignIn !== null) onRevoked(user.id) // what was found with them is forgotten everywhere
}

export function keepAuthTime(session: Session, authTime: number | null): void {
  if (authTime !== null) session.set('auth_time', authTime)
}

/** The provider's name for its own session, which it may end later (`backchannelLogout`). */
export function keepSid(
  session: Session,
  { user, claims }: Pick<SignedIn, 'user' | 'claims'>,
  { providers }: Pick<AuthorizationServerOptions, 'providers'>,
): void {
  const [name = ''] = user.id.split(':', 1)
  if (providers[name]?.backchannelLogout === undefined || typeof claims.sid !== 'string') return
  session.set('sid_hash', sidHash(name, claims.sid))
}

export const sidHash = (provider: string, sid: string): string => sha256Hex(JSON.stringify([provider, sid]))

/** When the provider last identified the user of this browser; null = it is not known. */
export function authTimeOf(session: Session): number | null {
  const time = session.get('auth_time')
  return typeof time === 'number' ? time : null
}

/** Ends the session; the next sign-in of this browser is with another account. Where no user was signed in nothing is kept:
 *  each request without a cookie would write a row. */
export async function leaveForOtherAccount(session: Session): Promise<void> {
  const isOther = wantsOtherAccount(session)
  await session.regenerate()
  if (isOther) session.set('other_account', true)
}

/** Whether the provider should ask which account: otherwise it may sign the same person in without a word. */
export function wantsOtherAccount(session: Session): boolean {
  return session.get('other_account') === true || typeof session.get('user_id') === 'string'
}

/** A sign-in through the provider of that name, not yet begun. */
export const newLogin = (
  provider: string,
  { clock, randomBytes }: Pick<AuthorizationServerOptions, 'clock' | 'randomBytes'>,
): PendingLogin => ({
  state: randomState(randomBytes),
  provider,
  nonce: randomState(randomBytes),
  verifier: randomState(randomBytes),
  startedAt: clock(),
})

export function startSignIn(session: Session, { state, ...rest }: PendingLogin): void {
  session.set('oauth_state', state)
  session.set('oauth_sign_in', rest)
}

/** The stored sign-in, removed from the session whatever comes of it; null when there is none. */
export function takeSignIn(session: Session): PendingLogin | null {
  const state = session.get('oauth_state')
  const rest = session.get('oauth_sign_in')
  session.remove('oauth_state')
  session.remove('oauth_sign_in')
  if (typeof rest !== 'object' || rest === null) return null
  const login = { ...rest, state }
  return isPendingLogin(login) ? login : null
}

function isPendingLogin(value: object): value is PendingLogin {
  const fields = new Map<string, unknown>(Object.entries(value))
  const names = ['state', 'provider', 'nonce', 'verifier']
  const isLogin =
    names.every((name) => typeof fields.get(name) === 'string') && typeof fields.get('startedAt') === 'number'
  const purpose = fields.get('purpose')
  const isOfOldBuild = fields.has('approves') // it signs no user in, and approves nothing any more
  return isLogin && !isOfOldBuild && (purpose === undefined || typeof Object(purpose).name === 'string')
}

/** A path of this host: one leading slash; browsers read `//` and `/\` as another host. */
function isLocalPath(path: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(path)
}
