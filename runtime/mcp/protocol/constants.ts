/** The protocol's own words. Source: MCP 2026-07-28, Base protocol, `_meta`, and Streamable HTTP. */
import {
  BAGGAGE_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from '@modelcontextprotocol/server'

/** `legacy` = the revisions with `initialize`, `modern` = 2026-07-28, where every request stands alone. */
export type Era = 'legacy' | 'modern'

export const modernVersion = '2026-07-28'

/** The versions that a legacy `MCP-Protocol-Version` header may name. */
export const legacyVersions: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS)

/** The reserved keys of `_meta`. */
export const metaKeys: Readonly<Record<MetaName, string>> = {
  version: PROTOCOL_VERSION_META_KEY,
  capabilities: CLIENT_CAPABILITIES_META_KEY,
  clientInfo: CLIENT_INFO_META_KEY,
  logLevel: LOG_LEVEL_META_KEY,
  serverInfo: SERVER_INFO_META_KEY,
  subscriptionId: SUBSCRIPTION_ID_META_KEY,
}

type MetaName = 'version' | 'capabilities' | 'clientInfo' | 'logLevel' | 'serverInfo' | 'subscriptionId'

/** Trace context travels in `_meta` under the names that it has as headers. */
export const traceKeys: readonly string[] = [TRACEPARENT_META_KEY, TRACESTATE_META_KEY, BAGGAGE_META_KEY]

/** Error codes of JSON-RPC 2.0 and of revision 2026-07-28. Our own lie outside -32768..-32000. */
export const errorCodes = {
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  /** Until 2025-11-25. */
  resourceNotFound: -32002,
  invalidRequest: -32600,
  invalidParams: -32602,
  internalError: -32603,
  tooLarge: 413,
  tooManyCalls: 429,
  busy: 503,
} as const

/** A JSON object as it came off the wire. */
export type WireObject = Readonly<Record<string, unknown>>

/** Whether a value from the wire is a JSON object. */
export const isObject = (value: unknown): value is WireObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
