/** What a user is asked to allow, and what the answer grants. Source: decisions/oauth.md, Scopes and consent; rules.md, scopes. */
import type { User } from '../../contract/store.ts'
import { type Asking, apiScope, havableScopes, type Scope, type Scopes } from '../../scopes.ts'
import type { AuthorizationServerOptions } from '../options.ts'
import type { Profile } from '../profile.ts'

type ScopeOptions = Pick<AuthorizationServerOptions, 'scopes' | 'services' | 'log'>

export interface Offer {
  /** As the client asked, each once. */
  readonly requested: readonly string[]
  /** The declared scopes that this comes to, without those that the user can not have: each is a question of its own. */
  readonly shown: readonly Scope[]
}

/** What a client is granted. */
export interface AllowedScopes {
  /** For the tokens: `api` while it is granted whole, and names. Empty = nothing is granted. */
  readonly named: readonly string[]
  /** For the grant; null when no scopes are declared. */
  readonly allowed: readonly string[] | null
}

/** The scopes of a `scope` parameter, each once, without those that the profile ignores: maybe none. Source: rules.md, blanks in scope. */
export function scopesNamed(
  parameter: string,
  { ignoredScopes }: Pick<Profile, 'ignoredScopes'>,
): readonly string[] {
  return [...new Set(parameter.split(' '))].filter((name) => name !== '' && !ignoredScopes.has(name))
}

/** The same; `api` when there is none. */
export function scopesIn(parameter: string, profile: Pick<Profile, 'ignoredScopes'>): readonly string[] {
  const names = scopesNamed(parameter, profile)
  return names.length === 0 ? [apiScope] : names
}

/** `asked` are known scopes. Rejects when the store cannot be asked. */
export async function offerTo(
  user: User,
  requested: readonly string[],
  options: ScopeOptions,
): Promise<Offer> {
  const { scopes } = options
  const names = await havableScopes(scopes.resolve(requested), askingFor(user, options))
  return { requested, shown: scopes.declared.filter(({ name }) => names.includes(name)) }
}

/** Asks the application's `mayHave` about a user; what it throws stands in the log. */
export function askingFor(user: User, { scopes, services, log }: ScopeOptions): Asking {
  return { scopes, user, services: services(), log }
}

/** What ticking these grants. What a ticked scope implies is ticked, and what was not shown cannot be. `api` is granted by
 *  name when all is ticked that it stands for; where it stands for nothing, it is what passes routes without a scope. */
export function permissionFor(
  { requested, shown }: Offer,
  ticked: readonly string[],
  scopes: Scopes,
): AllowedScopes {
  if (scopes.declared.length === 0) return { named: requested, allowed: null }
  const names = shown.map(({ name }) => name)
  const meant = scopes.resolve(ticked.filter((name) => names.includes(name)))
  const allowed = names.filter((name) => meant.includes(name))
  const ofApi = scopes.resolve([apiScope])
  const shownOfApi = ofApi.filter((name) => names.includes(name))
  const isWhole = requested.includes(apiScope) && shownOfApi.every((name) => allowed.includes(name))
  if (!isWhole || (ofApi.length > 0 && shownOfApi.length === 0)) return { named: allowed, allowed }
  const byName = allowed.filter((name) => requested.includes(name) || !ofApi.includes(name))
  return { named: [apiScope, ...byName], allowed }
}

/** What the user can allow at most. */
export const fullPermission = (offer: Offer, scopes: Scopes): AllowedScopes =>
  permissionFor(
    offer,
    offer.shown.map(({ name }) => name),
    scopes,
  )
