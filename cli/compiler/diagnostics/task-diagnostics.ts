/** Mistakes in tasks (`@mcp task`). One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error } from './source-diagnostics.ts'

export const taskWithoutTool = (at: At, name: string, why: string): Diagnostic =>
  error('ACM310', at, [
    `${name} cannot be a task, for it is no tool: ${why}`,
    'Remove @mcp task, or make it a tool: a task is what a tool call becomes.',
  ])
