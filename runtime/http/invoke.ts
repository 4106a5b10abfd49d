/** One route, one function: the pipeline that every way in shares (HTTP, tool calls, tests).
 *  Order: around filters → before filters → Accept → Content-Type → parameters → action → serialise → after filters;
 *  exceptions go to the route's handlers. Source: house.md; specification, Exception handlers. */
import type {
  HttpRequest,
  Next,
  Outcome,
  ParamDecoder,
  Route,
  RouteCodec,
  RouteFilter,
  Services,
} from '../contract.ts'
import { ForMcpClient, PayloadTooLarge } from '../errors.ts'
import { checkContentType, type ParsedBody, parseBody } from './body.ts'
import { attach, mcpCallOf, Rendered, ResponseHeaders } from './controller.ts'
import { type ParamInput, readArguments, readOptionalArguments } from './params.ts'
import { handlerResponseType, renderedOutcome, responseType, valueOutcome } from './respond.ts'

interface FilterStep {
  readonly filter: RouteFilter
  readonly decoders: readonly ParamDecoder[]
}

/** A route with its decoders, prepared once at boot. */
export interface PreparedRoute {
  readonly route: Route
  readonly codec: RouteCodec
  readonly around: readonly FilterStep[]
  readonly before: readonly FilterStep[]
  readonly after: readonly FilterStep[]
  readonly readsBody: boolean
}

/** Sorts a route's filters by kind. Throws when the bundle's decoders do not fit the route table. */
export function prepareRoute(route: Route, codec: RouteCodec | undefined): PreparedRoute {
  if (codec === undefined || codec.filters.length !== route.filters.length) {
    throw new Error(`the bundle has no decoders for ${route.id}: run acmcp build`)
  }
  const steps = route.filters.map((filter, index) => ({ filter, decoders: codec.filters[index] ?? [] }))
  const of = (when: RouteFilter['when']): FilterStep[] => steps.filter((step) => step.filter.when === when)
  const readsBody = codec.params.some((param) => param.from === 'body' || param.from === 'field')
  return { route, codec, around: of('around'), before: of('before'), after: of('after'), readsBody }
}

/** One run of a route. `outcome` is set as soon as something was rendered. */
interface Run {
  readonly prepared: PreparedRoute
  readonly controller: object
  readonly request: HttpRequest
  readonly headers: ResponseHeaders
  readonly input: ParamInput
  outcome: Outcome | null
}

/** Runs a route. An exception without a handler, or raised after something was rendered, is thrown
 *  (specification, Exception handlers 11; Unhandled exceptions). */
export async function invoke(
  prepared: PreparedRoute,
  request: HttpRequest,
  services: Services,
): Promise<Outcome> {
  const run = begin(prepared, request, services)
  try {
    await runAround(run, 0)
  } catch (error) {
    if (run.outcome !== null || error instanceof PayloadTooLarge) throw error
    return withHeaders(run, await handle(run, error))
  }
  if (run.outcome === null)
    throw new Error(`${prepared.route.id}: an around filter neither rendered nor went on`)
  await runAfter(run)
  return withHeaders(run, run.outcome)
}

/** The answer with the headers that the controller and its filters set. */
function withHeaders(run: Run, { status, headers, body }: Outcome): Outcome {
  return { status, headers: { ...run.headers.toRecord(), ...headers }, body }
}

function begin(prepared: PreparedRoute, request: HttpRequest, services: Services): Run {
  const controller = prepared.route.create()
  const response = new ResponseHeaders()
  attach(controller, { request, response, services })
  let parsed: Promise<ParsedBody> | null = null
  const body = (): Promise<ParsedBody> => {
    parsed ??= parseBody(request.body)
    return parsed
  }
  return { prepared, controller, request, headers: response, input: { request, body }, outcome: null }
}

async function runAround(run: Run, index: number): Promise<void> {
  const step = run.prepared.around[index]
  if (step === undefined) return runInner(run)
  await runFilter(run, step, () => runAround(run, index + 1))
}

async function runFilter(run: Run, step: FilterStep, next: Next): Promise<void> {
  const args = await readArguments(step.decoders, run.input)
  const result = await step.filter.call(run.controller, args, next)
  if (result instanceof Rendered) run.outcome = await renderedOutcome(result)
}

const nothingNext: Next = async () => {}

async function runInner(run: Run): Promise<void> {
  for (const step of run.prepared.before) {
    await runFilter(run, step, nothingNext)
    if (run.outcome !== null) return
  }
  const { route, codec } = run.prepared
  const type = route.produces ?? responseType(headerText(run.request, 'accept'))
  if (run.prepared.readsBody) checkContentType(run.request.body)
  const args = await readArguments(codec.params, run.input)
  const result = await route.call(run.controller, args)
  run.outcome =
    result instanceof Rendered
      ? await renderedOutcome(result)
      : await valueOutcome(result, { status: route.status, type })
}

async function runAfter(run: Run): Promise<void> {
  for (const step of run.prepared.after) await runFilter(run, step, nothingNext)
}

/** The first handler whose class fits answers; ancestors stand first in the list (specification, Exception handlers 10). */
async function handle(run: Run, error: unknown): Promise<Outcome> {
  if (isForMcpClient(error, run.request)) throw error
  const { route, codec } = run.prepared
  const index = route.handlers.findIndex((handler) => fits(handler, error))
  const handler = route.handlers[index]
  if (handler === undefined) throw error
  run.headers.clearEntityHeaders()
  const args = await readOptionalArguments(codec.handlers[index] ?? [], run.input)
  const result = await handler.call(run.controller, error, args)
  if (result instanceof Rendered) return renderedOutcome(result)
  if (handler.status === null && result === undefined) throw error
  const type = handler.contentType ?? handlerResponseType(headerText(run.request, 'accept'))
  return valueOutcome(result, { status: handler.status ?? 200, type })
}

/** Whether the error speaks to the MCP client that runs the route as a tool: it passes every handler. */
export function isForMcpClient(error: unknown, request: HttpRequest): boolean {
  return error instanceof ForMcpClient && mcpCallOf(request) !== null
}

function fits(handler: Route['handlers'][number], error: unknown): boolean {
  if (!(error instanceof handler.error)) return false
  if (handler.match === null) return true
  const { property, value } = handler.match
  return new Map<string, unknown>(Object.entries(error as object)).get(property) === value // instanceof: an object
}

/** A header as one text, or null. */
export function headerText(request: Pick<HttpRequest, 'headers'>, name: string): string | null {
  const value = request.headers[name]
  if (value === undefined) return null
  return typeof value === 'string' ? value : value.join(', ')
}
