import type { EnterpriseConfig } from '../../contract/application.ts'
import { identityAssertionGrant } from '../endpoints/identity-assertion-grant.ts'
import { resolveProvider } from '../providers/presets.ts'
import type { TokenPart, TokenRoom } from '../token-part.ts'
import { type Enterprise, jwtBearerGrant } from './enterprise.ts'

/** What they add to the authorization server. */
export const enterprisePart = (configured: readonly EnterpriseConfig[]): TokenPart => ({
  grants: (room) => {
    const enterprises = enterprisesOf(configured, room)
    return new Map([[jwtBearerGrant, (request) => identityAssertionGrant(request, enterprises)]])
  },
  authMethods: ['private_key_jwt'],
  // by which clients know that they may come
  metadata: { authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'] },
})

/** With what their providers sign by. The configuration was checked: each provider is an OpenID provider. */
function enterprisesOf(
  configured: readonly EnterpriseConfig[],
  { providers, options }: TokenRoom,
): readonly Enterprise[] {
  return configured.flatMap((config) => {
    const signing = providers.get(config.provider)?.signing
    const provider = options.providers[config.provider]
    const resolved = provider === undefined ? null : resolveProvider(config.provider, provider)
    if (signing === undefined || signing === null || resolved?.kind !== 'oidc') return []
    const { issuer, trustEmail } = resolved
    return [{ ...config, issuer, trustEmail, signing }]
  })
}
