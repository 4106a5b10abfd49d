/** Clients that act for themselves and no user: the configuration names them, with the keys that they sign with. */

import { clientKeySource, FetchedKeys, type KeyFetchOptions } from '../../oauth/assertions/fetched-keys.ts'
import { type ClientKeys, fittingKeys, verifyingKeyOf } from '../../oauth/assertions/verifying-keys.ts'
import type { SigningClient } from '../../oauth/clients/client.ts'
import type { Scopes } from '../../scopes.ts'
import type { ClientConfig } from './settings.ts'

export interface Machine extends SigningClient {
  readonly scopes: readonly string[]
  /** What they come to; null where none are declared. */
  readonly allowed: readonly string[] | null
}

/** By id; empty = the grant is not offered. */
export type Machines = ReadonlyMap<string, Machine>

export interface MachineOptions extends KeyFetchOptions {
  readonly scopes: Scopes
}

/** The configuration was checked: each has keys. */
export function createMachines(
  clients: Readonly<Record<string, ClientConfig>>,
  options: MachineOptions,
): Machines {
  const { scopes: declared } = options
  const machines = Object.entries(clients).map(([id, config]): Machine => {
    const { scopes } = config
    const allowed = declared.declared.length === 0 ? null : declared.resolve(scopes)
    const noPages = { name: null, redirectUris: [], grantTypes: ['client_credentials'], responseTypes: [] }
    return { id, ...noPages, scopes, allowed, keys: keysOf(id, config, options) }
  })
  return new Map(machines.map((machine) => [machine.id, machine]))
}

function keysOf(id: string, { jwks, jwksUri }: ClientConfig, options: MachineOptions): ClientKeys {
  if (jwksUri !== undefined) return new FetchedKeys(clientKeySource(id, new URL(jwksUri), options), options)
  const keys = (jwks?.keys ?? []).map(verifyingKeyOf)
  return { find: async (algorithm, kid) => fittingKeys(keys, algorithm, kid) }
}
