/** A tool that is a route. */
import type { HttpRequest, HttpResponse, MaybePromise, RunGuards } from '../../contract/http.ts'
import type { Catalogue, ResourceEntry, ToolEntry } from '../../contract/mcp.ts'
import type { Route } from '../../contract/route.ts'
import type { Logger } from '../../contract/store.ts'
import { CapabilityRequired, errorName, InputDeclined, InputRequired, ProblemError } from '../../errors.ts'
import { bearerOf } from '../../http/access/bearer.ts'
import type { Scopes } from '../../scopes.ts'
import { changeOf } from '../../surface.ts'
import { type Denial, denialIn } from '../access/lacking.ts'
import type { TellMore } from '../access/step-up.ts'
import { type AnswerLimits, type AnswerSettings, answerSettings } from '../answers/answered-call.ts'
import {
  locationOf,
  statusLine,
  type ToolContents,
  type toContents,
  wrongArguments,
} from '../answers/result.ts'
import { headersWith } from '../auth/credentials.ts'
import type { CallRecords } from '../calls/call-records.ts'
import type { RunCall } from '../calls/run-call.ts'
import {
  type CallEnd,
  endedCall,
  failedCall,
  type GuardedCall,
  type GuardVerdict,
  type Runner,
  refusedAnswer,
  type ToolAnswer,
  type ToolCall,
} from '../calls/tool-answer.ts'
import { toolRequests } from '../calls/tool-request.ts'
import { UnknownArguments } from '../calls/unknown-arguments.ts'
import type { CountCall } from '../limits/limits.ts'
import { type Refusal, refusalByRoute } from '../protocol/http-refusal.ts'
import { paramHeaderCheck } from '../protocol/param-headers.ts'
import { type AnswerPlaces, answerPlaces, withAnswers } from '../questions/answers.ts'
import { askClient } from '../questions/ask.ts'
import type { RequestStates } from '../questions/request-state.ts'
import { declaredCapabilities, RouteToolCaller } from './tool-context.ts'

/** What a tool must know of its route. */
export type ToolRoute = Pick<Route, 'verb' | 'path' | 'readOnly' | 'scope' | 'questions'>

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
  readonly records: CallRecords
  readonly runCall: RunCall
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
  /** The arguments are what a user has written (a prompt's), and are read as texts; absent = as JSON. */
  readonly areTexts?: true
  /** What becomes of the route's answer. */
  readonly toContents: typeof toContents
}

/** Runs the route with the arguments where it reads them; what it throws is a failed call, or speaks to the client. */
export function routeTool(tool: ToolEntry, route: ToolRoute, options: RouteToolOptions): Runner {
  const { forwardHeaders, areTexts = false } = options
  const requestOf = toolRequests(tool, route, { headersFor: headersWith(forwardHeaders), areTexts })
  const places = route.questions === undefined ? [] : answerPlaces(route.questions, tool.arguments)
  const setup = { tool, route, options, places, answers: answerSettings(tool, route.verb, options) }
  const run = async (call: ToolCall): Promise<CallEnd> => {
    const caller = new RouteToolCaller(call, options.toolsChanged)
    let { args } = call
    try {
      if (places.length > 0) args = withAnswers(args, call.message, places)
      const request = requestOf(caller, args)
      const outcome = await options.invoke(tool.route, request)
      const stored = request.commitSession()
      if (stored !== null) await stored
      if (caller.expired !== null) return endedCall({ tool, args }, late(caller.expired), 503)
      if (caller.raised !== null) return thrown(caller.raised, { ...setup, call, caller, args })
      const { status } = outcome
      const denial = denialOf(outcome, call, setup)
      const refusal = refusalOf(outcome, denial, call, setup)
      const answer =
        refusal === null
          ? answerOf(outcome, denial, { call, url: request.url }, setup)
          : refusedAnswer(refusal)
      return {
        answer: answer instanceof Promise ? await answer : answer,
        tool,
        args,
        status,
        denied: denial?.status ?? (status === 429 ? 429 : null),
        accepted: status === 202 ? locationOf(outcome, options.baseUrl + request.path) : null,
        refusedBy: outcome.refusedBy,
      }
    } catch (error) {
      if (caller.expired !== null) return endedCall({ tool, args }, late(caller.expired), 503)
      return thrown(error, { ...setup, call, caller, args })
    }
  }
  const guarded = (call: ToolCall): GuardedCall => {
    const request = madeRequest(() => requestOf(new RouteToolCaller(call, options.toolsChanged), call.args))
    const judge = async (): Promise<GuardVerdict | null> => {
      const outcome = request && (await options.guard(tool.route, request))
      return outcome && { refusal: refusalOf(outcome, denialOf(outcome, call, setup), call, setup) }
    }
    return { required: route.scope, judge, refusal: async () => (await judge())?.refusal ?? null }
  }
  const subject: Runner['subject'] = ({ args }) => ({ tool, args })
  return { run, subject, guarded, checkHeaders: paramHeaderCheck(tool.inputSchema) }
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
  { client: { permission } }: ToolCall,
  { route, options: { scopes } }: ToolSetup,
): Denial | null {
  if (scopes.declared.length === 0) return null
  return denialIn(
    outcome,
    { required: route.scope, change: changeOf(route), holder: permission.holder },
    scopes,
  )
}

/** A client that passed without a bearer is not told to renew it: the model reads that a sign-in is needed. Source: decisions/mcp.md,
 *  Scopes. */
function refusalOf(
  outcome: HttpResponse,
  denial: Denial | null,
  { client: { request } }: ToolCall,
  { options: { authenticates } }: ToolSetup,
): Refusal | null {
  if (!authenticates || (denial?.status === 401 && bearerOf(request) === null)) return null
  return refusalByRoute(outcome)
}

function answerOf(
  outcome: HttpResponse,
  denial: Denial | null,
  { call, url }: { readonly call: ToolCall; readonly url: string },
  { answers: settings, options, tool: { outputSchema } }: ToolSetup,
): MaybePromise<ToolAnswer> {
  const why = denial?.words ?? waitWords(outcome)
  const made = options.toContents(outcome, { settings, args: call.args, calledAs: call.name, url, why })
  const answered = (contents: ToolContents): ToolAnswer => ({ kind: 'contents', contents, outputSchema })
  return made instanceof Promise ? made.then(answered) : answered(made)
}

/** What a model can do about one call too many. */
function waitWords({ status, headers }: HttpResponse): string {
  const seconds = Number(headers['retry-after'])
  return status === 429 && seconds > 0 ? `Wait ${seconds} seconds before the next call of this tool.` : ''
}

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
  readonly args: ToolCall['args']
}

function thrown(error: unknown, running: RunningCall): CallEnd {
  const { answer, status } = answerToThrown(error, running)
  const end = endedCall(running, answer, status)
  return error instanceof ProblemError ? { ...end, problem: error } : end
}

function answerToThrown(
  error: unknown,
  { call, caller, tool, options, places }: RunningCall,
): Pick<CallEnd, 'answer' | 'status'> {
  if (error instanceof CapabilityRequired) {
    const { capability } = error
    if (declaredCapabilities(call.message) === null)
      return {
        answer: failedCall(`${tool.name} needs a client of MCP 2026-07-28 with '${capability}'`),
        status: null,
      }
    return {
      answer: refusedAnswer({ kind: 'missingCapability', required: { [capability]: {} } }),
      status: null,
    }
  }
  if (error instanceof InputRequired) {
    const read = caller.read ?? []
    return askClient(error, { call, tool: tool.name, places, read, states: options.states })
  }
  if (error instanceof ProblemError)
    return { answer: failedCall(`${statusLine(error)}\n${error.message}`), status: error.status }
  if (error instanceof InputDeclined) return { answer: failedCall(error.message), status: null }
  if (error instanceof UnknownArguments)
    return { answer: failedCall(wrongArguments(error.message, tool)), status: 400 }
  options.log.error({ tool: tool.name, error: errorName(error) }, 'a tool call threw')
  return { answer: failedCall('500 Internal Server Error\ninternal error'), status: 500 }
}

/** The model is told in production too: nothing of the application is in it. */
const late = ({ message }: Error): ToolAnswer => failedCall(`503 Service Unavailable\n${message}`)
