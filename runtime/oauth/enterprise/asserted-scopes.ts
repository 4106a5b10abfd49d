/** What an identity assertion comes to: what everybody who has a say in it allows. Source: MCP ext-auth, Enterprise-Managed Authorization,
 *  7.2.1; decisions/oauth.md, Enterprises. */
import { apiScope, type Scopes } from '../../scopes.ts'

export interface ScopeSources {
  /** The text of the assertion; null = it says nothing. */
  readonly asserted: string | null
  /** The text of the request; empty = all. */
  readonly requested: string
  /** Of the enterprise, and of a configured client; null = all. */
  readonly configured: readonly string[] | null
  readonly client: readonly string[] | null
}

/** Declared scopes, or `api` where none are; empty = nothing remains. Where assertion and configuration say nothing it is `api`: what is
 *  sensitive one of them names. */
export function assertedScopes(
  { asserted, requested, configured, client }: ScopeSources,
  { declared, resolve }: Scopes,
): readonly string[] {
  const meant = (names: readonly string[]): readonly string[] =>
    declared.length === 0 ? names.filter((name) => name === apiScope) : resolve(names)
  const said = asserted === null ? null : namesIn(asserted)
  const limits = [said, configured, client, requested.trim() === '' ? null : namesIn(requested)]
    .filter((names) => names !== null)
    .map((names) => new Set(meant(names)))
  return [...new Set(meant(said ?? configured ?? [apiScope]))].filter((name) =>
    limits.every((limit) => limit.has(name)),
  )
}

const namesIn = (text: string): readonly string[] => text.split(' ').filter((name) => name !== '')
