/** The second pass: what the declarations mean. Base paths, ids, tools, running order of filters, handlers. */

import { memoizeLast } from '../cache/memoize.ts'
import type { Feature } from '../feature.ts'
import type { Action, Controller, Model, NoTool, Verb } from '../ir/model.ts'
import { scopeTagsOf } from '../ir/scope-tags.ts'
import type {
  Declared,
  DeclaredController,
  DeclaredMethod,
  DeclaredRoute,
  MethodSelector,
} from '../ir/source-model.ts'
import type { Filter } from '../ir/steps.ts'
import { addressesOf, joinPath } from './addresses.ts'
import { type Forwarded, guardOf, inputsOf } from './arguments.ts'
import { toolboxUsesOf, usesOf } from './features.ts'
import { calleeOf, linkHandlers } from './handlers.ts'
import { linkParams, type RouteAddress, takesBody } from './params.ts'
import { type ActionOffers, nothingOffered, offeredBy } from './prompts.ts'
import { scopeOf, withOrderedScopes } from './required-scopes.ts'
import { linkRendered, linkResults, linkStatuses, linkThrows, producedType } from './responses.ts'
import { noToolBecause, toTool } from './tools.ts'

/** Links every controller; controllers come sorted by id, actions in source order. */
export function link(declared: Declared, features: readonly Feature[]): Model {
  const { info, controllers, schemas, parsers, responders, scopes, forwardHeaders } = declared
  const names = scopes.map(({ name }) => name)
  const headers = forwardHeaders.map(({ name }) => name.toLowerCase())
  const [key, forwarded] = [JSON.stringify([names, headers]), new Set(headers)]
  const linked = controllers.map((controller) =>
    linkedOnce(controller, key, { scopes: names, forwarded, features }),
  )
  const sorted = linked.sort((a, b) => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1))
  return { info, schemas, parsers, responders, scopes, controllers: sorted }
}

/** What the configuration says to each controller: the names of the declared scopes and of the forwarded headers. */
interface Configured {
  readonly scopes: readonly string[]
  readonly forwarded: Forwarded
  readonly features: readonly Feature[]
}

/** Declarations are never edited: a build that takes over most of the last one links the rest alone. */
const linkedOnce = memoizeLast(
  (declared: DeclaredController, _key: string, { scopes, ...configured }: Configured) =>
    linkController({ ...declared, ...configured }, scopes),
)

/** A class, and what the configuration says to each. */
interface Owner extends DeclaredController, Omit<Configured, 'scopes'> {}

function linkController(declared: Owner, scopes: readonly string[]): Controller {
  const id = snakeCase(declared.symbol.name)
  const actions = actionsOf(declared, id).map((action) => withOrderedScopes(action, scopes))
  const mcpOnly = mcpOnlyOf(declared, id).map((action) => withOrderedScopes(action, scopes))
  const isVisible = !declared.hidden || actions.some(({ tool }) => tool !== null)
  const { symbol, readsAccess, doc, at } = declared
  const features = toolboxUsesOf(declared.features, declared, { id, doc, actions })
  const toolbox = isVisible ? id : null
  return { id, symbol, features, toolbox, actions, mcpOnly, readsAccess, doc, at }
}

const actionsOf = (declared: Owner, id: string): readonly Action[] =>
  declared.methods.flatMap((method) => linkMethod(declared, id, method))

/** Prompts and completions without a route. Their arguments are read as those of a GET route, from texts. */
function mcpOnlyOf(declared: Owner, toolbox: string): readonly Action[] {
  const offering = declared.methods.filter(
    ({ routes, filter, mcp, completes }) =>
      routes.length === 0 && filter === null && (mcp.prompt !== null || completes.length > 0),
  )
  return offering.map((method) => {
    const id = `${toolbox}_${snakeCase(method.name)}`
    const route: DeclaredRoute = { verb: 'GET', websocket: false, path: `/.acmcp/${id}`, at: method.at }
    const shared = sharedBy(declared, method, route)
    const linked = linkAddress(declared, method, { path: route.path, absent: [], verb: 'GET' }, route)
    const { forwarded } = declared
    const offered = offeredBy(nameOf(id, method), method, { ...linked, ...shared, forwarded })
    return { id, ...linked, ...shared, ...offered, shortOf: null, optional: [], tool: null, noTool: 'other' }
  })
}

/** `listOpen` → `list_open`, `HTTPLog` → `http_log`. */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}

const toolOrder: readonly Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The actions of every route. The first by verb is the tool and has the plain id; the others add their verb. */
function linkMethod(controller: Owner, toolbox: string, method: DeclaredMethod): readonly Action[] {
  const id = `${toolbox}_${snakeCase(method.name)}`
  const order = [...method.routes].sort((a, b) => toolOrder.indexOf(a.verb) - toolOrder.indexOf(b.verb))
  const [primary] = order
  const taken = new Map<string, number>()
  return method.routes.flatMap((route) => {
    if (route === primary) return linkRoute(controller, method, route, { id, isTool: true })
    const suffixed = `${id}_${route.verb.toLowerCase()}`
    const count = (taken.get(suffixed) ?? 0) + 1
    taken.set(suffixed, count)
    return linkRoute(controller, method, route, {
      id: count === 1 ? suffixed : `${suffixed}_${count}`,
      isTool: false,
    })
  })
}

/** What MCP clients call it. */
const nameOf = (id: string, { mcp }: DeclaredMethod): string => mcp.name?.text ?? id

interface Identity {
  readonly id: string
  readonly isTool: boolean
}

/** One action an address: the longest has the route's id, a shorter one names what it leaves out. */
function linkRoute(
  controller: Owner,
  method: DeclaredMethod,
  route: DeclaredRoute,
  { id, isTool }: Identity,
): readonly Action[] {
  const written = joinPath(controller.base ?? `/${snakeCase(controller.symbol.name)}`, route.path)
  const mayOmit = (variable: string): boolean =>
    method.params.some(({ wireName, required }) => wireName === variable && !required)
  const [full, ...shorter] = addressesOf(written, mayOmit)
  if (full === undefined) return []
  const longest = linkAddress(controller, method, { ...full, verb: route.verb }, route)
  const optional = shorter.flatMap(({ absent }) => absent.slice(0, 1)).reverse()
  const shared = sharedBy(controller, method, route)
  const noTool = isTool ? whyNoTool(controller, method) : 'other'
  const name = nameOf(id, method)
  const tool = noTool === null ? toTool(name, { method, controller }, { ...longest, ...shared }) : null
  const { forwarded } = controller
  const offered = isTool ? offeredBy(name, method, { ...longest, ...shared, forwarded }) : nothingOffered
  return [
    { id, ...longest, ...shared, ...offered, shortOf: null, optional, tool, noTool },
    ...shorter.map((address) => ({
      id: `${id}_without_${snakeCase(address.absent[0] ?? '')}`,
      ...linkAddress(controller, method, { ...address, verb: route.verb }, route),
      ...shared,
      ...nothingOffered,
      shortOf: id,
      optional: [],
      tool: null,
      noTool: 'other' as const,
    })),
  ]
}

/** What a method cannot do comes before what was said of it. */
function whyNoTool(controller: DeclaredController, method: DeclaredMethod): NoTool | null {
  const isVisible = method.mcp.visible ?? !controller.hidden
  return noToolBecause(method, filtersOf(controller, method)) ?? (isVisible ? null : 'hidden')
}

/** What all addresses of a route have in common. */
type Shared = Pick<
  Action,
  'websocket' | 'routeAt' | 'requiresTls' | 'scope' | 'saysReadOnly' | 'produces' | 'answersElse'
>

function sharedBy(controller: DeclaredController, method: DeclaredMethod, route: DeclaredRoute): Shared {
  return {
    websocket: route.websocket,
    routeAt: route.at,
    requiresTls: requiresTls(controller, method),
    scope: scopeOf(scopeTagsOf(controller, method, route.verb)),
    saysReadOnly: method.mcp.hints.readOnly,
    produces: producedType(route, method),
    answersElse: route.websocket || method.rendersItself || method.answersNothing,
  }
}

type Linked = Omit<
  Action,
  'id' | 'shortOf' | 'optional' | 'tool' | 'noTool' | keyof Shared | keyof ActionOffers
>

function linkAddress(
  controller: Owner,
  method: DeclaredMethod,
  place: Omit<RouteAddress, 'takesBody'>,
  route: DeclaredRoute,
): Linked {
  const address = { ...place, takesBody: takesBody(method.params) }
  const filters = filtersOf(controller, method)
  const read = {
    params: linkParams(method.params, address),
    filters: filters.map((filter) => linkFilter(controller, filter, address)),
  }
  const linked = {
    inputs: inputsOf(read),
    verb: address.verb,
    results: linkResults(method),
    handlers: linkHandlers(controller, address),
  }
  return {
    ...read,
    ...linked,
    features: usesOf(controller.features, { controller, method, route }, linked),
    guard: guardOf(read),
    method: method.name,
    path: address.path,
    rendered: linkRendered(method, filters),
    statuses: linkStatuses(method),
    errors: [method, ...filters].flatMap(({ throws }) => throws.map(linkThrows)),
    doc: method.doc,
    docAt: method.docAt,
    at: method.at,
  }
}

/** The filters that cover a method, furthest ancestor first. */
function filtersOf(controller: DeclaredController, method: DeclaredMethod): readonly DeclaredMethod[] {
  return controller.methods.filter(({ name, filter, depth }) => {
    if (filter === null || !covers(filter, method.name)) return false
    return !controller.skips.some(
      (skip) => skip.filter === name && skip.depth > depth && covers(skip, method.name),
    )
  })
}

const requiresTls = (controller: DeclaredController, method: DeclaredMethod): boolean =>
  controller.tls.some((selector) => covers(selector, method.name))

function covers({ only, except }: MethodSelector, name: string): boolean {
  return (only === null || only.includes(name)) && !except.includes(name)
}

function linkFilter(controller: DeclaredController, method: DeclaredMethod, address: RouteAddress): Filter {
  const params = linkParams(method.params, address)
  return { ...calleeOf(controller, method), when: method.filter?.when ?? 'before', params, at: method.at }
}
