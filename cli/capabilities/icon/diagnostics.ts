/** Mistakes in `@icon`. One function a diagnostic. */
import { type Diagnostic, error } from '../../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../../compiler/ir/schema.ts'

export const badIcon = (at: At, path: string, why: string): Diagnostic =>
  error('ACM173', at, [
    `@icon: '${path}' ${why}`,
    'Name a small picture beside the source, such as ./order.png: PNG, JPEG, SVG or WebP, 8 KiB at most.',
  ])
