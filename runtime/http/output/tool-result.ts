/** An answer in the content blocks of MCP, for what one JSON value or one media type cannot say. */
import { Rendered } from '../pipeline/controller.ts'

/** One block of a tool's answer; bytes are sent as base64, and a `data` text must be base64 already. Source: MCP 2025-11-25, Tools,
 *  tool result. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: Uint8Array | string; readonly mimeType: string }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly description?: string
      readonly mimeType?: string
    }
  | { readonly type: 'resource'; readonly resource: ResourceContent }

type ResourceContent =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly uri: string; readonly mimeType?: string; readonly blob: Uint8Array | string }

/** By this media type the MCP endpoint knows blocks from other JSON. With the charset that Fastify would add behind plugins. */
export const toolContentType = 'application/json; profile="mcp-content"; charset=utf-8'

/** The blocks as the answer of the action, which must return it. A tool call gets them as they are; over HTTP they are a
 *  JSON array. */
export function toolResult(content: readonly ToolContent[]): Rendered {
  return new Rendered(200, { kind: 'json', value: content }, toolContentType)
}

/** One message of a prompt (`@mcp prompt`). Source: MCP 2025-11-25, Prompts, PromptMessage. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: ToolContent
}
