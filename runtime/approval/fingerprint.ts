/** The fingerprint of what a caller is told of a route: who approves a call approves what it was then. */
import { createHash } from 'node:crypto'
import { writeCanonicalJson } from '../canonical-json.ts'
import type { ToolEntry } from '../contract/mcp.ts'
import type { Route, RouteCodec } from '../contract/route.ts'

/** SHA-256 in lower-case hex over canonical JSON of the route's address, sentence and parameters, and of the texts and schemas of its
 *  tools; a route that is no tool has none. */
export function fingerprintOf(
  { verb, path, approval }: Pick<Route, 'verb' | 'path' | 'approval'>,
  { params }: Pick<RouteCodec, 'params'>,
  tools: readonly ToolEntry[],
): string {
  const described = {
    verb,
    path,
    sentence: approval?.sentence ?? null,
    parameters: params.map(({ name, from, required, codec }) => [name, from, required, codec.restriction]),
    tools: tools.map(({ name, title, summary, description, hints, inputSchema, outputSchema }) => {
      return { name, title, summary, description, hints, inputSchema, outputSchema }
    }),
  }
  const hash = createHash('sha256')
  writeCanonicalJson(described, (text) => hash.update(text))
  return hash.digest('hex')
}
