/** What an MCP client that people have sends to a server, by public sources. Data alone. */

const unpublished = 'not published'

/** A fact, or that no public source tells it. */
export type KnownFact<T> = T | typeof unpublished

/** What a client registers, or what its document says. Source: RFC 7591, 2. */
export interface PublishedMetadata {
  readonly client_name?: string
  readonly redirect_uris: readonly string[]
  readonly grant_types?: readonly string[]
  readonly token_endpoint_auth_method?: string
  readonly [name: string]: unknown
}

/** How a client becomes known to an authorization server. */
export type Way = {
  /** Which versions or editions; null = all. */
  readonly of: string | null
  /** Where it waits for the code: an address that it lists, on loopback with the port of that moment. */
  readonly redirectUri: string
} & (
  | { readonly by: 'registration'; readonly metadata: PublishedMetadata }
  | { readonly by: 'document'; readonly url: string; readonly metadata: PublishedMetadata }
  /** Its owner enters a client id and a secret, which the server has to know. */
  | {
      readonly by: 'hand'
      readonly redirectUris: readonly string[]
      readonly authentication: 'client_secret_post' | 'client_secret_basic'
      /** Whether it sends a challenge of PKCE. Source: RFC 7636. */
      readonly sendsChallenge: boolean
    }
)

export interface KnownHost {
  readonly name: string
  readonly ways: readonly Way[]
  /** What it asks for; null = the scope that the 401 names. */
  readonly scope: string | null
  /** Whether it sends `resource`, and where. Source: RFC 8707. */
  readonly sendsResource: KnownFact<'always' | 'at sign-in'>
  /** Request headers beside those of the protocol. */
  readonly headers: KnownFact<Readonly<Record<string, string>>>
  /** The newest revision of MCP that it speaks. */
  readonly revision: KnownFact<string>
  /** What it declares of elicitation. */
  readonly elicitation: KnownFact<'none' | 'form' | 'form and url'>
  /** How much of an answer reaches its model, in characters. */
  readonly answerCharacters: KnownFact<number>
  /** Its name in `cli/dialects/`, which has what it takes of a list of tools; null = nothing of it is published. */
  readonly dialect: string | null
}

/** A client of which nothing is published but what is said here. */
export const knownHost = (name: string, facts: Partial<KnownHost> & Pick<KnownHost, 'ways'>): KnownHost => ({
  name,
  scope: null,
  sendsResource: unpublished,
  headers: unpublished,
  revision: unpublished,
  elicitation: unpublished,
  answerCharacters: unpublished,
  dialect: null,
  ...facts,
})

interface Written extends Partial<PublishedMetadata>, Pick<Way, 'redirectUri'> {
  readonly of?: string
}

/** Without `redirect_uris` it names the address where it waits. */
const metadataOf = ({ of, redirectUri, ...metadata }: Written) => ({
  of: of ?? null,
  redirectUri,
  metadata: { redirect_uris: [redirectUri], ...metadata },
})

export const byRegistration = (written: Written): Way => ({ by: 'registration', ...metadataOf(written) })

export const byDocument = (url: string, written: Written): Way => ({
  by: 'document',
  url,
  ...metadataOf(written),
})

export const bothGrants: readonly string[] = ['authorization_code', 'refresh_token']

export const publicClient: Partial<PublishedMetadata> = {
  grant_types: bothGrants,
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}
