/** What the two profiles of the authorization server differ in. All other code asks this table, and nothing else asks which profile is
 *  configured. Source: decisions.md, The two profiles. */

export type ProfileName = 'specification' | 'compatible'

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
  /** Whether `error_description` says what was wrong where the specification gives no description. */
  readonly describesErrors: boolean
  /** Whether a refresh token that was used is exchanged again for some seconds (`oauth.refreshGraceSeconds`). */
  readonly hasRefreshGrace: boolean
  /** Whether a code is exchanged without `redirect_uri`. Source: OAuth 2.1 draft, 4.1.3. */
  readonly redeemsWithoutRedirectUri: boolean
  /** Whether `resource` is compared by RFC 3986, 6.2.2.1 (scheme and host without case), and may be given several times. Source: RFC 8707, 2. */
  readonly comparesResourceAsUri: boolean
  /** Whether a loopback server names the loopback host that a request asked for. */
  readonly answersToLoopbackNames: boolean
  /** Whether a client whose metadata document leaves out `none` must prove its key at the token endpoint. */
  readonly documentsProveKeys: boolean
  /** Whether `oauth.confidentialClients` may name clients. */
  readonly hasConfidentialClients: boolean
  /** Whether a token request of an unknown client is `invalid_client` whatever else is wrong with it. Source: RFC 6749, 5.2. */
  readonly refusesUnknownClients: boolean
}

const none: ReadonlySet<string> = new Set()

/** The table. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  specification: {
    takesNativeRedirects: false,
    registersSubset: false,
    ignoredScopes: none,
    announcedScopes: [],
    redirectsErrors: false,
    showsErrorPages: false,
    describesErrors: false,
    hasRefreshGrace: false,
    redeemsWithoutRedirectUri: false,
    comparesResourceAsUri: false,
    answersToLoopbackNames: false,
    documentsProveKeys: false,
    hasConfidentialClients: false,
    refusesUnknownClients: false,
  },
  compatible: {
    takesNativeRedirects: true,
    registersSubset: true,
    ignoredScopes: new Set(['openid', 'profile', 'email', 'offline_access']),
    announcedScopes: ['offline_access'],
    redirectsErrors: true,
    showsErrorPages: true,
    describesErrors: true,
    hasRefreshGrace: true,
    redeemsWithoutRedirectUri: true,
    comparesResourceAsUri: true,
    answersToLoopbackNames: true,
    documentsProveKeys: true,
    hasConfidentialClients: true,
    refusesUnknownClients: true,
  },
}

/** In log lines of refusals that the profile `compatible` would lift. */
export const liftedBy = "oauth.profile: 'compatible' in app/config.ts takes this"
