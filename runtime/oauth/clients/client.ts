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

/** Where clients come from beside those that registered, and those of the configuration. */
export interface ClientSource {
  /** Whether an id is for this source alone to find. */
  readonly has: (id: string) => boolean
  /** Null where there is none. `ip` asks. Throws an `OAuthError` where that cannot be known now. */
  readonly find: (id: string, ip: string) => Promise<Client | null>
  /** The client as it was known lately, to prove itself. Throws an `OAuthError` where nothing is known of it: that makes no client public. */
  readonly lastKnown: (id: string, ip: string) => Promise<Client>
  /** How its clients may prove who they are. */
  readonly authMethods: readonly AuthMethod[]
}

/** How clients prove who they are, in the order of the metadata. Source: OpenID Connect Core 1.0, 9. */
export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const
export type AuthMethod = (typeof authMethods)[number]
