/** One route, one function: the pipeline that every way in shares (HTTP, tool calls, tests).
 *  Order: `@requireTls` → controller → around filters → before filters → Accept → Content-Type → parameters → action →
 *  serialise → after filters; exceptions go to the route's handlers. Nothing waits that need not: a route without
 *  asynchronous work is answered at once. Source: house.md; specification, Exception handlers. */
import type { HttpRequest, Outcome } from '../../contract/http.ts'
import type { ParamDecoder, Route, RouteCodec } from '../../contract/route.ts'
import type { Services } from '../../contract/store.ts'
import { passesHandlers } from '../../errors.ts'
import { checkContentType, type ParsedBody, parseBody } from '../input/body.ts'
import { type ArgumentReader, argumentReaders, type ParamInput, withArguments } from '../input/params.ts'
import { Uploads } from '../input/uploads.ts'
import { discard, releaseAfter } from '../output/byte-stream.ts'
import { createFormats, type Formats, withoutFiles } from '../output/formats.ts'
import { likedResponseType, renderedOutcome, responseType, valueOutcome } from '../output/respond.ts'
import { checkHeaders, ResponseHeaders, rememberHeaders } from '../output/response-headers.ts'
import { attach, type Context, Rendered, toolCallOf } from './controller.ts'
import { callFilter, type FilterStep, Inside, type PreparedFilters, prepareFilters } from './filters.ts'
import { answerException, type PreparedHandler, prepareHandlers } from './handlers.ts'
import { headerText } from './request-header.ts'
import { isPlainHttp, redirectToHttps } from './require-tls.ts'
import { attempt, isLater, isPending, type Soon, whenThere } from './soon.ts'

/** A route with its decoders, filters and handlers, resolved once at boot. */
export interface PreparedRoute {
  readonly route: Route
  readonly filters: PreparedFilters
  readonly params: readonly ArgumentReader[]
  readonly handlers: readonly PreparedHandler[]
  readonly readsBody: boolean
  readonly formats: Formats
  /** Whether `Accept` decides about the type of the answer, and before the action runs. */
  readonly negotiates: boolean
  /** The type of every answer, or null. */
  readonly fixedType: string | null
  /** Writes the JSON of what the action returns, or null. */
  readonly encode: ((value: unknown) => string) | null
  /** The public address of the application, for `@requireTls`. */
  readonly baseUrl: string
}

const builtInFormats: Formats = createFormats()

/** Resolves what does not depend on a request. Throws when the bundle's decoders do not fit the route table. */
export function prepareRoute(
  route: Route,
  codec: RouteCodec | undefined,
  { baseUrl, formats = builtInFormats }: { readonly baseUrl: string; readonly formats?: Formats },
): PreparedRoute {
  if (codec === undefined || codec.filters.length !== route.filters.length) {
    throw new Error(`the bundle has no decoders for ${route.id}: run acmcp build`)
  }
  return {
    route,
    filters: prepareFilters(route, codec),
    params: argumentReaders(codec.params),
    handlers: prepareHandlers(route, codec, formats),
    readsBody: codec.params.some((param) => param.from === 'body' || param.from === 'field'),
    formats: [codec.params, ...codec.filters].some(takesFile) ? formats : withoutFiles(formats),
    negotiates: route.produces === null,
    fixedType: route.produces === ownType ? null : route.produces,
    encode: codec.encode ?? null,
    baseUrl,
  }
}

/** Files travel as fields of their own (annotations.md, Parameters). */
const takesFile = (decoders: readonly ParamDecoder[]): boolean =>
  decoders.some(({ from, codec }) => from === 'field' && /\bUploadedFile\b/.test(codec.restriction))

/** `Route.produces` where the answer names its own type. */
const ownType = '*/*'

/** Runs a route. An exception without a handler, or raised after something was rendered, is thrown
 *  (specification, Exception handlers 11; Unhandled exceptions), at once or as a rejection. */
export function invoke(prepared: PreparedRoute, request: HttpRequest, services: Services): Soon<Outcome> {
  const { route, baseUrl } = prepared
  if (route.requiresTls && isPlainHttp(request, baseUrl)) return redirectToHttps(request, baseUrl)
  const run = new Run(prepared, request, services)
  try {
    const inside = runAround(run, 0)
    if (!isPending(inside)) return finished(run)
    return inside.then(
      () => finished(run),
      (error: unknown) => rescued(run, error),
    )
  } catch (error) {
    return rescued(run, error)
  }
}

function finished(run: Run): Soon<Outcome> {
  try {
    const outcome = finish(run)
    if (!isPending(outcome)) return release(run, outcome)
    return outcome.then(
      (made) => release(run, made),
      (error: unknown) => rescued(run, error),
    )
  } catch (error) {
    return rescued(run, error)
  }
}

function rescued(run: Run, error: unknown): Soon<Outcome> {
  return attempt(
    () => whenThere(rescue(run, error), (outcome) => release(run, outcome)),
    (failure) => giveUp(run, failure),
  )
}

/** Uploaded files are deleted when the answer has been read to its end. */
function release(run: Run, outcome: Outcome): Soon<Outcome> {
  const { uploads } = run
  if (uploads === null || uploads.isEmpty) return outcome
  return releaseAfter(outcome, () => uploads.release()).catch((error: unknown) => giveUp(run, error))
}

function giveUp({ outcome, uploads }: Run, error: unknown): Promise<never> {
  discard(outcome)
  if (uploads === null || uploads.isEmpty) throw error
  return uploads.release().then(() => {
    throw error
  })
}

/** `inside`: filters and action; then the after filters; `over`: an exception is being answered. */
type Phase = 'inside' | 'after' | 'over'

/** One run of a route. `outcome` is set as soon as something was rendered. */
class Run implements Context, ParamInput {
  readonly prepared: PreparedRoute
  readonly request: HttpRequest
  readonly services: Services
  readonly response: ResponseHeaders = new ResponseHeaders()
  readonly controller: object
  outcome: Outcome | null = null
  phase: Phase = 'inside'
  /** Made with the first body that is parsed. */
  uploads: Uploads | null = null
  #body: Soon<ParsedBody> | null = null
  #hasQuery: boolean | null = null

  constructor(prepared: PreparedRoute, request: HttpRequest, services: Services) {
    this.prepared = prepared
    this.request = request
    this.services = services
    this.controller = prepared.route.create()
    attach(this.controller, this)
  }

  get hasQuery(): boolean {
    this.#hasQuery ??= this.request.url.includes('?')
    return this.#hasQuery
  }

  get isBodyRead(): boolean {
    return this.#body !== null || this.request.body.kind === 'value'
  }

  parsedBody(): Soon<ParsedBody> {
    this.#body ??= this.#parse()
    return this.#body
  }

  #parse(): Soon<ParsedBody> {
    const { body } = this.request
    if (body.kind === 'value') return { kind: 'json', value: body.value }
    this.uploads = new Uploads()
    return parseBody(this.request, this.prepared.formats, this.uploads)
  }
}

/** The around filters from `index` on, the outermost first, and what they enclose. */
function runAround(run: Run, index: number): Soon<void> {
  const step = run.prepared.filters.around[index]
  if (step === undefined) return runBefore(run, 0)
  const inside = new Inside(() => runAround(run, index + 1))
  return whenThere(callFilter(step, run.controller, run, inside.next), (result) => {
    // a filter that answers need not wait for its inside (it may have been too slow)
    if (result instanceof Rendered) return keepRendered(run, 'inside', result)
    return whenThere(inside.finished(), () => mustHaveOutcome(run, inside))
  })
}

function mustHaveOutcome(run: Run, { failure }: Inside): void {
  if (run.outcome !== null) return
  const message = `${run.prepared.route.id}: an around filter neither rendered nor went on`
  throw failure === undefined ? new Error(message) : new Error(message, { cause: failure })
}

/** The before filters from `index` on, then the action; a filter that renders ends them. */
function runBefore(run: Run, from: number): Soon<void> {
  const { before } = run.prepared.filters
  for (let index = from; index < before.length; index++) {
    const done = runFilter(run, 'inside', before[index])
    if (isPending(done))
      return done.then(() => (run.outcome === null ? runBefore(run, index + 1) : undefined))
    if (run.outcome !== null) return
  }
  return runAction(run)
}

function runAfter(run: Run, from: number): Soon<void> {
  const { after } = run.prepared.filters
  for (let index = from; index < after.length; index++) {
    const done = runFilter(run, 'after', after[index])
    if (isPending(done)) return done.then(() => runAfter(run, index + 1))
  }
}

function runFilter(run: Run, phase: Phase, step: FilterStep | undefined): Soon<void> {
  if (step === undefined) return
  const result = callFilter(step, run.controller, run)
  if (isPending(result)) return result.then((value) => keepRendered(run, phase, value))
  return keepRendered(run, phase, result)
}

function keepRendered(run: Run, phase: Phase, result: unknown): Soon<void> {
  if (!(result instanceof Rendered)) return
  return whenThere(answerOf(run, result, ''), (outcome) => keep(run, phase, outcome))
}

/** A filter may answer in place of what was rendered before it; what comes after its phase is too late. */
function keep(run: Run, phase: Phase, outcome: Outcome): void {
  const dropped = run.phase === phase ? run.outcome : outcome
  if (run.phase === phase) run.outcome = outcome
  if (dropped !== null) discard(dropped)
}

function runAction(run: Run): Soon<void> {
  const { params, readsBody, formats } = run.prepared
  refuseMistake(run.request)
  const type = answerType(run)
  if (readsBody) checkContentType(run.request.body, formats)
  return withArguments(params, run, (args) => callAction(run, type, args))
}

function refuseMistake(request: HttpRequest): void {
  const mistake = toolCallOf(request)?.mistake ?? null
  if (mistake !== null) throw mistake
}

function callAction(run: Run, type: string, args: readonly unknown[]): Soon<void> {
  const result = run.prepared.route.call(run.controller, args)
  if (isLater(result)) return Promise.resolve(result).then((value) => keepAnswer(run, type, value))
  return keepAnswer(run, type, result)
}

function keepAnswer(run: Run, type: string, result: unknown): Soon<void> {
  const outcome = answerOf(run, result, type)
  if (isPending(outcome)) return outcome.then((made) => keep(run, 'inside', made))
  keep(run, 'inside', outcome)
}

/** Throws `NotAcceptable` where the type is negotiated and cannot be. */
function answerType({ request, prepared: { negotiates, fixedType, formats } }: Run): string {
  if (fixedType !== null) return fixedType
  const accept = headerText(request, 'accept')
  return negotiates ? responseType(accept, formats) : likedResponseType(accept, formats)
}

/** Serialises, so that a failure can still be handled (reference W7). */
function answerOf(run: Run, result: unknown, type: string): Soon<Outcome> {
  const { request, prepared } = run
  if (result instanceof Rendered) return whenThere(renderedOutcome(result, request), checked)
  const { route, formats, fixedType, encode } = prepared
  const status = statusOf(route, result)
  return valueOutcome(result, { status, fixedType, type, request, formats, encode })
}

function checked(outcome: Outcome): Outcome {
  checkHeaders(outcome.headers)
  return outcome
}

/** The first class that fits the value decides (annotations.md, `@returns`). */
function statusOf({ status, statuses }: Route, value: unknown): number {
  for (const declared of statuses) if (value instanceof declared.type) return declared.status
  return status
}

function finish(run: Run): Soon<Outcome> {
  run.phase = 'after'
  const after = runAfter(run, 0)
  return isPending(after) ? after.then(() => completed(run)) : completed(run)
}

function completed({ outcome, prepared, response }: Run): Outcome {
  if (outcome === null) throw new Error(`${prepared.route.id}: nothing was rendered`)
  return response.complete(outcome)
}

function rescue(run: Run, error: unknown): Soon<Outcome> {
  run.phase = 'over'
  rememberHeaders(run.request, run.response)
  if (run.outcome !== null || passesHandlers(error)) throw error
  const { controller, response, prepared } = run
  const answer = answerException({ handlers: prepared.handlers, controller, response, input: run, error })
  return whenThere(answer, (outcome) => response.complete(checked(outcome)))
}
