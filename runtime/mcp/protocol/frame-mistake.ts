/** What is wrong with the frame of a message, in a sentence: the SDK says of each only that there is something. Source: JSON-RPC 2.0, 4;
 *  rules.md, null members and revisions. */
import type { HeaderMap, HttpResponse } from '../../contract/http.ts'
import { isWellFormed } from '../../utf8.ts'
import {
  errorCodes,
  isObject,
  legacyVersions,
  metaKeys,
  modernVersion,
  type WireObject,
} from './constants.ts'
import { rpcFailure } from './http-refusal.ts'

/** The answer, or null where nothing is wrong that this knows of. */
export function frameMistake(message: unknown, headers: HeaderMap): HttpResponse | null {
  if (!isObject(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string') return null
  const id = isId(message.id) ? JSON.stringify(message.id) : 'null'
  const mistake = mistakeIn(message)
  if (mistake !== null)
    return rpcFailure(400, id, { code: errorCodes.invalidParams, message: `Invalid params: ${mistake}` })
  return unknownRevision(message, headers, id)
}

function mistakeIn({ id, params }: WireObject): string | null {
  if (id !== undefined && !isId(id)) return `id ${idMistake(id)}`
  if (params === undefined) return null
  if (!isObject(params)) return 'params must be an object'
  const { _meta: meta } = params
  if (meta === undefined) return null
  if (!isObject(meta)) return '_meta must be an object'
  const { progressToken: token } = meta
  return token === undefined || isId(token) ? null : `_meta.progressToken ${idMistake(token)}`
}

const longestName = 64

/** Of a message that does not say itself of which revision it is. */
function unknownRevision({ params }: WireObject, headers: HeaderMap, id: string): HttpResponse | null {
  const requested = headers['mcp-protocol-version']
  if (requested === undefined || requested === modernVersion || legacyVersions.has(String(requested)))
    return null
  if (isObject(params) && isObject(params._meta) && metaKeys.version in params._meta) return null
  const supported = [modernVersion, ...legacyVersions]
  const named = String(requested).slice(0, longestName)
  return rpcFailure(400, id, {
    code: errorCodes.unsupportedVersion,
    message: `Unsupported protocol version: ${named} (supported versions: ${supported.join(', ')})`,
    data: { supported, requested: named },
  })
}

/** Of a message, or the token of its progress, which answers repeat. A number that JSON can write and a client cannot find again in the answer is no id, nor is a text that no answer may hold. */
export const isId = (id: unknown): boolean =>
  typeof id === 'string' ? isWellFormed(id) : Number.isSafeInteger(id)

/** Why something is none. */
const idMistake = (id: unknown): string =>
  typeof id === 'string'
    ? 'must not contain half a character'
    : 'must be a text or a whole number between -(2^53 - 1) and 2^53 - 1'
