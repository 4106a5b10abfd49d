/** Clients that act for themselves and no user: the configuration names them, with the keys that they sign with. */
import type { Clock, Logger } from '../../contract/store.ts'
import type { Scopes } from '../../scopes.ts'
import type { Network } from '../network.ts'
import { FetchedKeys } from './fetched-keys.ts'
import { type AssertionAlgorithm, fittingKeys, type VerifyingKey, verifyingKeyOf } from './verifying-keys.ts'

/** One client of `defineApp({ clients })`: exactly one of `jwks` and `jwksUri`. */
export interface ClientConfig {
  /** Its public keys (RFC 7517). */
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] }
  /** Where it publishes them: https, or http on loopback in development. */
  readonly jwksUri?: string
  /** Declared scopes that its tokens may have; `['api']` in an application that declares none. */
  readonly scopes: readonly string[]
}

/** Keys of one client. */
export interface ClientKeys {
  /** Those that can have made a signature, by its header. Rejects with `KeysUnavailable`. */
  find(algorithm: AssertionAlgorithm, kid: string | null): Promise<readonly VerifyingKey[]>
}

export interface Machine {
  readonly id: string
  /** As configured. */
  readonly scopes: readonly string[]
  /** What they come to; null where none are declared. */
  readonly allowed: readonly string[] | null
  readonly keys: ClientKeys
}

/** By id; empty = the grant is not offered. */
export type Machines = ReadonlyMap<string, Machine>

export interface MachineOptions {
  readonly network: Network
  /** Whether keys may also be on this machine. */
  readonly allowLoopback: boolean
  readonly scopes: Scopes
  readonly clock: Clock
  readonly log: Logger
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
    return { id, scopes, allowed, keys: keysOf(id, config, options) }
  })
  return new Map(machines.map((machine) => [machine.id, machine]))
}

function keysOf(id: string, { jwks, jwksUri }: ClientConfig, options: MachineOptions): ClientKeys {
  if (jwksUri !== undefined) return new FetchedKeys(id, new URL(jwksUri), options)
  const keys = (jwks?.keys ?? []).map(verifyingKeyOf)
  return { find: async (algorithm, kid) => fittingKeys(keys, algorithm, kid) }
}
