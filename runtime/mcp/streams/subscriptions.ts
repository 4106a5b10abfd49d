/** What a stream hears of: which lists, and which resources. Source: MCP 2026-07-28, Subscriptions. */

import type { HttpRequest } from '../../contract/http.ts'
import type { Catalogue } from '../../contract/mcp.ts'
import type { Route } from '../../contract/route.ts'
import type { RequiredScope } from '../../contract/scopes.ts'
import type { Clock } from '../../contract/store.ts'
import { type Holder, verdictOn } from '../../scopes.ts'
import type { McpMethods } from '../method.ts'
import { metaKeys, type WireObject } from '../protocol/constants.ts'
import { maxUriCharacters, resourceFinder, resourceKey, tooLong } from '../resources/resource-addresses.ts'
import { eventOf } from './event-stream.ts'

const listNames = ['tools', 'prompts', 'resources'] as const

/** The lists that clients are told of when they change. */
export type ListName = (typeof listNames)[number]

/** A resource that a client subscribed to. */
export interface Watched {
  /** As the client writes it, and is told it. */
  readonly uri: string
  /** That of every spelling of it. */
  readonly key: string
  /** What its route asks for; undefined = nothing. */
  readonly required: RequiredScope | undefined
}

export interface SubscribedTopics {
  readonly lists: readonly ListName[]
  readonly resources: readonly Watched[]
}

export interface Subscriptions {
  /** What a GET stream hears of: every list that there is. */
  readonly lists: SubscribedTopics
  /** That part of a filter, which is a right one, that can be honored: of resources those that there are and that the holder may
   *  read. A text says why none of it is. */
  topicsOf(filter: WireObject, holder: Holder): SubscribedTopics | string
  /** The resource at an address; null = there is none. */
  keyOf(uri: string): string | null
}

/** So many may one stream name: it keeps each, and 10,000 streams may be open. */
const maxWatched = 100
/** Of all its addresses: each is looked for among all templates. */
const maxCharacters = 32_768

const filterNames = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const satisfies Readonly<Record<ListName, string>>

interface SubscriptionOptions {
  readonly catalogue: Catalogue
  readonly baseUrl: string
  readonly routes: ReadonlyMap<string, Pick<Route, 'scope'>>
  readonly methods: McpMethods
}

export function createSubscriptions(options: SubscriptionOptions): Subscriptions {
  const { catalogue, baseUrl, routes, methods } = options
  const find = resourceFinder(catalogue.resources ?? [], baseUrl)
  const lists = listNames.filter((name) => methods.has(`${name}/list`))
  const watched = (uri: string): readonly Watched[] => {
    const found = find(uri)
    const required = found === null ? undefined : routes.get(found.entry.route)?.scope
    return found === null ? [] : [{ uri, key: resourceKey(found), required }]
  }
  const sharedTopics = shared()
  return {
    lists: sharedTopics(lists, []),
    topicsOf(filter, holder) {
      const { resourceSubscriptions = [] } = filter
      const uris = [...new Set(resourceSubscriptions as readonly string[])] // of a right filter
      const mistake = mistakeIn(uris)
      if (mistake !== null) return mistake
      const requested = lists.filter((name) => filter[filterNames[name]] === true)
      return sharedTopics(requested, permitted(uris.flatMap(watched), holder))
    },
    keyOf(uri) {
      const found = find(uri)
      return found && resourceKey(found)
    },
  }
}

/** Most streams hear of no resource: those that hear the same share it. */
function shared(): (lists: readonly ListName[], resources: readonly Watched[]) => SubscribedTopics {
  const kept = new Map<string, SubscribedTopics>()
  return (lists, resources) => {
    if (resources.length > 0) return { lists, resources }
    const key = lists.join()
    const topics = kept.get(key) ?? { lists, resources }
    kept.set(key, topics)
    return topics
  }
}

function mistakeIn(uris: readonly string[]): string | null {
  if (uris.length > maxWatched)
    return `resourceSubscriptions has ${uris.length} addresses, one subscription may have ${maxWatched}: open another`
  const long = uris.find((uri) => uri.length > maxUriCharacters)
  if (long !== undefined) return `an address in resourceSubscriptions ${tooLong(long)}`
  const length = uris.reduce((sum, uri) => sum + uri.length, 0)
  return length <= maxCharacters ? null : `resourceSubscriptions ${tooLong({ length }, maxCharacters)}`
}

/** What a holder may read, as far as that can be said without running the route. */
export const permitted = (watched: readonly Watched[], holder: Holder): readonly Watched[] =>
  watched.filter(({ required }) => verdictOn(required, holder) === 'allowed')

/** Whether the right to read what it hears of depends on the caller. */
export const isGuarded = ({ resources }: SubscribedTopics): boolean =>
  resources.some(({ required }) => required !== undefined)

/** The filter that says so, as JSON. */
export function filterText({ lists, resources }: SubscribedTopics): string {
  const kinds = Object.fromEntries(lists.map((name) => [filterNames[name], true]))
  const uris = resources.map(({ uri }) => uri)
  return JSON.stringify(uris.length === 0 ? kinds : { ...kinds, resourceSubscriptions: uris })
}

/** Events as text; ids of subscriptions are JSON. */
export interface EventTexts {
  /** The first of a subscription. */
  acknowledged(id: string, topics: SubscribedTopics): string
  changedFor(id: string, list: ListName): string
  updatedFor(id: string, uri: string): string
  /** `version` names what the client saw listed. */
  changed(version: string, list: ListName): string
  /** The first of a GET stream; empty where nothing is to be said yet. `version` names what the client sees listed now. */
  first(request: HttpRequest, version: string, topics: SubscribedTopics): string
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
    acknowledged: (id, topics) =>
      notification('subscriptions/acknowledged', `"notifications":${filterText(topics)},${tagged(id)}`),
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

interface Hearing {
  readonly topics: SubscribedTopics
}

const noStreams: ReadonlySet<never> = new Set()

/** A change is told to those who hear of it, without a look at the others. */
export class Watchers<Stream extends Hearing> {
  readonly #byKey = new Map<string, Set<Stream>>()

  add(stream: Stream): void {
    for (const { key } of stream.topics.resources)
      this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(stream))
  }

  remove(stream: Stream): void {
    for (const { key } of stream.topics.resources) {
      const streams = this.#byKey.get(key)
      streams?.delete(stream)
      if (streams?.size === 0) this.#byKey.delete(key)
    }
  }

  /** Each once. */
  of(key: string): ReadonlySet<Stream> {
    return this.#byKey.get(key) ?? noStreams
  }
}
