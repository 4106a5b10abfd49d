/** What every request must be answered, from the words of templates/docs/scopes.md alone: nothing of the product is asked. */

/** What a credential is, as templates/docs/scopes.md speaks of it. */
export interface Facts {
  /** A bearer token: none, one that is not valid, or a valid one. */
  readonly bearer: 'none' | 'bad' | 'valid'
  /** Whether there is an `Authorization` header at all. */
  readonly hasAuthorization: boolean
  /** What the valid token grants, in the order of declaration. */
  readonly grants: readonly string[]
  /** Whose it is. */
  readonly user: string
  /** What that user may not have. */
  readonly hopeless: readonly string[]
  /** Somebody is signed in to the session. */
  readonly session: boolean
  /** `junk`: one that the application does not know. */
  readonly key: 'none' | 'junk' | 'known'
}

export interface GuardedRoute {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  /** In the order of declaration; empty: none. */
  readonly needs: readonly string[]
  readonly unless: readonly ('session' | 'key')[]
  /** Its filter asks for a valid token, a session or a known key. */
  readonly isFiltered: boolean
  /** The class answers `Forbidden` in its own words. */
  readonly isPolite: boolean
  /** What its action asks for beside that. */
  readonly requests: readonly string[]
}

/** Of the endpoint. */
export interface Setting {
  readonly isAuthenticated: boolean
}

export interface Answer {
  readonly status: number
  readonly challenge: string | null
  readonly body: unknown
}

const words: Readonly<Record<string, string>> = {
  'notes:read': 'See your notes',
  'notes:write': 'Add and change notes',
  'notes:share': 'Share notes',
  'notes:delete': 'Delete notes',
  'notes:audit': 'See who changed what',
  'notes:admin': 'Manage users',
}
const declared = Object.keys(words)
const base = 'http://localhost:3000'
const apiMetadata = `resource_metadata="${base}/.well-known/oauth-protected-resource"`
const endpointMetadata = `resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`

/** `stranger`: the guard lets it past, the filter does not. `forbidden`: it is not to be had by this user. */
type Verdict = 'runs' | 'stranger' | 'unauthenticated' | 'insufficient' | 'forbidden'

function verdict(route: GuardedRoute, facts: Facts): Verdict {
  if (!isPastGuard(route, facts)) return refusal(route.needs, facts)
  if (route.isFiltered && !isKnown(facts)) return 'stranger'
  return holds(route.requests, facts) ? 'runs' : refusal(route.requests, facts)
}

const isKnown = ({ bearer, session, key }: Facts): boolean => bearer === 'valid' || session || key === 'known'

function isPastGuard({ needs, unless }: GuardedRoute, facts: Facts): boolean {
  const { hasAuthorization, session, key } = facts
  if (needs.length === 0) return true
  if (!hasAuthorization && unless.includes('session') && session) return true
  if (!hasAuthorization && unless.includes('key') && key !== 'none') return true
  return holds(needs, facts)
}

const holds = (needs: readonly string[], { bearer, grants }: Facts): boolean =>
  needs.length === 0 || (bearer === 'valid' && needs.every((name) => grants.includes(name)))

function refusal(needs: readonly string[], { bearer, grants, hopeless }: Facts): Verdict {
  if (bearer !== 'valid') return 'unauthenticated'
  const isHopeless = needs.some((name) => hopeless.includes(name) && !grants.includes(name))
  return isHopeless ? 'forbidden' : 'insufficient'
}

/** The routes whose actions run, of calls that come together or of one. */
export const running = (
  routes: readonly GuardedRoute[],
  facts: Facts,
  setting: Setting,
): readonly GuardedRoute[] =>
  endpointRefusal(routes, facts, setting) === null
    ? routes.filter((route) => verdict(route, facts) === 'runs')
    : []

/** The routes that a list shows; null where nothing is listed. */
export function listed(
  routes: readonly GuardedRoute[],
  facts: Facts,
  { isAuthenticated }: Setting,
): readonly GuardedRoute[] | null {
  if (isAuthenticated && !isKnown(facts)) return null
  const isNobody = !facts.hasAuthorization && !facts.session && facts.key === 'none'
  return isNobody ? routes : routes.filter((route) => isPastGuard(route, facts))
}

/** What the refusal names: all that the guard asks for; behind it, what the action asks for too. */
const neededBy = (route: GuardedRoute, facts: Facts): readonly string[] =>
  declared.filter(
    (name) => route.needs.includes(name) || (isPastGuard(route, facts) && route.requests.includes(name)),
  )

/** What the action answers. */
function seen({ id }: GuardedRoute, { bearer, user, grants }: Facts): object {
  return { did: id, by: bearer === 'valid' ? user : 'nobody', scopes: bearer === 'valid' ? grants : [] }
}

/** Over HTTP, and to an upgrade. */
export function overHttp(route: GuardedRoute, facts: Facts, { isAuthenticated }: Setting): Answer {
  const metadata = isAuthenticated ? [apiMetadata] : []
  const challenge = (...parameters: readonly string[]): string =>
    ['Bearer', [...parameters, ...metadata].join(', ')].join(' ').trimEnd()
  switch (verdict(route, facts)) {
    case 'runs':
      return { status: 200, challenge: null, body: seen(route, facts) }
    case 'stranger':
      return { status: 401, challenge: null, body: { error: 'stranger' } }
    case 'unauthenticated': {
      const error = facts.bearer === 'bad' ? ['error="invalid_token"'] : []
      return { status: 401, challenge: challenge(...error), body: { error: 'invalid_token' } }
    }
    case 'insufficient': {
      const requested = [`error="insufficient_scope"`, `scope="${neededBy(route, facts).join(' ')}"`]
      return {
        status: 403,
        challenge: challenge(...requested),
        body: refusedBody(route, 'insufficient_scope'),
      }
    }
    case 'forbidden':
      return { status: 403, challenge: null, body: refusedBody(route, 'forbidden') }
  }
}

const refusedBody = ({ isPolite }: GuardedRoute, error: string): object =>
  isPolite ? { sorry: 'not for you' } : { error }

/** As a tool call, direct or by a proxy. */
export function asTool(
  route: GuardedRoute,
  facts: Facts,
  setting: Setting,
  era: 'legacy' | 'modern',
): Answer {
  return endpointRefusal([route], facts, setting) ?? ok(message(1, resultOf(route, facts), era))
}

/** Two calls in a batch. */
export function asBatch(routes: readonly GuardedRoute[], facts: Facts, setting: Setting): Answer {
  const messages = routes.map((route, index) => message(index + 1, resultOf(route, facts), 'legacy'))
  return endpointRefusal(routes, facts, setting) ?? ok(messages)
}

const ok = (body: unknown): Answer => ({ status: 200, challenge: null, body })

const message = (id: number, result: object, era: 'legacy' | 'modern'): object => ({
  jsonrpc: '2.0',
  id,
  result: era === 'legacy' ? result : { ...result, resultType: 'complete', _meta: serverInfo },
})

const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'Notes', version: '1.2.3' } }

/** The endpoint's own answer, before the first byte of any result; null where the calls are answered. */
function endpointRefusal(
  routes: readonly GuardedRoute[],
  facts: Facts,
  { isAuthenticated }: Setting,
): Answer | null {
  if (!isAuthenticated) return null
  const verdicts = routes.map((route) => verdict(route, facts))
  const isRefused = verdicts.some((item) => item === 'stranger' || item === 'unauthenticated')
  if (!isKnown(facts) || (isRefused && facts.bearer === 'bad')) return unauthorized(facts)
  const refused = routes.filter((_, index) => verdicts[index] === 'insufficient')
  if (refused.length === 0) return null
  const isByGuard = refused.some((route) => !isPastGuard(route, facts))
  const counted = isByGuard ? routes : refused.slice(0, 1) // an action asks when it runs
  const needed = declared.filter((name) => counted.some((route) => neededBy(route, facts).includes(name)))
  return {
    status: 403,
    challenge: `Bearer error="insufficient_scope", scope="${needed.join(' ')}", ${endpointMetadata}`,
    body: rpcError('Forbidden: insufficient scope'),
  }
}

function unauthorized({ hasAuthorization, session, key }: Facts): Answer {
  const isWrong = hasAuthorization || session || key !== 'none'
  const error = isWrong ? ', error="invalid_token"' : ''
  const challenge = `Bearer ${endpointMetadata}, scope="api"${error}`
  return { status: 401, challenge, body: rpcError('Unauthorized') }
}

const rpcError = (text: string): object => ({
  jsonrpc: '2.0',
  error: { code: -32600, message: text },
  id: null,
})

function resultOf(route: GuardedRoute, facts: Facts): object {
  const inWords = (names: readonly string[]): string =>
    names.map((name) => `${name} (${words[name]})`).join(', ')
  const needed = neededBy(route, facts)
  switch (verdict(route, facts)) {
    case 'runs': {
      const value = seen(route, facts)
      return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
    }
    case 'stranger':
      return failure('401 Unauthorized', { error: 'stranger' })
    case 'unauthenticated':
      return failure(
        '401 Unauthorized',
        { error: 'invalid_token' },
        `A sign-in is needed, with the permission ${inWords(needed)}.`,
      )
    case 'insufficient':
      return failure(
        '403 Forbidden',
        refusedBody(route, 'insufficient_scope'),
        `More permission is needed: ${inWords(needed)}.`,
      )
    case 'forbidden':
      return failure(
        '403 Forbidden',
        refusedBody(route, 'forbidden'),
        `Its user cannot have the permission that is needed: ${inWords(needed.filter((name) => !facts.grants.includes(name)))}.`,
      )
  }
}

const failure = (status: string, body: object, ...why: readonly string[]): object => ({
  content: [{ type: 'text', text: [status, JSON.stringify(body), ...why].join('\n') }],
  isError: true,
})
