/** What a caller may not do, and the words in which people and models read it. Source: decisions/mcp.md, Scopes. */

import type { HttpResponse } from '../../contract/http.ts'
import type { Catalogue, PromptEntry, ToolEntry } from '../../contract/mcp.ts'
import type { RequiredScope } from '../../contract/scopes.ts'
import { type Holder, type Scope, type Scopes, verdictOn } from '../../scopes.ts'
import { limitedBy, limitWords } from '../../surface.ts'
import { scopeChallenge } from '../protocol/http-refusal.ts'

/** What each tool asks for; undefined = nothing. */
export type ScopeOf = (entry: Pick<ToolEntry, 'name' | 'route'>) => RequiredScope | undefined

/** Tools that a caller lacks the same scopes for. */
export interface Lacking {
  /** In the order of declaration. */
  readonly scopes: readonly Scope[]
  readonly tools: readonly ToolEntry[]
}

/** What a model is told of it: names, and no schemas. */
export interface MorePermission {
  /** As a challenge names them: with spaces between. */
  readonly scope: string
  readonly text: string
  readonly tools: readonly string[]
}

/** The tools that the caller may not call, together where it lacks the same. */
export function lackingFor(
  tools: readonly ToolEntry[],
  holder: Holder,
  { scopeOf, scopes }: { readonly scopeOf: ScopeOf; readonly scopes: Scopes },
): readonly Lacking[] {
  const groups = new Map<string, { readonly scopes: readonly Scope[]; readonly tools: ToolEntry[] }>()
  for (const tool of tools) {
    const required = scopeOf(tool)
    if (required === undefined || verdictOn(required, holder) === 'allowed') continue
    const missing = scopes.declared.filter(
      ({ name }) => required.names.includes(name) && holder.scopes?.includes(name) !== true,
    )
    const group = groups.get(scopeText(missing)) ?? { scopes: missing, tools: [] }
    group.tools.push(tool)
    groups.set(scopeText(missing), group)
  }
  return [...groups.values()]
}

/** The prompts and resources that the caller may ask for; the others do not exist for it. */
export function permittedOffers(
  { prompts, resources }: Catalogue,
  holder: Holder,
  {
    scopeOf,
    isBarred = () => false,
  }: { readonly scopeOf: ScopeOf; readonly isBarred?: (entry: Pick<ToolEntry, 'route'>) => boolean },
): Pick<Catalogue, 'prompts' | 'resources'> {
  const isPermitted = (entry: PromptEntry): boolean => {
    const required = scopeOf(entry)
    if (isBarred(entry)) return false
    return required === undefined || verdictOn(required, holder) === 'allowed'
  }
  return {
    ...(prompts === undefined ? {} : { prompts: prompts.filter(isPermitted) }),
    ...(resources === undefined ? {} : { resources: resources.filter(isPermitted) }),
  }
}

/** Those of the tools that `isKept`; a group without any is left out. */
export const lackingOf = (
  lacking: readonly Lacking[],
  isKept: (tool: ToolEntry) => boolean,
): readonly Lacking[] =>
  lacking
    .map(({ scopes, tools }) => ({ scopes, tools: tools.filter(isKept) }))
    .filter(({ tools }) => tools.length > 0)

export const morePermission = ({ scopes, tools }: Lacking): MorePermission => ({
  scope: scopeText(scopes),
  text: scopes.map(({ text }) => text).join('; '),
  tools: tools.map(({ name }) => name),
})

const scopeText = (scopes: readonly Scope[]): string => scopes.map(({ name }) => name).join(' ')

/** `notes:read (See your notes), notes:write (Add and change notes)`; a name that is not declared stands alone. */
export const inWords = (names: readonly string[], { declared }: Scopes): string =>
  names
    .map((name) => {
      const text = declared.find((scope) => scope.name === name)?.text
      return text === undefined ? name : `${name} (${text})`
    })
    .join(', ')

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
