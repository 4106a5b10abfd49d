/** What it is when an identity provider fails, told from what fetch and the library throw. What a browser brings is no evidence: an attacker
 *  could write it. Source: RFC 6749, 5.2; OpenID Connect Core, 3.1.3.7. */
import type { Clock, Logger } from '../../contract/store.ts'
import { TookTooLong } from './in-time.ts'

/** For the log and `acmcp doctor`. */
export const troubleWords = {
  name: 'its host name is not known',
  connection: 'it cannot be reached',
  certificate: 'its certificate is not trusted',
  timeout: 'it does not answer in time',
  status: 'it answers that it cannot serve now',
  issuer: 'its discovery document, or its tokens, are of another issuer than configured',
  keys: 'its keys cannot be had, or did not make the signature',
  clock: 'its tokens have expired, or are not valid yet: one of the clocks is wrong',
  'client-id': 'its tokens are for another client than configured',
  'client-secret': 'it refuses the client id or the client secret (invalid_client)',
  'redirect-uri': 'the callback of this server is not registered there',
  answer: 'its answer is not that of a provider',
} as const

export type ProviderTrouble = keyof typeof troubleWords

/** Those that may pass by themselves. */
const passing: ReadonlySet<ProviderTrouble> = new Set(['name', 'connection', 'timeout', 'status'])

/** What an error and its causes say of it. */
interface Facts {
  readonly codes: readonly string[]
  /** The OAuth error that was answered. */
  readonly error: string | null
  readonly status: number | null
  readonly url: string
  readonly claim: string | null
  readonly text: string
  readonly isLate: boolean
  /** Of a challenge that was answered. */
  readonly scheme: string | null
}

/** Null for what is of one sign-in alone: a code that was spent, a person who said no. */
export function providerTroubleOf(error: unknown): ProviderTrouble | null {
  const facts = factsOf(error)
  if (facts.codes.includes('OAUTH_AUTHORIZATION_RESPONSE_ERROR')) return null
  return byNetwork(facts) ?? byError(facts) ?? byAnswer(facts)
}

/** Why the browser's sign-in failed, for the page that is opened next. */
export function isPassing(trouble: ProviderTrouble): boolean {
  return passing.has(trouble)
}

/** The error that the browser brought back from the provider, else null. */
export function errorBroughtBack(error: unknown): string | null {
  const { codes, error: brought } = factsOf(error)
  return codes.includes('OAUTH_AUTHORIZATION_RESPONSE_ERROR') ? brought : null
}

function factsOf(error: unknown): Facts {
  const chain: Record<string, unknown>[] = []
  for (
    let at: unknown = error;
    typeof at === 'object' && at !== null && chain.length < 8;
    at = Object(at).cause
  )
    chain.push(at as Record<string, unknown>) // any value may be asked
  const textsOf = (name: string): readonly string[] =>
    chain.flatMap((link) => (typeof link[name] === 'string' ? [link[name]] : []))
  const status = chain.map((link) => link.status).find((value) => typeof value === 'number')
  const [challenge] = chain.flatMap((link) => (Array.isArray(link) ? link : []))
  return {
    codes: textsOf('code'),
    error: textsOf('error')[0] ?? null,
    status: typeof status === 'number' ? status : null,
    url: textsOf('url')[0] ?? '',
    claim: textsOf('claim')[0] ?? textsOf('attribute')[0] ?? null,
    text: textsOf('message').join(': '),
    isLate: chain.some((link) => link instanceof TookTooLong || link.name === 'TimeoutError'),
    scheme: typeof challenge?.scheme === 'string' ? challenge.scheme : null,
  }
}

const networkCodes: readonly (readonly [RegExp, ProviderTrouble])[] = [
  [/^(ENOTFOUND|EAI_.*)$/, 'name'],
  [/^(ECONN.*|EHOST.*|ENET.*|EPIPE|UND_ERR_SOCKET)$/, 'connection'],
  [/^(ETIMEDOUT|UND_ERR_.*_TIMEOUT|OAUTH_TIMEOUT)$/, 'timeout'],
  [/(CERT|_TLS_|_SSL_|EPROTO|SIGNATURE_FAILURE|UNABLE_TO_)/, 'certificate'],
]

function byNetwork({ codes, isLate }: Facts): ProviderTrouble | null {
  if (isLate) return 'timeout'
  const found = networkCodes.find(([code]) => codes.some((text) => code.test(text)))
  return found?.[1] ?? null
}

const errors: ReadonlyMap<string | null, ProviderTrouble> = new Map([
  ['invalid_client', 'client-secret'],
  ['unauthorized_client', 'client-secret'],
  ['incorrect_client_credentials', 'client-secret'], // GitHub
  ['redirect_uri_mismatch', 'redirect-uri'],
  ['temporarily_unavailable', 'status'],
  ['server_error', 'status'],
])

/** What an endpoint answered. */
function byError({ codes, error, status, scheme }: Facts): ProviderTrouble | null {
  if (status !== null && (status >= 500 || status === 429)) return 'status'
  if (codes.includes('OAUTH_RESPONSE_BODY_ERROR')) return errors.get(error) ?? null
  if (codes.includes('OAUTH_WWW_AUTHENTICATE_CHALLENGE'))
    return scheme === 'bearer' ? 'answer' : 'client-secret'
  return null
}

const byCode = new Map<string, (facts: Facts) => ProviderTrouble | null>([
  ['OAUTH_JWT_TIMESTAMP_CHECK_FAILED', () => 'clock'],
  ['OAUTH_JWT_CLAIM_COMPARISON_FAILED', ({ claim }) => claims.get(claim) ?? null],
  ['OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED', ({ claim }) => (claim === 'issuer' ? 'issuer' : 'answer')],
  ['OAUTH_KEY_SELECTION_FAILED', () => 'keys'],
  ['OAUTH_RESPONSE_IS_NOT_CONFORM', ({ url }) => (url.includes('/.well-known/') ? 'issuer' : 'answer')],
  ['OAUTH_RESPONSE_IS_NOT_JSON', () => 'answer'],
  ['OAUTH_PARSE_ERROR', () => 'answer'],
  ['OAUTH_MISSING_SERVER_METADATA', () => 'answer'],
  ['OAUTH_INVALID_SERVER_METADATA', () => 'answer'],
  ['OAUTH_INVALID_RESPONSE', ({ text }) => (/signature/i.test(text) ? 'keys' : null)],
])

const claims: ReadonlyMap<string | null, ProviderTrouble> = new Map([
  ['iss', 'issuer'],
  ['aud', 'client-id'],
  ['azp', 'client-id'],
])

function byAnswer(facts: Facts): ProviderTrouble | null {
  const [code = ''] = facts.codes
  return byCode.get(code)?.(facts) ?? null
}

/** When sign-in by one provider can work no more, and when it can again: each is told once, and another trouble again. */
export class ProviderHealth {
  readonly #provider: string
  readonly #deps: { readonly clock: Clock; readonly log: Logger }
  #outage: { readonly trouble: ProviderTrouble; readonly since: number } | null = null

  constructor(provider: string, deps: { readonly clock: Clock; readonly log: Logger }) {
    this.#provider = provider
    this.#deps = deps
  }

  /** What `work` comes to. */
  async watch<Value>(work: Promise<Value>): Promise<Value> {
    return work.catch((error: unknown) => {
      this.#failed(providerTroubleOf(error))
      throw error
    })
  }

  worked(): void {
    if (this.#outage === null) return
    const { clock, log } = this.#deps
    const { trouble, since } = this.#outage
    this.#outage = null
    log.info(
      { provider: this.#provider, trouble, afterMs: clock() - since },
      'the identity provider works again',
    )
  }

  #failed(trouble: ProviderTrouble | null): void {
    if (trouble === null || trouble === this.#outage?.trouble) return
    const { clock, log } = this.#deps
    this.#outage = { trouble, since: this.#outage?.since ?? clock() }
    const reason = troubleWords[trouble]
    log.error({ provider: this.#provider, trouble, reason }, 'nobody can sign in by the identity provider')
  }
}
