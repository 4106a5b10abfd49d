/** A route without a server: what the tests of the pipeline run. */
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import type { ParamDecoder, Route, RouteFilter, RouteHandler } from '../../../runtime/contract/route.ts'
import type { Services } from '../../../runtime/contract/store.ts'
import { cookiesOf } from '../../../runtime/http/input/cookies.ts'
import { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { prepareRoute } from '../../../runtime/http/pipeline/prepare/prepare-route.ts'
import { noServices } from '../../boot/no-services.ts'
import { plainFormats } from './formats.ts'

export class Probe extends Controller {
  readonly trail: string[] = []
}

const session: HttpRequest['session'] = {
  get: () => null,
  set: () => {},
  remove: () => {},
  regenerate: async () => {},
}

/** A GET request; `query` follows from the address. */
export function request(parts: Partial<HttpRequest> = {}): HttpRequest {
  const url = parts.url ?? '/probe'
  return {
    id: '1',
    method: 'GET',
    url,
    path: '/probe',
    query: new URL(url, 'http://localhost').searchParams,
    params: {},
    headers: {},
    cookies: cookiesOf(parts.headers ?? {}),
    ip: '127.0.0.1',
    session,
    body: { kind: 'bytes', contentType: null, read: async () => new Uint8Array() },
    signal: new AbortController().signal,
    ...parts,
  }
}

/** A request with a body. */
export const post = (
  contentType: string | null,
  body: string,
  parts: Partial<HttpRequest> = {},
): HttpRequest =>
  request({
    method: 'POST',
    body: { kind: 'bytes', contentType, read: async () => Buffer.from(body) },
    ...parts,
  })

export const services: Services = noServices

/** A filter or handler with its parameters. */
export type With<T> = T & { readonly params?: readonly ParamDecoder[] }

export interface Parts {
  readonly route?: Partial<Route>
  readonly filters?: readonly With<RouteFilter>[]
  readonly handlers?: readonly With<RouteHandler>[]
  readonly params?: readonly ParamDecoder[]
  readonly call?: (probe: Probe, args: readonly unknown[]) => unknown
}

function routeOf({ route = {}, filters = [], handlers = [], call = () => 'done' }: Parts): Route {
  return {
    id: 'probe_show',
    verb: 'GET',
    path: '/probe',
    status: 200,
    statuses: [],
    websocket: false,
    requiresTls: false,
    controller: Probe,
    produces: null,
    filters,
    handlers,
    create: () => new Probe(),
    call: (controller: Probe, args) => call(controller, args),
    ...route,
  }
}

const paramsOf = ({ params = [] }: { readonly params?: readonly ParamDecoder[] }): readonly ParamDecoder[] =>
  params

/** Runs a route made of `parts`. */
export async function run(
  parts: Parts,
  requested: HttpRequest = request(),
  baseUrl = 'https://notes.example',
): Promise<HttpResponse> {
  const { params = [], filters = [], handlers = [] } = parts
  const codec = { params, filters: filters.map(paramsOf), handlers: handlers.map(paramsOf) }
  const prepared = prepareRoute(routeOf(parts), codec, { baseUrl, formats: plainFormats })
  return prepared.run(requested, services, null)
}

export const filter = (
  when: RouteFilter['when'],
  name: string,
  call: RouteFilter['call'],
  params: readonly ParamDecoder[] = [],
): With<RouteFilter> => ({ when, name, call, params })

export const handler = (
  error: RouteHandler['error'],
  status: number | null,
  call: RouteHandler['call'],
  more: Partial<With<RouteHandler>> = {},
): With<RouteHandler> => ({ error, match: null, status, contentType: null, depth: 0, call, ...more })

/** Status and body: what most tests look at. */
export const seen = ({ status, body }: HttpResponse): readonly [number, unknown] => [status, body]

/** What the promise is rejected with. */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  return 'nothing was thrown'
}
