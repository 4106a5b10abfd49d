/** The claims of codes and tokens. Source: rules.md, Token claims. */
import type { JWTPayload } from 'jose'
import type { TokenPair } from '../../store/store.ts'
import {
  accessLifetimeSeconds,
  codeLifetimeSeconds,
  randomHex,
  refreshLifetimeSeconds,
  type SigningOptions,
} from '../options.ts'

/** For whom tokens are issued, and for what. */
export interface TokenSubject {
  readonly userId: string
  readonly clientId: string
  readonly scope: string
}

/** What a code is bound to. */
export interface CodeBinding extends TokenSubject {
  readonly redirectUri: string
  readonly challenge: string
}

export interface CodeClaims extends CodeBinding {
  readonly jti: string
  readonly method: string
}

export interface TokenClaims extends TokenSubject {
  readonly typ: string
  readonly jti: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** A signed token and what the store keeps of it; `expiresAt` in milliseconds. */
export interface SignedToken {
  readonly jwt: string
  readonly jti: string
  readonly expiresAt: number
}

export type SignedPair = { readonly [Kind in keyof TokenPair]: SignedToken }

/** An authorization code for `binding`, valid for 5 minutes. */
export async function signCode(binding: CodeBinding, options: SigningOptions): Promise<SignedToken> {
  const jti = randomHex(options.randomBytes, 32)
  const times = timesOf(options, codeLifetimeSeconds)
  const jwt = await options.signer.sign({
    jti,
    code: randomHex(options.randomBytes, 16),
    client_id: binding.clientId,
    challenge: binding.challenge,
    method: 'S256',
    scope: binding.scope,
    user_id: binding.userId,
    redirect_uri: binding.redirectUri,
    iss: options.baseUrl,
    ...times,
  })
  return { jwt, jti, expiresAt: times.exp * 1000 }
}

/** An access token (1 hour) and a refresh token (30 days) for `subject`; the access token may have a narrower scope. */
export async function signPair(
  subject: TokenSubject,
  options: SigningOptions,
  accessScope: string = subject.scope,
): Promise<SignedPair> {
  return {
    access: await signAccess({ ...subject, scope: accessScope }, options, accessLifetimeSeconds),
    refresh: await signToken('refresh', refreshLifetimeSeconds, subject, options),
  }
}

/** An access token of that lifetime for `subject`. */
export const signAccess = (
  subject: TokenSubject,
  options: SigningOptions,
  lifetimeSeconds: number,
): Promise<SignedToken> => signToken('access', lifetimeSeconds, subject, options)

/** The claims of a verified code, or null when it is some other token of ours. */
export function readCodeClaims(payload: JWTPayload): CodeClaims | null {
  const names = ['jti', 'client_id', 'user_id', 'redirect_uri', 'scope', 'challenge', 'method'] as const
  const texts = textsOf(payload, names)
  if (texts === null) return null
  const { client_id: clientId, user_id: userId, redirect_uri: redirectUri, ...others } = texts
  return { clientId, userId, redirectUri, ...others }
}

/** The claims of a verified access or refresh token, or null when it lacks one. `typ` is still to be compared. */
export function readTokenClaims(payload: JWTPayload): TokenClaims | null {
  const texts = textsOf(payload, ['typ', 'sub', 'cid', 'scope', 'jti'])
  if (texts === null || payload.exp === undefined) return null
  const { sub: userId, cid: clientId, ...others } = texts
  return { userId, clientId, ...others, expiresAt: payload.exp * 1000 }
}

function textsOf<Name extends string>(
  payload: JWTPayload,
  names: readonly Name[],
): Readonly<Record<Name, string>> | null {
  const claims = names.map((name) => [name, payload[name]] as const)
  if (!claims.every(([, claim]) => typeof claim === 'string')) return null
  return Object.fromEntries(claims) as Record<Name, string> // every name has just been looked at
}

async function signToken(
  typ: 'access' | 'refresh',
  lifetimeSeconds: number,
  { userId: sub, clientId: cid, scope }: TokenSubject,
  options: SigningOptions,
): Promise<SignedToken> {
  const { baseUrl, randomBytes, signer } = options
  const jti = randomHex(randomBytes, 16)
  const times = timesOf(options, lifetimeSeconds)
  const jwt = await signer.sign({ typ, iss: baseUrl, aud: baseUrl, sub, cid, scope, jti, ...times })
  return { jwt, jti, expiresAt: times.exp * 1000 }
}

function timesOf(
  options: SigningOptions,
  lifetimeSeconds: number,
): { readonly iat: number; readonly exp: number } {
  const iat = Math.floor(options.clock() / 1000)
  return { iat, exp: iat + lifetimeSeconds }
}
