/** Mistakes in what people are asked to approve (`@approval`). One function a diagnostic. */

import { type Diagnostic, error, warning } from '../../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../../compiler/ir/schema.ts'

export const placeholderUnknown = (at: At, name: string, members: string, meant: string): Diagnostic =>
  error('ACM350', at, [
    `@approval: {${name}} names no parameter of ${members}`,
    `Write the public name of one (of the path, query, form, headers or cookies), or a property of the body.${meant}`,
  ])

/** `why` ends a sentence that begins with the placeholder. */
export const placeholderUnfit = (at: At, name: string, members: string, why: string): Diagnostic =>
  error('ACM351', at, [
    `@approval: {${name}} of ${members} ${why}`,
    'Take it out of the sentence: the page shows every argument beside it, and of secrets dots.',
  ])

export const approvalImpossible = (at: At, members: string, why: string): Diagnostic =>
  error('ACM352', at, [
    `nobody can approve each call of ${members}: ${why}`,
    'Remove it; where it is the tag of a class, write @approval none on the method.',
  ])

export const approvalsMany = (at: At, name: string, approved: number, all: number): Diagnostic =>
  warning('ACM353', at, [
    `${approved} of the ${all} tools of ${name} need an approval: who is asked all the time no longer reads`,
    'Keep @approval for what cannot be undone, such as payments: for the rest scopes say what a client may do.',
  ])

export const unapprovedInput = (at: At, name: string): Diagnostic =>
  warning('ACM367', at, [
    `this.request.${name} is no part of what a person approves: the page does not show it, and a call with another value is the same call`,
    'Declare what the method needs as a parameter (`Header<…>`, `Cookie<…>`, a field): then it is shown, and an approval is for that value alone.',
  ])
