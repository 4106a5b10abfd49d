/** Mistakes in what is imported from the package. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error } from './source-diagnostics.ts'

export const exportMoved = (at: At, name: string, cure: string): Diagnostic =>
  error('ACM109', at, [`'acmcp' does not export ${name} any more`, `Write: ${cure}.`])
