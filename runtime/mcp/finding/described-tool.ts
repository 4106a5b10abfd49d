/** A tool as `open_toolbox` and `find_tools` tell it: all that a call takes and gives, and what runs it. */
import type { JsonSchema, ToolEntry } from '../../contract/mcp.ts'
import { toAnnotations } from '../../tool-fingerprint.ts'
import { untrustedMeta } from '../answers/untrusted.ts'
import type { Era } from '../protocol/constants.ts'
import { schemaFor } from '../protocol/param-headers.ts'
import { metaToolNames } from '../tools/tool-list.ts'

/** The output schema is that of the structured content as the era has it. */
export function describedTool(tool: ToolEntry, era: Era): object {
  const { name, title, summary, hints, inputSchema, outputSchema } = tool
  return {
    name,
    ...(title === null ? {} : { title }),
    summary,
    proxy: hints.readOnly ? metaToolNames.callReadOnly : metaToolNames.callTool,
    inputSchema: schemaFor(era, inputSchema),
    ...(outputSchema === null ? {} : { outputSchema: schemaIn(era, outputSchema) }),
    annotations: toAnnotations(hints),
    ...untrustedMeta(tool),
  }
}

/** In the earlier revisions structured content is an object: what may be none is wrapped, as the SDK wraps the content. The types
 *  beside the schema stay at the root, where references look for them. */
function schemaIn(era: Era, schema: JsonSchema): JsonSchema {
  if (era === 'modern' || schema.type === 'object') return schema
  const { $defs, ...result } = schema
  const types = $defs === undefined ? {} : { $defs }
  return { type: 'object', properties: { result }, required: ['result'], ...types }
}
