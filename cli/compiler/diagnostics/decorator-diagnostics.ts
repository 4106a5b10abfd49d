/** Rules of types that would be lost: decorators of other libraries, tags of aliases. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, warning } from './source-diagnostics.ts'

/** What of it was read. */
export const effects = {
  none: 'no effect',
  exclusion: 'no effect but that the property is in no answer',
} as const

export const decoratorIgnored = (
  at: At,
  name: string,
  cure: string,
  effect: (typeof effects)[keyof typeof effects],
): Diagnostic =>
  warning('ACM179', at, [
    `@${name} has ${effect}: acmcp does not read it`,
    `${cure} What it is not to do here, declare without it, as an interface.`,
  ])

export const rulesLost = (at: At, alias: string, generic: string): Diagnostic =>
  warning('ACM181', at, [
    `the tags of ${alias} are lost in ${generic}: TypeScript makes another type of it`,
    'Write the tags at a property, in a type of its own that has the value.',
  ])

export const renderUndeclared = (at: At, format: string, name: string): Diagnostic =>
  error('ACM345', at, [
    `render() sends ${format} with ${name}, which nobody may be answered, and the method does not say the type`,
    'Write @returns {T} 200 with the type of the value above the method: what leaves is cut by it.',
  ])

export const excludedTaken = (at: At, path: string, names: string): Diagnostic =>
  warning('ACM344', at, [
    `${path} does not take ${names}: @Exclude() keeps it out of what is read, too`,
    'Write @Exclude({ toPlainOnly: true }) where it is taken and never answered; else Omit it here.',
  ])
