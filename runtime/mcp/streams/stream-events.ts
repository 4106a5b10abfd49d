/** What is said on the streams on which clients wait for news. */
import type { HttpRequest } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import { metaKeys } from '../protocol/constants.ts'
import { eventOf } from './event-stream.ts'

/** Events as text; ids of subscriptions are JSON. */
export interface EventTexts {
  /** The first of a subscription. */
  acknowledged(id: string): string
  changedFor(id: string): string
  changed(): string
  /** The first of a GET stream; empty where nothing is to be said yet. */
  first(request: HttpRequest): string
}

/** `version` names the catalogue. The id of an event on a GET stream names the catalogue, so that a client that comes back, to any instance, hears at once
 *  when the list has changed meanwhile. Source: MCP 2025-11-25, Streamable HTTP, Resumability; SEP-1699. */
export function eventTexts(version: string, clock: Clock): EventTexts {
  let count = 0
  const eventId = (): string => `id: ${version}.${clock().toString(36)}.${++count}\n`
  const changed = (): string =>
    `${eventId()}${eventOf('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')}`
  const tagged = (id: string): string => `"_meta":{${JSON.stringify(metaKeys.subscriptionId)}:${id}}`
  const notification = (method: string, params: string): string =>
    eventOf(`{"jsonrpc":"2.0","method":"notifications/${method}","params":{${params}}}`)
  return {
    changed,
    changedFor: (id) => notification('tools/list_changed', tagged(id)),
    acknowledged: (id) =>
      notification('subscriptions/acknowledged', `"notifications":{"toolsListChanged":true},${tagged(id)}`),
    first({ headers }) {
      const last = headers['last-event-id']
      if (typeof last === 'string' && !last.startsWith(`${version}.`)) return changed()
      // Only from this revision on clients understand an event without data.
      const understands = String(headers['mcp-protocol-version'] ?? '') >= '2025-11-25'
      return understands ? `${eventId()}data: \n\n` : ''
    },
  }
}
