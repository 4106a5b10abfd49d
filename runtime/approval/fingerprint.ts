/** The fingerprint of what a caller is told of a route: who approves a call approves what it was then. */
import type { ToolEntry } from '../contract/mcp.ts'
import type { Route, RouteCodec } from '../contract/route.ts'
import { fingerprintOf, pinnedTool, toolFingerprint } from '../tool-fingerprint.ts'

/** Of the route's address, sentence and parameters, and of its tools as `generated/mcp.yml` has their fingerprints; a route that is no
 *  tool has none. */
export const approvedFingerprint = (
  { verb, path, approval }: Pick<Route, 'verb' | 'path' | 'approval'>,
  { params }: Pick<RouteCodec, 'params'>,
  tools: readonly ToolEntry[],
): string =>
  fingerprintOf({
    verb,
    path,
    sentence: approval?.sentence ?? null,
    parameters: params.map(({ name, from, required, codec }) => [name, from, required, codec.restriction]),
    tools: tools.map((tool) => [toolFingerprint(pinnedTool(tool)), fingerprintOf(tool.outputSchema)]),
  })
