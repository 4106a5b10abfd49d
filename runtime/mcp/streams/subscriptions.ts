/** What a stream hears of: which lists, and which resources. Source: MCP 2026-07-28, Subscriptions. */
import type { Catalogue } from '../../contract/mcp.ts'
import type { Route } from '../../contract/route.ts'
import type { RequiredScope } from '../../contract/scopes.ts'
import { type Holder, verdictOn } from '../../scopes.ts'
import type { WireObject } from '../protocol/constants.ts'
import { maxUriCharacters, resourceFinder, resourceKey, tooLong } from '../resources/resource-addresses.ts'

/** The lists that clients are told of when they change. */
export type ListName = 'tools' | 'prompts' | 'resources'

/** A resource that a client subscribed to. */
export interface Watched {
  /** As the client writes it, and is told it. */
  readonly uri: string
  /** That of every spelling of it. */
  readonly key: string
  /** What its route asks for; undefined = nothing. */
  readonly required: RequiredScope | undefined
}

export interface Heard {
  readonly lists: readonly ListName[]
  readonly resources: readonly Watched[]
}

export interface Subscriptions {
  /** What a GET stream hears of: every list that there is. */
  readonly lists: Heard
  /** That part of a filter, which is a right one, that can be honored: of resources those that there are and that the holder may
   *  read. A text says why none of it is. */
  heard(filter: WireObject, holder: Holder): Heard | string
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
}

export function createSubscriptions({ catalogue, baseUrl, routes }: SubscriptionOptions): Subscriptions {
  const { prompts = [], resources = [], skills = [] } = catalogue
  const find = resourceFinder(resources, baseUrl)
  const lists = listsIn([
    ['tools', true],
    ['prompts', prompts.length > 0],
    ['resources', resources.length + skills.length > 0],
  ])
  const watched = (uri: string): readonly Watched[] => {
    const found = find(uri)
    const required = found === null ? undefined : routes.get(found.entry.route)?.scope
    return found === null ? [] : [{ uri, key: resourceKey(found), required }]
  }
  const heardOf = shared()
  return {
    lists: heardOf(lists, []),
    heard(filter, holder) {
      const { resourceSubscriptions = [] } = filter
      const uris = [...new Set(resourceSubscriptions as readonly string[])] // of a right filter
      const mistake = mistakeIn(uris)
      if (mistake !== null) return mistake
      const requested = lists.filter((name) => filter[filterNames[name]] === true)
      return heardOf(requested, permitted(uris.flatMap(watched), holder))
    },
    keyOf(uri) {
      const found = find(uri)
      return found && resourceKey(found)
    },
  }
}

const listsIn = (all: readonly (readonly [ListName, boolean])[]): readonly ListName[] =>
  all.flatMap(([name, isThere]) => (isThere ? [name] : []))

/** Most streams hear of no resource: those that hear the same share it. */
function shared(): (lists: readonly ListName[], resources: readonly Watched[]) => Heard {
  const kept = new Map<string, Heard>()
  return (lists, resources) => {
    if (resources.length > 0) return { lists, resources }
    const key = lists.join()
    const heard = kept.get(key) ?? { lists, resources }
    kept.set(key, heard)
    return heard
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

/** Whether who may read what it hears of depends on who asks. */
export const isGuarded = ({ resources }: Heard): boolean =>
  resources.some(({ required }) => required !== undefined)

/** The filter that says so, as JSON. */
export function filterText({ lists, resources }: Heard): string {
  const kinds = Object.fromEntries(lists.map((name) => [filterNames[name], true]))
  const uris = resources.map(({ uri }) => uri)
  return JSON.stringify(uris.length === 0 ? kinds : { ...kinds, resourceSubscriptions: uris })
}
