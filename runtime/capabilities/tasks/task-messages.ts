/** What is of tasks in a message. Source: SEP-2663. */
import type { HeaderMap } from '../../contract/http.ts'
import { isObject, type WireObject } from '../../mcp/protocol/constants.ts'
import type { CallMessage } from '../../mcp/protocol/message.ts'
import { decodedHeader, type HeaderMismatch } from '../../mcp/protocol/param-headers.ts'
import { declaredCapabilities } from '../../mcp/tools/tool-context.ts'
import { tasksExtension } from './task-settings.ts'

/** Whether a message asks for notifications of tasks, and its client has not declared tasks. We send none; one that says so is not
 *  promised any. Source: SEP-2663, Task Status Notifications. */
export function listensUnaware(body: unknown): boolean {
  if (!isObject(body) || body.method !== 'subscriptions/listen' || !isObject(body.params)) return false
  const { notifications, _meta: meta } = body.params
  if (!isObject(notifications) || notifications.taskIds === undefined || !isObject(meta)) return false
  return !knowsTasks({ era: 'modern', meta })
}

/** Gateways route by `Mcp-Name`. Source: SEP-2663, Streamable HTTP: Routing Headers. */
export function nameMismatch({ taskId }: WireObject, headers: HeaderMap): HeaderMismatch | null {
  const header = 'Mcp-Name'
  const carries = `the body carries taskId=${JSON.stringify(taskId)}`
  const sent = headers['mcp-name']
  if (sent === undefined) return { header, body: `${carries} but the ${header} header is absent` }
  const named = decodedHeader(String(sent))
  return named === taskId
    ? null
    : { header, body: `the ${header} header names ${JSON.stringify(named)} but ${carries}` }
}

/** Whether the client declared with this request that it knows tasks. */
export function knowsTasks(message: Pick<CallMessage, 'era' | 'meta'>): boolean {
  const { extensions } = declaredCapabilities(message) ?? {}
  return isObject(extensions) && isObject(extensions[tasksExtension])
}
