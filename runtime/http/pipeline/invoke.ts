/** One route, one function: the pipeline that every way in shares (HTTP, tool calls, tests).
 *  Order: guards → controller → around filters → before filters → Accept → Content-Type → parameters → action →
 *  serialise → after filters; exceptions go to the route's handlers. Source: house.md, The runtime; rules.md, Exception
 *  handlers. */
import type { HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import type { Services } from '../../contract/store.ts'
import { InputRequired, passesHandlers, TooManyRequests } from '../../errors.ts'
import { AccessRefusal } from '../access/access-refusal.ts'
import { bearerOf } from '../access/bearer.ts'
import { checkContentType } from '../input/body.ts'
import { readArguments } from '../input/params.ts'
import { tooManyResponse } from '../limits/route-limits.ts'
import { discard, releaseAfter } from '../output/byte-stream.ts'
import { preferredResponseType, renderedResponse, responseType, valueResponse } from '../output/respond.ts'
import { checkedResponse, rememberHeaders } from '../output/response-headers.ts'
import { Rendered, toolCallOf } from './controller.ts'
import { AroundCall, type Enclosing, type FilterStep } from './filters.ts'
import { refusalBy } from './guards.ts'
import { answerException } from './handlers.ts'
import { type PreparedRoute, RequestContext } from './request-context.ts'
import { headerText } from './request-header.ts'

/** Runs a route for a request that its guards let pass. Rejects with an exception without a handler, or raised after
 *  something was rendered (rules.md, Exception handlers 11; Unhandled exceptions). */
export async function invoke(
  prepared: PreparedRoute,
  request: HttpRequest,
  services: Services,
): Promise<HttpResponse> {
  const { guards, time } = prepared
  if (time !== null) {
    return time.run(request, async (left) => {
      const refused = await refusalBy(guards, request)
      return refused ?? runContext(new RequestContext(prepared, request, services, left))
    })
  }
  const asked = guards.length === 0 ? null : refusalBy(guards, request)
  const refusal = asked instanceof Promise ? await asked : asked
  return refusal ?? (await invokeGuarded(prepared, request, services))
}

/** The same when the guards have run: a WebSocket upgrade runs them before it looks at the handshake. */
export function invokeGuarded(
  prepared: PreparedRoute,
  request: HttpRequest,
  services: Services,
): Promise<HttpResponse> {
  return runContext(new RequestContext(prepared, request, services))
}

function runContext(context: RequestContext): Promise<HttpResponse> {
  const { request, prepared, time } = context
  const { access } = prepared
  time?.whenUp(() => abandon(context))
  if (access === null || bearerOf(request) === null) return withUploads(context, outcomeOf)
  return withUploads(context, async () => access.untilItEnds(request, await outcomeOf(context)))
}

/** Its time is up, and it has been answered: what it comes to is discarded, nothing more of it is begun. */
function abandon(context: RequestContext): void {
  context.isAbandoned = true
  discard(context.outcome)
  void context.uploads.release()
}

function stopIfLate({ time, prepared: { route } }: RequestContext): void {
  if (time?.isUp === true) throw new Error(`${route.id}: its time is up`)
}

/** What the handlers say of an exception that a guard raised: no filter runs. Rejects with it when none takes it. */
export function handledAlone(context: RequestContext, error: Error): Promise<HttpResponse> {
  return withUploads(context, () => handled(context, error))
}

/** The same for one call too many, which is answered in any case. */
export function tooManyAlone(context: RequestContext, error: TooManyRequests): Promise<HttpResponse> {
  return withUploads(context, () => tooMany(context, error))
}

/** Its body is that of the route's handler, where it has one. */
async function tooMany(context: RequestContext, error: TooManyRequests): Promise<HttpResponse> {
  const answered = await handled(context, error).catch((failure: unknown) => {
    if (failure !== error) throw failure
    return null
  })
  return tooManyResponse(error, answered)
}

/** Releases what `work` has read of uploads. */
async function withUploads(
  context: RequestContext,
  work: (context: RequestContext) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    const outcome = await work(context)
    // uploaded files are deleted when the answer has been read to its end
    if (!context.uploads.isEmpty) return await releaseAfter(outcome, () => context.uploads.release())
    void context.uploads.release() // what an around filter did not wait for may be reading the body still
    return outcome
  } catch (error) {
    discard(context.outcome)
    await context.uploads.release()
    throw error
  }
}

async function outcomeOf(context: RequestContext): Promise<HttpResponse> {
  const { filters, route } = context.prepared
  try {
    stopIfLate(context)
    await runAround(context, 0, context)
    stopIfLate(context)
    context.isAbandoned = true
    for (const step of filters.after) await runFilter(context, inTime, step)
    if (context.outcome === null) throw new Error(`${route.id}: nothing was rendered`)
    return context.response.complete(context.outcome)
  } catch (error) {
    return rescue(context, error)
  }
}

/** Of after filters, which are all waited for. */
const inTime: Enclosing = { isAbandoned: false }

/** The around filters from `index` on, the outermost first, and what they enclose. */
function runAround(context: RequestContext, index: number, enclosing: Enclosing): Promise<void> {
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

/** The before filters, then the action; a filter that renders ends them. */
async function runInside(context: RequestContext, enclosing: Enclosing): Promise<void> {
  const { route, filters, params, readsBody, formats } = context.prepared
  for (const step of filters.before) {
    await runFilter(context, enclosing, step)
    if (context.outcome !== null) return
  }
  stopIfLate(context)
  refuseMistake(context.request)
  const type = answerType(context)
  if (readsBody) checkContentType(context.request.body, formats)
  const args = await readArguments(params, context)
  stopIfLate(context)
  const result = await route.call(context.controller, args)
  const outcome = answerOf(context, result, type)
  keep(context, enclosing, outcome instanceof Promise ? await outcome : outcome)
}

async function runFilter(
  context: RequestContext,
  enclosing: Enclosing,
  { filter, readers }: FilterStep,
): Promise<void> {
  const result = await filter.call(context.controller, await readArguments(readers, context), nothingNext)
  if (result instanceof Rendered) await keepRendered(context, enclosing, result)
}

async function keepRendered(context: RequestContext, enclosing: Enclosing, result: Rendered): Promise<void> {
  keep(context, enclosing, await answerOf(context, result, ''))
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

/** Throws `NotAcceptable` where the type is negotiated and cannot be. */
function answerType({ request, prepared: { negotiates, fixedType, formats } }: RequestContext): string {
  if (fixedType !== null) return fixedType
  const accept = headerText(request, 'accept')
  return negotiates ? responseType(accept, formats) : preferredResponseType(accept, formats)
}

/** Serialises, so that a failure can still be handled. */
function answerOf(context: RequestContext, result: unknown, type: string): MaybePromise<HttpResponse> {
  const { request, prepared } = context
  if (result instanceof Rendered) return renderedResponse(result, request).then(checkedResponse)
  const { route, formats, fixedType } = prepared
  const status = statusOf(route, result)
  return valueResponse(result, { status, fixedType, type, request, formats })
}

/** The first class that fits the value decides (language.md, Method tags). */
function statusOf({ status, statuses }: Route, value: unknown): number {
  for (const declared of statuses) if (value instanceof declared.type) return declared.status
  return status
}

async function rescue(context: RequestContext, thrown: unknown): Promise<HttpResponse> {
  context.isAbandoned = true
  const { request, response, prepared } = context
  const error = thrown instanceof InputRequired ? thrown.askedBy(prepared.route) : thrown
  rememberHeaders(request, response)
  if (context.outcome !== null || passesHandlers(error) || context.time?.isUp === true) throw error
  const { access } = prepared
  if (error instanceof TooManyRequests) return withCollected(context, () => tooMany(context, error))
  if (!(error instanceof AccessRefusal) || access === null)
    return response.complete(await handled(context, error))
  return withCollected(context, () => access.answer(error, request, (raised) => handled(context, raised)))
}

/** What filters have collected stays, but for a challenge; what a handler collects does not. */
async function withCollected(
  { response }: RequestContext,
  answered: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  response.clearEntityHeaders()
  const { 'www-authenticate': _, ...collected } = response.complete(empty).headers
  const answer = await answered()
  return { ...answer, headers: { ...collected, ...answer.headers } }
}

const empty: HttpResponse = { status: 200, headers: {}, body: null }

/** The answer of the handler that takes it. */
async function handled(context: RequestContext, error: unknown): Promise<HttpResponse> {
  const { controller, response, prepared } = context
  const { handlers } = prepared
  return checkedResponse(await answerException({ handlers, controller, response, input: context, error }))
}
