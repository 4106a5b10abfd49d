/** What a method returned or rendered becomes, and what an exception handler made. */
import type { HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import { headerText } from '../input/request-header.ts'
import { asItIs } from '../output/answer-writers.ts'
import { preferredResponseType, responseType, valueResponse } from '../output/respond.ts'
import { checkedResponse } from '../output/response-headers.ts'
import { Rendered, takeRendered } from './controller.ts'
import { renderedBy } from './handlers.ts'
import type { CallHandler, RequestContext } from './request-context.ts'

/** Throws `NotAcceptable` where the type is negotiated and cannot be. */
export function answerType({
  request,
  prepared: { negotiates, fixedType, formats },
}: RequestContext): string {
  if (fixedType !== null) return fixedType
  const accept = headerText(request, 'accept')
  return negotiates ? responseType(accept, formats) : preferredResponseType(accept, formats)
}

/** Serialises, so that a failure can still be handled. */
export function methodAnswer(
  context: RequestContext,
  result: unknown,
  type: string,
  status: number = statusOf(context.prepared.route, result),
): MaybePromise<HttpResponse> {
  const { request, prepared } = context
  const { formats, fixedType, writers } = prepared
  if (result instanceof Rendered) return renderedBy(writers, result, request).then(checkedResponse)
  const writer = writers === null ? asItIs : writers.returned(status, request)
  return valueResponse(result, { status, fixedType, type, request, formats, writer })
}

/** The first class that fits the value decides (language.md, Method tags). */
export function statusOf({ status, statuses }: Route, value: unknown): number {
  for (const declared of statuses) if (value instanceof declared.type) return declared.status
  return status
}

/** A handler answers by calling render; the value it returns besides is dropped (rules.md, Exception handlers 4). */
export const callHandler: CallHandler = async ({ controller }, handler, { error, args }) => {
  const value = await handler.call(controller, error, args)
  const rendered = takeRendered(controller)
  return value instanceof Rendered ? value : (rendered ?? value)
}
