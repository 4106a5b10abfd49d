/** What scopes let a client change: the routes that do more than look. Pure, for consent and the guard of routes alike. Source:
 *  decisions/oauth.md, Scopes and consent. */
import type { Route } from './contract/route.ts'
import type { GrantLimits, Surface } from './contract/store.ts'
import type { Scopes } from './scopes.ts'
import { sha256Base64Url } from './secret.ts'

/** The name of what a route changes, `POST /notes/:id`, whatever its tool is called; null = it only looks. `@mcp readOnly` decides, else the
 *  verb: GET and OPTIONS look (HEAD is their GET), but a socket takes anything. */
export function changeOf({
  verb,
  path,
  websocket = false,
  readOnly = !websocket && (verb === 'GET' || verb === 'OPTIONS'),
}: Pick<Route, 'verb' | 'path' | 'readOnly'> & Partial<Pick<Route, 'websocket'>>): string | null {
  return readOnly ? null : `${verb} ${path}`
}

/** Why a route is not run that the scopes of a grant allow; null = nothing keeps it. */
export function limitedBy(
  limits: GrantLimits | null | undefined,
  change: string | null,
): 'readOnly' | 'uncovered' | null {
  if (limits === null || limits === undefined || change === null) return null
  if (limits.readOnly) return 'readOnly'
  return limits.uncovered.has(change) ? 'uncovered' : null
}

/** For people and models. */
export const limitWords = {
  readOnly: 'This connection is read only: its user let it look, and change nothing.',
  uncovered:
    'The user was not asked about this: it was added after they connected this client. They can allow it when they connect it again.',
} as const

/** A route that changes something, and what it asks for. */
export interface ScopedChange {
  readonly change: string
  readonly names: readonly string[]
  /** For people. */
  readonly title: string
}

/** By scope, in the order of names, so that one build has one surface. */
export function surfaceOf(changes: readonly ScopedChange[], { declared }: Pick<Scopes, 'declared'>): Surface {
  const byScope = declared
    .map(({ name }) => [name, changesOf(name, changes)] as const)
    .filter(([, own]) => own.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const routes = JSON.stringify(Object.fromEntries(byScope))
  return { name: sha256Base64Url(routes), routes }
}

const changesOf = (scope: string, changes: readonly ScopedChange[]): readonly string[] =>
  [...new Set(changes.filter(({ names }) => names.includes(scope)).map(({ change }) => change))].sort()

/** Those of the changes that a surface of another day does not have under each of their scopes. */
export function uncoveredBy(routes: string, changes: readonly ScopedChange[]): readonly ScopedChange[] {
  const kept = new Map(Object.entries(JSON.parse(routes) as Readonly<Record<string, readonly string[]>>))
  const sets = new Map([...kept].map(([scope, list]) => [scope, new Set(list)]))
  return changes.filter(({ change, names }) => !names.every((name) => sets.get(name)?.has(change) === true))
}
