/** Filters, resolved at boot, and the `next` of around filters. Source: reference/pipeline-and-exceptions, section 2. */
import type { Next, Route, RouteCodec, RouteFilter } from '../../contract/route.ts'
import { type ArgumentReader, argumentReaders, type ParamInput, withArguments } from '../input/params.ts'
import { isLater, type Soon } from './soon.ts'

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
    readers: argumentReaders(codec.filters[index] ?? []),
  }))
  const of = (when: RouteFilter['when']): FilterStep[] => steps.filter((step) => step.filter.when === when)
  return { around: of('around'), before: of('before'), after: of('after') }
}

/** What a filter returns, after its arguments have been read. */
export function callFilter(
  { filter, readers }: FilterStep,
  controller: object,
  input: ParamInput,
  next: Next = nothingNext,
): Soon<unknown> {
  return withArguments(readers, input, (args) => {
    const result = filter.call(controller, args, next)
    return isLater(result) ? Promise.resolve(result) : result
  })
}

const nothingNext: Next = async () => {}

/** What lies inside one around filter. */
export class Inside {
  readonly #work: () => Soon<void>
  #running: Promise<void> | null = null
  #isSettled = false
  /** What the inside threw, when the filter has seen it. */
  failure: unknown = undefined

  constructor(work: () => Soon<void>) {
    this.#work = work
  }

  /** Runs the inside, once. */
  readonly next: Next = () => {
    if (this.#running !== null) return Promise.reject(new Error('an around filter called next twice'))
    const running = this.#begin()
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

  async #begin(): Promise<void> {
    await this.#work()
  }

  /** A filter that did not wait for `next` does not leave its inside behind. */
  finished(): Soon<void> {
    return this.#running === null || this.#isSettled ? undefined : this.#running
  }
}
