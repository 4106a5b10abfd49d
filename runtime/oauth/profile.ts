/** What the two profiles of the authorization server differ in. All other code asks this table, and nothing else asks which profile is
 *  configured. */
// Source: decisions/oauth.md, Profiles.

export interface Profile {
  /** Whether a client may register redirect URIs with a private-use scheme, matched as exact text. Source: RFC 8252, 7.1. */
  readonly takesNativeRedirects: boolean
  /** Whether a registration with grant or response types beside ours is answered with the subset that we have. Source: RFC 7591, 3.2.1. */
  readonly registersSubset: boolean
  /** Scopes that a request may name and that are never granted. Source: OpenID Connect Core 1.0, 5.4 and 11. */
  readonly ignoredScopes: ReadonlySet<string>
  /** Scopes in the authorization server's metadata beside those that can be granted. */
  readonly announcedScopes: readonly string[]
  /** Whether an authorization error is sent to the client once its redirect URI is verified. Source: RFC 6749, 4.1.2.1. */
  readonly redirectsErrors: boolean
  /** Whether a person whose browser asks for HTML sees a page in place of the JSON of an error. */
  readonly showsErrorPages: boolean
  /** Whether a refresh token that was used is exchanged again for some seconds (`oauth.refreshGraceSeconds`). */
  readonly hasRefreshGrace: boolean
  /** Whether a code is exchanged for a request without `redirect_uri`; PKCE binds it. Source: draft-ietf-oauth-v2-1, 10.2. */
  readonly redeemsWithoutRedirectUri: boolean
  /** Whether a token request of a client that is not there is `invalid_client`, whatever else is wrong. Source: RFC 6749, 5.2. */
  readonly refusesUnknownClients: boolean
  /** Parameters that a request may have several times, URIs all. Source: RFC 8707, 2. */
  readonly repeatedParameters: ReadonlySet<string>
  /** Whether scheme and host of a resource are compared without case. Source: RFC 3986, 6.2.2.1. */
  readonly ignoresCaseOfHosts: boolean
  /** Whether a resource on loopback says the loopback name that it was asked by. */
  readonly answersToLoopbackNames: boolean
  /** Whether `error_description` says what was wrong where the specification gives no description. */
  readonly describesErrors: boolean
  /** Whether the token endpoint authenticates clients: those of `oauth.confidentialClients`, and those whose metadata document leaves out
   *  `none`. Otherwise each is public. */
  readonly authenticatesClients: boolean
}

const none: ReadonlySet<string> = new Set()

/** The table. */
export const profiles: Readonly<Record<'specification' | 'compatible', Profile>> = {
  specification: {
    takesNativeRedirects: false,
    registersSubset: false,
    ignoredScopes: none,
    announcedScopes: [],
    redirectsErrors: false,
    showsErrorPages: false,
    hasRefreshGrace: false,
    redeemsWithoutRedirectUri: false,
    refusesUnknownClients: false,
    repeatedParameters: none,
    ignoresCaseOfHosts: false,
    answersToLoopbackNames: false,
    describesErrors: false,
    authenticatesClients: false,
  },
  compatible: {
    takesNativeRedirects: true,
    registersSubset: true,
    ignoredScopes: new Set(['openid', 'profile', 'email', 'offline_access']),
    announcedScopes: ['offline_access'],
    redirectsErrors: true,
    showsErrorPages: true,
    hasRefreshGrace: true,
    redeemsWithoutRedirectUri: true,
    refusesUnknownClients: true,
    repeatedParameters: new Set(['resource']),
    ignoresCaseOfHosts: true,
    answersToLoopbackNames: true,
    describesErrors: true,
    authenticatesClients: true,
  },
}

/** In log lines of refusals that the profile `compatible` would lift. */
export const liftedBy = "oauth.profile: 'compatible' in app/config.ts takes this"
