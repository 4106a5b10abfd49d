import type { Client as RegisteredClient } from '../../store/store.ts'
import type { ClientKeys } from '../assertions/verifying-keys.ts'

/** A client, wherever it is described: registered, by its metadata document, in the configuration, or built in. */
export interface Client extends RegisteredClient {
  /** Any of them proves it: two are valid while one is replaced. Of one that the configuration names; absent = it has none. */
  readonly secrets?: readonly string[]
  /** By which it proves to be itself; absent = it has none. */
  readonly keys?: ClientKeys
  /** Whether it must: without a proof no request is taken for its own. */
  readonly mustProve?: boolean
  /** Of one that acts for no user: as configured. */
  readonly scopes?: readonly string[]
}

/** What of it proves the signer. */
export type KeyHolder = Required<Pick<Client, 'id' | 'keys'>>

/** A client that signs what it sends, and whose keys the configuration has. */
export type SigningClient = Client & KeyHolder

/** By id. */
export type SigningClients = ReadonlyMap<string, SigningClient>
