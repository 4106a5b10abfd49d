/** What a scope had to say to a tool call: for the model that reads why it failed, and for the log. Source: decisions/mcp.md,
 *  Scopes. */
import type { HttpResponse } from '../../contract/http.ts'
import type { RequiredScope } from '../../contract/scopes.ts'
import { type Holder, type Scopes, verdictOn } from '../../scopes.ts'
import { limitedBy, limitWords } from '../../surface.ts'
import { scopeChallenge } from '../protocol/http-refusal.ts'
import { inWords } from './lacking.ts'

/** `words` are a sentence. */
export interface Denial {
  readonly status: 401 | 403
  readonly words: string
}

interface DeniedRoute {
  readonly required: RequiredScope | undefined
  /** As `changeOf` names it. */
  readonly change: string | null
  readonly holder: Holder
}

/** Why the scope that the route asks for, or one that its code did (`requireScopes`), made this outcome; null = it did not. */
export function denialIn(
  outcome: HttpResponse,
  { required, change, holder }: DeniedRoute,
  scopes: Scopes,
): Denial | null {
  const { status } = outcome
  if (status !== 401 && status !== 403) return null
  const names = required?.names ?? []
  const verdict = verdictOn(required, holder)
  if (status === 401) {
    if (verdict !== 'unauthenticated' && outcome.refusedBy?.kind !== 'access') return null
    const of = names.length === 0 ? '' : `, with the permission ${inWords(names, scopes)}`
    return { status, words: `A sign-in is needed${of}.` }
  }
  const limit = limitedBy(holder.limits, change)
  if (limit === 'readOnly') return { status, words: limitWords.readOnly }
  const challenge = scopeChallenge(outcome)
  if (challenge !== null) {
    const requested = challenge.scope?.split(' ') ?? names
    return { status, words: `More permission is needed: ${inWords(requested, scopes)}.` }
  }
  if (verdict === 'allowed' && limit !== null) return { status, words: limitWords[limit] }
  if (verdict !== 'insufficient') return null
  const missing = names.filter((name) => holder.scopes?.includes(name) !== true)
  return { status, words: `Its user cannot have the permission that is needed: ${inWords(missing, scopes)}.` }
}
