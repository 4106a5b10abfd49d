/** Filters, resolved at boot, and the `next` of around filters. Source: decisions/http.md, Filters. */
import type { Next, Route, RouteCodec, RouteFilter } from '../../contract/route.ts'
import { type ArgumentReader, argumentReaders } from '../input/params.ts'

export interface FilterStep {
  readonly filter: RouteFilter
  readonly readers: readonly ArgumentReader[]
}

export interface PreparedFilters {
  readonly around: readonly FilterStep[]
  readonly before: readonly FilterStep[]
  readonly after: readonly FilterStep[]
}

/** A route's filters by kind, each in the order of the table: ancestors first. */
export function prepareFilters(route: Route, codec: RouteCodec): PreparedFilters {
  const steps = route.filters.map((filter, index) => ({
    filter,
    readers: argumentReaders(codec.filters[index] ?? [], filter.checks),
  }))
  const of = (when: RouteFilter['when']): FilterStep[] => steps.filter((step) => step.filter.when === when)
  return { around: of('around'), before: of('before'), after: of('after') }
}

/** Where an outcome comes from: what lies around filters and action. */
export interface Enclosing {
  /** Whether what it still comes to is not wanted any more. */
  readonly isAbandoned: boolean
}

/** What lies inside one around filter. */
export class AroundCall implements Enclosing {
  readonly #work: () => Promise<void>
  readonly #enclosing: Enclosing
  #isAbandoned = false
  #running: Promise<void> | null = null
  #isSettled = false
  /** What the inside threw, when the filter has seen it. */
  failure: unknown = undefined

  constructor(work: () => Promise<void>, enclosing: Enclosing) {
    this.#work = work
    this.#enclosing = enclosing
  }

  /** Abandoned with what encloses it. */
  get isAbandoned(): boolean {
    return this.#isAbandoned || this.#enclosing.isAbandoned
  }

  /** The filter has answered or failed by itself. */
  abandon(): void {
    this.#isAbandoned = true
  }

  /** Runs the inside, once. */
  readonly next: Next = () => {
    if (this.#running !== null) return refusedNext()
    const running = this.#work()
    // also keeps a dropped promise from ending the process
    running.then(
      () => {
        this.#isSettled = true
      },
      (error: unknown) => {
        this.#isSettled = true
        this.failure = error
      },
    )
    this.#running = running
    return running
  }

  /** A filter that did not wait for `next` does not leave its inside behind. */
  async finished(): Promise<void> {
    if (!this.#isSettled) await this.#running
  }
}

/** Rejected; a filter that drops it does not end the process. */
function refusedNext(): Promise<void> {
  const refused = Promise.reject<void>(new Error('an around filter called next twice'))
  refused.catch(() => {})
  return refused
}
