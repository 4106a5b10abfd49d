/** One route, one function: the pipeline that every way in shares (HTTP, tool calls, tests).
 *  Order: guards → controller → around filters → before filters → Accept → Content-Type → parameters → action →
 *  serialise → after filters; exceptions go to the route's handlers. Source: house.md, The runtime; rules.md, Exception
 *  handlers. */
import type { HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { Services } from '../../contract/store.ts'
import { checkContentType } from '../input/body.ts'
import { readArguments } from '../input/params.ts'
import { type CallTime, LateRun } from '../limits/call-time.ts'
import { discard } from '../output/byte-stream.ts'
import { Rendered, toolCallOf } from './controller.ts'
import { AroundCall, type Enclosing, type FilterStep } from './filters.ts'
import { refusalBy } from './guards.ts'
import { answerType, methodAnswer } from './method-answer.ts'
import { type PreparedRoute, RequestContext } from './request-context.ts'
import { dropped, rescue } from './rescue.ts'

/** The guards, then the rest. Rejects with an exception without a handler, or raised after something was rendered (rules.md, Exception
 *  handlers 11; Unhandled exceptions). Wrappers with the place `around` lie outside of it. */
export async function runUnlessRefused(
  prepared: PreparedRoute,
  request: HttpRequest,
  services: Services,
  time: CallTime | null,
): Promise<HttpResponse> {
  const judging = refusalBy(prepared.guards, request)
  const refusal = judging instanceof Promise ? await judging : judging
  return refusal ?? (await runRoute(prepared, request, services, time))
}

/** One frame around everything: each further `async` function costs every request of the application two promises. */
export async function runRoute(
  prepared: PreparedRoute,
  request: HttpRequest,
  services: Services,
  time: CallTime | null,
): Promise<HttpResponse> {
  const context = new RequestContext(prepared, request, services, time)
  time?.whenUp(() => abandon(context))
  try {
    let outcome: HttpResponse
    try {
      stopIfLate(context)
      await prepared.runFilters(context)
      stopIfLate(context)
      context.isAbandoned = true
      for (const step of prepared.filters.after) {
        const waits = runFilter(context, inTime, step)
        if (waits instanceof Promise) await waits
      }
      outcome = completed(context)
    } catch (error) {
      outcome = await rescue(context, error)
    }
    const finished = prepared.finish(context, outcome)
    return finished instanceof Promise ? await finished : finished
  } catch (error) {
    throw await dropped(context, error)
  }
}

/** Of after filters, which are all waited for. */
const inTime: Enclosing = { isAbandoned: false }

function completed(context: RequestContext): HttpResponse {
  if (context.outcome === null) throw new Error(`${context.prepared.route.id}: nothing was rendered`)
  return context.completed(context.outcome)
}

/** Its time is up, and it has been answered: what it comes to is discarded, nothing more of it is begun. */
function abandon(context: RequestContext): void {
  context.isAbandoned = true
  discard(context.outcome)
  void context.releaseUploads()
}

function stopIfLate({ time, prepared: { route } }: RequestContext): void {
  if (time?.isUp === true) throw new LateRun(`${route.id}: its time is up`)
}

/** The around filters from `index` on, the outermost first, and what they enclose. */
export function runAround(context: RequestContext, index = 0, enclosing: Enclosing = context): Promise<void> {
  const step = context.prepared.filters.around[index]
  if (step === undefined) return runInside(context, enclosing)
  const inside: AroundCall = new AroundCall(() => runAround(context, index + 1, inside), enclosing)
  return runAroundFilter(context, step, { inside, enclosing })
}

interface Around {
  readonly inside: AroundCall
  readonly enclosing: Enclosing
}

async function runAroundFilter(
  context: RequestContext,
  { filter, readers }: FilterStep,
  { inside, enclosing }: Around,
): Promise<void> {
  const args = await readArguments(readers, context)
  try {
    const result = await filter.call(context.controller, args, inside.next)
    if (!(result instanceof Rendered)) {
      await inside.finished()
      return mustHaveOutcome(context, inside)
    }
    // a filter that answers need not wait for its inside (it may have been too slow)
    inside.abandon()
    await keepRendered(context, enclosing, result)
  } catch (error) {
    inside.abandon()
    throw error
  }
}

function mustHaveOutcome(context: RequestContext, { failure }: AroundCall): void {
  if (context.outcome !== null) return
  const message = `${context.prepared.route.id}: an around filter neither rendered nor went on`
  throw failure === undefined ? new Error(message) : new Error(message, { cause: failure })
}

const nothingNext = async (): Promise<void> => {}

/** The before filters, then the action; a filter that renders ends them. Waits for what is a promise, and for nothing else. */
async function runInside(context: RequestContext, enclosing: Enclosing): Promise<void> {
  const { callMethod, filters, params, readsBody, formats } = context.prepared
  for (const step of filters.before) {
    const waits = runFilter(context, enclosing, step)
    if (waits instanceof Promise) await waits
    if (context.outcome !== null) return
  }
  stopIfLate(context)
  refuseMistake(context.request)
  const type = answerType(context)
  if (readsBody) checkContentType(context.request.body, formats)
  const reading = readArguments(params, context)
  const args = reading instanceof Promise ? await reading : reading
  stopIfLate(context)
  const called = callMethod(context, args)
  const result = isThenable(called) ? await called : called
  const outcome = methodAnswer(context, result, type)
  keep(context, enclosing, outcome instanceof Promise ? await outcome : outcome)
}

/** Whether `await` would wait for it: promises of libraries are no `Promise`. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function'

function runFilter(
  context: RequestContext,
  enclosing: Enclosing,
  { filter, readers }: FilterStep,
): MaybePromise<void> {
  const call = (args: readonly unknown[]): MaybePromise<void> => {
    const called = filter.call(context.controller, args, nothingNext)
    if (isThenable(called)) return keepIfRendered(context, enclosing, called)
    if (called instanceof Rendered) return keepRendered(context, enclosing, called)
  }
  const args = readArguments(readers, context)
  return args instanceof Promise ? args.then(call) : call(args)
}

async function keepIfRendered(
  context: RequestContext,
  enclosing: Enclosing,
  called: PromiseLike<unknown>,
): Promise<void> {
  const result = await called
  if (result instanceof Rendered) await keepRendered(context, enclosing, result)
}

async function keepRendered(context: RequestContext, enclosing: Enclosing, result: Rendered): Promise<void> {
  keep(context, enclosing, await methodAnswer(context, result, ''))
}

/** A filter may answer in place of what was rendered before it; what comes from an abandoned inside is too late. */
function keep(context: RequestContext, { isAbandoned }: Enclosing, outcome: HttpResponse): void {
  discard(isAbandoned ? outcome : context.outcome)
  if (!isAbandoned) context.outcome = outcome
}

function refuseMistake(request: HttpRequest): void {
  const mistake = toolCallOf(request)?.mistake ?? null
  if (mistake !== null) throw mistake
}
