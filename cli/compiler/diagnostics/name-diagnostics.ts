/** Mistakes in `@mcp name=…`, and in names beside those. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error } from './source-diagnostics.ts'

export const explicitNameInvalid = (at: At, name: string, why: string): Diagnostic =>
  error('ACM320', at, [
    `@mcp name: '${name}' ${why}`,
    'Write 1 to 64 letters from A to Z, digits, _ or -, such as @mcp name=greet.',
  ])

export const explicitNameTaken = (at: At, what: string, member: string, other: string): Diagnostic =>
  error('ACM321', at, [`${what} is that of ${member} and of ${other}`, 'Change the name of one of the two.'])

export const nameOfEndpoint = (at: At, name: string, member: string): Diagnostic =>
  error('ACM322', at, [
    `the tool name ${name} of ${member} is that of a tool which every MCP endpoint has`,
    'Give it another with @mcp name=…, or rename the class or the method.',
  ])
