/** What an optional part of the server does at the MCP endpoint. */
import type { Resource, ServerCapabilities } from '@modelcontextprotocol/server'
import type { ObserveCall } from '../contract/calls.ts'
import type { MaybePromise } from '../contract/http.ts'
import type { Catalogue, ToolEntry } from '../contract/mcp.ts'
import type { Clock } from '../contract/store.ts'
import type { Scheduler } from '../scheduler.ts'
import type { AnswerSettings } from './answers/answered-call.ts'
import type { RunCallOptions } from './calls/run-call.ts'
import type { CallEnd, Runner, ToolCall } from './calls/tool-answer.ts'
import type { McpMethods, MethodCall } from './method.ts'
import type { PageSettings } from './page/connect-page.ts'
import type { Era } from './protocol/constants.ts'
import type { Refusal } from './protocol/http-refusal.ts'
import type { RequestStates } from './questions/request-state.ts'
import type { Posted } from './serving/fast-path.ts'
import type { ToolDependencies, ToolOptions } from './tools/route-tool.ts'

/** Wraps each tool call, and each prompt and resource that a route answers. `next` runs it, and may be called again. `states` seals what a
 *  client must bring back. */
export type WrapCall = (
  call: ToolCall,
  next: () => Promise<CallEnd>,
  states: Pick<RequestStates, 'seal'>,
) => Promise<CallEnd>

export interface McpPart {
  /** Is told of every tool call, beside the log. */
  readonly observe?: ObserveCall
  /** Names of extensions that it has elsewhere, for clients to know. */
  readonly extensions?: readonly string[]
  /** What clients may be that sign in here, for the page at the address. */
  readonly admits?: Partial<NonNullable<PageSettings['page']>['admits']>
  /** The first part is the outermost. */
  readonly call?: WrapCall
  /** Called with the first request that comes to the endpoint, before it is answered. */
  readonly endpoint?: (room: McpRoom) => MaybePromise<EndpointPart>
  /** A credential of that user has been revoked, null = maybe of any user. */
  readonly userRevoked?: (userId: string | null) => void
}

/** The endpoint as its parts see it. */
export interface McpRoom {
  readonly options: ToolOptions & EndpointTimes & { readonly listPageSize: number }
  readonly deps: ToolDependencies & {
    /** What lies around each run, where what a client must bring back is sealed so. */
    readonly wrapsFor: (states: Pick<RequestStates, 'seal'>) => RunCallOptions['wraps']
  }
  /** For how long clients may keep what is the same until the next build. */
  readonly cache: KeptBy
}

interface EndpointTimes {
  readonly clock: Clock
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  readonly every: Scheduler
}

export interface KeptBy {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

export interface EndpointPart {
  /** Of the protocol and its extensions. */
  readonly methods?: McpMethods
  /** What clients are told that there is; `extensions` of all parts are one list. */
  readonly capabilities?: (era: Era) => ServerCapabilities
  /** Resources beside those of the application. */
  readonly resources?: ResourceSource
  /** Why a message is not served, whose method may be of another part; null = it is. */
  readonly refusal?: (posted: Posted) => Refusal | null
  /** What clients call in place of a tool; null = the tool itself. */
  readonly runner?: (tool: OwnTool) => Runner | null
}

export interface ResourceSource {
  readonly listed: (seen: Catalogue) => readonly Resource[]
  /** A result of `resources/read`; null = it has no such address. */
  readonly read: (uri: string, call: Omit<MethodCall, 'params'>) => object | null
}

/** A tool of the application. */
export interface OwnTool {
  readonly tool: ToolEntry
  /** Runs it. */
  readonly plain: Runner
  /** The same, where what a question carries along is sealed otherwise. */
  readonly sealedBy: (states: Pick<RequestStates, 'seal'>) => Runner
  /** Of what another route answers for it. */
  readonly answersOf: (verb: AnswerSettings['verb']) => AnswerSettings
}
