/** Mistakes in what `app/config.ts` says, and in routes at addresses that something else has. One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, warning } from './source-diagnostics.ts'

export const addressTaken = (at: At, route: string, member: string, owner: string): Diagnostic =>
  error('ACM327', at, [
    `${route} of ${member} is also the address of ${owner}`,
    'Change the path of the route. The addresses of the authorization server are fixed; that of the MCP endpoint is the setting mcp.path.',
  ])

export const toolboxHidden = (at: At, route: string, member: string, address: string): Diagnostic =>
  warning('ACM328', at, [
    `${route} of ${member} wins over ${address}, an address of a toolbox below mcp.path`,
    'Give mcp.path another value, such as /mcp, or say nothing: the tools of that toolbox are at mcp.path itself too.',
  ])

export const configNotNamed = (at: At): Diagnostic =>
  error('ACM329', at, [
    'app/config.ts does not export config',
    'Export it by that name: export const config = defineApp({ … }).',
  ])
