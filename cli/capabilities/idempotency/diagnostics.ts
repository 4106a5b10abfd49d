/** Mistakes in which calls may have a key (`@idempotencyKey`). One function a diagnostic. */

import { type Diagnostic, error } from '../../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../../compiler/ir/schema.ts'

export const keyImpossible = (at: At, member: string, why: string): Diagnostic =>
  error('ACM360', at, [
    `${member} cannot have @idempotencyKey: ${why}`,
    'Remove it, or have the method return a value: JSON, a text or bytes can be kept for a retry.',
  ])

export const keyNeedless = (at: At, member: string, verbs: string): Diagnostic =>
  error('ACM361', at, [
    `@idempotencyKey has no effect on ${member}: it is for POST and PATCH, and this is ${verbs}`,
    'Remove it: GET is safe to repeat, PUT and DELETE are idempotent by themselves.',
  ])

export const keyNameTaken = (at: At, name: string, member: string): Diagnostic =>
  error('ACM362', at, [
    `@idempotencyKey gives ${member} the argument idempotencyKey and the header Idempotency-Key, and it has ${name}`,
    "Remove it: acmcp reads the key and keeps the answer. Something else needs another public name, such as Named<'reference', T>.",
  ])
