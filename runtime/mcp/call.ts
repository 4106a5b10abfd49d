import type { HttpRequest, RequestBody, Route, ToolEntry } from '../contract.ts'
import { cookiesOf } from '../http/cookies.ts'
import { credentialHeaderNames, credentialsOf } from './credentials.ts'

/** The body of a request that has none. */
export const noBody: RequestBody = { kind: 'bytes', contentType: null, read: async () => new Uint8Array() }

type RouteParts = Pick<HttpRequest, 'method' | 'path' | 'query' | 'params' | 'headers' | 'body'>

/** The request that a route sees when it runs for an MCP client: the client's credential headers, session, address, id
 *  and signal, JSON wanted, and nothing else of the client's own request. Source: specification, What the service does,
 *  rule 1. */
export function requestInProcess(client: HttpRequest, parts: RouteParts): HttpRequest {
  const query = parts.query.toString()
  const headers = { accept: 'application/json', ...credentialsOf(client.headers), ...parts.headers }
  return {
    ...parts,
    id: client.id,
    url: query === '' ? parts.path : `${parts.path}?${query}`,
    headers,
    get cookies() {
      return cookiesOf(headers)
    },
    ip: client.ip,
    session: client.session,
    signal: client.signal,
  }
}

/** The arguments of a tool call, as the client sent them. */
export type ToolArguments = Readonly<Record<string, unknown>>

interface Placed {
  readonly from: ToolEntry['arguments'][number]['from']
  readonly name: string
  readonly value: unknown
}

/** Puts the arguments of a tool call where the route reads them. Nothing is judged here: a missing or wrong argument is
 *  found by the route's own parameter step, and one that the tool does not have is dropped. Fields of POST, PUT and
 *  PATCH travel in the body, never in the URL. Source: decisions.md, Easy to miss. */
export function toolCallRequest(
  client: HttpRequest,
  tool: ToolEntry,
  route: Pick<Route, 'verb' | 'path'>,
  args: ToolArguments,
): HttpRequest {
  const placed = tool.arguments
    .filter(({ argument }) => Object.hasOwn(args, argument) && args[argument] !== undefined)
    .map(({ argument, from, name }) => ({ from, name, value: args[argument] }))
  const fieldsIn = ['POST', 'PUT', 'PATCH'].includes(route.verb) ? 'body' : 'query'
  const params = pathParams(placed)
  return requestInProcess(client, {
    method: route.verb,
    path: filledPath(route.path, params),
    query: queryOf(placed, fieldsIn === 'query'),
    params,
    headers: headersOf(placed, client),
    body: bodyOf(placed, fieldsIn === 'body' && tool.arguments.some(({ from }) => from === 'field')),
  })
}

const pathParams = (placed: readonly Placed[]): Readonly<Record<string, string>> =>
  Object.fromEntries(present(placed, 'path').map(({ name, value }) => [name, toText(value)]))

/** A parameter without a value leaves its segment empty: the route itself says that it is missing. */
function filledPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)(?:\([^)]*\))?\??|\*/g, (segment: string, name: string | undefined) => {
    const text = params[name ?? segment] ?? ''
    return name === undefined ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text)
  })
}

function queryOf(placed: readonly Placed[], withFields: boolean): URLSearchParams {
  const inQuery = placed.filter(({ from }) => from === 'query' || (withFields && from === 'field'))
  const pairs = inQuery.flatMap(({ name, value }) =>
    repeated(value)
      .filter(isPresent)
      .map((item) => [name, toText(item)]),
  )
  return new URLSearchParams(pairs)
}

/** A list is a repeated name; one of a single item stays JSON, so that a comma in it does not part it. */
const repeated = (value: unknown): readonly unknown[] =>
  Array.isArray(value) && value.length > 1 ? value : [value]

function headersOf(placed: readonly Placed[], client: HttpRequest): Readonly<Record<string, string>> {
  const headers = present(placed, 'header')
    .map(({ name, value }) => [name.toLowerCase(), headerText(value)] as const)
    .filter(([name]) => !credentialHeaderNames.has(name))
  const cookie = cookieText(placed, client)
  return { ...Object.fromEntries(headers), ...(cookie === '' ? {} : { cookie }) }
}

/** Adds cookies that the client did not send itself: an argument never replaces a credential. */
function cookieText(placed: readonly Placed[], client: HttpRequest): string {
  const sent = [credentialsOf(client.headers).cookie ?? []].flat()
  const sentNames = new Set(
    sent.flatMap((cookie) => cookie.split(';')).map((pair) => pair.split('=')[0]?.trim()),
  )
  const added = present(placed, 'cookie').filter(({ name }) => !sentNames.has(name))
  return [...sent, ...added.map(({ name, value }) => `${name}=${encodeURIComponent(toText(value))}`)].join(
    '; ',
  )
}

function bodyOf(placed: readonly Placed[], hasFields: boolean): RequestBody {
  const whole = placed.find(({ from }) => from === 'body')
  if (whole !== undefined) return { kind: 'value', value: whole.value }
  if (!hasFields) return noBody
  const fields = placed.filter(({ from }) => from === 'field')
  return { kind: 'value', value: Object.fromEntries(fields.map(({ name, value }) => [name, value])) }
}

const present = (placed: readonly Placed[], from: Placed['from']): readonly Placed[] =>
  placed.filter((item) => item.from === from && isPresent(item.value))

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

// What cannot be UTF-8 (a lone surrogate) becomes U+FFFD, as it would on the wire.
const toText = (value: unknown): string =>
  Buffer.from(typeof value === 'object' ? JSON.stringify(value) : String(value)).toString()

const headerText = (value: unknown): string => toText(value).replace(/\p{Cc}+/gu, ' ')
