/** Fingerprints as a client computes them of what a server answers, and as `mcp.yml` has them. */
import { createHash } from 'node:crypto'
import { parse } from 'yaml'
import type { Catalogue } from '../../../runtime/contract/mcp.ts'
import { type App, call, message, rpc, serve } from '../../mcp/support/support.ts'
import { canonicalJson } from '../../support/canonical-json.ts'

/** By the name of a tool: of what lists say of it, and of its output schema; null where it has none. */
export type Pins = Readonly<Record<string, readonly [tool: string, answer: string | null]>>

const sha256 = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex')

/** A tool of `tools/list`. */
export interface Listed {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: object
  readonly annotations: object
  readonly outputSchema?: object
}

/** Of a tool as `tools/list` of 2026-07-28 answers it, whatever else it has. */
export const pinOf = ({ name, title, description, inputSchema, annotations }: Listed): string =>
  sha256(
    title === undefined
      ? { name, description, inputSchema, annotations }
      : { name, title, description, inputSchema, annotations },
  )

/** Asks a server of the application for its tools, and what it tells of each toolbox: of root tools that is nothing, so none is. */
export async function servedPins({ instructions, toolboxes, tools }: Catalogue): Promise<Pins> {
  const catalogue = { instructions, toolboxes, tools: tools.map((tool) => ({ ...tool, root: false })) }
  const routes = new Map(
    catalogue.tools.map(({ route }) => [route, { verb: 'GET', path: `/${route}` } as const]),
  )
  const app = serve({ catalogue, routes })
  const listed = rpc(await app({ ...message('modern', 'tools/list'), url: '/mcp?toolboxes=all' }))
  const answers = await answersOf(app, catalogue)
  return Object.fromEntries(
    listed.result.tools.map((tool: Listed) => [tool.name, [pinOf(tool), answers.get(tool.name) ?? null]]),
  )
}

async function answersOf(app: App, { toolboxes }: Catalogue): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { name } of toolboxes) {
    const { structuredContent } = await call(app, 'modern', 'open_toolbox', { name })
    for (const tool of structuredContent.tools as readonly Listed[])
      if (tool.outputSchema !== undefined) found.set(tool.name, sha256(tool.outputSchema))
  }
  return found
}

interface Written {
  readonly name: string
  readonly fingerprint: string
  readonly answerFingerprint?: string
}

/** What stands in the text of an `mcp.yml`. */
export function writtenPins(yml: string): Pins {
  const { toolboxes }: { readonly toolboxes: readonly { readonly tools: readonly Written[] }[] } = parse(yml)
  const all = toolboxes.flatMap(({ tools }) => tools)
  return Object.fromEntries(
    all.map(({ name, fingerprint, answerFingerprint = null }) => [name, [fingerprint, answerFingerprint]]),
  )
}
