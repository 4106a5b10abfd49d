/** The fingerprints of a tool: what a client that pins tools computes of the server's lists. Source: decisions/compiler.md, mcp.yml. */
import { canonicalJson } from '../../../../runtime/canonical-json.ts'
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import { fingerprintOf, pinnedTool, toolFingerprint } from '../../../../runtime/tool-fingerprint.ts'
import type { NamedSchema } from '../../ir/schema.ts'
import { definitionText, type SchemaText } from '../../schema/json-schema.ts'
import type { ToolFacts } from '../../schema/tools.ts'
import { outputSchema } from './tool-entry.ts'

/** The second is of the answer alone, and absent where nothing is said of that: whoever changes the tool changes another line than
 *  whoever changes a type that it answers, and both merge. */
export interface Fingerprints {
  readonly fingerprint: string
  readonly answerFingerprint?: string
}

export function fingerprintsOf({ tool, input }: ToolFacts, named: readonly NamedSchema[]): Fingerprints {
  const output = outputSchema(named, tool)
  return {
    fingerprint: toolFingerprint(pinnedTool({ ...tool, inputSchema: wholeSchema(input) }), texts),
    ...(output === null ? {} : { answerFingerprint: answerFingerprintOf(output) }),
  }
}

/** Most routes of a controller answer the same. */
const known = new WeakMap<SchemaText, string>()

function answerFingerprintOf(output: SchemaText): string {
  const found = known.get(output) ?? fingerprintOf(wholeSchema(output), texts)
  known.set(output, found)
  return found
}

/** With its definitions, as the server has it. */
function wholeSchema({ json, defined, isClosed }: SchemaText): JsonSchema {
  const schema: JsonSchema = JSON.parse(json)
  if (defined.length === 0) return schema
  return {
    ...schema,
    $defs: Object.fromEntries(defined.map((type) => [type.name, definition(type, isClosed)])),
  }
}

type Definitions = WeakMap<NamedSchema, JsonSchema>

const definitions: { readonly open: Definitions; readonly closed: Definitions } = {
  open: new WeakMap(),
  closed: new WeakMap(),
}
/** Of definitions, which many tools have. */
const texts = new WeakMap<object, string>()

function definition(type: NamedSchema, isClosed: boolean): JsonSchema {
  const kept = definitions[isClosed ? 'closed' : 'open']
  const found = kept.get(type)
  if (found !== undefined) return found
  const made: JsonSchema = JSON.parse(`{${definitionText(type, isClosed)}}`)[type.name]
  kept.set(type, made)
  texts.set(made, canonicalJson(made))
  return made
}
