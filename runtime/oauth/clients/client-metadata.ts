/** What a client says of itself, in a registration request or in its metadata document. Source: RFC 7591, 2;
 *  rules.md, Register; rules.md, OAuth. */

import { decodeUtf8 } from '../../utf8.ts'
import { OAuthError, refused } from '../oauth-error.ts'
import { redirectAddress } from './confidential-clients.ts'
import { isOwnEndpoint, type RedirectRules } from './own-endpoints.ts'
import {
  isNativeRedirectUri,
  isSafeRedirectUri,
  type NativeSchemes,
  redirectUriDefect,
  settingForSchemes,
} from './redirect-uri.ts'
import { isOwnWording, isVisibleText, saysSomething } from './visible-text.ts'

/** Members by name. A map: no member can be mistaken for one of an object's own. */
export type ClientMetadata = ReadonlyMap<string, unknown>

const redirectUriLimit = 20
const redirectUriLimitBytes = 2048
const nameLimit = 200

/** The members of a JSON object, from its bytes. Throws `invalid_client_metadata`. */
export function parseMetadata(bytes: Uint8Array): ClientMetadata {
  return metadataOf(parseJson(bytes))
}

/** The members of what has been parsed already. Throws `invalid_client_metadata` unless it is an object. */
export function metadataOf(value: unknown): ClientMetadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAnObject()
  return new Map(Object.entries(value))
}

/** The name to show, or null when none is given or it is blank. At most 200 characters, each of them visible, one of them a letter or a
 *  digit. */
export function clientNameOf(metadata: ClientMetadata): string | null {
  const value = metadata.get('client_name')
  if (isAbsent(value) || (typeof value === 'string' && value.trim() === '')) return null
  if (typeof value !== 'string' || [...value].length > nameLimit || !isVisibleText(value)) {
    throw invalidMetadata(`client_name must be a text of at most ${nameLimit} visible characters`)
  }
  if (!saysSomething(value)) throw invalidMetadata('client_name must have a letter or a digit')
  if (isOwnWording(value))
    throw invalidMetadata('client_name must not be what this service calls callers without a name')
  return value
}

/** 1 to 20 addresses of at most 2 KB each, all safe and none of our own endpoints. */
export function redirectUrisOf(metadata: ClientMetadata, rules: RedirectRules): readonly string[] {
  const uris = textsOf('redirect_uris', metadata.get('redirect_uris'))
  if (uris.length === 0 || uris.length > redirectUriLimit) {
    throw invalidMetadata(`redirect_uris must name 1 to ${redirectUriLimit} addresses`)
  }
  if (uris.some((uri) => Buffer.byteLength(uri) > redirectUriLimitBytes)) {
    throw invalidMetadata(`redirect_uris must not be longer than ${redirectUriLimitBytes} bytes each`)
  }
  const { nativeSchemes } = rules
  const unsafe = uris.filter((uri) => !isSafeRedirectUri(uri) && !isNativeRedirectUri(uri, nativeSchemes))
  if (unsafe.length > 0) throw unsafeRedirectUris(unsafe, nativeSchemes)
  if (uris.some((uri) => isOwnEndpoint(uri, rules)))
    throw invalidMetadata('redirect_uris must not be endpoints of this service')
  if (uris.some((uri) => rules.heldAddresses.has(redirectAddress(uri))))
    throw invalidMetadata('redirect_uris must not be those of a client that is configured here')
  return uris
}

/** The answer is the same for each address; the log line names the first. */
function unsafeRedirectUris(unsafe: readonly string[], nativeSchemes: NativeSchemes): OAuthError {
  const [first = ''] = unsafe
  return refused(
    'invalid_client_metadata',
    {
      reason: `the redirect address ${first.slice(0, 200)} ${redirectUriDefect(first)}`,
      hint: settingForSchemes(unsafe, { takesNativeRedirects: nativeSchemes !== null }),
    },
    'redirect_uris must be https, or http on loopback, without a fragment',
  )
}

/** The texts of the list `name`, or `fallback` when it is absent. */
export function listOf(
  metadata: ClientMetadata,
  name: string,
  fallback: readonly string[],
): readonly string[] {
  const value = metadata.get(name)
  return isAbsent(value) ? fallback : textsOf(name, value)
}

/** 400 `invalid_client_metadata`. Source: RFC 7591, 3.2.2. */
export function invalidMetadata(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description)
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes, notAnObject))
  } catch {
    throw notAnObject()
  }
}

function notAnObject(): OAuthError {
  return invalidMetadata('the client metadata must be a JSON object')
}

function textsOf(name: string, value: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : []
  if (Array.isArray(value) && texts.every((entry) => typeof entry === 'string')) return texts
  throw invalidMetadata(`${name} must be an array of texts`)
}

/** RFC 7591, 2 leaves members out; many clients send null instead. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}
