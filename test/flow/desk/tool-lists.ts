/** Which tools a model finds: root tools in the list, the others in toolboxes, and nothing of what is hidden. */
import type { Test } from 'tap'
import { answerOf } from '../client-kinds.ts'
import { routes } from './by-hand.ts'
import { connected, type Kind, toolOf } from './by-tool.ts'
import type { Served } from './served.ts'
import type { Yardstick } from './yardsticks.ts'

const proxies = ['list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool']

/** The tools that the application must have: every route but those without. */
export const toolsOf = ({ routeNames, noTools }: Yardstick): readonly string[] =>
  routeNames
    .filter((route) => !noTools.includes(route))
    .map(toolOf)
    .sort()

/** As its admin, who may call all of them. */
export async function checkLists(
  t: Test,
  kind: Kind,
  yardstick: Yardstick,
  { baseUrl, tokens }: Served,
): Promise<void> {
  const client = await connected(kind, baseUrl, tokens.root ?? '')
  const called = async (name: string, args: Record<string, unknown>): Promise<object> =>
    answerOf(await client.callTool({ name, arguments: args }))
  const { tools } = await client.listTools()
  const listed = tools.map(({ name }) => name)
  t.strictSame(listed.toSorted(), [...yardstick.rootTools, ...proxies].sort(), `${kind}: the list`)
  const found = new Set(yardstick.rootTools)
  const { structured } = (await called('list_toolboxes', {})) as Listed
  for (const { name } of structured.toolboxes) {
    const opened = (await called('open_toolbox', { name })) as Opened
    for (const tool of opened.structured.tools) found.add(tool.name)
  }
  t.strictSame([...found].sort(), toolsOf(yardstick), `${kind}: in the toolboxes`)
  for (const route of yardstick.noTools) {
    const name = toolOf(route)
    await t.rejects(client.callTool({ name, arguments: {} }), { code: -32602 }, `${kind}: no ${name}`)
    const proxy = routes[route]?.[0] === 'GET' ? 'call_read_only' : 'call_tool'
    t.strictSame(await called(proxy, { name, arguments: {} }), { structured: undefined, isError: true })
  }
  await client.close()
}

/** As `list_toolboxes` and `open_toolbox` answer. */
interface Listed {
  readonly structured: { readonly toolboxes: readonly { readonly name: string }[] }
}

interface Opened {
  readonly structured: { readonly tools: readonly { readonly name: string }[] }
}
