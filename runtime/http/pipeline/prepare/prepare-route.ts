/** What of a route does not depend on a request. */
import type { ParamDecoder, Route, RouteCodec } from '../../../contract/route.ts'
import type { AccessControl } from '../../access/access-control.ts'
import { argumentReaders } from '../../input/params.ts'
import type { RouteLimits } from '../../limits/route-limits.ts'
import { createFormats, type Formats, withoutFiles } from '../../output/formats.ts'
import { prepareFilters } from '../filters.ts'
import { guardsOf } from '../guards.ts'
import { prepareHandlers } from '../handlers.ts'
import { type PreparedRoute, RequestContext } from '../request-context.ts'
import { handledAlone, tooManyAlone } from '../rescue.ts'

const builtInFormats: Formats = createFormats()

export interface RouteSettings {
  readonly baseUrl: string
  readonly formats?: Formats
  /** Null = no route asks for a scope. */
  readonly access?: AccessControl | null
  /** Null = no route has a limit or a time. */
  readonly limits?: RouteLimits | null
}

/** Resolves what does not depend on a request. Throws when the bundle's decoders do not fit the route table. */
export function prepareRoute(
  route: Route,
  codec: RouteCodec | undefined,
  { baseUrl, formats = builtInFormats, access: control = null, limits = null }: RouteSettings,
): PreparedRoute {
  if (codec === undefined || codec.filters.length !== route.filters.length) {
    throw new Error(`the bundle has no decoders for ${route.id}: run acmcp build`)
  }
  const isCounted = limits !== null && limits.limitOf(route) !== null
  const access = control?.ofRoute(route, isCounted) ?? null
  if (access === null && route.scope !== undefined) throw new Error(`${route.id}: nothing guards its scopes`)
  const guard =
    access?.guard((error, request, services) =>
      handledAlone(new RequestContext(prepared, request, services), error),
    ) ?? null
  const limit =
    limits?.guard(route, access, (error, request, services) =>
      tooManyAlone(new RequestContext(prepared, request, services), error),
    ) ?? null
  const prepared: PreparedRoute = {
    route,
    guards: guardsOf(route, baseUrl, { limit, access: guard }),
    permits: guardsOf(route, baseUrl, { limit: null, access: guard }),
    time: limits?.timeOf(route) ?? null,
    access,
    filters: prepareFilters(route, codec),
    params: argumentReaders(codec.params),
    handlers: prepareHandlers(route, codec, formats),
    readsBody: codec.params.some((param) => param.from === 'body' || param.from === 'field'),
    formats: consumed(
      route,
      [codec.params, ...codec.filters].some(takesFile) ? formats : withoutFiles(formats),
    ),
    negotiates: route.produces === null,
    fixedType: route.produces === ownType ? null : route.produces,
  }
  return prepared
}

/** Of what is read what the route takes; a body without `Content-Type` is JSON all the same, as a tool call's is. */
function consumed({ id, consumes }: Route, formats: Formats): Formats {
  if (consumes === undefined) return formats
  const unknown = consumes.find((type) => !formats.parsers.has(type))
  if (unknown !== undefined) throw new Error(`${id}: nothing reads ${unknown}, which its @consumes names`)
  const parsers = new Map([...formats.parsers].filter(([type]) => consumes.includes(type)))
  return { ...formats, parsers, bodyTypes: [...parsers.keys()] }
}

/** Files travel as fields of their own (language.md, Parameters). */
const takesFile = (decoders: readonly ParamDecoder[]): boolean =>
  decoders.some(({ from, codec }) => from === 'field' && /\bUploadedFile\b/.test(codec.restriction))

/** `Route.produces` where the answer names its own type. */
const ownType = '*/*'
