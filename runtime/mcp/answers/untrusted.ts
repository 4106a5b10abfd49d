/** What clients are told of text that others wrote (`@untrusted`), beside the sentence that models read. */
import type { ToolEntry } from '../../contract/mcp.ts'

interface Meta {
  readonly _meta?: Record<string, unknown>
}

/** Of a tool, and of the block of its answer: where such text is. Source: MCP 2025-11-25, Base protocol, `_meta`. */
export const untrustedMeta = ({ untrusted }: Pick<ToolEntry, 'untrusted'>): Meta =>
  untrusted === undefined ? {} : { _meta: { 'acmcp/untrusted': untrusted } }
