/** The fingerprints of a tool: what a client that pins tools computes of the server's lists. Source: decisions/compiler.md, mcp.yml. */
import { canonicalJson } from '../../../../runtime/canonical-json.ts'
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import { fingerprintOf, pinnedTool, toolFingerprint } from '../../../../runtime/tool-fingerprint.ts'
import { memoize } from '../../cache/memoize.ts'
import type { SchemaText } from '../../schema/json-schema.ts'
import type { ToolView } from '../../schema/tools.ts'

/** The second is of the answer alone, and absent where nothing is said of that: whoever changes the tool changes another line than
 *  whoever changes a type that it answers, and both merge. */
export interface Fingerprints {
  readonly fingerprint: string
  readonly answerFingerprint?: string
}

export const fingerprintsOf = ({ tool, input, output }: ToolView): Fingerprints => ({
  fingerprint: toolFingerprint(pinnedTool({ ...tool, inputSchema: wholeSchema(input) }), texts),
  ...(output === null ? {} : { answerFingerprint: answerFingerprintOf(output) }),
})

/** Most routes of a controller answer the same. */
const answerFingerprintOf = memoize((output: SchemaText) => fingerprintOf(wholeSchema(output), texts))

/** With its definitions, as the server has it. */
function wholeSchema({ schema, defined }: SchemaText): JsonSchema {
  if (defined.length === 0) return schema
  for (const type of defined) if (!texts.has(type.schema)) texts.set(type.schema, canonicalJson(type.schema))
  return { ...schema, $defs: Object.fromEntries(defined.map((type) => [type.name, type.schema])) }
}

/** Of definitions, which many tools have. */
const texts = new WeakMap<object, string>()
