/** Identity providers as data: what an application writes, the well-known ones, and what both come to. See
 *  templates/docs/sign-in.md. */
// Source: rules.md, identity providers.

/** An identity provider as `app/config.ts` names it: an OpenID Connect issuer, found by discovery, or a preset. A provider
 *  that is called like a preset needs neither. */
export interface ProviderConfig {
  readonly clientId: string
  readonly clientSecret: string
  /** An OpenID Connect issuer. With the presets gitlab and microsoft: one of your own. */
  readonly issuer?: string
  /** For an issuer of your own that verifies every address and does not say so: an address without `email_verified` is
   *  kept too. Default: false. */
  readonly trustEmail?: boolean
  readonly preset?: PresetName
  /** Scopes to ask the provider for, with spaces in between, beside `openid profile email`; GitHub: beside `read:user user:email`. */
  readonly scope?: string
  /** For an issuer of your own: it tells at `/oauth/backchannel-logout/<name>` whom it has signed out, and their sessions here end. */
  readonly backchannelLogout?: BackchannelLogout
  /** For `microsoft`: a tenant's id or domain, `organizations`, `consumers`, or `common` (the default). */
  readonly tenant?: string
  /** For `github`: the addresses of an Enterprise Server. */
  readonly addresses?: Partial<GithubAddresses>
}

export interface BackchannelLogout {
  /** Whether what these users have connected ends too. Default: false. */
  readonly revokeGrants?: boolean
}

/** GitHub has no discovery document and no ID tokens: plain OAuth 2 and an HTTP API. */
export interface GithubAddresses {
  readonly issuer: string
  readonly authorization: string
  readonly token: string
  readonly profile: string
  readonly emails: string
}

export type PresetName = 'google' | 'microsoft' | 'gitlab' | 'github'

interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** A provider ready to be used. `accountPrompt` is the `prompt` that makes it ask which account: every OpenID provider knows
 *  `login`, which asks to sign in anew (OpenID Connect Core, 15.1); some have a list to choose from. */
export type ResolvedProvider = Credentials & {
  readonly accountPrompt: 'login' | 'select_account'
  /** As it is asked for. */
  readonly scope: string
} & (
    | {
        readonly kind: 'oidc'
        readonly issuer: string
        readonly trustEmail: boolean
        /** Whether the user info is asked whatever the ID token has: claims of further scopes may be there only. */
        readonly asksUserInfo: boolean
      }
    | { readonly kind: 'github'; readonly addresses: GithubAddresses }
  )

/** `label` is the name that people know it by. */
type Preset = Pick<ResolvedProvider, 'accountPrompt'> & {
  readonly label: string
  readonly settings: readonly string[]
} & (
    | { readonly kind: 'oidc'; readonly issuer: string }
    | { readonly kind: 'github'; readonly addresses: GithubAddresses }
  )

const common: readonly string[] = ['clientId', 'clientSecret', 'preset', 'scope']

/** Most are discovered, and have a list of accounts. */
const usual = { kind: 'oidc', accountPrompt: 'select_account', settings: common } as const
const ofYourOwn = [...common, 'issuer', 'trustEmail']

const presets: ReadonlyMap<string, Preset> = new Map<string, Preset>([
  ['google', { ...usual, label: 'Google', issuer: 'https://accounts.google.com' }],
  [
    'microsoft',
    {
      ...{ ...usual, label: 'Microsoft', settings: [...ofYourOwn, 'tenant'] },
      issuer: 'https://login.microsoftonline.com/{tenant}/v2.0',
    },
  ],
  [
    'gitlab',
    { ...usual, label: 'GitLab', accountPrompt: 'login', issuer: 'https://gitlab.com', settings: ofYourOwn },
  ],
  [
    'github',
    {
      ...{ ...usual, kind: 'github', label: 'GitHub', settings: [...common, 'addresses'] },
      addresses: {
        issuer: 'https://github.com/login/oauth',
        authorization: 'https://github.com/login/oauth/authorize',
        token: 'https://github.com/login/oauth/access_token',
        profile: 'https://api.github.com/user',
        emails: 'https://api.github.com/user/emails',
      },
    },
  ],
])

/** The settings do not say which provider is meant; the message says what is wrong. */
export class ProviderConfigError extends Error {}

/** What `config` under `name` comes to. Throws `ProviderConfigError`. */
export function resolveProvider(name: string, config: ProviderConfig): ResolvedProvider {
  const preset = presetOf(name, config)
  const scope = scopeOf(preset?.kind === 'github' ? 'read:user user:email' : 'openid profile email', config)
  const { clientId, clientSecret, trustEmail = false } = config
  const resolved = { accountPrompt: preset?.accountPrompt ?? 'login', clientId, clientSecret, scope }
  const discovered = {
    kind: 'oidc',
    trustEmail,
    asksUserInfo: config.scope !== undefined,
    ...resolved,
  } as const
  if (preset === null) return { issuer: ownIssuer(config), ...discovered }
  for (const [setting, value] of Object.entries(config)) {
    if (value !== undefined && !preset.settings.includes(setting))
      throw new ProviderConfigError(`${setting} does not fit the preset ${config.preset ?? name}`)
  }
  if (preset.kind === 'github')
    return { kind: 'github', addresses: { ...preset.addresses, ...config.addresses }, ...resolved }
  if (trustEmail && config.issuer === undefined)
    throw new ProviderConfigError('trustEmail is for an issuer of your own')
  return {
    issuer: config.issuer ?? preset.issuer.replace('{tenant}', config.tenant ?? 'common'),
    ...discovered,
  }
}

/** What people read on the sign-in page: the preset's label where the provider is called after it, else the name that the
 *  application gave, which tells two of one preset apart. */
export function providerLabel(name: string, config: ProviderConfig): string {
  const isCalledAfterPreset = config.issuer === undefined || config.preset === name
  const preset = isCalledAfterPreset ? presets.get(name) : undefined
  return preset !== undefined && preset === presetOf(name, config) ? preset.label : name
}

/** Each once. */
const scopeOf = (own: string, { scope = '' }: ProviderConfig): string =>
  [...new Set([...own.split(' '), ...scope.split(' ')])].filter((name) => name !== '').join(' ')

/** A named preset, or the one that the provider is called after, unless it brings its own issuer. */
function presetOf(name: string, config: ProviderConfig): Preset | null {
  if (config.preset === undefined) return config.issuer === undefined ? (presets.get(name) ?? null) : null
  const preset = presets.get(config.preset)
  if (preset !== undefined) return preset
  throw new ProviderConfigError(`preset must be one of ${[...presets.keys()].join(', ')}`)
}

function ownIssuer({ issuer, tenant, addresses }: ProviderConfig): string {
  if (issuer === undefined) throw new ProviderConfigError('an issuer or a preset is needed')
  if (tenant === undefined && addresses === undefined) return issuer
  throw new ProviderConfigError('tenant and addresses belong to a preset')
}
