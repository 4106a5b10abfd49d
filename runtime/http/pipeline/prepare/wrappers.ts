/** What wraps a route: one list, made once at boot, in the order of `wrapper-order.ts`. */
import type { AccessControl } from '../../access/access-control.ts'
import type { RouteTime } from '../../limits/route-timeout.ts'
import { releaseAfter } from '../../output/byte-stream.ts'
import { withEntityTag } from '../../output/conditional.ts'
import { toolCallOf } from '../controller.ts'
import type {
  CallHandler,
  CallMethod,
  FinishAnswer,
  PreparedRoute,
  RouteWrapper,
  RunFilters,
  ServeRequest,
} from '../request-context.ts'
import { wrapperOrder } from '../wrapper-order.ts'

/** Rejects with `RouteTimeout` when its time is up. */
export const withinTime = (time: RouteTime): RouteWrapper => ({
  name: 'time',
  place: 'around',
  wrap: (run) => (request, services) => time.run(request, (left) => run(request, services, left)),
})

/** Over HTTP an answer has an entity tag, and a client that sends it gets a 304. */
export const entityTagged: RouteWrapper = {
  name: 'entity-tag',
  place: 'answer',
  wrap: (finish) => (context, answer) => {
    const { request } = context
    return finish(context, toolCallOf(request) === null ? withEntityTag(request, answer) : answer)
  },
}

/** What is left open ends with the token that it relies on, or with its user. */
export const endingWithToken = (access: AccessControl): RouteWrapper => ({
  name: 'token-end',
  place: 'answer',
  wrap: (finish) => (context, answer) => finish(context, access.untilItEnds(context.request, answer)),
})

/** Uploaded files are deleted when the answer has been read to its end. */
export const releasingUploads: RouteWrapper = {
  name: 'uploads',
  place: 'answer',
  wrap: (finish) => (context, answer) => {
    if (context.hasUploads)
      return releaseAfter(answer, () => context.releaseUploads()).then((kept) => finish(context, kept))
    void context.releaseUploads() // what an around filter did not wait for may be reading the body still
    return finish(context, answer)
  },
}

interface Unwrapped {
  readonly run: ServeRequest
  readonly runFilters: RunFilters
  readonly callMethod: CallMethod
  readonly callHandler: CallHandler
}

/** Each place's own, around what lies inside it. */
export function wrapped(
  wrappers: readonly RouteWrapper[],
  unwrapped: Unwrapped,
): Unwrapped & Pick<PreparedRoute, 'finish'> {
  const ranked = wrapperOrder.flatMap((name) => wrappers.filter((wrapper) => wrapper.name === name))
  let made = { ...unwrapped, finish: asItIs }
  for (const wrapper of ranked.toReversed()) {
    if (wrapper.place === 'around') made = { ...made, run: wrapper.wrap(made.run) }
    else if (wrapper.place === 'filters') made = { ...made, runFilters: wrapper.wrap(made.runFilters) }
    else if (wrapper.place === 'method') made = { ...made, callMethod: wrapper.wrap(made.callMethod) }
    else if (wrapper.place === 'handler') made = { ...made, callHandler: wrapper.wrap(made.callHandler) }
    else made = { ...made, finish: wrapper.wrap(made.finish) }
  }
  return made
}

const asItIs: FinishAnswer = (_context, answer) => answer
