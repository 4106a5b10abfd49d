/** Records tool calls. Source: decisions/audit.md, Rows. */
import type { AuditEntry, AuditTrail, ObserveCall, ToolCallRecord } from '../contract/calls.ts'
import type { DigestOf } from './argument-digest.ts'

export interface CallAuditOptions {
  readonly trail: AuditTrail
  readonly digestOf: DigestOf
  /** Whether calls of other routes have a digest too. */
  readonly digestsAll: boolean
  /** The routes with `@audit strict`: their calls are answered when they are recorded. */
  readonly strictRoutes: ReadonlySet<string>
}

export const callAudit =
  ({ trail, digestOf, digestsAll, strictRoutes }: CallAuditOptions): ObserveCall =>
  (call) => {
    const isStrict = call.route !== null && strictRoutes.has(call.route)
    const entry = entryOf(call, digestsAll || isStrict ? digestOf(call.args) : null)
    return isStrict ? trail.recordDurably(entry) : trail.record(entry)
  }

/** Arguments are gone when it returns: nothing of them waits in memory. */
function entryOf(call: ToolCallRecord, argumentsDigest: string | null): AuditEntry {
  const { requestId, traceId, tool, route, user, client, grant, decision, status, isError, milliseconds } =
    call
  return {
    event: 'tool-call',
    user,
    client,
    grant,
    tool,
    route,
    decision,
    status,
    isError,
    milliseconds,
    requestId,
    traceId,
    argumentsDigest,
  }
}
