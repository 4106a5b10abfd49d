/** The forwarded headers of a task: those of the call that made it, not of the request that asks for it later. */
import type { HeaderMap, HttpRequest } from '../../contract/http.ts'
import { ForwardedRequest } from '../../http/pipeline/forwarded-request.ts'
import { forwardedOf } from '../../mcp/auth/credentials.ts'
import { isObject } from '../../mcp/protocol/constants.ts'
import type { TaskParts } from './task-parts.ts'
import type { TaskRecord } from './task-record.ts'

/** As the store keeps them; null where the call brought none. */
export function headersToKeep(request: HttpRequest, forwardHeaders: readonly string[]): string | null {
  if (forwardHeaders.length === 0) return null
  const sent = forwardedOf(request.headers, forwardHeaders)
  return Object.keys(sent).length === 0 ? null : JSON.stringify(sent)
}

/** The client's request, with the headers that the task was made with in place of its own. */
export async function asMade(
  request: HttpRequest,
  task: TaskRecord,
  { forwardHeaders, settings: { store } }: Pick<TaskParts, 'forwardHeaders' | 'settings'>,
): Promise<HttpRequest> {
  if (forwardHeaders.length === 0) return request
  const kept: unknown = JSON.parse((await store.headersOfTask(task)) ?? '{}')
  const { method, url, path, query, params, body } = request
  const headers = {
    ...without(request.headers, forwardHeaders),
    ...(isObject(kept) ? (kept as HeaderMap) : {}),
  } // written above
  return new ForwardedRequest(request, { method, url, path, query, params, body, headers })
}

function without(headers: HeaderMap, names: readonly string[]): HeaderMap {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}
