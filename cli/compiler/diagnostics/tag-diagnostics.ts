/** Tags that nobody knows, that do nothing where they stand, or that name a file that is not of use. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, warning } from './source-diagnostics.ts'

export const strangeTag = (at: At, written: string, meant: string): Diagnostic =>
  warning('ACM170', at, [
    `@${written} is no tag of acmcp, JSDoc or TSDoc: nobody reads it`,
    `Remove it, or write it as text above the tags.${meant}`,
  ])

export const idleTag = (at: At, written: string, name: string): Diagnostic =>
  warning('ACM171', at, [
    `@${written} changes nothing: ${name} is a route, and whoever reaches the server may ask for it`,
    'Remove it. A filter decides who may call a route; @mcp hide keeps it from models.',
  ])

export const badIcon = (at: At, path: string, why: string): Diagnostic =>
  error('ACM173', at, [
    `@icon: '${path}' ${why}`,
    'Name a small picture beside the source, such as ./order.png: PNG, JPEG, SVG or WebP, 8 KiB at most.',
  ])
