/** The sender of a token or revocation request: a public client names itself, one with a secret or keys proves it. Source: RFC 6749, 2.3 and 5.2;
 *  RFC 7521, 4.2; decisions/oauth.md, Confidential clients. */
import type { HttpRequest } from '../../contract/http.ts'
import { addressKey, createRateCounter, type RateCounter } from '../../rate-limit.ts'
import { sha256Base64Url } from '../../secret.ts'
import { decodeUtf8, percentDecoded } from '../../utf8.ts'
import {
  AssertionRefused,
  authenticate,
  claimedClient,
  invalidClient,
  sentAssertion,
  useUp,
} from '../assertions/client-assertion.ts'
import { audit } from '../audit.ts'
import { ClientRefused, OAuthError } from '../oauth-error.ts'
import type { AuthenticateClient, AuthorizationServerOptions, SigningOptions } from '../options.ts'
import { type Parameters, parameter, requiredParameter } from '../parameters.ts'
import type { Client, KeyHolder } from './client.ts'
import { isSecretOf } from './confidential-clients.ts'

type ProofOptions = AuthorizationServerOptions & Pick<SigningOptions, 'clientSources'>

export interface ClientAuthentication {
  readonly authenticateClient: AuthenticateClient
  /** Wrong secrets of the last minute, by client and address. */
  readonly guesses: RateCounter
}

const guessesPerMinute = 20
/** About 2 MB. */
const capacity = 10_000

export function createClientAuthentication(options: ProofOptions): ClientAuthentication {
  const guesses = createRateCounter({
    ...{ windowSeconds: 60, capacity },
    ...{ clock: options.clock, monotonic: options.monotonic },
  })
  const { profile, confidentialClients } = options
  const authenticateClient: AuthenticateClient = (request, parameters) => {
    if (!profile.authenticatesClients)
      return { id: requiredParameter(parameters, 'client_id'), proveKey: nothing }
    const sent = sentBy(request, parameters)
    const id = sent.clientId
    const client = confidentialClients.get(id)
    if (client !== undefined) {
      proveSecret(client, sent, { request, guesses, options })
      return { id, proveKey: nothing }
    }
    if (sent.secrets.length > 0)
      throw unproven(sent.isBasic, 'no client with a secret has this id here: a public client sends none')
    return { id, proveKey: () => proveKey(sent, { request, parameters, options }) }
  }
  return { authenticateClient, guesses }
}

const nothing = async (): Promise<void> => undefined

interface Sent {
  readonly clientId: string
  /** The secret as it may be meant; none = none was sent, or the empty text, which is the same (RFC 6749, 2.3.1). */
  readonly secrets: readonly string[]
  readonly hasAssertion: boolean
  /** Whether the `Authorization` header was used. */
  readonly isBasic: boolean
}

/** Throws `invalid_request` for two methods at once (RFC 6749, 2.3), and for two names of the client. */
function sentBy({ headers }: Pick<HttpRequest, 'headers'>, parameters: Parameters): Sent {
  const basic = readBasic(headers.authorization)
  if (basic === 'unreadable') throw unproven(true)
  const inBody = parameter(parameters, 'client_secret')
  const { assertion, type } = sentAssertion(parameters)
  const hasAssertion = assertion !== '' || type !== ''
  if ([basic !== null, inBody !== '', hasAssertion].filter((isUsed) => isUsed).length > 1)
    throw new OAuthError('invalid_request', 'the client authenticates by more than one method')
  const clientId = namedClient(basic, parameters)
  // in a parameter it is refused before: PostgreSQL cannot hold it
  if (clientId.includes('\0')) throw unproven(basic !== null)
  return {
    clientId,
    secrets: basic?.secrets ?? (inBody === '' ? [] : [inBody]),
    hasAssertion,
    isBasic: basic !== null,
  }
}

/** By the header, `client_id`, or an assertion, of which nothing is known yet. */
function namedClient(basic: BasicCredentials | null, parameters: Parameters): string {
  const named = parameter(parameters, 'client_id')
  if (basic !== null && named !== '' && named !== basic.id)
    throw new OAuthError('invalid_request', 'client_id and the Authorization header name two clients')
  if (basic !== null) return basic.id
  const sent = sentAssertion(parameters)
  if (sent.assertion === '') return requiredParameter(parameters, 'client_id')
  try {
    return claimedClient(sent) ?? ''
  } catch {
    throw unproven(false)
  }
}

interface SecretCheck {
  readonly request: HttpRequest
  readonly guesses: RateCounter
  readonly options: ProofOptions
}

/** Guesses count for the client and their address: a caller elsewhere cannot lock the client out. */
function proveSecret(
  client: Client,
  { secrets, isBasic }: Sent,
  { request, guesses, options }: SecretCheck,
): void {
  const key = sha256Base64Url(`client secret ${client.id} ${addressKey(request.ip)}`)
  const waitSeconds = guesses.wait(key, guessesPerMinute)
  if (waitSeconds > 0) throw tooManyGuesses(waitSeconds)
  if (secrets.map((secret) => isSecretOf(client, secret)).some((isRight) => isRight)) return
  const reason = secrets.length === 0 ? 'secret_missing' : 'secret'
  if (secrets.length > 0) guesses.take(key, guessesPerMinute)
  options.log.warn({ requestId: request.id, client: client.id, reason }, 'client refused')
  if (secrets.length > 0)
    audit(options, 'refusal', { ids: { client: client.id }, facts: { of: 'client', reason } })
  throw unproven(isBasic)
}

interface OtherRequest {
  readonly request: HttpRequest
  readonly parameters: Parameters
  readonly options: ProofOptions
}

/** A client without a secret: public, or one whose document names keys. */
async function proveKey(
  { clientId, hasAssertion }: Sent,
  { request, parameters, options }: OtherRequest,
): Promise<void> {
  const source = options.clientSources.find(({ has }) => has(clientId))
  const { keys, mustProve = false } = (await source?.lastKnown(clientId, request.ip)) ?? {}
  if (!mustProve && !hasAssertion) return
  const find = (id: string): KeyHolder | null => (id === clientId && keys !== undefined ? { id, keys } : null)
  try {
    await useUp(await authenticate(sentAssertion(parameters), { ...options, find }), options)
  } catch (error) {
    throw error instanceof AssertionRefused ? invalidClient(error, request.id, options) : error
  }
}

/** The same words for every kind of wrong secret; a challenge where the header was used. Source: RFC 6749, 5.2. */
function unproven(isBasic: boolean, description = 'the client authentication is not valid'): ClientRefused {
  const challenge: Readonly<Record<string, string>> = isBasic
    ? { 'www-authenticate': 'Basic realm="client"' }
    : {}
  return new ClientRefused('invalid_client', description, challenge)
}

const tooManyGuesses = (waitSeconds: number): ClientRefused =>
  new ClientRefused(
    'temporarily_unavailable',
    'too many wrong secrets from this address',
    { 'retry-after': String(waitSeconds) },
    429,
  )

interface BasicCredentials {
  readonly id: string
  /** The secret as it may be meant: decoded as a form, and as it was sent, since many clients do not encode it; none = it is empty. */
  readonly secrets: readonly string[]
}

/** `Authorization: Basic` of a client. Null without the header, and with that of another scheme. Source: RFC 6749, 2.3.1; RFC 7617, 2. */
function readBasic(header: string | readonly string[] | undefined): BasicCredentials | 'unreadable' | null {
  if (typeof header !== 'string' || !/^basic( |$)/i.test(header)) return null
  const text = decodedText(header.slice('basic '.length).trim())
  const colon = text?.indexOf(':') ?? -1
  if (text === null || colon < 0) return 'unreadable'
  const id = formDecoded(text.slice(0, colon))
  const sent = text.slice(colon + 1)
  if (id === null) return 'unreadable'
  const meant = new Set([formDecoded(sent) ?? sent, sent])
  return { id, secrets: [...meant].filter((secret) => secret !== '') }
}

function decodedText(base64: string): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null
  try {
    return decodeUtf8(Buffer.from(base64, 'base64'), () => new Error('not UTF-8'))
  } catch {
    return null
  }
}

/** Null for what is no percent-encoding. */
const formDecoded = (text: string): string | null => percentDecoded(text.replaceAll('+', ' '))
