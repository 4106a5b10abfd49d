/** The scopes of an application: what names come to, what a token grants, and whether that is enough for a route. Pure, for the
 *  authorization server, the guard of routes and the lists of MCP alike. Source: rules.md, scopes. */
import type { OtherCredential, RequiredScope, ScopeConfig, ScopesConfig } from './contract/scopes.ts'
import type { AuthInfo, GrantLimits, Logger, Services, User } from './contract/store.ts'
import { LruMap } from './lru.ts'

/** The scope of a client that asks for nothing more; never declared. Source: rules.md, Authorize 5. */
export const apiScope = 'api'

/** A declared scope with its defaults. */
export interface Scope extends Required<Pick<ScopeConfig, 'text' | 'implies' | 'sensitive'>> {
  readonly name: string
  /** Its own alone; null = everybody can have it. */
  readonly mayHave: NonNullable<ScopeConfig['mayHave']> | null
}

/** What is declared, in that order. */
export interface Scopes {
  /** Empty = the application declares none, and `api` is all there is. */
  readonly declared: readonly Scope[]
  /** Whether a client may ask for it. */
  isKnown(name: string): boolean
  /** The declared scopes that names come to today: `api` is every one that is not sensitive, what is implied comes along, what
   *  is not declared is left out. In the order of declaration, each once. */
  resolve(names: readonly string[]): readonly string[]
  /** A declared scope and all that it implies, however far. */
  comingWith(name: string): ReadonlySet<string>
  /** What a token that names `named` grants. `allowed`: what consent showed, resolved, or null for a grant of before scopes were
   *  declared and a token that was not issued here. */
  granted(named: readonly string[], allowed: readonly string[] | null): readonly string[]
}

/** Throws the first of `scopeMistakes` in words. */
export function createScopes(config: ScopesConfig): Scopes {
  const declared = Object.entries(config).map(([name, config]) => scopeOf(name, config))
  const [mistake] = scopeMistakes(declared)
  if (mistake !== undefined) throw new Error(mistakeText(mistake))
  const names = declared.map(({ name }) => name)
  const ofApi = declared.filter(({ sensitive }) => !sensitive).map(({ name }) => name)
  const closures = closuresOf(declared)
  const comingWith: Scopes['comingWith'] = (name) => closures.get(name) ?? nothing
  const sets = new LruMap<string, readonly string[]>(maxSets)
  const resolve: Scopes['resolve'] = (requested) => {
    const meant = new Set(requested.flatMap((name) => (name === apiScope ? ofApi : [...comingWith(name)])))
    return names.filter((name) => meant.has(name))
  }
  return {
    declared,
    isKnown: (name) => name === apiScope || closures.has(name),
    resolve,
    comingWith,
    granted: (named, allowed) => {
      if (names.length === 0) return named
      const key = JSON.stringify([named, allowed])
      const known = sets.peek(key)
      if (known !== undefined) return known
      const found = resolve(named).filter((name) => allowed?.includes(name) ?? true)
      sets.set(key, found)
      return found
    },
  }
}

/** Every request with a bearer asks what it grants, and few answers differ. */
const maxSets = 200

const nothing: ReadonlySet<string> = new Set()

function scopeOf(name: string, config: string | ScopeConfig): Scope {
  const {
    text,
    implies = [],
    sensitive = false,
    mayHave = null,
  } = typeof config === 'string' ? { text: config } : config
  return { name, text, implies, sensitive, mayHave }
}

type Facts = Pick<Scope, 'name' | 'implies' | 'sensitive'>
type Closures = ReadonlyMap<string, ReadonlySet<string>>

/** Each scope and all that it implies, however far. */
function closuresOf(declared: readonly Facts[]): Closures {
  const byName = new Map(declared.map((scope) => [scope.name, scope]))
  const follow = (name: string, found: Set<string>): Set<string> => {
    const scope = byName.get(name)
    if (scope === undefined || found.has(name)) return found
    found.add(name)
    for (const implied of scope.implies) follow(implied, found)
    return found
  }
  return new Map(declared.map(({ name }) => [name, follow(name, new Set())]))
}

/** What is wrong with a declaration; `name` is the scope at fault, `implied` what it must not imply. */
export type ScopeMistake =
  | { readonly kind: 'reserved' | 'badName'; readonly name: string }
  | { readonly kind: 'unknown' | 'cycle' | 'sensitive'; readonly name: string; readonly implied: string }

/** `scope-token` of RFC 6749, 3.3. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Words of the language that cannot be names: `api` is everybody's, `none` lifts a class's scopes. */
const reserved = new Set([apiScope, 'none'])

/** Every mistake, in the order of declaration. */
export function scopeMistakes(declared: readonly Facts[]): readonly ScopeMistake[] {
  const facts = { declared, closures: closuresOf(declared) }
  return declared.flatMap((scope) => [
    ...(reserved.has(scope.name) ? [{ kind: 'reserved' as const, name: scope.name }] : []),
    ...(isScopeToken(scope.name) ? [] : [{ kind: 'badName' as const, name: scope.name }]),
    ...scope.implies.flatMap((implied) => impliedMistake(scope, implied, facts)),
  ])
}

/** `=` would read as an option of `@scope`. */
const isScopeToken = (name: string): boolean => scopeToken.test(name) && !name.startsWith('unless=')

function impliedMistake(
  { name, sensitive }: Facts,
  implied: string,
  { declared, closures }: { readonly declared: readonly Facts[]; readonly closures: Closures },
): readonly ScopeMistake[] {
  const target = declared.find((facts) => facts.name === implied)
  if (target === undefined) return [{ kind: 'unknown', name, implied }]
  if (closures.get(implied)?.has(name)) return [{ kind: 'cycle', name, implied }]
  return target.sensitive && !sensitive ? [{ kind: 'sensitive', name, implied }] : []
}

/** For the boot; the build says more, and where. */
function mistakeText(mistake: ScopeMistake): string {
  const at = `scopes['${mistake.name}']`
  switch (mistake.kind) {
    case 'reserved':
      return `${at}: '${mistake.name}' cannot be declared`
    case 'badName':
      return `${at} is no scope-token of RFC 6749, 3.3`
    case 'unknown':
      return `${at} implies '${mistake.implied}', which is not declared`
    case 'cycle':
      return `${at} implies '${mistake.implied}', which implies it`
    case 'sensitive':
      return `${at} implies '${mistake.implied}', which is sensitive, and is not sensitive itself`
  }
}

/** The user that is asked about, and where. */
export interface Asking {
  readonly scopes: Scopes
  readonly user: User
  readonly services: Services
  readonly log: Logger
}

/** Those of `names`, declared ones, that the user may have with all that they imply: a name brings those along, and no token could
 *  be told to leave one out. Each `mayHave` is asked once; only `true` is a yes. What it throws is a no, and logged; but a store
 *  that cannot be asked now (status 503) is no refusal, and is thrown on. */
export async function havableScopes(names: readonly string[], asking: Asking): Promise<readonly string[]> {
  const { scopes } = asking
  const meant = scopes.resolve(names)
  const requested = scopes.declared.filter(({ name, mayHave }) => mayHave !== null && meant.includes(name))
  const verdicts = await Promise.all(requested.map((scope) => mayHaveItself(scope, asking)))
  const refused = new Set(requested.filter((_, index) => !verdicts[index]).map(({ name }) => name))
  return names.filter((name) => ![...scopes.comingWith(name)].some((text) => refused.has(text)))
}

/** The same of whose token it is: a client's own may have what the configuration says. */
export async function havableBy(
  { user, mayHave = [] }: Pick<AuthInfo, 'user' | 'mayHave'>,
  names: readonly string[],
  asking: Omit<Asking, 'user'>,
): Promise<readonly string[]> {
  return user === null
    ? names.filter((name) => mayHave.includes(name))
    : havableScopes(names, { ...asking, user })
}

async function mayHaveItself({ name, mayHave }: Scope, { user, services, log }: Asking): Promise<boolean> {
  try {
    return mayHave === null || (await mayHave(user, services)) === true
  } catch (error) {
    if (isUnavailable(error)) throw error
    log.error({ scope: name, err: error }, 'mayHave threw')
    return false
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 503

/** The caller, as far as scopes are concerned. */
export interface Holder {
  /** What the valid bearer token grants; null without one. */
  readonly scopes: readonly string[] | null
  /** Other ways in which the request names its caller; none beside an `Authorization` header, whatever it holds. */
  readonly others: readonly OtherCredential[]
  /** What the grant of that token does not allow; null or absent = nothing of that kind. */
  readonly limits?: GrantLimits | null
}

/** `unauthenticated`: there is no valid token; `insufficient`: it grants too little. */
export type Verdict = 'allowed' | 'unauthenticated' | 'insufficient'

/** Whether the route may be run: what the guard decides, and therefore what a list shows. */
export function verdictOn(required: RequiredScope | undefined, { scopes, others }: Holder): Verdict {
  if (required === undefined || required.unless.some((credential) => others.includes(credential)))
    return 'allowed'
  if (scopes === null) return 'unauthenticated'
  return required.names.every((name) => scopes.includes(name)) ? 'allowed' : 'insufficient'
}
