/** What `tools/list` sends of a tool, which clients pin, and its fingerprint: one function for the server and the build, so that
 *  `generated/mcp.yml` has what clients compute. */
import { createHash } from 'node:crypto'
import { type CanonicalTexts, writeCanonicalJson } from './canonical-json.ts'
import type { ToolEntry, ToolHints } from './contract/mcp.ts'

/** The four hints as MCP spells them. Source: MCP 2025-11-25, Tools, ToolAnnotations. */
export interface ToolAnnotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

export const toAnnotations = (hints: ToolHints): ToolAnnotations => ({
  readOnlyHint: hints.readOnly,
  destructiveHint: hints.destructive,
  idempotentHint: hints.idempotent,
  openWorldHint: hints.openWorld,
})

/** A tool without what may change and means the same: icons, `_meta`. No list has output schemas. */
export interface PinnedTool {
  name: string
  title?: string
  description: string
  inputSchema: ToolEntry['inputSchema']
  annotations: ToolAnnotations
}

export const pinnedTool = ({
  name,
  title,
  description,
  summary,
  inputSchema,
  hints,
}: Pick<ToolEntry, 'name' | 'title' | 'summary' | 'description' | 'inputSchema' | 'hints'>): PinnedTool => ({
  name,
  ...(title === null ? {} : { title }),
  description: description || summary || name,
  inputSchema,
  annotations: toAnnotations(hints),
})

/** Of a listed tool, whatever else it has; lower-case hex. */
export const toolFingerprint = (
  { name, title, description, inputSchema, annotations }: { readonly [Field in keyof PinnedTool]?: unknown },
  texts?: CanonicalTexts,
): string =>
  fingerprintOf(
    { name, ...(title === undefined ? {} : { title }), description, inputSchema, annotations },
    texts,
  )

/** SHA-256 of a value as RFC 8785 writes it, in lower-case hex. */
export function fingerprintOf(value: unknown, texts?: CanonicalTexts): string {
  const hash = createHash('sha256')
  writeCanonicalJson(value, (text) => hash.update(text), texts)
  return hash.digest('hex')
}
