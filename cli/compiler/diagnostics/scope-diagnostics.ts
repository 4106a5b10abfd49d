/** Mistakes in scopes: in their declaration (`defineApp({ scopes })`) and where routes ask for them (`@scope`). One function a
 *  diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error } from './source-diagnostics.ts'

export const scopeUnreadable = (at: At, what: string): Diagnostic =>
  error('ACM172', at, [
    `${what} cannot be read without running the application`,
    'Write literals, or constants that are literals.',
  ])
