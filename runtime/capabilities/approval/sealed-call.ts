/** What is kept of a call that waits: what a person is shown of it, sealed and bound to its row; the fingerprint of what its caller was
 *  told; what stays of it in the audit. */

import type { AuditEntry } from '../../contract/calls.ts'
import type { ToolEntry } from '../../contract/mcp.ts'
import type { Route, RouteCodec } from '../../contract/route.ts'
import type { RandomBytes } from '../../contract/store.ts'
import { PayloadTooLarge } from '../../errors.ts'
import { exactJson } from '../../http/input/input-json.ts'
import { textSeal } from '../../sealed-text.ts'
import { fingerprintOf, pinnedTool, toolFingerprint } from '../../tool-fingerprint.ts'
import type { ApprovalAction, ApprovalRecord, RequiredApproval, ShownCall } from './types.ts'

/** To what the seal is bound. */
export type SealedRow = Pick<ApprovalRecord, 'id' | 'user' | 'route' | 'digest'>

export interface CallSeal {
  /** Throws `PayloadTooLarge` where `call` is longer as JSON than what a person can be asked about. */
  seal(call: ShownCall, row: SealedRow): string
  /** Null where it was not sealed for this row, or the secret is gone. */
  open(row: SealedRow & Pick<ApprovalRecord, 'sealed'>): ShownCall | null
}

const largest = 262_144

export function callSeal(secrets: readonly string[], randomBytes: RandomBytes): CallSeal {
  const texts = textSeal({ secrets, label: 'acmcp approval arguments v1', randomBytes })
  return {
    seal(call, row) {
      return texts.seal(withinBound(call), boundTo(row))
    },
    open(row) {
      const text = texts.open(row.sealed, boundTo(row))
      return text === null ? null : JSON.parse(text)
    },
  }
}

/** `value` as text. Throws `PayloadTooLarge` where that is longer than what a person can be asked about. */
export function withinBound(value: unknown): string {
  const text = exactJson(value)
  if (Buffer.byteLength(text) > largest)
    throw new PayloadTooLarge(largest, 'a call that a person must approve')
  return text
}

const boundTo = ({ id, user, route, digest }: SealedRow): readonly string[] => [id, user, route, digest]

/** A user who approves a call approves what it was then: of the route's address, sentence and parameters, and of its tools as `generated/mcp.yml` has their fingerprints; a route that is no
 *  tool has none. */
export const approvedFingerprint = (
  { verb, path }: Pick<Route, 'verb' | 'path'>,
  { sentence }: RequiredApproval,
  { params }: Pick<RouteCodec, 'params'>,
  tools: readonly ToolEntry[],
): string =>
  fingerprintOf({
    verb,
    path,
    sentence,
    parameters: params.map(({ name, from, required, codec }) => [name, from, required, codec.restriction]),
    tools: tools.map((tool) => [toolFingerprint(pinnedTool(tool)), fingerprintOf(tool.outputSchema)]),
  })

/** How long a denial stands in the way of the same call. */
export const deniedMs = 600_000

/** The user, the route and the decision; never what the call sends. */
export function approvalEntry(action: ApprovalAction, row: ApprovalRecord): AuditEntry {
  const { id, user, client, grant, route, method, authTime } = row
  const how = method === null ? {} : { method }
  const when = authTime === null ? {} : { authTime }
  const detail = { action, approval: id, ...how, ...when }
  return { event: 'approval', user, client, grant, route, detail }
}
