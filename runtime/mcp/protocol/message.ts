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

/** How messages of a method are taken off the wire. */
export interface MethodFrame {
  /** Whether parameters are as they must be, and nothing of them is the SDK's to judge. Absent: the SDK judges each message. */
  readonly isPlain?: (params: WireObject) => boolean
  /** The parameter that `Mcp-Name` repeats. */
  readonly named?: string
  /** Absent: both eras have it. */
  readonly era?: 'modern'
  /** The SDK does not know it: what is odd about a message of it is not the SDK's to judge. */
  readonly isOfExtension?: true
}

/** A well-formed message of a method. */
export interface MethodMessage extends CallMessage {
  readonly method: string
  readonly params: WireObject
}

type Frames = ReadonlyMap<unknown, MethodFrame>

/** The message of a POST when it needs no SDK, else null. */
export function fastMessage(body: unknown, headers: HeaderMap, frames: Frames): MethodMessage | null {
  if (!isObject(body) || body.jsonrpc !== '2.0') return null
  const { id, method, params = nothing } = body
  const frame = frames.get(method)
  if (frame?.isPlain === undefined || typeof method !== 'string') return null
  if (!isId(id)) return null
  const size = body.params === undefined ? 3 : 4
  if (Object.keys(body).length !== size || !isObject(params)) return null
  const { _meta: meta = nothing } = params
  if (!isObject(meta) || !frame.isPlain(params) || !isToken(meta.progressToken)) return null
  const era = eraOf(method, params, { frame, meta, headers })
  if (era === null) return null
  const idText = typeof id === 'string' ? JSON.stringify(id) : String(id)
  return { era, method, id: idText, params, meta, sendProgress: null, retry: null }
}

/** The same for a method of an extension, which 2026-07-28 alone has; null also for what lacks what every request has: the SDK says so. */
export function extensionMessage(body: unknown, headers: HeaderMap, frames: Frames): MethodMessage | null {
  if (!isObject(body) || frames.get(body.method)?.isOfExtension !== true || body.jsonrpc !== '2.0')
    return null
  const { id, method, params } = body
  if (typeof method !== 'string' || !isObject(params) || !isObject(params._meta) || !isId(id)) return null
  const { _meta: meta } = params
  const isModern = meta[metaKeys.version] === modernVersion && isObject(meta[metaKeys.capabilities])
  if (!isModern || headers['mcp-protocol-version'] !== modernVersion || headers['mcp-method'] !== method)
    return null
  return { method, id: JSON.stringify(id), params, era: 'modern', meta, sendProgress: null, retry: null }
}

const nothing: WireObject = {}

/** No retry of a multi round-trip request, which is the SDK's. */
export const hasNoRetry = (params: WireObject): boolean =>
  !('inputResponses' in params || 'requestState' in params)

/** Without reports of progress, of which the SDK makes a stream. */
export const isPlainOffer = (params: WireObject): boolean =>
  hasNoRetry(params) && !(isObject(params._meta) && params._meta.progressToken !== undefined)

const isToken = (token: unknown): boolean => token === undefined || isId(token)

interface Head {
  readonly frame: MethodFrame
  readonly meta: WireObject
  readonly headers: HeaderMap
}

function eraOf(method: string, params: WireObject, head: Head): Era | null {
  const { frame, meta, headers } = head
  if (metaKeys.version in meta) return isModern(method, params, head) ? 'modern' : null
  if (frame.era === 'modern') return null
  const version = headers['mcp-protocol-version']
  const isSupported = version === undefined || (typeof version === 'string' && legacyVersions.has(version))
  const { json, stream } = acceptedForms(headers)
  return isSupported && (json || stream) && !(relatedTask in meta) ? 'legacy' : null
}

const relatedTask = 'io.modelcontextprotocol/related-task'

function isModern(method: string, params: WireObject, { frame: { named }, meta, headers }: Head): boolean {
  if (meta[metaKeys.version] !== modernVersion || headers['mcp-protocol-version'] !== modernVersion)
    return false
  if (headers['mcp-method'] !== method) return false
  if (named !== undefined && !isNamed(headers['mcp-name'], params[named])) return false
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
