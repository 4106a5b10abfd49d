/** What an MCP client that people have sends to a server, by public sources. Data alone. */

/** A fact that no public source tells. */
export type Published<T> = T | 'not published'

export interface Metadata {
  readonly client_name?: string
  readonly client_uri?: string
  readonly redirect_uris: readonly string[]
  readonly grant_types?: readonly string[]
  readonly response_types?: readonly string[]
  readonly token_endpoint_auth_method?: string
  readonly [name: string]: unknown
}

/** How a client becomes known to an authorization server. */
export type Way =
  /** Dynamic registration. Source: RFC 7591. */
  | { readonly by: 'registration'; readonly metadata: Metadata }
  /** A client metadata document at `url`, where the server takes them. */
  | { readonly by: 'document'; readonly url: string; readonly metadata: Published<Metadata> }
  /** Its owner enters a client id and a secret; the server has to know both. */
  | { readonly by: 'hand'; readonly redirectUris: readonly string[] }

export interface Host {
  readonly name: string
  readonly ways: readonly Way[]
  /** Where it waits for the code: one of its redirect addresses, on loopback with the port of that moment. */
  readonly redirectUri: string
  /** What it asks for: the scope of the challenge, no `scope` at all, or this; null = that of the challenge. */
  readonly scope: string | null
  /** How it authenticates at the token endpoint. */
  readonly authentication: Published<'none' | 'client_secret'>
  /** Whether it sends the parameter `resource`. Source: RFC 8707. */
  readonly sendsResource: Published<boolean>
  /** Request headers beside those of the protocol. */
  readonly headers: Published<Readonly<Record<string, string>>>
  /** The newest revision of MCP that it speaks. */
  readonly revision: Published<string>
  /** Whether it shows forms of elicitation. */
  readonly asksQuestions: Published<boolean>
  /** Its name in the table of what clients take of a list (`cli/dialects/`); null where that has nothing of it. */
  readonly dialect: string | null
  /** What to know beside. */
  readonly note: string
  readonly sources: readonly string[]
}

export const unknown = 'not published'
