import { isCallerHeader } from '../../caller-headers.ts'
import type { EndedBy, HeaderMap, HttpRequest, RequestBody } from '../../contract/http.ts'
import type { JsonArguments, McpCall, ToolCallRequest, ToolEntry } from '../../contract/mcp.ts'
import type { Route } from '../../contract/route.ts'
import { CallSession } from '../../http/session/call-session.ts'
import { withoutFields } from '../answers/brief.ts'
import { credentialsOf, type HeadersForRoute } from '../auth/credentials.ts'
import { type CallParts, noBody, RequestInProcess } from '../auth/request-in-process.ts'
import {
  argumentsByPlace,
  plainText,
  printableText,
  queryTexts,
  type ToolArguments,
} from './json-arguments.ts'
import { ownNames } from './own-names.ts'
import { fieldsCheck, keyCheck, nameCheck, UnknownArguments } from './unknown-arguments.ts'

/** What a request has of its tool, and of the call itself. */
interface OfTool {
  readonly headersFor: HeadersForRoute
  readonly json: JsonArguments
  /** What is wrong with the names of the arguments, or null. */
  readonly unknown: () => string | null
}

/** The same when the route runs as a tool, with a session of its own. */
export class ToolRequest extends RequestInProcess implements ToolCallRequest {
  readonly json: JsonArguments
  readonly #caller: ToolCaller
  readonly #unknown: () => string | null
  #session: CallSession | null = null

  constructor(caller: ToolCaller, parts: CallParts, { headersFor, json, unknown }: OfTool) {
    super(caller.request, parts, headersFor)
    this.json = json
    this.#caller = caller
    this.#unknown = unknown
  }

  get mistake(): Error | null {
    const unknown = this.#unknown()
    return unknown === null ? null : new UnknownArguments(unknown)
  }

  get mcp(): McpCall {
    return this.#caller.mcp
  }

  get round(): ToolCallRequest['round'] {
    return this.#caller.round
  }

  raise(error: Error): void {
    this.#caller.raise(error)
  }

  expire(error: Error): void {
    this.#caller.expire(error)
  }

  override get session(): CallSession {
    this.#session ??= new CallSession(super.session)
    return this.#session
  }

  /** Hands what the route did to its session to the client's, once it has answered. Returns what stores it, where progress was told
   *  and the head of the answer has left. */
  commitSession(): Promise<unknown> | null {
    return this.#session?.commit() ?? null
  }

  override get signal(): AbortSignal {
    return this.mcp.signal
  }

  override onDisconnect(gone: (by: EndedBy) => void): () => void {
    return this.#caller.whenCancelled(gone)
  }
}

/** The caller of a tool: the client's own request, what the route may do with the client, and the trace context to pass on. */
export interface ToolCaller {
  readonly request: HttpRequest
  readonly mcp: McpCall
  readonly round: ToolCallRequest['round']
  /** Calls `cancelled` when the client waits no longer for the answer, or the ending server has waited long enough for it, at once when that is
   *  so; returns how to stop that. */
  whenCancelled(cancelled: (by: EndedBy) => void): () => void
  /** `noHeaders` when there is none. */
  readonly trace: HeaderMap
  raise(error: Error): void
  /** The route took longer than it may. */
  expire(error: Error): void
}

/** Puts the arguments of a tool call where the route reads them, as text beside their JSON where a request has only text. Nothing is judged here: the route's own parameter step
 *  finds what is missing, wrong, or no argument of the tool. */
export type MakeToolRequest = (caller: ToolCaller, args: ToolArguments) => ToolRequest

type Argument = ToolEntry['arguments'][number]

interface Placed {
  readonly name: string
  readonly value: unknown
}

interface ToolRequestOptions {
  readonly headersFor: HeadersForRoute
  /** The arguments are what a user has written: a text is read as one. */
  readonly areTexts: boolean
}

/** Prepares the requests of one tool. Fields of POST, PUT and PATCH travel in the body, never in the URL. Source:
 *  rules.md, Easy to miss. */
export function toolRequests(
  tool: ToolEntry,
  route: Pick<Route, 'verb' | 'path'>,
  { headersFor, areTexts }: ToolRequestOptions,
): MakeToolRequest {
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(route.verb)
  const from = (...sources: readonly Argument['from'][]): readonly Argument[] =>
    tool.arguments.filter((argument) => sources.includes(argument.from))
  const query = hasBody ? from('query') : from('query', 'field')
  const [paths, headers, cookies] = [from('path'), from('header'), from('cookie')]
  const jsonOf = argumentsByPlace(tool.arguments, { hasBody, areTexts })
  const hasHeaders = headers.length > 0 || cookies.length > 0
  const checkNames = nameCheck(
    tool.inputSchema,
    tool.arguments.map(({ argument }) => argument),
  )
  const checkFields = fieldsCheck(tool)
  const checkKey = keyCheck(tool)
  const elsewhere = new Set([...headers, ...cookies].map(({ argument }) => argument))
  const bodyOf = bodyReader(
    from('body'),
    hasBody ? from('field') : [],
    checkNames === null ? elsewhere : null,
  )
  const body = checkFields === null ? bodyOf : (args: ToolArguments) => bodyOf(withoutFields(args))
  const named = ownNames(tool)
  return (caller, sent) => {
    const args = named === null ? sent : named(sent)
    const client = caller.request
    const params = paths.length === 0 ? noParams : pathParams(placed(paths, args))
    const parts = {
      method: route.verb,
      path: paths.length === 0 ? route.path : filledPath(route.path, params),
      query: query.length === 0 ? null : queryOf(placed(query, args)),
      params,
      headers: hasHeaders
        ? { ...caller.trace, ...headersOf(placed(headers, args), placed(cookies, args), client) }
        : caller.trace,
      body: body(args),
    }
    return new ToolRequest(caller, parts, {
      headersFor,
      json: jsonOf(args),
      unknown: () => checkNames?.(args) ?? checkFields?.(args) ?? checkKey?.(args) ?? null,
    })
  }
}

const noParams: HttpRequest['params'] = {}

function placed(from: readonly Argument[], args: ToolArguments): readonly Placed[] {
  const found: Placed[] = []
  for (const { argument, name } of from) {
    if (Object.hasOwn(args, argument) && args[argument] !== undefined)
      found.push({ name, value: args[argument] })
  }
  return found
}

const pathParams = (values: readonly Placed[]): Readonly<Record<string, string>> =>
  Object.fromEntries(present(values).map(({ name, value }) => [name, plainText(value)]))

/** A parameter without a value leaves its segment empty: the route itself says that it is missing. */
function filledPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)(?:\([^)]*\))?\??|\*/g, (segment: string, name: string | undefined) => {
    const text = params[name ?? segment] ?? ''
    return name === undefined ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text)
  })
}

function queryOf(values: readonly Placed[]): URLSearchParams {
  const pairs = present(values).flatMap(({ name, value }) => queryTexts(value).map((text) => [name, text]))
  return new URLSearchParams(pairs)
}

function headersOf(values: readonly Placed[], cookies: readonly Placed[], client: HttpRequest): HeaderMap {
  const headers = present(values)
    .map(({ name, value }) => [name.toLowerCase(), printableText(value)] as const)
    .filter(([name]) => mayBeArgument(name))
  const cookie = cookieText(cookies, client)
  return { ...Object.fromEntries(headers), ...(cookie === '' ? {} : { cookie }) }
}

/** Adds cookies that the client did not send itself: an argument never replaces a credential. */
function cookieText(values: readonly Placed[], client: HttpRequest): string {
  const sent = [credentialsOf(client.headers).cookie ?? []].flat()
  const sentNames = new Set(
    sent.flatMap((cookie) => cookie.split(';')).map((pair) => pair.split('=')[0]?.trim()),
  )
  const added = present(values).filter(({ name }) => !sentNames.has(name))
  return [...sent, ...added.map(({ name, value }) => `${name}=${encodeURIComponent(plainText(value))}`)].join(
    '; ',
  )
}

/** `elsewhere`: the names that do not go along where any other may; null = none but the fields may. */
function bodyReader(
  whole: readonly Argument[],
  fields: readonly Argument[],
  elsewhere: ReadonlySet<string> | null,
): (args: ToolArguments) => RequestBody {
  const names = new Set(fields.map(({ argument }) => argument))
  const isAsSent = fields.every(({ argument, name }) => argument === name)
  return (args) => {
    const [body] = placed(whole, args)
    if (body !== undefined) return { kind: 'value', value: body.value }
    if (fields.length === 0) return noBody
    if (isAsSent && (elsewhere?.size === 0 || hasOnly(names, args))) return { kind: 'value', value: args } // nothing to rename or drop
    const values = placed(fields, args).map(({ name, value }) => [name, value] as const)
    const others =
      elsewhere === null
        ? []
        : Object.entries(args).filter(([name]) => !names.has(name) && !elsewhere.has(name))
    return { kind: 'value', value: Object.fromEntries([...values, ...others]) }
  }
}

function hasOnly(names: ReadonlySet<string>, args: ToolArguments): boolean {
  for (const name in args) if (!names.has(name) || args[name] === undefined) return false
  return true
}

const present = (values: readonly Placed[]): readonly Placed[] => values.filter(({ value }) => value !== null)

/** Whether an argument may set the header, whatever the catalogue says: none that names the caller or its address, or belongs
 *  to the connection. Source: house.md, A tool's arguments. */
const mayBeArgument = (name: string): boolean =>
  !isCallerHeader(name) && !name.toLowerCase().startsWith('x-acmcp-')
