/** What the last build of an application serves, told without starting it: for `acmcp routes`, `tools`, `call` and
 *  `doctor`. */

import { randomBytes } from 'node:crypto'
import { loadBundle } from '../boot/bundle.ts'
import type { RouteRow } from '../boot/capability.ts'
import { capabilityResources } from '../boot/capability-resources.ts'
import { readPublicUrl, type Variables } from '../boot/environment.ts'
import { startableConfig } from '../boot/resolve-config.ts'
import type { ResolvedConfig } from '../boot/resolved-config.ts'
import { staleSources, staleText } from '../boot/stale-build.ts'
import { capabilities } from '../capabilities/index.ts'
import type { Route } from '../contract/route.ts'
import type { RequiredScope } from '../contract/scopes.ts'
import type { Clock } from '../contract/store.ts'
import { lackingFor, permittedOffers } from '../mcp/access/lacking.ts'
import { toPrompt } from '../mcp/prompts/prompts.ts'
import { type ResourceLists, resourceLists } from '../mcp/resources/resources.ts'
import { type Exposure, exposedBy } from '../mcp/tools/exposure.ts'
import { type ToolLists, toolLists } from '../mcp/tools/tool-list.ts'
import { type View, viewWithout } from '../mcp/tools/view.ts'
import type { ExaminedProvider } from '../oauth/providers/examine-provider.ts'
import { apiScope } from '../scopes.ts'
import { toolFingerprint } from '../tool-fingerprint.ts'

/** One route, as `acmcp routes --json` prints it. */
export interface RouteDescription extends DescribedTags {
  readonly verb: Route['verb']
  readonly path: string
  readonly websocket: boolean
  readonly controller: string
  readonly method: string
  readonly filters: readonly { readonly when: string; readonly name: string }[]
  /** `status`: null where the handler renders its own. */
  readonly handlers: readonly { readonly error: string; readonly status: number | null }[]
  /** Its name, null when the route is none. */
  readonly tool: string | null
  /** What a token must grant; empty = nothing. Absent where the application declares no scopes. */
  readonly scopes?: readonly string[]
  /** Callers that pass them without a token; absent = none. */
  readonly unless?: RequiredScope['unless']
}

/** What its tags say; absent where they say nothing, false = lifted. */
type DescribedTags = Pick<Route, 'limit' | 'timeoutSeconds'>

const routeRows: readonly RouteRow[] = capabilities.flatMap(({ row }) => row ?? [])

/** A tag of a capability, which a description has by its name. */
export interface CapabilityRow {
  /** The heading of its column; null = it stands with the limits. */
  readonly column: string | null
  /** Empty where the route has none. */
  readonly text: (route: RouteDescription) => string
}

export const capabilityRows: readonly CapabilityRow[] = routeRows.map(
  ({ name, column = null, text: print }) => ({
    column,
    text: (route) => {
      const value: unknown = Reflect.get(route, name)
      return value === undefined ? '' : print(value as never) // the build has printed it
    },
  }),
)

/** A tool as a client sees it. */
export type ListedTool = ToolLists['root'][number]

/** Prompts and resources as a client sees them. */
export interface ListedOffers {
  readonly prompts: readonly ReturnType<typeof toPrompt>[]
  readonly resources: ResourceLists
}

export interface LastBuild {
  readonly routes: readonly RouteDescription[]
  /** What each address of the MCP endpoint lists. */
  readonly lists: ToolLists
  /** The names that a client may ask for: `api`, and what the application declares. */
  readonly scopes: readonly string[]
  /** What those addresses list to the bearer of a token that names these scopes. */
  listsFor(named: readonly string[]): ToolLists
  /** Prompts and resources as a server with these variables lists them, all of them or what such a bearer is shown. */
  offersFor(named: readonly string[] | null, variables: Variables): ListedOffers
  /** What the configuration says of the endpoint: the name of the server, and the longest answer of a tool in characters. Throws `BootError`. */
  endpoint(): { readonly serverName: string; readonly answerChars: number }
  /** What to say when the sources are no longer those of the build; else null. */
  readonly stale: string | null
}

/** Throws `BootError` when there is none. */
export async function readLastBuild(cwd: string): Promise<LastBuild> {
  const bundle = await loadBundle(cwd)
  const { routes, config } = bundle
  const { scopes, listed, exposure } = endpointIn(config)
  const { catalogue } = exposedBy(exposure, bundle)
  const others = await capabilityResources()
  const stale = staleSources(cwd)
  const tools = new Map(catalogue.tools.map(({ route, name }) => [route, name]))
  const scopeOf = new Map(routes.map(({ id, scope }) => [id, scope]))
  const lists = toolLists(catalogue)
  const scopeOfEntry = ({ route }: { readonly route: string }) => scopeOf.get(route)
  const viewOf = (named: readonly string[]): Pick<View, 'lists' | 'catalogue'> => {
    const holder = { scopes: scopes.granted(named, null), others: [] }
    const lacking = lackingFor(catalogue.tools, holder, { scopeOf: scopeOfEntry, scopes })
    const offers = permittedOffers(catalogue, holder, { scopeOf: scopeOfEntry })
    return viewWithout({ ...catalogue, ...offers }, { lacking }, '')
  }
  return {
    routes: routes.map((route) => ({
      ...describe(route, tools.get(route.id) ?? null),
      ...(scopes.declared.length === 0 ? {} : { scopes: [], ...requiredBy(route) }),
    })),
    lists,
    endpoint: () => startableConfig(config).mcp,
    scopes: [apiScope, ...scopes.declared.map(({ name }) => name)],
    listsFor: (named) => (listed === 'all' ? lists : viewOf(named).lists),
    offersFor: (named, variables) => {
      const seen = named === null || listed === 'all' ? catalogue : viewOf(named).catalogue
      const { prompts = [] } = seen
      const { resources, templates } = resourceLists(seen, readPublicUrl(variables))
      const all = [...resources, ...others.flatMap((listed) => listed(seen))]
      return { prompts: prompts.map(toPrompt), resources: { templates, resources: all } }
    },
    stale: stale.length === 0 ? null : staleText(stale),
  }
}

interface ReadEndpoint extends Pick<ResolvedConfig, 'scopes'>, Pick<ResolvedConfig['mcp'], 'listed'> {
  readonly exposure: Exposure
}

/** A configuration that says nothing of what is listed is not looked at: it may be one that does not start. */
function endpointIn(config: unknown): ReadEndpoint {
  const saysSome = says(config, 'scopes') || (says(config, 'mcp') && saysExposure(config.mcp))
  const { scopes, mcp } = startableConfig(saysSome ? config : {})
  return { scopes, listed: mcp.listed, exposure: mcp }
}

const says = <Name extends string>(
  value: unknown,
  name: Name,
): value is { readonly [Own in Name]: unknown } =>
  typeof value === 'object' && value !== null && name in value

const saysExposure = (mcp: unknown): boolean => says(mcp, 'readOnly') || says(mcp, 'expose')

const requiredBy = ({ scope }: Route): Pick<RouteDescription, 'scopes' | 'unless'> =>
  scope === undefined
    ? {}
    : { scopes: scope.names, ...(scope.unless.length === 0 ? {} : { unless: scope.unless }) }

/** Where clients find the MCP endpoint of the last build, for `acmcp doctor`. Throws `BootError`. */
export async function publishedEndpoint(cwd: string, variables: Variables): Promise<URL> {
  const { config } = await loadBundle(cwd)
  return new URL(startableConfig(config).mcp.path, readPublicUrl(variables))
}

function describe(route: Route, tool: string | null): RouteDescription {
  const { verb, path, websocket, controller, filters, handlers } = route
  const { limit, timeoutSeconds } = route
  return {
    verb,
    path,
    websocket,
    controller: controller.name,
    method: methodOf(route),
    filters: filters.map(({ when, name }) => ({ when, name })),
    handlers: handlers.map(({ error, match, status }) => {
      const of = match === null ? '' : `(${match.property} = ${JSON.stringify(match.value)})`
      return { error: `${error.name}${of}`, status }
    }),
    tool,
    ...(limit === undefined ? {} : { limit }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...tagsOf(route),
  }
}

const tagsOf = (route: Route): object =>
  Object.fromEntries(Object.entries(route).filter(([name]) => routeRows.some((row) => row.name === name)))

/** The table holds functions, no names: what the route asks its controller for is the name. */
function methodOf(route: Route): string {
  let method = ''
  const controller = new Proxy(
    {},
    {
      get: (_, name) => {
        method = String(name)
        return () => {}
      },
    },
  )
  route.call(controller, [])
  return method
}

/** What a client that pins tools keeps of it, as `generated/mcp.yml` has it. */
export const pinOf = (tool: ListedTool): string => toolFingerprint(tool)

/** An estimate of what a tool costs a model, by the measure of `generated/mcp.yml`: four characters of description and input
 *  schema are a token. */
export const tokensOfListed = ({ description = '', inputSchema }: ListedTool): number =>
  Math.ceil((description.length + JSON.stringify(inputSchema).length) / 4)

/** What `acmcp doctor --sign-in` asks the identity providers of the last build, with the secrets of this environment: those that can be
 *  examined, at once. */
export async function examineProviders(
  cwd: string,
  variables: Variables,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): Promise<readonly ExaminedProvider[]> {
  const { examineProvider } = await import('../oauth/providers/examine-provider.ts')
  const { providers } = startableConfig((await loadBundle(cwd)).config)
  const { origin: baseUrl } = new URL(readPublicUrl(variables))
  const options = { baseUrl, timeoutMs, clock, randomBytes }
  const found = await Promise.all(
    Object.entries(providers).map(([name, config]) => examineProvider(name, config, options)),
  )
  return found.filter((text) => text !== null)
}
