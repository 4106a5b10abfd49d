/** Mistakes with `@secret`. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, warning } from './source-diagnostics.ts'

export const secretAnswer = (at: At, path: string): Diagnostic =>
  error('ACM340', at, [
    `${path}() answers what is @secret as a whole: nothing of it could be left out`,
    'Answer an object with the secret as a property, or a type without @secret.',
  ])

export const secretLost = (at: At, route: string, type: string, secrets: string): Diagnostic =>
  warning('ACM341', at, [
    `${route} takes ${type} as it is answered, without its secret ${secrets}: who sends back what they read cannot keep it`,
    'Take a type without the secret, and change that by a route of its own.',
  ])

export const secretWritten = (at: At, tag: string, path: string): Diagnostic =>
  error('ACM342', at, [
    `@${tag}: it has a value of ${path}, which is secret, and everybody reads the documents`,
    'Leave the value out.',
  ])
