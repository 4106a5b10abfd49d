/** What the scopes of a grant let its client change: what they covered when the user was asked, not what a later build puts under them.
 *  Source: decisions/oauth.md, Scopes and consent. */
import type { MaybePromise } from '../../contract/http.ts'
import type { GrantLimits, Surface } from '../../contract/store.ts'
import { LruMap } from '../../lru.ts'
import type { Scopes } from '../../scopes.ts'
import { firstSurface } from '../../store/core-tables.ts'
import type { HeldGrant, Store, TokenHolder } from '../../store/store.ts'
import { type ScopedChange, surfaceOf, uncoveredBy } from '../../surface.ts'

export interface CoverageOptions {
  readonly store: Pick<Store, 'keepSurface' | 'findSurface'>
  readonly scopes: Scopes
  readonly changes: readonly ScopedChange[]
  readonly cover: 'shown' | 'scopes'
}

/** Of older builds: of those, what was found last is kept. */
const maxKnown = 64

/** Changes, as `changeOf` names them. */
type Uncovered = ReadonlySet<string>

const nothing: Uncovered = new Set()

export class Coverage {
  /** Of this build. */
  readonly surface: Surface
  readonly #options: CoverageOptions
  /** By the name of a surface, the changes that it does not cover. */
  readonly #known = new LruMap<string, Uncovered>(maxKnown)

  constructor(options: CoverageOptions) {
    this.#options = options
    this.surface = surfaceOf(options.changes, options.scopes)
  }

  /** To be awaited at the start: what grants of before refer to is what this build covers, unless another start has said so. */
  begin(): Promise<void> {
    return this.#options.store.keepSurface({ name: firstSurface, routes: this.surface.routes })
  }

  /** Null = none; so it is, after one comparison, for a grant that was given to this build. */
  limitsOf({ readOnly, surface, isAsked }: TokenHolder): MaybePromise<GrantLimits | null> {
    if (surface === this.surface.name) return readOnly ? { readOnly, uncovered: nothing, isAsked } : null
    const found = this.#uncoveredBy(surface)
    const limits = (uncovered: Uncovered): GrantLimits | null =>
      readOnly || uncovered.size > 0 ? { readOnly, uncovered, isAsked } : null
    return found instanceof Promise ? found.then(limits) : limits(found)
  }

  /** What joined the scopes of those that `held` grants have, which all of them lack. */
  async joined(held: readonly HeldGrant[], offered: readonly string[]): Promise<readonly ScopedChange[]> {
    const { changes, scopes } = this.#options
    const grants = await Promise.all(
      held.map(async ({ scope, allowed, surface }) => ({
        granted: scopes.granted(scope.split(' '), allowed),
        lacks: await this.#uncoveredBy(surface),
      })),
    )
    return changes.filter(({ change, names }) => {
      const having = grants.filter(({ granted }) => names.every((name) => granted.includes(name)))
      const isOffered = names.every((name) => offered.includes(name))
      return isOffered && having.length > 0 && having.every(({ lacks }) => lacks.has(change))
    })
  }

  #uncoveredBy(surface: string | null): MaybePromise<Uncovered> {
    if (this.#options.cover === 'scopes' || surface === 'whole' || surface === this.surface.name)
      return nothing
    const name = surface ?? firstSurface
    return this.#known.peek(name) ?? this.#find(name)
  }

  /** A surface that is gone covers nothing. */
  async #find(name: string): Promise<Uncovered> {
    const { store, changes } = this.#options
    const routes = await store.findSurface(name)
    const lacking = routes === null ? changes : uncoveredBy(routes, changes)
    const found = new Set(lacking.map(({ change }) => change))
    if (routes !== null) this.#known.set(name, found)
    return found
  }
}
