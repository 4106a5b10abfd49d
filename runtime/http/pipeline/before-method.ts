/** What the store is asked about a call when its parameters have been read, before its method. */
import type { HttpRequest } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import { passingHandlers } from '../../errors.ts'
import type { CallTime } from '../limits/call-time.ts'
import { discard } from '../output/byte-stream.ts'
import { runRoute } from './invoke.ts'
import {
  type CallMethod,
  type PreparedRoute,
  type RequestContext,
  type RouteWrapper,
  takeBody,
} from './request-context.ts'

/** A question about each call of a route. */
export interface CallQuestion<Asked> {
  readonly name: RouteWrapper['name']
  /** Null = nothing is to be asked; so it is in the run after `decide`. */
  readonly ask: (context: RequestContext) => Promise<Asked | null>
  /** Resolves when the call may go on; what it rejects with passes every exception handler. */
  readonly decide: (asked: Asked, time: CallTime | null) => Promise<void>
  /** What around filters see of a run that is left before it is decided. */
  readonly undecided: (asked: Asked) => Error
  /** What a call that may go on comes to. */
  readonly goOn: (call: CallMethod) => CallMethod
}

interface LeftRun {
  readonly prepared: PreparedRoute
  readonly decide: (time: CallTime | null) => Promise<void>
}

const leftRuns = new WeakMap<HttpRequest, LeftRun>()

export const isEnclosed = ({ filters }: Pick<Route, 'filters'>): boolean =>
  filters.some(({ when }) => when === 'around')

/** An around filter may hold a transaction, and with it the write lock of SQLite or a connection of the pool: a run inside one (`isLeft`)
 *  is left before anything is decided, and `runningAgain` has the route run again when it may. */
export function beforeMethod<Asked>(
  { name, ask, decide, undecided, goOn }: CallQuestion<Asked>,
  isLeft: boolean,
): RouteWrapper {
  const wrap = (call: CallMethod): CallMethod => {
    const next = goOn(call)
    return async (context, args) => {
      const asked = await ask(context)
      if (asked === null) return next(context, args)
      if (isLeft) {
        context.handBodyOver()
        const left = { prepared: context.prepared, decide: (time: CallTime | null) => decide(asked, time) }
        leftRuns.set(context.request, left)
        throw undecided(asked)
      }
      await decide(asked, context.time).catch((error: unknown) => {
        throw passingHandlers(error)
      })
      return next(context, args)
    }
  }
  return { name, place: 'method', wrap }
}

/** Whatever a filter made of a run that was left: its method has not run. Guards are not asked again. */
export const runningAgain: RouteWrapper = {
  name: 'left-run',
  place: 'around',
  wrap: (run) => async (request, services, time) => {
    let running = run(request, services, time)
    for (;;) {
      const ended = await running.then(
        (outcome) => () => outcome,
        (error: unknown) => (): never => {
          throw error
        },
      )
      const left = leftRuns.get(request)
      if (left === undefined) return ended()
      leftRuns.delete(request)
      try {
        discard(ended())
      } catch {}
      try {
        await left.decide(time)
      } catch (error) {
        await takeBody(request)?.uploads?.release()
        throw error
      }
      running = runRoute(left.prepared, request, services, time)
    }
  },
}
