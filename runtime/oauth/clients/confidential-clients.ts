/** Clients with a secret, which the owner of the service names in `oauth.confidentialClients`. They have no row: no request registers, changes
 *  or purges one. Source: RFC 6749, 2.1 and 2.3.1; decisions/oauth.md, Confidential clients. */

import type { ConfidentialClientConfig } from '../../contract/application.ts'
import { loopbackNames } from '../../loopback.ts'
import { equalInConstantTime } from '../../secret.ts'
import { percentDecoded } from '../../utf8.ts'
import type { Client } from './client.ts'

/** By id; empty = no client has a secret, and the methods are not announced. */
export type ConfidentialClients = ReadonlyMap<string, Client>

/** The configuration was checked; `secretsOf` returns the secrets that the variable of a name holds. */
export function createConfidentialClients(
  configured: readonly ConfidentialClientConfig[],
  secretsOf: (variable: string) => readonly string[],
): ConfidentialClients {
  const clients = configured.map(({ id, name, redirectUris, secret }) => ({
    ...{ id, name, redirectUris, secrets: secretsOf(secret) },
    grantTypes: ['authorization_code', 'refresh_token'],
    responseTypes: ['code'],
  }))
  return new Map(clients.map((client) => [client.id, client]))
}

/** Whether `secret` is one of the client's: each is compared, so that the time tells nothing. */
export function isSecretOf({ secrets = [] }: Client, secret: string): boolean {
  return secrets.map((known) => equalInConstantTime(secret, known)).some((isEqual) => isEqual)
}

/** Redirect addresses that no other client may have, each as `redirectAddress` writes it. */
export type HeldAddresses = ReadonlySet<string>

export const heldAddresses = (clients: ConfidentialClients): HeldAddresses =>
  new Set([...clients.values()].flatMap(({ redirectUris }) => redirectUris.map(redirectAddress)))

/** Where a redirect URI leads, however it is written: scheme and host without case, one name for loopback, no default port or final dot, the
 *  path decoded, no query. Codes for `https://host/cb?x` come to the owner of `https://host/cb`. */
export function redirectAddress(uri: string): string {
  if (!URL.canParse(uri)) return uri
  const { protocol, hostname, port, pathname } = new URL(uri)
  const path = (percentDecoded(pathname) ?? pathname).replace(/\/$/, '')
  const name = hostname.toLowerCase().replace(/\.$/, '')
  const host = loopbackNames.includes(name) ? 'localhost' : name
  return `${protocol}//${host}:${port}${path}`
}
