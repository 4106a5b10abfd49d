/** The enterprises of a configuration, with what their providers sign by. */
import type { AuthorizationServerOptions } from '../options.ts'
import { resolveProvider } from '../providers/presets.ts'
import type { Providers } from '../providers/provider.ts'
import type { Enterprise } from './enterprise.ts'

/** The configuration was checked: each provider is an OpenID provider. */
export function enterprisesOf(
  { enterprise, providers: configs }: Pick<AuthorizationServerOptions, 'enterprise' | 'providers'>,
  providers: Providers,
): readonly Enterprise[] {
  return enterprise.flatMap((config) => {
    const signing = providers.get(config.provider)?.signing
    const provider = configs[config.provider]
    const resolved = provider === undefined ? null : resolveProvider(config.provider, provider)
    if (signing === undefined || signing === null || resolved?.kind !== 'oidc') return []
    const { issuer, trustEmail } = resolved
    return [{ ...config, issuer, trustEmail, signing }]
  })
}
