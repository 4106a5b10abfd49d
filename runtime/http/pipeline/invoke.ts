/** One route, one function: the pipeline that every way in shares (HTTP, tool calls, tests).
 *  Order: guards → controller → around filters → before filters → Accept → Content-Type → parameters → action →
 *  serialise → after filters; exceptions go to the route's handlers. Source: house.md; specification, Exception handlers. */
import type { Guard, HttpRequest, MaybePromise, Outcome } from '../../contract/http.ts'
import type { ParamDecoder, Route, RouteCodec } from '../../contract/route.ts'
import type { Services } from '../../contract/store.ts'
import { passesHandlers } from '../../errors.ts'
import { checkContentType, type ParsedBody, parseBody } from '../input/body.ts'
import { type ArgumentReader, argumentReaders, type ParamInput, readArguments } from '../input/params.ts'
import { Uploads } from '../input/uploads.ts'
import { discard, releaseAfter } from '../output/byte-stream.ts'
import { createFormats, type Formats, withoutFiles } from '../output/formats.ts'
import { likedResponseType, renderedOutcome, responseType, valueOutcome } from '../output/respond.ts'
import { checkHeaders, ResponseHeaders, rememberHeaders } from '../output/response-headers.ts'
import { attach, type Context, Rendered, toolCallOf } from './controller.ts'
import { AroundCall, type FilterStep, type PreparedFilters, prepareFilters } from './filters.ts'
import { guardsOf, refusalBy } from './guards.ts'
import { answerException, type PreparedHandler, prepareHandlers } from './handlers.ts'
import { headerText } from './request-header.ts'

/** A route with its decoders, filters and handlers, resolved once at boot. */
export interface PreparedRoute {
  readonly route: Route
  /** What is asked before a controller exists. */
  readonly guards: readonly Guard[]
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
    guards: guardsOf(route, baseUrl),
    filters: prepareFilters(route, codec),
    params: argumentReaders(codec.params),
    handlers: prepareHandlers(route, codec, formats),
    readsBody: codec.params.some((param) => param.from === 'body' || param.from === 'field'),
    formats: [codec.params, ...codec.filters].some(takesFile) ? formats : withoutFiles(formats),
    negotiates: route.produces === null,
    fixedType: route.produces === ownType ? null : route.produces,
    encode: codec.encode ?? null,
  }
}

/** Files travel as fields of their own (annotations.md, Parameters). */
const takesFile = (decoders: readonly ParamDecoder[]): boolean =>
  decoders.some(({ from, codec }) => from === 'field' && /\bUploadedFile\b/.test(codec.restriction))

/** `Route.produces` where the answer names its own type. */
const ownType = '*/*'

/** Runs a route for a request that its guards let pass. Rejects with an exception without a handler, or raised after
 *  something was rendered (specification, Exception handlers 11; Unhandled exceptions). */
export async function invoke(
  prepared: PreparedRoute,
  request: HttpRequest,
  services: Services,
): Promise<Outcome> {
  const refusal = prepared.guards.length === 0 ? null : await refusalBy(prepared.guards, request)
  return refusal ?? (await invokeGuarded(prepared, request, services))
}

/** The same when the guards have been asked: a WebSocket upgrade asks them before it looks at the handshake. */
export async function invokeGuarded(
  prepared: PreparedRoute,
  request: HttpRequest,
  services: Services,
): Promise<Outcome> {
  const run = new Run(prepared, request, services)
  try {
    return await release(run, await outcomeOf(run))
  } catch (error) {
    discard(run.outcome)
    await run.uploads?.release()
    throw error
  }
}

async function outcomeOf(run: Run): Promise<Outcome> {
  const { filters, route } = run.prepared
  try {
    await runAround(run, 0)
    run.phase = 'after'
    for (const step of filters.after) await runFilter(run, 'after', step)
    if (run.outcome === null) throw new Error(`${route.id}: nothing was rendered`)
    return run.response.complete(run.outcome)
  } catch (error) {
    return rescue(run, error)
  }
}

/** Uploaded files are deleted when the answer has been read to its end. */
function release({ uploads }: Run, outcome: Outcome): MaybePromise<Outcome> {
  const isNone = uploads === null || uploads.isEmpty
  return isNone ? outcome : releaseAfter(outcome, () => uploads.release())
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
  #body: Promise<ParsedBody> | null = null
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

  parsedBody(): Promise<ParsedBody> {
    this.#body ??= this.#parse()
    return this.#body
  }

  #parse(): Promise<ParsedBody> {
    this.uploads = new Uploads()
    return parseBody(this.request, this.prepared.formats, this.uploads)
  }
}

/** The around filters from `index` on, the outermost first, and what they enclose. */
function runAround(run: Run, index: number): Promise<void> {
  const step = run.prepared.filters.around[index]
  return step === undefined ? runInside(run) : runAroundFilter(run, step, index)
}

async function runAroundFilter(run: Run, step: FilterStep, index: number): Promise<void> {
  const inside = new AroundCall(() => runAround(run, index + 1))
  const args = await readArguments(step.readers, run)
  const result = await step.filter.call(run.controller, args, inside.next)
  // a filter that answers need not wait for its inside (it may have been too slow)
  if (result instanceof Rendered) return keepRendered(run, 'inside', result)
  await inside.finished()
  mustHaveOutcome(run, inside)
}

function mustHaveOutcome(run: Run, { failure }: AroundCall): void {
  if (run.outcome !== null) return
  const message = `${run.prepared.route.id}: an around filter neither rendered nor went on`
  throw failure === undefined ? new Error(message) : new Error(message, { cause: failure })
}

const nothingNext = async (): Promise<void> => {}

/** The before filters, then the action; a filter that renders ends them. */
async function runInside(run: Run): Promise<void> {
  const { route, filters, params, readsBody, formats } = run.prepared
  for (const step of filters.before) {
    await runFilter(run, 'inside', step)
    if (run.outcome !== null) return
  }
  refuseMistake(run.request)
  const type = answerType(run)
  if (readsBody) checkContentType(run.request.body, formats)
  const result = await route.call(run.controller, await readArguments(params, run))
  keep(run, 'inside', await answerOf(run, result, type))
}

async function runFilter(run: Run, phase: Phase, { filter, readers }: FilterStep): Promise<void> {
  const result = await filter.call(run.controller, await readArguments(readers, run), nothingNext)
  if (result instanceof Rendered) await keepRendered(run, phase, result)
}

async function keepRendered(run: Run, phase: Phase, result: Rendered): Promise<void> {
  keep(run, phase, await answerOf(run, result, ''))
}

/** A filter may answer in place of what was rendered before it; what comes after its phase is too late. */
function keep(run: Run, phase: Phase, outcome: Outcome): void {
  const dropped = run.phase === phase ? run.outcome : outcome
  if (run.phase === phase) run.outcome = outcome
  if (dropped !== null) discard(dropped)
}

function refuseMistake(request: HttpRequest): void {
  const mistake = toolCallOf(request)?.mistake ?? null
  if (mistake !== null) throw mistake
}

/** Throws `NotAcceptable` where the type is negotiated and cannot be. */
function answerType({ request, prepared: { negotiates, fixedType, formats } }: Run): string {
  if (fixedType !== null) return fixedType
  const accept = headerText(request, 'accept')
  return negotiates ? responseType(accept, formats) : likedResponseType(accept, formats)
}

/** Serialises, so that a failure can still be handled (reference W7). */
function answerOf(run: Run, result: unknown, type: string): MaybePromise<Outcome> {
  const { request, prepared } = run
  if (result instanceof Rendered) return renderedOutcome(result, request).then(checked)
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

async function rescue(run: Run, error: unknown): Promise<Outcome> {
  run.phase = 'over'
  rememberHeaders(run.request, run.response)
  if (run.outcome !== null || passesHandlers(error)) throw error
  const { controller, response, prepared } = run
  const { handlers } = prepared
  return response.complete(
    checked(await answerException({ handlers, controller, response, input: run, error })),
  )
}
