/** Mistakes around schemas whose rules are run on a parameter (`Checked<typeof schema>`). One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, warning } from './source-diagnostics.ts'

export const schemaNotExported = (at: At, written: string): Diagnostic =>
  error('ACM175', at, [
    `the server cannot import the schema of '${written}': it is no exported constant`,
    'Write Checked<typeof name>, with `export const name = …` at the top of a file, and no parameter of that name.',
  ])

export const noStandardSchema = (at: At, written: string): Diagnostic =>
  error('ACM176', at, [
    `'${written}' does not implement Standard Schema 1: it has no '~standard' with validate() and the type of its input`,
    'Schemas of zod 4, valibot and arktype do. Another value is to be called in the method.',
  ])

export const checkedInside = (at: At, path: string): Diagnostic =>
  error('ACM177', at, [
    `${path} is Checked, where nobody runs its rules`,
    'Write Checked<typeof schema> as the whole type of a parameter, or in its Body, Header, Cookie or Named.',
  ])

/** Of a schema that is no Standard Schema. */
export const rulesOfOthers = (at: At, written: string, schema: string): Diagnostic =>
  warning('ACM180', at, [
    `the rules of ${schema} do not count: '${written}' is its type alone, and acmcp cannot run it`,
    `Check the value with ${schema} in the method, or write the rules as tags (@minLength, @minimum …) of a type.`,
  ])

export const rulesNotRun = (at: At, written: string, schema: string): Diagnostic =>
  warning('ACM178', at, [
    `the rules of ${schema} do not count: '${written}' is its type alone`,
    `Write Checked<typeof ${schema}>, which runs them before the method.`,
  ])
