/** Groups and roles out of the claims of well-known providers, by what the page of roles shows. */
import t from 'tap'
import type { SigningIn } from '../../../runtime/contract/application.ts'
import { attributesOf, SignInRefused } from '../../../runtime/index.ts'
import { openFaultProvider } from '../support/fault-provider.ts'
import { location, newBrowser, world } from '../support/harness.ts'
import { entra, entraOverage, keycloak, okta } from '../support/provider-claims.ts'

const texts = (claim: unknown): string[] => (Array.isArray(claim) ? claim.map(String) : [])

function attributes({ claims }: Pick<SigningIn, 'claims'>): object {
  if (claims._claim_names !== undefined) throw new SignInRefused('too many groups for the token')
  const { roles } = Object(claims.realm_access)
  return { groups: texts(claims.groups), roles: [...texts(claims.roles), ...texts(roles)] }
}

t.test('roles of Entra, Okta and Keycloak reach onSignIn as their documents write them', async (t) => {
  const issuer = await openFaultProvider()
  t.teardown(issuer.close)
  const acme = { issuer: issuer.issuer, clientId: 'us', clientSecret: 'secret' }
  const w = await world(t, { providers: { acme }, onSignIn: attributes as never })
  const signIn = async (claims: object): Promise<unknown> => {
    const browser = newBrowser()
    const url = new URL(location(await w.call('GET', '/auth/acme', { browser })))
    issuer.nonce = url.searchParams.get('nonce') ?? ''
    issuer.claims = { ...claims }
    const query = `code=a&state=${url.searchParams.get('state')}`
    const { status } = await w.call('GET', `/auth/acme/callback?${query}`, { browser })
    const user = await w.store.findUser('acme:uid-1')
    return [status, user?.email ?? null, user && attributesOf(user)]
  }
  t.strictSame(await signIn(entra), [303, null, { groups: entra.groups, roles: ['Reports.Admin'] }])
  t.strictSame(await signIn(okta), [303, 'ada@example.test', { groups: ['Everyone', 'staff'], roles: [] }])
  const { groups, realm_access: realm } = keycloak
  t.strictSame(await signIn(keycloak), [303, 'ada@example.test', { groups, roles: realm.roles }])
  t.match(await signIn(entraOverage), [401], 'overage is refused, and what was kept is forgotten')
})
