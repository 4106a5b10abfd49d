/** The claims of codes and tokens. Source: specification, Token claims. */
import type { JWTPayload } from 'jose'
import type { TokenPair } from '../../store/store.ts'
import {
  type AuthorizationServerOptions,
  accessLifetimeSeconds,
  codeLifetimeSeconds,
  randomHex,
  refreshLifetimeSeconds,
} from '../options.ts'
import type { Signer } from './jwt.ts'

/** What a code is bound to. */
export interface CodeBinding {
  readonly clientId: string
  readonly userId: string
  readonly redirectUri: string
  readonly scope: string
  readonly challenge: string
}

export interface CodeClaims extends CodeBinding {
  readonly jti: string
  readonly method: string
}

/** For whom tokens are issued. */
export interface Holder {
  readonly sub: string
  readonly cid: string
  readonly scope: string
}

export interface TokenClaims extends Holder {
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

/** An authorization code for `binding`, valid for 5 minutes. */
export async function signCode(
  binding: CodeBinding,
  signer: Signer,
  options: AuthorizationServerOptions,
): Promise<SignedToken> {
  const jti = randomHex(options.randomBytes, 32)
  const times = timesOf(options, codeLifetimeSeconds)
  const jwt = await signer.sign({
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

/** An access token (1 hour) and a refresh token (30 days) for `holder`. */
export async function signPair(
  holder: Holder,
  signer: Signer,
  options: AuthorizationServerOptions,
): Promise<{ readonly [Kind in keyof TokenPair]: SignedToken }> {
  return {
    access: await signToken('access', accessLifetimeSeconds, holder, { signer, options }),
    refresh: await signToken('refresh', refreshLifetimeSeconds, holder, { signer, options }),
  }
}

/** The claims of a verified code, or null when it is some other token of ours. */
export function readCodeClaims(payload: JWTPayload): CodeClaims | null {
  const { jti, client_id, user_id, redirect_uri, scope, challenge, method } = payload
  if (![jti, client_id, user_id, redirect_uri, scope, challenge, method].every(isText)) return null
  return {
    jti: String(jti),
    clientId: String(client_id),
    userId: String(user_id),
    redirectUri: String(redirect_uri),
    scope: String(scope),
    challenge: String(challenge),
    method: String(method),
  }
}

/** The claims of a verified access or refresh token, or null when it lacks one. `typ` is still to be compared. */
export function readTokenClaims(payload: JWTPayload): TokenClaims | null {
  const { typ, sub, cid, scope, jti, exp } = payload
  if (![typ, sub, cid, scope, jti].every(isText) || exp === undefined) return null
  const texts = {
    typ: String(typ),
    sub: String(sub),
    cid: String(cid),
    scope: String(scope),
    jti: String(jti),
  }
  return { ...texts, expiresAt: exp * 1000 }
}

async function signToken(
  typ: 'access' | 'refresh',
  lifetimeSeconds: number,
  holder: Holder,
  by: { readonly signer: Signer; readonly options: AuthorizationServerOptions },
): Promise<SignedToken> {
  const { baseUrl, randomBytes } = by.options
  const jti = randomHex(randomBytes, 16)
  const times = timesOf(by.options, lifetimeSeconds)
  const { sub, cid, scope } = holder
  const jwt = await by.signer.sign({ typ, iss: baseUrl, aud: baseUrl, sub, cid, scope, jti, ...times })
  return { jwt, jti, expiresAt: times.exp * 1000 }
}

function timesOf(
  options: AuthorizationServerOptions,
  lifetimeSeconds: number,
): { readonly iat: number; readonly exp: number } {
  const iat = Math.floor(options.clock() / 1000)
  return { iat, exp: iat + lifetimeSeconds }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
