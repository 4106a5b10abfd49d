/** What passes between those who take tool calls off the wire and those who run them. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { RefusedBy } from '../../contract/http.ts'
import type { JsonSchema, ToolEntry } from '../../contract/mcp.ts'
import type { RequiredScope } from '../../contract/scopes.ts'
import type { ProblemError } from '../../errors.ts'
import { CallTime } from '../../http/limits/call-time.ts'
import type { PermittedClient } from '../access/permission.ts'
import { failure, type ToolContents } from '../answers/result.ts'
import type { Refusal } from '../protocol/http-refusal.ts'
import type { CallMessage } from '../protocol/message.ts'
import type { CheckParamHeaders } from '../protocol/param-headers.ts'
import type { ToolArguments } from './json-arguments.ts'

/** One call of a client, by name, from its message to its record. */
export interface ToolCall {
  readonly name: string
  readonly args: ToolArguments
  /** The arguments as sent; a proxy's hold those of the tool behind it. */
  readonly sent: ToolArguments
  readonly client: PermittedClient
  readonly message: CallMessage
  readonly time: CallTime
}

/** The call that a message of the client makes. */
export const toolCallFrom = (
  { name, args, sent = args }: Pick<ToolCall, 'name' | 'args'> & Partial<Pick<ToolCall, 'sent'>>,
  client: PermittedClient,
  message: CallMessage,
): ToolCall => ({ name, args, sent, client, message, time: new CallTime() }) // a spread costs 2 µs

/** What a tool call came to: contents (`outputSchema` is what the tool declares), a request for the user's input
 *  (`requestState` is null when nothing is carried along), a result of a type that an extension has, or something that is no result at all. */
export type ToolAnswer =
  | { readonly kind: 'contents'; readonly contents: ToolContents; readonly outputSchema: JsonSchema | null }
  | { readonly kind: 'input'; readonly inputRequests: object; readonly requestState: string | null }
  | { readonly kind: 'typed'; readonly resultType: string; readonly result: object }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

export const refusedAnswer = (refusal: Refusal): ToolAnswer => ({ kind: 'refused', refusal })

/** What a model reads that is no answer of a route. */
export const ownAnswer = (result: CallToolResult): ToolAnswer => ({
  ...{ kind: 'contents', contents: { kind: 'result', result }, outputSchema: null },
})

export const failedCall = (text: string): ToolAnswer => ownAnswer(failure(text))

/** What a call is of. */
export interface CallSubject {
  /** The tool that runs: of a proxy the one behind it; null for a meta tool, an unknown name, and what is refused before it runs. */
  readonly tool: ToolEntry | null
  /** The arguments of that one. */
  readonly args: ToolArguments
}

/** What a tool call came to, and what its record says of how. */
export interface CallEnd extends CallSubject {
  readonly answer: ToolAnswer
  /** The HTTP status of the route's answer; null when no route answered. */
  readonly status: number | null
  /** What a scope or the limit of the route refused it with; null = none did. */
  readonly denied: 401 | 403 | 429 | null
  /** Where a route that answered 202 says how far it is, absolute; null = it did not. */
  readonly accepted: string | null
  /** Why its method did not run; absent = it did, or something else kept it from running. */
  readonly problem?: ProblemError
  /** What of ours refused it; absent where its route answered. */
  readonly refusedBy?: RefusedBy | undefined
}

/** The end of a call of which there is no more to say. */
export const endedCall = (
  { tool, args }: CallSubject,
  answer: ToolAnswer,
  status: number | null = null,
): CallEnd => ({ answer, tool, args, status, denied: null, accepted: null })

/** What the guards of a call's route are asked, apart from the call. */
export interface GuardedCall {
  /** What the route asks for; undefined = nothing. */
  readonly required: RequiredScope | undefined
  /** Null when they let it pass. */
  readonly judge: () => Promise<GuardVerdict | null>
  /** Why they refuse the call as an HTTP answer, else null. */
  readonly refusal: () => Promise<Refusal | null>
}

/** They do not let the call pass; `refusal`: null = it fails, and its result says why. */
export interface GuardVerdict {
  readonly refusal: Refusal | null
}

/** One tool. */
export interface Runner {
  readonly run: (call: ToolCall) => Promise<CallEnd>
  /** For the record of a call that does not come to its end. Does not throw. */
  readonly subject: (call: ToolCall) => CallSubject
  /** Null for a call that reaches no route. */
  readonly guarded: (call: ToolCall) => GuardedCall | null
  /** Null when no argument is mirrored as a header. */
  readonly checkHeaders: CheckParamHeaders | null
}
