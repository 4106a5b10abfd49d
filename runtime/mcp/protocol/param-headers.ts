/** Arguments that a client mirrors as `Mcp-Param-{name}` headers, so that gateways can route on them. Once declared they
 *  must agree. Source: MCP 2026-07-28, Streamable HTTP, custom headers from tool parameters. */
import type { HeaderMap } from '../../contract/http.ts'
import type { JsonSchema } from '../../contract/mcp.ts'
import { type Era, isObject, type WireObject } from './constants.ts'

/** What disagrees. */
export interface HeaderMismatch {
  readonly header: string
  readonly body: string
}

/** Compares the headers of one call with its arguments; null when they agree. */
export type CheckParamHeaders = (args: WireObject, headers: HeaderMap) => HeaderMismatch | null

interface Mirrored {
  readonly path: readonly string[]
  /** As in `Mcp-Param-{name}`. */
  readonly header: string
  readonly isNumber: boolean
}

/** The check for a tool's input schema, or null when it mirrors nothing. */
export function paramHeaderCheck(schema: JsonSchema): CheckParamHeaders | null {
  const mirrored = mirroredIn(schema, [])
  if (mirrored.length === 0) return null
  return (args, headers) => {
    for (const parameter of mirrored) {
      const mismatch = compare(parameter, args, headers)
      if (mismatch !== null) return mismatch
    }
    return null
  }
}

/** The schema as clients of that era are sent it: those of `initialize` do not know the declaration, and models behind them refuse a
 *  tool for a keyword that they do not know. */
// Source: decisions/mcp.md, Clients' dialects.
export function schemaFor(era: Era, schema: JsonSchema): JsonSchema {
  if (era === 'modern' || !isObject(schema.properties) || mirroredIn(schema, []).length === 0) return schema
  const properties = Object.entries(schema.properties).map(([name, property]): [string, unknown] => {
    if (!isObject(property)) return [name, property]
    const { 'x-mcp-header': _declared, ...rest } = property
    return [name, schemaFor(era, rest)]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** Declarations are only valid along `properties`. */
function mirroredIn(schema: unknown, path: readonly string[]): readonly Mirrored[] {
  if (!isObject(schema) || !isObject(schema.properties)) return []
  return Object.entries(schema.properties).flatMap(([name, property]): readonly Mirrored[] => {
    const at = [...path, name]
    const declared = isObject(property) ? property['x-mcp-header'] : undefined
    const nested = mirroredIn(property, at)
    if (!isObject(property) || typeof declared !== 'string') return nested
    const isNumber = property.type === 'integer' || property.type === 'number'
    return [{ path: at, header: `Mcp-Param-${declared}`, isNumber }, ...nested]
  })
}

function compare(
  { path, header, isNumber }: Mirrored,
  args: WireObject,
  headers: HeaderMap,
): HeaderMismatch | null {
  const value = path.reduce<unknown>(
    (node, name) => (isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined),
    args,
  )
  if (value === undefined || value === null || typeof value === 'object') return null
  const carries = `the body carries ${path.join('.')}=${JSON.stringify(value)}`
  const sent = headers[header.toLowerCase()]
  if (sent === undefined) return { header, body: `${carries} but the ${header} header is absent` }
  const decoded = decodedHeader([sent].flat().join(', ').trim())
  if (decoded === null)
    return { header, body: `the ${header} header carries an invalid Base64 sentinel value` }
  const agrees = isNumber && decimal.test(decoded) ? Number(decoded) === value : decoded === String(value)
  return agrees
    ? null
    : { header, body: `the ${header} header decodes to ${JSON.stringify(decoded)} but ${carries}` }
}

const decimal = /^-?(0|[1-9]\d*)(\.\d+)?$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** A header value, of which `=?base64?…?=` is decoded; null when it cannot be. */
export function decodedHeader(value: string): string | null {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value
  const encoded = value.slice('=?base64?'.length, -'?='.length)
  if (!base64.test(encoded)) return null
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : null
}
