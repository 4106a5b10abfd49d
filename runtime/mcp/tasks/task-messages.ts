/** `tasks/get`, `tasks/update` and `tasks/cancel` as they come off the wire: the SDK knows none of them. Source: SEP-2663. */
import type { HeaderMap } from '../../contract/http.ts'
import { isObject, metaKeys, modernVersion, type WireObject } from '../protocol/constants.ts'
import { isId } from '../protocol/frame-mistake.ts'
import type { CallMessage } from '../protocol/message.ts'
import { decodedHeader, type HeaderMismatch } from '../protocol/param-headers.ts'
import { declaredCapabilities } from '../tools/tool-context.ts'
import { tasksExtension } from './task-settings.ts'

const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const

export interface TaskMessage extends CallMessage {
  readonly method: (typeof methods)[number]
  readonly params: WireObject
}

/** Null for another method, and for what lacks what every request of the era has: the SDK says so. */
export function taskMessage(body: unknown, headers: HeaderMap): TaskMessage | null {
  if (!isObject(body) || body.jsonrpc !== '2.0') return null
  const { id, method: named, params } = body
  const method = methods.find((item) => item === named)
  if (method === undefined || !isObject(params) || !isObject(params._meta)) return null
  if (!isId(id)) return null
  const { _meta: meta } = params
  const isModern = meta[metaKeys.version] === modernVersion && isObject(meta[metaKeys.capabilities])
  if (!isModern || headers['mcp-protocol-version'] !== modernVersion || headers['mcp-method'] !== method)
    return null
  return { method, id: JSON.stringify(id), params, era: 'modern', meta, sendProgress: null, retry: null }
}

/** Whether a message asks for notifications of tasks, and its client does not say that it knows tasks. We send none; who says so is not
 *  promised any. Source: SEP-2663, Task Status Notifications. */
export function listensUnaware(body: unknown): boolean {
  if (!isObject(body) || body.method !== 'subscriptions/listen' || !isObject(body.params)) return false
  const { notifications, _meta: meta } = body.params
  if (!isObject(notifications) || notifications.taskIds === undefined || !isObject(meta)) return false
  return !knowsTasks({ era: 'modern', meta })
}

/** Gateways route by `Mcp-Name`. Source: SEP-2663, Streamable HTTP: Routing Headers. */
export function nameMismatch({ params }: TaskMessage, headers: HeaderMap): HeaderMismatch | null {
  const header = 'Mcp-Name'
  const carries = `the body carries taskId=${JSON.stringify(params.taskId)}`
  const sent = headers['mcp-name']
  if (sent === undefined) return { header, body: `${carries} but the ${header} header is absent` }
  const named = decodedHeader(String(sent))
  return named === params.taskId
    ? null
    : { header, body: `the ${header} header names ${JSON.stringify(named)} but ${carries}` }
}

/** Whether the client declared with this request that it knows tasks. */
export function knowsTasks(message: Pick<CallMessage, 'era' | 'meta'>): boolean {
  const { extensions } = declaredCapabilities(message) ?? {}
  return isObject(extensions) && isObject(extensions[tasksExtension])
}
