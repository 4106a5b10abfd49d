/** Mistakes in what `app/config.ts` says, and what goes with it: addresses that something else has, headers that tool calls carry. One
 *  function a diagnostic. */

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

/** `text` names the setting. */
export const settingWrong = (at: At, text: string): Diagnostic =>
  error('ACM244', at, [
    text,
    'Correct it: the start refuses it too. `acmcp docs reference-settings` says what each setting takes.',
  ])

export const headerNeverForwarded = (at: At, header: string, why: string): Diagnostic =>
  error('ACM161', at, [
    `mcp.forwardHeaders: ${JSON.stringify(header)} ${why}`,
    'Remove it. A header of your own, such as X-Clinic, may be named.',
  ])

export const headerNotForwarded = (at: At, header: string, tools: string): Diagnostic =>
  warning('ACM162', at, [
    `no call of ${tools} carries the header ${header}: this filter sees its default there, whatever the client sent`,
    `Have tool calls carry it with mcp: { forwardHeaders: ['${header.toLowerCase()}'] } in app/config.ts, or put what it says into the path. Hide what is not for MCP clients with @mcp hide.`,
  ])
