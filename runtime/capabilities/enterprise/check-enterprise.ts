/** Whether `enterprise` fits what else is set. */
import { checkAll, is } from '../../boot/settings/checks.ts'
import { type ProviderConfig, type ResolvedProvider, resolveProvider } from '../../oauth/providers/presets.ts'
import { apiScope, type Scopes } from '../../scopes.ts'
import type { EnterpriseConfig } from './settings.ts'

interface Others {
  readonly providers: Readonly<Record<string, ProviderConfig>>
  readonly scopes: Scopes
}

/** Throws a `ConfigError` for an entry that does not fit what else is configured. */
export function checkEnterprise(
  configured: readonly EnterpriseConfig[],
  { providers, scopes: { declared } }: Others,
): void {
  const at = 'config.enterprise'
  const issuers = configured.map(({ provider }) => issuerOf(provider, providers))
  const names = declared.length === 0 ? [apiScope] : [apiScope, ...declared.map(({ name }) => name)]
  const of = declared.length === 0 ? `'${apiScope}' alone, for none are declared` : 'declared scopes'
  checkAll(
    configured.flatMap(({ scopes = [] }, index) => [
      () => {
        const isOpenId = is('the name of an OpenID provider in providers', () => issuers[index] !== null)
        isOpenId(`${at}[${index}].provider`, null)
        const isOfOne = is(
          'a provider of one tenant: this one signs for all',
          () => !isShared(issuers[index]),
        )
        isOfOne(`${at}[${index}].provider`, null)
        const isFirst = is(
          'another provider than those before it',
          () => issuers.indexOf(issuers[index] ?? null) === index,
        )
        isFirst(`${at}[${index}].provider`, null)
      },
      () => is(of, () => scopes.every((name) => names.includes(name)))(`${at}[${index}].scopes`, null),
    ]),
  )
}

/** Null for a provider that is not there, or signs nothing. */
function issuerOf(name: string, providers: Others['providers']): string | null {
  const config = Object.hasOwn(providers, name) ? providers[name] : undefined
  const provider: ResolvedProvider | null = config === undefined ? null : resolveProvider(name, config)
  return provider?.kind === 'oidc' ? provider.issuer.replace(/\/$/, '') : null
}

/** Microsoft signs with an issuer of each tenant, and these names stand for many. */
const isShared = (issuer: string | null | undefined): boolean =>
  /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)\//.test(issuer ?? '')
