/** What such providers add. Source: MCP ext-auth, Enterprise-Managed Authorization; decisions/oauth.md, Enterprises. */
import type { CapabilityParts } from '../../boot/capability.ts'
import { resolveProvider } from '../../oauth/providers/presets.ts'
import type { TokenRoom } from '../../oauth/token-part.ts'
import { type Enterprise, jwtBearerGrant, mcpExtension } from './enterprise.ts'
import { identityAssertionGrant } from './identity-assertion-grant.ts'
import type { EnterpriseConfig } from './settings.ts'

export const enterpriseParts = (configured: readonly EnterpriseConfig[]): CapabilityParts => ({
  grants: (room) => {
    const enterprises = enterprisesOf(configured, room)
    return new Map([[jwtBearerGrant, (request) => identityAssertionGrant(request, enterprises)]])
  },
  extensions: [mcpExtension],
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
