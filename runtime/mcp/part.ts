/** What an optional part of the server does at the MCP endpoint. */
import type { CallEnd, ToolCall } from './calls/tool-answer.ts'
import type { RequestStates } from './questions/request-state.ts'

/** Wraps each tool call, and each prompt and resource that a route answers. `next` runs it, and may be called again. `states` seals what a
 *  client must bring back. */
export type WrapCall = (
  call: ToolCall,
  next: () => Promise<CallEnd>,
  states: Pick<RequestStates, 'seal'>,
) => Promise<CallEnd>

export interface McpPart {
  /** The first part is the outermost. */
  readonly call?: WrapCall
}
