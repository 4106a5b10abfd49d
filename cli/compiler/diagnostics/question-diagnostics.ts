/** Mistakes in what users are asked for (`Elicited<T>`, `InputRequired`). One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error } from './source-diagnostics.ts'

export const questionNotFlat = (at: At, name: string, property: string | null): Diagnostic =>
  error('ACM280', at, [
    property === null
      ? `the user cannot be asked for ${name}: its type is no interface with properties`
      : `the user cannot be asked for ${name}.${property}: it is no text, number, boolean, choice of texts or list of them`,
    'MCP clients show flat forms: write Elicited<T> with an interface T of such properties.',
  ])

export const questionRequired = (at: At, name: string): Diagnostic =>
  error('ACM281', at, [
    `${name} must be there before the method runs, and the user is asked by the method`,
    `Write ${name}?: Elicited<…>; it is undefined until they have answered.`,
  ])

export const questionUnused = (at: At, name: string, by: string): Diagnostic =>
  error('ACM282', at, [
    `the user cannot be asked for ${name} by ${by}`,
    'Take Elicited<T> in a method with a route or a prompt, and throw InputRequired there.',
  ])

export const choiceUnfit = (at: At, value: string, values: string): Diagnostic =>
  error('ACM283', at, [
    `@choice: '${value}' is none of the values`,
    `Write one of ${values}, then the text that users see.`,
  ])

export const questionWithoutParameter = (at: At, name: string, meant: string): Diagnostic =>
  error('ACM284', at, [
    `InputRequired asks for '${name}', and the method has no parameter ${name}?: Elicited<…>`,
    `Add the parameter, or give a form: { message, schema }.${meant}`,
  ])
