/** Dynamic client registration. Source: RFC 7591; rules.md, Register; rules.md, OAuth. */
import type { Endpoint, HttpRequest, HttpResponse, RequestBody } from '../../contract/http.ts'
import { PayloadTooLarge } from '../../errors.ts'
import { essence } from '../../http/input/media-type.ts'
import type { Client } from '../../store/store.ts'
import { audit } from '../audit.ts'
import {
  type ClientMetadata,
  clientNameOf,
  invalidMetadata,
  listOf,
  metadataOf,
  parseMetadata,
  redirectUrisOf,
} from '../clients/client-metadata.ts'
import { type OAuthError, refused } from '../oauth-error.ts'
import { type AuthorizationServerOptions, randomHex } from '../options.ts'
import { liftedBy } from '../profile.ts'
import { crossOriginEndpoint, json } from '../responses.ts'

const limitBytes = 16 * 1024
const knownGrantTypes = ['authorization_code', 'refresh_token']
const knownResponseTypes = ['code']

/** `POST /oauth/register`: 201 with the full record, or 400 `invalid_client_metadata`. */
export function registrationEndpoint(options: AuthorizationServerOptions): Endpoint {
  const handle = (request: HttpRequest): Promise<HttpResponse> => register(request, options)
  return crossOriginEndpoint('POST', '/oauth/register', handle, options)
}

async function register(request: HttpRequest, options: AuthorizationServerOptions): Promise<HttpResponse> {
  const client = clientOf(randomHex(options.randomBytes, 16), await readMetadata(request.body), options)
  await options.store.saveClient(client)
  audit(options, 'registration', { ids: { client: client.id }, clientName: client.name })
  return json(201, clientRecord(client, Math.floor(options.clock() / 1000)))
}

async function readMetadata(body: RequestBody): Promise<ClientMetadata> {
  if (body.kind === 'value') return metadataOf(body.value)
  if (body.contentType !== null && essence(body.contentType) !== 'application/json') {
    throw invalidMetadata('the client metadata must be sent as application/json')
  }
  return parseMetadata(await readBytes(() => body.read()))
}

async function readBytes(read: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    const bytes = await read()
    if (bytes.length <= limitBytes) return bytes
  } catch (error) {
    if (!(error instanceof PayloadTooLarge)) throw error
  }
  throw invalidMetadata('the client metadata must not be larger than 16 KB')
}

function clientOf(id: string, metadata: ClientMetadata, options: AuthorizationServerOptions): Client {
  return {
    id,
    name: clientNameOf(metadata),
    redirectUris: redirectUrisOf(metadata, options),
    grantTypes: grantTypesOf(metadata, options),
    responseTypes: responseTypesOf(metadata, options),
  }
}

function grantTypesOf(metadata: ClientMetadata, { profile }: ProfileOption): readonly string[] {
  const types = listOf(metadata, 'grant_types', ['authorization_code'])
  const known = [...new Set(types)].filter((type) => knownGrantTypes.includes(type)) // the row holds each once
  if (types.every((type) => known.includes(type))) return known
  if (profile.registersSubset && known.length > 0) return known
  throw unsupported(
    'grant_types',
    types,
    known,
    'grant_types may only be authorization_code and refresh_token',
  )
}

function responseTypesOf(metadata: ClientMetadata, { profile }: ProfileOption): readonly string[] {
  const types = listOf(metadata, 'response_types', ['code'])
  if (types.length === 1 && types[0] === 'code') return types
  const known = knownResponseTypes.filter((type) => types.includes(type))
  if (profile.registersSubset && known.length > 0) return known
  throw unsupported('response_types', types, known, "response_types must be exactly ['code']")
}

type ProfileOption = Pick<AuthorizationServerOptions, 'profile'>

function unsupported(
  name: string,
  types: readonly string[],
  known: readonly string[],
  description: string,
): OAuthError {
  const typesText = types.join(' ').slice(0, 200)
  const reason = `of the ${name} '${typesText}' this server has ${known.length === 0 ? 'none' : known.join(' ')}`
  return refused('invalid_client_metadata', { reason, hint: known.length > 0 ? liftedBy : null }, description)
}

/** What was registered, as RFC 7591, 3.2.1 has it answered: every client is public, so there is no secret. */
function clientRecord(client: Client, issuedAtSeconds: number): Readonly<Record<string, unknown>> {
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
