/** What is said on the streams on which clients wait for news. */
import type { HttpRequest } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import { metaKeys } from '../protocol/constants.ts'
import { eventOf } from './event-stream.ts'
import { filterText, type Heard, type ListName } from './subscriptions.ts'

/** Events as text; ids of subscriptions are JSON. */
export interface EventTexts {
  /** The first of a subscription. */
  acknowledged(id: string, heard: Heard): string
  changedFor(id: string, list: ListName): string
  updatedFor(id: string, uri: string): string
  /** `version` names what the client saw listed. */
  changed(version: string, list: ListName): string
  /** The first of a GET stream; empty where nothing is to be said yet. `version` names what the client sees listed now. */
  first(request: HttpRequest, version: string, heard: Heard): string
}

/** The id of an event on a GET stream names what was listed, so that a client that comes back, to any instance, hears at once
 *  when the list has changed meanwhile: by another build, or with a token that may do something else. Source: MCP 2025-11-25, Streamable HTTP, Resumability; SEP-1699. */
export function eventTexts(clock: Clock): EventTexts {
  let count = 0
  const eventId = (version: string): string => `id: ${version}.${clock().toString(36)}.${++count}\n`
  const changed = (version: string, list: ListName): string =>
    `${eventId(version)}${eventOf(`{"jsonrpc":"2.0","method":"notifications/${list}/list_changed"}`)}`
  const tagged = (id: string): string => `"_meta":{${JSON.stringify(metaKeys.subscriptionId)}:${id}}`
  const notification = (method: string, params: string): string =>
    eventOf(`{"jsonrpc":"2.0","method":"notifications/${method}","params":{${params}}}`)
  return {
    changed,
    changedFor: (id, list) => notification(`${list}/list_changed`, tagged(id)),
    updatedFor: (id, uri) => notification('resources/updated', `"uri":${JSON.stringify(uri)},${tagged(id)}`),
    acknowledged: (id, heard) =>
      notification('subscriptions/acknowledged', `"notifications":${filterText(heard)},${tagged(id)}`),
    first({ headers }, version, { lists }) {
      const last = headers['last-event-id']
      if (typeof last === 'string' && !last.startsWith(`${version}.`))
        return lists.map((list) => changed(version, list)).join('')
      // Only from this revision on clients understand an event without data.
      const understands = String(headers['mcp-protocol-version'] ?? '') >= '2025-11-25'
      return understands ? `${eventId(version)}data: \n\n` : ''
    },
  }
}
