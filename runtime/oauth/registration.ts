/** Dynamic client registration. Source: RFC 7591; specification, Register; decisions.md, OAuth. */
import type { Endpoint, HttpRequest, Outcome } from '../contract.ts'
import { AuthServerError, PayloadTooLarge } from '../errors.ts'
import type { Client } from '../store/store.ts'
import { json, withCors, withOAuthErrors } from './answers.ts'
import { type AuthorizationServerOptions, randomHex } from './options.ts'
import { isSafeRedirectUri } from './redirect-uri.ts'

type Metadata = Readonly<Record<string, unknown>>

const limitBytes = 16 * 1024
const redirectUriLimit = 20
const redirectUriLimitBytes = 2048
const nameLimit = 200
const grantTypes: ReadonlySet<unknown> = new Set(['authorization_code', 'refresh_token'])

/** `POST /oauth/register`: 201 with the full record, or 400 `invalid_client_metadata`. */
export function registrationEndpoint(options: AuthorizationServerOptions): Endpoint {
  const handle = withCors(withOAuthErrors((request) => register(request, options), options.log))
  return { methods: ['POST', 'OPTIONS'], path: '/oauth/register', handle }
}

async function register(request: HttpRequest, options: AuthorizationServerOptions): Promise<Outcome> {
  const client = parseClient(randomHex(options.randomBytes, 16), await readMetadata(request))
  await options.store.saveClient(client)
  options.log.info({ client: client.id }, 'client registered')
  return json(201, clientRecord(client, Math.floor(options.clock() / 1000)))
}

async function readMetadata(request: HttpRequest): Promise<Metadata> {
  const value =
    request.body.kind === 'value' ? request.body.value : parseJson(await readBytes(request.body.read))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('the client metadata must be a JSON object')
  return Object.fromEntries(Object.entries(value))
}

async function readBytes(read: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    const bytes = await read()
    if (bytes.length <= limitBytes) return bytes
  } catch (error) {
    if (!(error instanceof PayloadTooLarge)) throw error
  }
  throw invalid('the client metadata must not be larger than 16 KB')
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalid('the client metadata must be a JSON object')
  }
}

function parseClient(id: string, metadata: Metadata): Client {
  return {
    id,
    name: parseName(metadata.client_name),
    redirectUris: parseRedirectUris(metadata.redirect_uris),
    grantTypes: parseGrantTypes(metadata.grant_types),
    responseTypes: parseResponseTypes(metadata.response_types),
  }
}

function parseName(value: unknown): string | null {
  if (isAbsent(value) || value === '') return null
  if (typeof value !== 'string' || value.length > nameLimit) {
    throw invalid(`client_name must be a text of at most ${nameLimit} characters`)
  }
  return value
}

function parseRedirectUris(value: unknown): readonly string[] {
  const uris = parseTexts('redirect_uris', value)
  if (uris.length === 0 || uris.length > redirectUriLimit) {
    throw invalid(`redirect_uris must name 1 to ${redirectUriLimit} addresses`)
  }
  if (!uris.every((uri) => Buffer.byteLength(uri) <= redirectUriLimitBytes && isSafeRedirectUri(uri))) {
    throw invalid('redirect_uris must be https, or http on loopback, without a fragment')
  }
  return uris
}

function parseGrantTypes(value: unknown): readonly string[] {
  if (isAbsent(value)) return ['authorization_code']
  const types = parseTexts('grant_types', value)
  if (types.every((type) => grantTypes.has(type))) return types
  throw invalid('grant_types may only be authorization_code and refresh_token')
}

function parseResponseTypes(value: unknown): readonly string[] {
  if (isAbsent(value)) return ['code']
  const types = parseTexts('response_types', value)
  if (types.length === 1 && types[0] === 'code') return types
  throw invalid("response_types must be exactly ['code']")
}

function parseTexts(name: string, value: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : []
  if (Array.isArray(value) && texts.every((entry) => typeof entry === 'string')) return texts
  throw invalid(`${name} must be an array of texts`)
}

/** RFC 7591, 2 leaves members out; many clients send null instead. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function invalid(description: string): AuthServerError {
  return new AuthServerError('invalid_client_metadata', description)
}

function clientRecord(client: Client, issuedAtSeconds: number): Metadata {
  return {
    client_id: client.id,
    client_id_issued_at: issuedAtSeconds,
    ...(client.name === null ? {} : { client_name: client.name }),
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    response_types: client.responseTypes,
    token_endpoint_auth_method: 'none',
  }
}
