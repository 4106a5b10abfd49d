/** Who a client is, by a JWT that it has signed for this server alone (`private_key_jwt`). What is checked is the list below, in this
 *  order; the log has the reason, the client one answer. Source: RFC 7523, 3; RFC 7519, 7.2; RFC 8725; decisions/oauth.md, Machines. */
import type { Clock } from '../../contract/store.ts'
import { isSignedBy, type Members, readForeignJwt, UnreadableJwt } from '../tokens/foreign-jwt.ts'
import { KeysUnavailable } from './fetched-keys.ts'
import type { Machine, Machines } from './machines.ts'
import { type AssertionAlgorithm, assertionAlgorithms } from './verifying-keys.ts'

/** What is wrong, in the log. */
export type AssertionFault =
  | 'assertion_missing'
  | 'assertion_type'
  | 'malformed'
  | 'duplicate'
  | 'typ'
  | 'alg'
  | 'crit'
  | 'unknown_client'
  | 'iss'
  | 'sub'
  | 'jwks_unavailable'
  | 'unknown_key'
  | 'signature'
  | 'aud'
  | 'exp'
  | 'iat'
  | 'nbf'
  | 'lifetime'
  | 'jti_missing'
  | 'jti'
  | 'jti_replayed'

/** `client`: of the configuration, where it is known by then. */
export class AssertionRefused extends Error {
  readonly fault: AssertionFault
  readonly client: string | null
  constructor(fault: AssertionFault, client: string | null = null) {
    super(fault)
    this.fault = fault
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

export interface AssertionRules {
  readonly machines: Machines
  /** The issuer; its token endpoint is an audience too. */
  readonly baseUrl: string
  readonly clock: Clock
}

export interface Authenticated {
  readonly machine: Machine
  readonly jti: string
  /** From when on the assertion is refused whatever it says, in milliseconds. */
  readonly endsAt: number
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const maxSeconds = 5 * 60
/** By so much a client's clock may be wrong. */
const skewSeconds = 60
const types: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'jwt', 'client-authentication+jwt'])

/** All but whether it has been used before. Throws `AssertionRefused`. */
export async function authenticate(sent: SentAssertion, rules: AssertionRules): Promise<Authenticated> {
  if (sent.assertion === '') throw new AssertionRefused('assertion_missing')
  if (sent.type !== assertionType) throw new AssertionRefused('assertion_type')
  const { header, claims } = read(sent.assertion)
  const algorithm = algorithmIn(header)
  const machine = issuerOf(claims, sent.clientId, rules.machines)
  const refuse: Refuse = (fault) => {
    throw new AssertionRefused(fault, machine.id)
  }
  if (claims.get('sub') !== machine.id) refuse('sub')
  await checkSignature(sent.assertion, { machine, algorithm, kid: header.get('kid'), refuse })
  if (!isOurs(claims.get('aud'), rules.baseUrl)) refuse('aud')
  const exp = checkTimes(claims, rules.clock() / 1000, refuse)
  return { machine, jti: jtiIn(claims, refuse), endsAt: Math.ceil(exp + skewSeconds) * 1000 }
}

type Refuse = (fault: AssertionFault) => never

function read(assertion: string): { readonly header: Members; readonly claims: Members } {
  try {
    return readForeignJwt(assertion)
  } catch (error) {
    throw error instanceof UnreadableJwt ? new AssertionRefused(error.fault) : error
  }
}

function algorithmIn(header: Members): AssertionAlgorithm {
  const algorithm = assertionAlgorithms.find((name) => name === header.get('alg'))
  if (algorithm === undefined) throw new AssertionRefused('alg')
  if (!types.has(header.get('typ'))) throw new AssertionRefused('typ')
  if (header.has('crit')) throw new AssertionRefused('crit')
  return algorithm
}

function issuerOf(claims: Members, clientId: string, machines: Machines): Machine {
  const iss = claims.get('iss')
  const id = clientId === '' ? iss : clientId
  if (typeof id !== 'string') throw new AssertionRefused('iss')
  const machine = machines.get(id)
  if (machine === undefined) throw new AssertionRefused('unknown_client')
  if (iss !== id) throw new AssertionRefused('iss', id)
  return machine
}

interface Signed {
  readonly machine: Machine
  readonly algorithm: AssertionAlgorithm
  readonly kid: unknown
  readonly refuse: Refuse
}

async function checkSignature(
  assertion: string,
  { machine, algorithm, kid = null, refuse }: Signed,
): Promise<void> {
  if (kid !== null && typeof kid !== 'string') return refuse('unknown_key')
  const keys = await machine.keys.find(algorithm, kid).catch((error: unknown) => {
    throw error instanceof KeysUnavailable ? new AssertionRefused('jwks_unavailable', machine.id) : error
  })
  if (keys.length === 0) refuse('unknown_key')
  if (!(await isSignedBy(assertion, algorithm, keys))) refuse('signature')
}

/** One audience: an assertion for several servers could be used at each by the others. */
function isOurs(aud: unknown, baseUrl: string): boolean {
  const [only, ...more]: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return more.length === 0 && (only === baseUrl || only === `${baseUrl}/oauth/token`)
}

/** In seconds; returns `exp`. */
function checkTimes(claims: Members, now: number, refuse: Refuse): number {
  const timeOf = (name: 'exp' | 'iat' | 'nbf'): number => {
    const value = claims.get(name)
    return typeof value === 'number' && Number.isFinite(value) ? value : refuse(name)
  }
  const [exp, iat] = [timeOf('exp'), timeOf('iat')]
  if (exp <= now - skewSeconds) refuse('exp')
  if (iat > now + skewSeconds) refuse('iat')
  if (claims.has('nbf') && timeOf('nbf') > now + skewSeconds) refuse('nbf')
  if (exp <= iat || exp - iat > maxSeconds || exp > now + maxSeconds + skewSeconds) refuse('lifetime')
  return exp
}

function jtiIn(claims: Members, refuse: Refuse): string {
  const jti = claims.get('jti')
  if (jti === undefined) return refuse('jti_missing')
  return typeof jti === 'string' && jti.length > 0 && jti.length <= 255 ? jti : refuse('jti')
}
