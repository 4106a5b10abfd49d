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
  /** `version` names what the client saw listed. */
  changed(version: string): string
  /** The first of a GET stream; empty where nothing is to be said yet. `version` names what the client sees listed now. */
  first(request: HttpRequest, version: string): string
}

/** The id of an event on a GET stream names what was listed, so that a client that comes back, to any instance, hears at once
 *  when the list has changed meanwhile: by another build, or with a token that may do something else. Source: MCP 2025-11-25, Streamable HTTP, Resumability; SEP-1699. */
export function eventTexts(clock: Clock): EventTexts {
  let count = 0
  const eventId = (version: string): string => `id: ${version}.${clock().toString(36)}.${++count}\n`
  const changed = (version: string): string =>
    `${eventId(version)}${eventOf('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')}`
  const tagged = (id: string): string => `"_meta":{${JSON.stringify(metaKeys.subscriptionId)}:${id}}`
  const notification = (method: string, params: string): string =>
    eventOf(`{"jsonrpc":"2.0","method":"notifications/${method}","params":{${params}}}`)
  return {
    changed,
    changedFor: (id) => notification('tools/list_changed', tagged(id)),
    acknowledged: (id) =>
      notification('subscriptions/acknowledged', `"notifications":{"toolsListChanged":true},${tagged(id)}`),
    first({ headers }, version) {
      const last = headers['last-event-id']
      if (typeof last === 'string' && !last.startsWith(`${version}.`)) return changed(version)
      // Only from this revision on clients understand an event without data.
      const understands = String(headers['mcp-protocol-version'] ?? '') >= '2025-11-25'
      return understands ? `${eventId(version)}data: \n\n` : ''
    },
  }
}
