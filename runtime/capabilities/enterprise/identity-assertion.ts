/** What an identity provider says of a user to this server, for one client: an Identity Assertion JWT Authorization Grant (ID-JAG). What is
 *  checked is the list below, in this order; the log has the reason, the client one answer. Source: MCP ext-auth, Enterprise-Managed
 *  Authorization, 5.1 and 7; draft-ietf-oauth-identity-assertion-authz-grant-04, 4.4.1; decisions/oauth.md, Enterprises. */
import type { Clock } from '../../contract/store.ts'
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
} from '../../oauth/assertions/signed-jwt.ts'
import { isOwnResource } from '../../oauth/resource.ts'
import type { Members } from '../../oauth/tokens/foreign-jwt.ts'
import { assertionTypes, type Enterprise } from './enterprise.ts'

/** What is wrong, in the log. */
export type IdentityFault =
  | JwtFault
  | 'assertion_missing'
  | 'iss'
  | 'aud'
  | 'resource'
  | 'client_id'
  | 'client_not_allowed'
  | 'cnf'
  | 'authorization_details'
  | 'sub'
  | 'scope'
  | 'jti_replayed'
  | 'refused'
  | 'sign_in_failed'

export class IdentityRefused extends JwtRefused<IdentityFault> {}

export function refuseIdentity(fault: IdentityFault): never {
  throw new IdentityRefused(fault)
}

export interface IdentityAssertion {
  readonly enterprise: Enterprise
  /** To the letter. */
  readonly issuer: string
  readonly subject: string
  readonly clientId: string
  /** Null = it names none. */
  readonly resource: string | null
  readonly scope: string | null
  readonly jti: string
  /** How long it must not be used again, in milliseconds since the epoch. */
  readonly keptUntil: number
  /** When the provider said it (milliseconds). */
  readonly saidAt: number
  readonly claims: Readonly<Record<string, unknown>>
}

export interface IdentityRules {
  readonly enterprises: readonly Enterprise[]
  /** The issuer. */
  readonly baseUrl: string
  readonly clock: Clock
}

/** All but whether it has been used before. `clientId`: of the sender; not yet authenticated. Rejects with `IdentityRefused`. */
export async function checkIdentityAssertion(
  jwt: string,
  clientId: string | null,
  { enterprises, baseUrl, clock }: IdentityRules,
): Promise<IdentityAssertion> {
  if (jwt === '') refuseIdentity('assertion_missing')
  const { header, claims } = readJwt(jwt, refuseIdentity)
  const algorithm = algorithmIn(header, assertionTypes, refuseIdentity)
  const { enterprise, issuer } = await issuerOf(claims, enterprises)
  await checkSignature(
    jwt,
    { keys: enterprise.signing.keys, algorithm, kid: header.get('kid') },
    refuseIdentity,
  )
  if (audienceIn(claims) !== baseUrl) refuseIdentity('aud')
  const resource = textOrAbsent(claims, 'resource')
  if (resource !== null && !isOwnResource(resource, baseUrl)) refuseIdentity('resource')
  if (clientId === null || claims.get('client_id') !== clientId) return refuseIdentity('client_id')
  if (enterprise.clients?.includes(clientId) === false) refuseIdentity('client_not_allowed')
  const { exp, iat } = timesIn(claims, clock, refuseIdentity)
  if (claims.has('cnf')) refuseIdentity('cnf') // bound to a key, and the sender shows none
  if (claims.has('authorization_details')) refuseIdentity('authorization_details')
  const subject = claims.get('sub')
  if (typeof subject !== 'string' || subject === '') return refuseIdentity('sub')
  return {
    ...{ enterprise, issuer, subject, clientId, resource },
    jti: jtiIn(claims, refuseIdentity),
    scope: textOrAbsent(claims, 'scope'),
    keptUntil: keptUntil(exp),
    saidAt: Math.min(iat * 1000, clock()),
    claims: Object.fromEntries(claims),
  }
}

function textOrAbsent(claims: Members, name: 'resource' | 'scope'): string | null {
  if (!claims.has(name)) return null
  const value = claims.get(name)
  return typeof value === 'string' ? value : refuseIdentity(name)
}

/** A stranger's issuer costs no request to it. */
async function issuerOf(
  claims: Members,
  enterprises: readonly Enterprise[],
): Promise<{ readonly enterprise: Enterprise; readonly issuer: string }> {
  const iss = claims.get('iss')
  const enterprise = enterprises.find((candidate) => bare(candidate.issuer) === bare(iss))
  if (enterprise === undefined) return refuseIdentity('iss')
  const issuer = await enterprise.signing.issuer().catch(() => refuseIdentity('jwks_unavailable'))
  return iss === issuer ? { enterprise, issuer } : refuseIdentity('iss')
}

/** Configurations and discovery documents differ by that. */
const bare = (issuer: unknown): unknown => (typeof issuer === 'string' ? issuer.replace(/\/$/, '') : null)
