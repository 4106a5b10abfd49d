/** Mistakes in `@mcp name=…`, in names beside those, and in names that clients do not take. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, warning } from './source-diagnostics.ts'

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

export const sameNames = (at: At, tool: string, safe: string, names: string): Diagnostic =>
  error('ACM370', at, [
    `${names} would both be '${safe}' for clients of the tool ${tool}`,
    'Clients take letters, digits, _ and - alone, 64 of them: rename one of these, or hide the tool with @mcp hide.',
  ])

export const nameTooLong = (at: At, tool: string, length: number, max: number): Diagnostic =>
  warning('ACM372', at, [
    `the tool ${tool} has ${length} characters, and this server's name leaves room for ${max}: Cursor leaves out what has more than 60 together with the name of the server`,
    'Give it a shorter one with @mcp name=…, or shorten the class, the method or mcp.serverName.',
  ])
