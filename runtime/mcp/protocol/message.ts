/** Decides whether a message is one of those that are served without the SDK, having passed every check of the protocol.
 *  Everything else, also everything that is wrong, goes to the SDK: its answers are the yardstick. Source: MCP
 *  2026-07-28 and 2025-11-25, Streamable HTTP; decisions/mcp.md, The SDK. */
import { isSpecType } from '@modelcontextprotocol/server'
import type { HeaderMap } from '../../contract/http.ts'
import { acceptedForms } from './accepted-forms.ts'
import { type Era, isObject, legacyVersions, metaKeys, modernVersion, type WireObject } from './constants.ts'
import { isId } from './frame-mistake.ts'

/** Sends the parameters of one `notifications/progress`. */
export type SendProgress = (params: WireObject) => void

/** What a message says of the call that it makes. */
export interface CallMessage {
  readonly era: Era
  /** As JSON. */
  readonly id: string
  readonly meta: WireObject
  /** Null when the client did not ask for progress. */
  readonly sendProgress: SendProgress | null
  /** The user's answers, whose state has been verified. */
  readonly retry: { readonly answers: WireObject; readonly state: unknown } | null
}

/** A well-formed message of one of those methods. */
export interface FastMessage extends CallMessage {
  readonly method: FastMethod
  readonly params: WireObject
}

export type FastMethod =
  | 'tools/list'
  | 'tools/call'
  | 'subscriptions/listen'
  | 'prompts/get'
  | 'resources/read'

const fastMethods: ReadonlySet<unknown> = new Set<FastMethod>([
  ...(['tools/call', 'tools/list', 'subscriptions/listen', 'prompts/get', 'resources/read'] as const),
])

const isFastMethod = (method: unknown): method is FastMethod => fastMethods.has(method)

/** The message of a POST when it needs no SDK, else null. */
export function fastMessage(body: unknown, headers: HeaderMap): FastMessage | null {
  if (!isObject(body) || body.jsonrpc !== '2.0') return null
  const { id, method, params = nothing } = body
  if (!isFastMethod(method)) return null
  if (!isId(id)) return null
  const size = body.params === undefined ? 3 : 4
  if (Object.keys(body).length !== size || !isObject(params)) return null
  const { _meta: meta = nothing } = params
  if (!isObject(meta) || !isPlainCall(method, params) || !isToken(meta.progressToken)) return null
  const era = eraOf(method, params, meta, headers)
  if (era === null) return null
  const idText = typeof id === 'string' ? JSON.stringify(id) : String(id)
  return { era, method, id: idText, params, meta, sendProgress: null, retry: null }
}

const nothing: WireObject = {}

/** Parameters as they must be; a retry of a multi round-trip request, and a task are the SDK's. */
function isPlainCall(method: FastMethod, params: WireObject): boolean {
  if (method === 'tools/list') return params.cursor === undefined || typeof params.cursor === 'string'
  if (method === 'subscriptions/listen') {
    return isObject(params.notifications) && isFilter(params.notifications)
  }
  const { name, arguments: args } = params
  if (method !== 'tools/call' && !isPlainOffer(method, params)) return false
  if (method === 'resources/read') return true
  if (typeof name !== 'string' || !(args === undefined || isObject(args))) return false
  return !('inputResponses' in params || 'requestState' in params || 'task' in params)
}

/** Without reports of progress, of which the SDK makes a stream; the arguments of a prompt are texts. */
function isPlainOffer(method: FastMethod, params: WireObject): boolean {
  const { uri, arguments: args = nothing, _meta: meta } = params
  if (isObject(meta) && meta.progressToken !== undefined) return false
  if ('inputResponses' in params || 'requestState' in params) return false
  if (method === 'resources/read') return typeof uri === 'string'
  return isObject(args) && Object.values(args).every((value) => typeof value === 'string')
}

/** What a subscription asks for. */
export const filterIn = ({ notifications }: WireObject): WireObject =>
  isObject(notifications) ? notifications : nothing

const isFilter = ({ resourceSubscriptions = [], ...kinds }: WireObject): boolean =>
  Object.values(kinds).every((setting) => typeof setting === 'boolean') &&
  Array.isArray(resourceSubscriptions) &&
  resourceSubscriptions.every((uri) => typeof uri === 'string')

const isToken = (token: unknown): boolean => token === undefined || isId(token)

function eraOf(method: string, params: WireObject, meta: WireObject, headers: HeaderMap): Era | null {
  if (metaKeys.version in meta) return isModern(method, params, meta, headers) ? 'modern' : null
  if (method === 'subscriptions/listen') return null
  const version = headers['mcp-protocol-version']
  const isSupported = version === undefined || (typeof version === 'string' && legacyVersions.has(version))
  const { json, stream } = acceptedForms(headers)
  return isSupported && (json || stream) && !(relatedTask in meta) ? 'legacy' : null
}

const relatedTask = 'io.modelcontextprotocol/related-task'

const namedMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

function isModern(method: string, params: WireObject, meta: WireObject, headers: HeaderMap): boolean {
  if (meta[metaKeys.version] !== modernVersion || headers['mcp-protocol-version'] !== modernVersion)
    return false
  if (headers['mcp-method'] !== method) return false
  const name = method === 'resources/read' ? params.uri : params.name
  if (namedMethods.has(method) && !isNamed(headers['mcp-name'], name)) return false
  if (!isCapabilities(meta[metaKeys.capabilities]) || metaKeys.logLevel in meta) return false
  return !(metaKeys.clientInfo in meta) || isImplementation(meta[metaKeys.clientInfo])
}

/** An encoded name (`=?base64?…?=`) is the SDK's to read. */
const isNamed = (header: HeaderMap[string], name: unknown): boolean =>
  header === name && !String(header).startsWith('=?')

/** The shapes that clients send; others may be right too, and are the SDK's to judge. */
function isCapabilities(value: unknown): boolean {
  if (!isObject(value)) return false
  for (const name in value) {
    const capability = value[name]
    if (!isObject(capability)) return false
    for (const part in capability) if (!isCapabilityPart(part, capability[part])) return false
  }
  return true
}

function isCapabilityPart(name: string, value: unknown): boolean {
  if (name === 'listChanged') return typeof value === 'boolean'
  return isObject(value) && Object.values(value).every((setting) => typeof setting === 'boolean')
}

function isImplementation(value: unknown): boolean {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value.version !== 'string') return false
  for (const name in value) if (typeof value[name] !== 'string') return isSpecType.Implementation(value)
  return true
}
