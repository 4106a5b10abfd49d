/** Mistakes with the headers that tool calls carry. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, warning } from './source-diagnostics.ts'

export const headerNeverForwarded = (at: At, header: string, why: string): Diagnostic =>
  error('ACM161', at, [
    `mcp.forwardHeaders: ${JSON.stringify(header)} ${why}`,
    'Remove it. A header of your own, such as X-Clinic, may be named.',
  ])

export const headerNotForwarded = (at: At, header: string, tools: string): Diagnostic =>
  warning('ACM162', at, [
    `no call of ${tools} carries the header ${header}: this filter sees its default there, whatever the client sent`,
    `Have tool calls carry it with mcp: { forwardHeaders: ['${header.toLowerCase()}'] } in app/config.ts, or put what it says into the path. Hide what is not for MCP clients with @mcp hide.`,
  ])
