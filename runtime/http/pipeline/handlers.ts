/** Exception handlers: which one answers, and what with. Source: rules.md, Exception handlers. */
import type { DeclaredAnswers } from '../../contract/answer-type.ts'
import type { HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { Route, RouteCodec, RouteHandler } from '../../contract/route.ts'
import { ForMcpClient } from '../../errors.ts'
import { type ArgumentReader, optionalReaders, type ParamInput, readArguments } from '../input/params.ts'
import { headerText } from '../input/request-header.ts'
import { AnswerWriters, asItIs, type WriterSettings } from '../output/answer-writers.ts'
import type { Formats } from '../output/formats.ts'
import { preferredResponseType, renderedResponse, valueResponse } from '../output/respond.ts'
import type { ResponseHeaders } from '../output/response-headers.ts'
import { toolContentType } from '../output/tool-result.ts'
import { Rendered, takeRendered, toolCallOf } from './controller.ts'
import { rescuesOf } from './rescue-from.ts'

/** A handler, resolved at boot. */
export interface PreparedHandler {
  /** By its exception and status: the same after a deploy that does not change them. */
  readonly name: string
  /** Of what it returns. */
  readonly status: number
  /** A class need not extend `Error`: zod's does not always. */
  readonly fits: (thrown: object) => boolean
  readonly readers: readonly ArgumentReader[]
  readonly call: RouteHandler['call']
  /** What a returned value becomes; `null` = nothing was sent. */
  readonly answer: (value: unknown, request: HttpRequest) => MaybePromise<HttpResponse> | null
  /** Null where nothing is declared of its answers. */
  readonly writers: AnswerWriters | null
}

export interface HandlerSettings {
  readonly formats: Formats
  readonly answers: WriterSettings
}

/** What writes by `declared`; null where nothing is. */
export const writersFor = (
  declared: DeclaredAnswers | undefined,
  settings: WriterSettings,
): AnswerWriters | null => (declared === undefined ? null : new AnswerWriters(declared, settings))

/** The handlers in the order in which they are asked: the furthest ancestor's first, and of each class its
 *  `rescueFrom` entries before its tagged ones (rules.md, Exception handlers 9 and 10). */
export function prepareHandlers(
  route: Route,
  codec: RouteCodec,
  { formats, answers }: HandlerSettings,
): readonly PreparedHandler[] {
  const rescues = rescuesOf(route.controller)
  const tagged = route.handlers.map((handler, index) => ({
    depth: handler.depth,
    prepared: preparedTag(handler, optionalReaders(codec.handlers[index] ?? [], handler.checks), {
      formats,
      writers: writersFor(codec.handlerAnswers?.[index], answers),
    }),
  }))
  const depths = Math.max(rescues.length, ...tagged.map(({ depth }) => depth + 1))
  const handlers = Array.from({ length: depths }, (_, depth) => [
    ...(rescues[depth] ?? []).map(
      ({ error, call }): PreparedHandler => ({
        name: `rescueFrom ${error.name}`,
        status: 200,
        fits: (thrown) => thrown instanceof error,
        readers: [],
        call,
        answer: () => null,
        writers: null,
      }),
    ),
    ...tagged.filter((item) => item.depth === depth).map(({ prepared }) => prepared),
  ]).flat()
  return handlers.map((handler, at) => ({ ...handler, name: uniqueName(handlers, at) }))
}

/** Classes of two modules may have one name. */
function uniqueName(handlers: readonly PreparedHandler[], at: number): string {
  const name = handlers[at]?.name ?? ''
  const before = handlers.slice(0, at).filter((handler) => handler.name === name).length
  return before === 0 ? name : `${name} ${before}`
}

function preparedTag(
  handler: RouteHandler,
  readers: readonly ArgumentReader[],
  { formats, writers }: { readonly formats: Formats; readonly writers: AnswerWriters | null },
): PreparedHandler {
  const { error, match, contentType: fixedType } = handler
  const status = handler.status ?? 200
  const matched = match === null ? '' : `(${match.property}=${match.value})`
  return {
    name: `${error.name}${matched} ${handler.status}`,
    status,
    fits: (thrown) =>
      thrown instanceof error && (match === null || Reflect.get(thrown, match.property) === match.value),
    readers,
    call: (controller, thrown, args) => handler.call(controller, thrown, args),
    answer: (value, request) => {
      if (value === undefined && handler.status === null) return null
      const type = preferredResponseType(headerText(request, 'accept'), formats)
      const writer = writers?.returned(status, request) ?? asItIs
      return valueResponse(value, { status, fixedType, type, request, formats, writer })
    },
    writers,
  }
}

/** One exception that is looking for its handler. */
export interface Raised {
  readonly handlers: readonly PreparedHandler[]
  readonly controller: object
  readonly response: ResponseHeaders
  readonly input: ParamInput
  readonly error: unknown
  /** Resolves with what the handler rendered, else with what it returned. */
  readonly call: (handler: PreparedHandler, args: readonly unknown[]) => Promise<unknown>
}

/** Whether the exception speaks to the MCP client that runs the route as a tool: it passes every handler. */
export function isForMcpClient(error: unknown, request: HttpRequest): error is ForMcpClient {
  return error instanceof ForMcpClient && toolCallOf(request) !== null
}

/** The first handler that fits answers, and no other is tried. Throws the exception when there is none or when it sends
 *  nothing, and whatever the handler itself throws. */
export async function answerException(raised: Raised): Promise<HttpResponse> {
  const { handlers, controller, response, input, error, call } = raised
  if (isForMcpClient(error, input.request)) throw error
  const handler = isOfClass(error) ? handlers.find(({ fits }) => fits(error)) : undefined
  if (handler === undefined) throw error
  response.clearEntityHeaders()
  takeRendered(controller) // what the action or a filter rendered and dropped is not the handler's
  const made = await call(handler, await readArguments(handler.readers, input))
  const outcome = answerOfHandler(handler, made, input.request)
  if (outcome === null) throw error
  return outcome
}

/** What it rendered or returned becomes; null = nothing was sent. */
export const answerOfHandler = (
  { writers, answer }: PreparedHandler,
  made: unknown,
  request: HttpRequest,
): MaybePromise<HttpResponse> | null =>
  made instanceof Rendered ? renderedBy(writers, made, request) : answer(made, request)

/** What was rendered, by what is declared of its status; blocks of content are of no type but ours. */
export const renderedBy = (
  writers: AnswerWriters | null,
  rendered: Rendered,
  request: HttpRequest,
): Promise<HttpResponse> => {
  const isBlocks = rendered.contentType === toolContentType
  const writer = isBlocks ? undefined : writers?.rendered(rendered.status, request)
  return renderedResponse(rendered, { request, ...(writer === undefined ? {} : { writer }) })
}

/** Whether it can be told by its class. Texts and plain objects match nothing (rules.md, Exception handlers 1). */
function isOfClass(thrown: unknown): thrown is object {
  if (typeof thrown !== 'object' || thrown === null) return false
  const prototype: unknown = Object.getPrototypeOf(thrown)
  return prototype !== Object.prototype && prototype !== null
}
