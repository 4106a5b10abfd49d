/** Identifies a client by a JWT that it has signed for this server alone (`private_key_jwt`). What is checked is the list below, in this
 *  order; the log has the reason, the client one answer. Source: RFC 7523, 3; decisions/oauth.md, Machines. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { MaybePromise } from '../../contract/http.ts'
import type { Clock, Logger } from '../../contract/store.ts'
import type { Store } from '../../store/store.ts'
import { type AuditTargets, audit } from '../audit.ts'
import type { KeyHolder } from '../clients/client.ts'
import { OAuthError } from '../oauth-error.ts'
import { type Parameters, parameter } from '../parameters.ts'
import type { Members } from '../tokens/foreign-jwt.ts'
import { privateKeysIn } from '../tokens/keys.ts'
import {
  algorithmIn,
  audienceIn,
  checkSignature,
  type JwtFault,
  JwtRefused,
  jtiIn,
  keptUntil,
  readJwt,
  timesIn,
} from './signed-jwt.ts'
import { algorithmsOf } from './verifying-keys.ts'

/** What is wrong, in the log. */
export type AssertionFault =
  | JwtFault
  | 'assertion_missing'
  | 'assertion_type'
  | 'unknown_client'
  | 'public_client'
  | 'iss'
  | 'sub'
  | 'aud'
  | 'jti_replayed'

/** `client`: where it is known by then. */
export class AssertionRefused extends JwtRefused<AssertionFault> {
  readonly client: string | null
  constructor(fault: AssertionFault, client: string | null = null) {
    super(fault)
    this.client = client
  }
}

export interface SentAssertion {
  readonly assertion: string
  /** `client_assertion_type`. */
  readonly type: string
  /** The `client_id` beside it, or the empty text. */
  readonly clientId: string
}

export const sentAssertion = (parameters: Parameters): SentAssertion => ({
  assertion: parameter(parameters, 'client_assertion'),
  type: parameter(parameters, 'client_assertion_type'),
  clientId: parameter(parameters, 'client_id'),
})

export interface AssertionRules<Client extends KeyHolder> {
  /** Undefined and null = there is none. */
  readonly find: (id: string) => MaybePromise<Client | null | undefined>
  /** The issuer; its token endpoint is an audience too. */
  readonly baseUrl: string
  readonly clock: Clock
}

export interface Authenticated<Client extends KeyHolder> {
  readonly client: Client
  readonly jti: string
  /** How long it must not be used again, in milliseconds since the epoch. */
  readonly keptUntil: number
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const types: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'jwt', 'client-authentication+jwt'])

/** All but whether it has been used before. Rejects with `AssertionRefused`. */
export async function authenticate<Client extends KeyHolder>(
  sent: SentAssertion,
  { find, baseUrl, clock }: AssertionRules<Client>,
): Promise<Authenticated<Client>> {
  if (sent.type !== assertionType && sent.assertion !== '') throw new AssertionRefused('assertion_type')
  const { header, claims } = readSent(sent)
  const algorithm = algorithmIn(header, types, refuseUnknown)
  const client = await issuerOf(claims, sent.clientId, find)
  const refuse = (fault: AssertionFault): never => {
    throw new AssertionRefused(fault, client.id)
  }
  if (claims.get('sub') !== client.id) refuse('sub')
  await checkSignature(sent.assertion, { keys: client.keys, algorithm, kid: header.get('kid') }, refuse)
  const aud = audienceIn(claims)
  if (aud !== baseUrl && aud !== `${baseUrl}/oauth/token`) refuse('aud')
  const { exp } = timesIn(claims, clock, refuse)
  return { client, jti: jtiIn(claims, refuse), keptUntil: keptUntil(exp) }
}

const refuseUnknown = (fault: AssertionFault): never => {
  throw new AssertionRefused(fault)
}

function readSent({ assertion }: SentAssertion): ReturnType<typeof readJwt> {
  return assertion === '' ? refuseUnknown('assertion_missing') : readJwt(assertion, refuseUnknown)
}

/** The client that a request names, by its assertion where it has no `client_id`; nothing is verified yet. Null = none. */
export function claimedClient(sent: SentAssertion): string | null {
  if (sent.clientId !== '') return sent.clientId
  const iss = readSent(sent).claims.get('iss')
  return typeof iss === 'string' ? iss : null
}

async function issuerOf<Client extends KeyHolder>(
  claims: Members,
  clientId: string,
  find: AssertionRules<Client>['find'],
): Promise<Client> {
  const iss = claims.get('iss')
  const id = clientId === '' ? iss : clientId
  if (typeof id !== 'string') return refuseUnknown('iss')
  const client = await find(id)
  if (client === undefined || client === null) return refuseUnknown('unknown_client')
  if (iss !== id) throw new AssertionRefused('iss', id)
  return client
}

/** Throws `AssertionRefused` when it was used before, at any instance. */
export async function useUp(
  { client: { id }, jti, keptUntil }: Authenticated<KeyHolder>,
  { store }: { readonly store: Pick<Store, 'useOnce'> },
): Promise<void> {
  const isFirst = await store.useOnce('client-assertion', [id, jti], keptUntil)
  if (!isFirst) throw new AssertionRefused('jti_replayed', id)
}

/** The same words for every kind of wrong. The audit has a row where the client is known: a stranger can name one that is not. */
export function invalidClient(
  { fault, client }: AssertionRefused,
  requestId: string,
  options: AuditTargets & { readonly log: Logger },
): OAuthError {
  options.log.warn({ requestId, client, reason: fault }, 'client assertion refused')
  if (client !== null) audit(options, 'refusal', { ids: { client }, facts: { of: 'client', reason: fault } })
  return new OAuthError('invalid_client', 'the client assertion is not valid')
}

/** A private key and the name that the client's set has for it, where the key says one. */
export interface SigningKey {
  readonly key: KeyObject
  readonly kid: string | null
}

/** Throws an error that repeats nothing of the text. */
export function readSigningKey(text: string): SigningKey {
  const [key, ...more] = privateKeysIn(text)
  if (key === undefined || more.length > 0) throw new Error('expected one private key')
  if (algorithmsOf(createPublicKey(key)).length === 0)
    throw new Error('a key must be P-256, P-384, P-521, Ed25519, or RSA of at least 2048 bits')
  const { kid }: { readonly kid?: unknown } = text.trimStart().startsWith('{') ? JSON.parse(text) : {}
  return { key, kid: typeof kid === 'string' ? kid : null }
}

export interface AssertionClaims {
  readonly client: string
  /** The issuer of the server. */
  readonly audience: string
  readonly jti: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What a client signs to identify itself, for the command line. Good for a minute. */
export async function signAssertion(
  { key, kid }: SigningKey,
  { client, audience, jti, now }: AssertionClaims,
): Promise<string> {
  const [alg = ''] = algorithmsOf(createPublicKey(key))
  const { SignJWT } = await import('jose')
  const iat = Math.floor(now / 1000)
  return new SignJWT({ iss: client, sub: client, aud: audience, jti, iat, exp: iat + 60 })
    .setProtectedHeader({ alg, typ: 'JWT', ...(kid === null ? {} : { kid }) })
    .sign(key)
}
