/** How a run of a route ends: its answer to an exception, and what is left of it then. */
import type { HttpResponse } from '../../contract/http.ts'
import { InputRequired, passesHandlers, TooManyRequests } from '../../errors.ts'
import { AccessRefusal } from '../access/access-refusal.ts'
import { tooManyResponse } from '../limits/route-limits.ts'
import { discard } from '../output/byte-stream.ts'
import { checkedResponse, rememberHeaders } from '../output/response-headers.ts'
import { answerException, type Raised } from './handlers.ts'
import type { RequestContext } from './request-context.ts'

/** Rejects with what no handler takes, and with what came after something was rendered. */
export async function rescue(context: RequestContext, thrown: unknown): Promise<HttpResponse> {
  context.isAbandoned = true
  const { request, response, prepared } = context
  const error = thrown instanceof InputRequired ? thrown.raisedBy(prepared.route) : thrown
  rememberHeaders(request, response)
  if (context.outcome !== null || passesHandlers(error) || context.time?.isUp === true) throw error
  const { access } = prepared
  if (error instanceof TooManyRequests) return withCollected(context, () => tooMany(context, error))
  if (!(error instanceof AccessRefusal) || access === null)
    return context.completed(await handled(context, error))
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
  const { handlers, callHandler } = prepared
  const call: Raised['call'] = (handler, args) => callHandler(context, handler, { error, args })
  return checkedResponse(
    await answerException({ handlers, controller, response, input: context, error, call }),
  )
}

/** The response of the handlers to an exception that a guard raised: no filter runs. Rejects with it when none takes it. */
export function answerGuardError(context: RequestContext, error: Error): Promise<HttpResponse> {
  return finished(context, handled(context, error))
}

/** The same for one call too many, which is answered in any case. */
export function answerTooMany(context: RequestContext, error: TooManyRequests): Promise<HttpResponse> {
  return finished(context, tooMany(context, error))
}

async function finished(context: RequestContext, answering: Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await context.prepared.finish(context, await answering)
  } catch (error) {
    throw await dropped(context, error)
  }
}

/** Its body is that of the route's handler, where it has one. */
async function tooMany(context: RequestContext, error: TooManyRequests): Promise<HttpResponse> {
  const answered = await handled(context, error).catch((failure: unknown) => {
    if (failure !== error) throw failure
    return null
  })
  return tooManyResponse(error, answered)
}

/** The error, once nothing is left of what failed. */
export async function dropped(context: RequestContext, error: unknown): Promise<unknown> {
  discard(context.outcome)
  await context.releaseUploads()
  return error
}
