/** Mistakes in tasks (`@mcp task`). One function a diagnostic. */

import { type Diagnostic, error } from '../../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../../compiler/ir/schema.ts'

export const taskWithoutTool = (at: At, name: string, why: string): Diagnostic =>
  error('ACM310', at, [
    `${name} cannot be a task, for it is no tool: ${why}`,
    'Remove @mcp task, or make it a tool: a task is what a tool call becomes.',
  ])
