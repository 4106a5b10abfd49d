/** Every list of tools that a caller can get, as the names in it. */
import type { TestApp } from '../../../../runtime/testing.ts'
import { message } from '../../../mcp/support/support.ts'
import { post } from './entrances.ts'
import type { Answer } from './oracle.ts'
import { routes } from './routes.ts'

export interface List {
  readonly name: string
  /** Whether the tool belongs in it, for who may call it. */
  isOf(tool: string): boolean
}

type Names = readonly string[] | null

const toolboxes = [...new Set(routes.map(({ id }) => id.slice(0, id.indexOf('_'))))]
const proxies = new Set(['list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool'])

/** Names in order; null where the endpoint lets nobody in. */
export async function namesInLists(
  app: TestApp,
  headers: Readonly<Record<string, string>>,
): Promise<readonly (readonly [List, Names])[]> {
  const found: (readonly [List, Names])[] = []
  for (const era of ['legacy', 'modern'] as const) {
    const all = await post(app, '/mcp?toolboxes=all', message(era, 'tools/list'), headers)
    found.push([{ name: `the whole list (${era})`, isOf: () => true }, listedIn(all)])
    for (const toolbox of toolboxes) {
      const isOf = (tool: string): boolean => tool.startsWith(`${toolbox}_`)
      const own = await post(app, `/mcp/${toolbox}`, message(era, 'tools/list'), headers)
      found.push([{ name: `the toolbox ${toolbox} (${era})`, isOf }, listedIn(own)])
      const call = { name: 'open_toolbox', arguments: { name: toolbox } }
      const opened = await post(app, '/mcp', message(era, 'tools/call', call), headers)
      found.push([{ name: `open_toolbox ${toolbox} (${era})`, isOf }, openedIn(opened)])
    }
  }
  return found
}

// An answer is JSON, looked into where a whole value would say nothing more.
interface Tools {
  readonly tools?: readonly { readonly name: string }[]
}

/** A toolbox that has nothing for the caller is not there. */
function listedIn({ status, body }: Answer): Names {
  if (status === 404) return []
  const { result } = body as { readonly result?: Tools }
  return result === undefined ? null : namesOf(result)
}

function openedIn({ body }: Answer): Names {
  const { result } = body as { readonly result?: { readonly structuredContent?: Tools } }
  return result === undefined ? null : namesOf(result.structuredContent ?? {})
}

const namesOf = ({ tools = [] }: Tools): readonly string[] =>
  tools
    .map(({ name }) => name)
    .filter((name) => !proxies.has(name))
    .toSorted()
