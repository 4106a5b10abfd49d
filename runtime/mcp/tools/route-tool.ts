/** A tool that is a route. */
import type { HttpRequest, HttpResponse, MaybePromise, RunGuards } from '../../contract/http.ts'
import type { Catalogue, ResourceEntry, ToolEntry } from '../../contract/mcp.ts'
import type { Route } from '../../contract/route.ts'
import type { Logger } from '../../contract/store.ts'
import { CapabilityRequired, errorName, InputDeclined, InputRequired } from '../../errors.ts'
import { bearerOf } from '../../http/access/bearer.ts'
import type { Scopes } from '../../scopes.ts'
import { type Denial, denialIn } from '../access/denial.ts'
import type { TellMore } from '../access/step-up.ts'
import { type AnswerLimits, type AnswerSettings, answerSettings } from '../answers/answered-call.ts'
import { headersWith } from '../auth/credentials.ts'
import type { RecordCall } from '../call-records.ts'
import type { CountCall } from '../limits/limits.ts'
import type { RunningCalls } from '../limits/running-calls.ts'
import { type Refusal, refusalByRoute } from '../protocol/http-refusal.ts'
import { paramHeaderCheck } from '../protocol/param-headers.ts'
import type { RequestStates } from '../protocol/request-state.ts'
import { type AnswerPlaces, answerPlaces, withAnswers } from '../questions/answers.ts'
import { askClient } from '../questions/ask.ts'
import { failure, locationOf, type ToolContents, type toContents, wrongArguments } from './result.ts'
import type { GuardedCall, GuardVerdict, Runner, ToolAnswer, ToolCall } from './tool-answer.ts'
import { declaredCapabilities, RouteToolCaller } from './tool-context.ts'
import { toolRequests } from './tool-request.ts'
import { UnknownArguments } from './unknown-arguments.ts'

/** What a tool must know of its route. */
export type ToolRoute = Pick<Route, 'verb' | 'path' | 'scope' | 'questions'>

/** What running tools needs; `invoke` runs a route through the pipeline that HTTP requests go through. */
export interface ToolOptions extends AnswerLimits {
  readonly baseUrl: string
  readonly catalogue: Catalogue
  readonly invoke: (routeId: string, request: HttpRequest) => Promise<HttpResponse>
  /** The guards of a route alone. */
  readonly guard: RunGuards
  readonly routes: ReadonlyMap<string, ToolRoute>
  /** What the application declares. */
  readonly scopes: Scopes
  readonly log: Logger
  readonly production: boolean
  /** The headers of a client that its calls carry beside its credentials, in lower case. */
  readonly forwardHeaders: readonly string[]
  /** Exceptions by tool. */
  readonly answerCharsOf: ReadonlyMap<string, number>
}

/** What the tools get from the endpoint. */
export interface ToolDependencies {
  /** Whether a route's 401 is the endpoint's to answer. */
  readonly authenticates: boolean
  readonly countCall: CountCall
  readonly running: RunningCalls
  readonly recordCall: RecordCall
  readonly states: RequestStates
  readonly toolsChanged: () => void
  readonly tellMore: TellMore
}

/** What a tool needs to run its route; `answerChars` are its own. */
export interface RouteToolOptions
  extends AnswerLimits,
    Pick<ToolOptions, 'baseUrl' | 'invoke' | 'guard' | 'scopes' | 'log' | 'production' | 'forwardHeaders'>,
    Pick<ToolDependencies, 'authenticates' | 'toolsChanged'> {
  readonly states: Pick<RequestStates, 'seal'>
  /** Those that may read the same as the tool. */
  readonly resources: readonly ResourceEntry[]
  /** What becomes of the route's answer. */
  readonly toContents: typeof toContents
}

/** Runs the route with the arguments where it reads them; what it throws is a failed call, or speaks to the client. */
export function routeTool(tool: ToolEntry, route: ToolRoute, options: RouteToolOptions): Runner {
  const requestOf = toolRequests(tool, route, headersWith(options.forwardHeaders))
  const places = route.questions === undefined ? [] : answerPlaces(route.questions, tool.arguments)
  const setup = { tool, route, options, places, answers: answerSettings(tool, route.verb, options) }
  const run = async (call: ToolCall): Promise<ToolAnswer> => {
    call.note.tool = tool
    call.note.args = call.args
    const caller = new RouteToolCaller(call, options.toolsChanged)
    try {
      const args = places.length === 0 ? call.args : withAnswers(call.args, call.message, places)
      call.note.args = args
      const request = requestOf(caller, args)
      const outcome = await options.invoke(tool.route, request)
      request.commitSession()
      if (caller.expired !== null) return late(caller.expired, call)
      if (caller.raised !== null) return thrown(caller.raised, { ...setup, call, caller })
      call.note.status = outcome.status
      if (outcome.status === 202) call.note.accepted = locationOf(outcome, options.baseUrl + request.path)
      const denial = denialOf(outcome, call, setup)
      call.note.denied = denial?.status ?? (outcome.status === 429 ? 429 : null)
      const refusal = refusalOf(outcome, denial, call, setup)
      if (refusal !== null) return refused(refusal)
      const made = contentsOf(outcome, denial, { call, url: request.url }, setup)
      const contents = made instanceof Promise ? await made : made
      return { kind: 'contents', contents, outputSchema: tool.outputSchema }
    } catch (error) {
      return caller.expired === null ? thrown(error, { ...setup, call, caller }) : late(caller.expired, call)
    }
  }
  const guarded = (call: ToolCall): GuardedCall => {
    call.note.tool = tool
    call.note.args = call.args
    const request = madeRequest(() => requestOf(new RouteToolCaller(call, options.toolsChanged), call.args))
    const judge = async (): Promise<GuardVerdict | null> => {
      const outcome = request && (await options.guard(tool.route, request))
      return outcome && { refusal: refusalOf(outcome, denialOf(outcome, call, setup), call, setup) }
    }
    return { required: route.scope, judge, refusal: async () => (await judge())?.refusal ?? null }
  }
  return { run, guarded, checkHeaders: paramHeaderCheck(tool.inputSchema) }
}

/** Null where arguments cannot be put into it, nested too deeply: such a call fails when it runs, and reaches no route. */
function madeRequest(make: () => HttpRequest): HttpRequest | null {
  try {
    return make()
  } catch {
    return null
  }
}

/** Null where no scopes are declared. */
function denialOf(
  outcome: HttpResponse,
  { permission: { holder } }: ToolCall,
  { route: { scope: required }, options: { scopes } }: ToolSetup,
): Denial | null {
  return scopes.declared.length === 0 ? null : denialIn(outcome, { required, holder }, scopes)
}

/** Who passed the endpoint without a bearer is not told to renew it: the model reads that a sign-in is needed. Source: decisions/mcp.md,
 *  Scopes. */
function refusalOf(
  outcome: HttpResponse,
  denial: Denial | null,
  { client }: ToolCall,
  { options: { authenticates } }: ToolSetup,
): Refusal | null {
  if (!authenticates || (denial?.status === 401 && bearerOf(client) === null)) return null
  return refusalByRoute(outcome)
}

function contentsOf(
  outcome: HttpResponse,
  denial: Denial | null,
  { call, url }: { readonly call: ToolCall; readonly url: string },
  { answers: settings, options }: ToolSetup,
): MaybePromise<ToolContents> {
  const why = denial?.words ?? waitWords(outcome)
  return options.toContents(outcome, { settings, args: call.args, calledAs: call.name, url, why })
}

/** What a model can do about one call too many. */
function waitWords({ status, headers }: HttpResponse): string {
  const seconds = Number(headers['retry-after'])
  return status === 429 && seconds > 0 ? `Wait ${seconds} seconds before the next call of this tool.` : ''
}

const refused = (refusal: Refusal): ToolAnswer => ({ kind: 'refused', refusal })

/** A tool and what it needs. */
interface ToolSetup {
  readonly tool: ToolEntry
  readonly route: ToolRoute
  readonly options: RouteToolOptions
  readonly places: AnswerPlaces
  readonly answers: AnswerSettings
}

interface RunningCall extends ToolSetup {
  readonly call: ToolCall
  readonly caller: RouteToolCaller
}

function thrown(error: unknown, { call, caller, tool, options, places }: RunningCall): ToolAnswer {
  if (error instanceof CapabilityRequired) {
    const { capability } = error
    if (declaredCapabilities(call.message) === null)
      return failed(`${tool.name} needs a client of MCP 2026-07-28 with '${capability}'`)
    return refused({ kind: 'missingCapability', required: { [capability]: {} } })
  }
  if (error instanceof InputRequired) {
    return askClient(error, {
      call,
      tool: tool.name,
      places,
      read: caller.read ?? [],
      states: options.states,
    })
  }
  if (error instanceof InputDeclined) return failed(error.message)
  if (error instanceof UnknownArguments) {
    call.note.status = 400
    return failed(wrongArguments(error.message, tool))
  }
  options.log.error({ tool: tool.name, error: errorName(error) }, 'a tool call threw')
  call.note.status = 500
  return failed('500 Internal Server Error\ninternal error')
}

/** The model is told in production too: nothing of the application is in it. */
function late({ message }: Error, { note }: ToolCall): ToolAnswer {
  note.status = 503
  return failed(`503 Service Unavailable\n${message}`)
}

const failed = (text: string): ToolAnswer => ({
  kind: 'contents',
  contents: { kind: 'result', result: failure(text) },
  outputSchema: null,
})
