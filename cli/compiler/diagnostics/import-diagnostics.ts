/** Mistakes in what is imported. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error } from './source-diagnostics.ts'

export const exportMoved = (at: At, name: string, cure: string): Diagnostic =>
  error('ACM109', at, [`'acmcp' does not export ${name} any more`, `Write: ${cure}.`])

export const nameNotExported = (at: At, specifier: string, name: string): Diagnostic =>
  error('ACM158', at, [`'${specifier}' does not export ${name}`, 'Export it there, or correct the name.'])

/** `why` ends a sentence. */
export const noModule = (at: At, specifier: string, why: string): Diagnostic =>
  error('ACM323', at, [
    `'${specifier}' cannot be found: ${why}`,
    'Correct the import, or "exports" of its package; install the package, or build it first where it is compiled.',
  ])
