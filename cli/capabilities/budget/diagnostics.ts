/** Mistakes in `@mcp budget`. One function a diagnostic. */
import { type Diagnostic, error } from '../../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../../compiler/ir/schema.ts'

export const badBudget = (at: At, why: string, meant: string): Diagnostic =>
  error('ACM300', at, [
    `@mcp budget ${why}`,
    `Write how many characters of text an answer may have, 1000 to 1000000, such as @mcp budget 20000.${meant}`,
  ])
