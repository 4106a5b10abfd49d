/** One line for every tool call, never its arguments. Source: decisions/mcp.md, The log of calls. */
import type { ObserveCall, ToolCallRecord } from '../../contract/calls.ts'
import type { Logger } from '../../contract/store.ts'
import { type LogTimes, timeOf } from '../../http/log/log.ts'
import { spanFields } from '../../http/log/watched-requests.ts'

export interface CallLogOptions extends LogTimes {
  readonly log: Logger
  /** Whether lines of this kind are written at all. */
  readonly isWritten: boolean
  /** Whether scopes are declared: lines then say what they decided, and what the token grants. */
  readonly hasScopes: boolean
}

export function createCallLog({
  log,
  isWritten,
  hasScopes,
  ...times
}: CallLogOptions): readonly ObserveCall[] {
  if (!isWritten) return []
  return [
    (record) => {
      const decided = hasScopes ? decisionOf(record) : {}
      const time = timeOf(record.milliseconds, times)
      log.info({ ...lineOf(record), ...decided, ...spanFields(record), ...time }, 'tool call')
    },
  ]
}

function lineOf(record: ToolCallRecord): Readonly<Record<string, unknown>> {
  const { requestId, tool, route, toolbox, user, client, grant, era, status, isError } = record
  return { requestId, event: 'tool call', tool, route, toolbox, user, client, grant, era, status, isError }
}

/** Scopes say nothing of a call that is one too many. */
function decisionOf({ decision, scopes }: ToolCallRecord): Readonly<Record<string, unknown>> {
  return { decision: decision === 429 ? 'allowed' : decision, scopes }
}
