/** `oidc-provider`, a certified OpenID provider that is not ours, on loopback. Anybody may sign in under any name. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type Configuration, Provider } from 'oidc-provider'
import type { Browser, Landing } from '../../flow/support.ts'

export const clientSecret = 'a secret of the client, of 32 bytes at least'

export interface RealProvider {
  readonly issuer: string
  /** Of who signs in, by name; what is not there has none. */
  readonly groups: Map<string, readonly string[]>
  /** Forms that the browser gets, until it is sent elsewhere. */
  readonly signIn: (browser: Browser, at: string, login: string) => Promise<Landing>
  /** Ends the session at the provider, which tells its clients. */
  readonly signOut: (browser: Browser) => Promise<void>
  readonly close: () => void
}

interface RealProviderOptions {
  readonly port: number
  /** Base URL of the application; its provider is called `local`. */
  readonly baseUrl: string
  readonly configuration?: Configuration
}

export async function startRealProvider({
  port,
  baseUrl,
  configuration,
}: RealProviderOptions): Promise<RealProvider> {
  const issuer = `http://localhost:${port}`
  const groups = new Map<string, readonly string[]>()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'acmcp',
        client_secret: clientSecret,
        redirect_uris: [`${baseUrl}/auth/local/callback`],
        post_logout_redirect_uris: [],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        require_auth_time: true,
        backchannel_logout_uri: `${baseUrl}/oauth/backchannel-logout/local`,
        backchannel_logout_session_required: true,
      },
    ],
    cookies: { keys: ['a key for the test'] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'nickname'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    scopes: ['openid', 'offline_access', 'groups'],
    features: { backchannelLogout: { enabled: true } },
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined } as RequestInit), // ours is on loopback
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        ...{ sub: id, name: `${id} of the test`, email: `${id}@example.test`, email_verified: true },
        ...(groups.has(id) ? { groups: groups.get(id) } : {}),
      }),
    }),
    ...configuration,
  })
  const server = createServer(provider.callback()).listen(port, 'localhost')
  await once(server, 'listening')
  const isAway = (url: URL): boolean => url.origin !== issuer && url.pathname !== '/auth/local/callback'
  return {
    issuer,
    groups,
    async signIn(browser, at, login) {
      let landing = await browser.follow(
        at,
        (url) => url.origin === baseUrl && isAway(url) && url.href !== at,
      )
      for (let forms = 0; forms < 5 && landing.url.origin === issuer; forms += 1)
        landing = await browser.submit(landing, { login, password: 'any' }, isAway)
      return landing
    },
    async signOut(browser) {
      const asked = await browser.follow(`${issuer}/session/end`, () => false)
      await browser.submit(asked, { logout: 'yes' }, (url) => url.pathname.endsWith('/success'))
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
