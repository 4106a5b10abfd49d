/** A method of the protocol. Those of the core and those of optional parts have one signature, whichever way a message comes to them. */
import type { MaybePromise } from '../contract/http.ts'
import type { PermittedClient } from './access/permission.ts'
import type { CallEnd, ToolAnswer, ToolCall } from './calls/tool-answer.ts'
import type { WireObject } from './protocol/constants.ts'
import type { CallMessage, MethodFrame } from './protocol/message.ts'
import type { ParamsSchema } from './protocol/params-schema.ts'

/** One message of a client. */
export interface MethodCall {
  readonly params: WireObject
  readonly client: PermittedClient
  readonly message: CallMessage
}

export type MethodAnswer =
  | ToolAnswer
  | { readonly kind: 'result'; readonly result: object }
  /** That page of the list of tools, of which the bytes are kept. */
  | { readonly kind: 'tools'; readonly cursor: string | undefined }
  /** A stream, which hears of what the filter names. */
  | { readonly kind: 'subscription'; readonly filter: WireObject }

/** The end of a call stands for its answer: to take that out of its promise would cost each call another one. */
type MethodEnd = Pick<CallEnd, 'answer'>

export const answerIn = (value: MethodAnswer | MethodEnd): MethodAnswer =>
  'answer' in value ? value.answer : value

export interface McpMethod extends MethodFrame {
  /** Throws a `ProtocolError` for what its client is told as one. */
  readonly answer: (call: MethodCall) => MaybePromise<MethodAnswer | MethodEnd>
  /** What the client is asked for is bound to this, so that no other call can bring the state back. Absent: nothing is asked. */
  readonly owner?: (params: WireObject) => Pick<ToolCall, 'name' | 'args'>
  /** Whether such a call may report progress; absent: the SDK serves those that ask for it. */
  readonly reports?: (params: WireObject) => boolean
  /** It runs a route, which may take long. */
  readonly runsRoute?: true
  /** Its messages carry what a caller has to say: of others 64 KiB are enough. */
  readonly isLarge?: true
  /** It counts its calls by itself. Absent: each is a message of its client. */
  readonly countsItself?: true
  /** Clients may keep what it answers until the next build. */
  readonly isKept?: true
  /** Its parameters, where the SDK does not know them; null: the SDK is not told of it. */
  readonly schema?: ParamsSchema | null
}

/** By name. */
export type McpMethods = ReadonlyMap<string, McpMethod>
