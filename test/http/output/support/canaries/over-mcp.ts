/** The entrances at the MCP endpoint, where secrets are left out whoever calls: tools in both eras, tasks, resources, prompts. */
import type { TestClient } from '../../../../../runtime/testing.ts'
import { type Leaving, ofYaml } from './leaving.ts'
import {
  type Ask,
  errorOf,
  legacy,
  type McpResult,
  message,
  modern,
  type Params,
  post,
  resultOf,
  withTasks,
} from './mcp-messages.ts'

const eras = { legacy, modern }
const tools = ['plain', 'later', 'rendered', 'yaml', 'failed', 'closed', 'worked'] as const
/** Both come to the same: one runs while nobody waits, the other says where to ask. */
const tasks = ['worked', 'ordered', 'failing'] as const
const prompts = ['messages', 'lost', 'shut'] as const

interface Entrance {
  readonly name: string
  readonly send: () => Promise<string>
  readonly leavingOf: (sent: string) => readonly Parts[]
}

/** An answer in what was sent. */
type Parts = Pick<Leaving, 'json'>

/** By one caller; `origin` is the application's own. */
export async function overMcp(client: TestClient, base: string, origin: string): Promise<readonly Leaving[]> {
  const all = [
    ...Object.entries(eras).flatMap(([era, ask]) =>
      [...toolsOf(client, base, ask), ...offersOf(client, base, origin, ask)].map((entrance) => ({
        ...entrance,
        name: `${era} ${entrance.name}`,
      })),
    ),
    ...tasks.map((task) => taskOf(client, `${base}_${task}`)),
    batchOf(client, base),
  ]
  const left = await Promise.all(all.map(leaving))
  return left.flat()
}

async function leaving({ name: entrance, send, leavingOf }: Entrance): Promise<readonly Leaving[]> {
  const sent = await send()
  return leavingOf(sent).map((parts) => ({ entrance, sent, isDelegated: true, ...parts }))
}

function toolsOf(client: TestClient, base: string, ask: Ask): readonly Entrance[] {
  const call = (name: string, args: Params = {}): Entrance => ({
    name,
    send: () => ask(client, 'tools/call', { name, arguments: args }),
    leavingOf: (sent) => ofResult(resultIn(sent), name),
  })
  return [
    ...tools.map((tool) => call(`${base}_${tool}`)),
    call('call_tool', { name: `${base}_later`, arguments: {} }),
    call('call_read_only', { name: `${base}_plain`, arguments: {} }),
  ]
}

/** Resources and prompts, and what their errors say. */
function offersOf(client: TestClient, base: string, origin: string, ask: Ask): readonly Entrance[] {
  const read = (path: string): Entrance => ({
    name: `resource ${base}/${path}`,
    send: () => ask(client, 'resources/read', { uri: `${origin}/${base}/${path}` }),
    leavingOf: (sent) => ofResultOrError(sent),
  })
  const prompt = (name: string): Entrance => ({
    name: `prompt ${name}`,
    send: () => ask(client, 'prompts/get', { name }),
    leavingOf: (sent) => ofResultOrError(sent),
  })
  return [read('plain'), read('closed'), ...prompts.map((name) => prompt(`${base}_${name}`))]
}

function taskOf(client: TestClient, name: string): Entrance {
  const ended = async (taskId: string): Promise<string> => {
    for (;;) {
      const sent = await withTasks(client, 'tasks/get', { taskId })
      if (resultIn(sent).status !== 'working') return sent
      await new Promise(setImmediate)
    }
  }
  return {
    name: `task ${name}`,
    send: async () => {
      const sent = await withTasks(client, 'tools/call', { name, arguments: {} })
      return ended(resultIn(sent).taskId ?? `no task: ${sent}`)
    },
    leavingOf: (sent) => ofResult(resultIn(sent).result ?? {}, name),
  }
}

function batchOf(client: TestClient, base: string): Entrance {
  const call = (tool: string, id: number): object =>
    message('tools/call', { name: `${base}_${tool}`, arguments: {} }, id)
  return {
    name: 'batch',
    send: () => post(client, '2025-03-26', [call('plain', 1), call('failed', 2)]),
    leavingOf: (sent) => ofResult(resultIn(sent), ''),
  }
}

function resultIn(sent: string): McpResult {
  const result = resultOf(sent)
  if (result === null) throw new Error(`no result: ${sent}`)
  return result
}

/** Of the text, and of the structured content beside it. */
function ofResult(
  { content, contents, structuredContent, isError }: McpResult,
  name: string,
): readonly Parts[] {
  const text = (contents ?? content)?.[0]?.text ?? ''
  const body = isError === true ? withoutStatus(text) : text
  const json = name.endsWith('_yaml') ? ofYaml(body) : body
  return structuredContent === undefined ? [{ json }] : [{ json }, { json: unwrapped(structuredContent) }]
}

function ofResultOrError(sent: string): readonly Parts[] {
  const result = resultOf(sent)
  if (result === null) return [{ json: withoutStatus(errorOf(sent)) }]
  const [first] = result.messages ?? []
  return first === undefined ? ofResult(result, '') : [{ json: JSON.stringify(first.content.note) }]
}

/** An error begins with it. */
const withoutStatus = (text: string): string => text.replace(/^\d{3} [A-Za-z ]*\n*/, '')

/** Clients of 2025-11-25 get in one what need not be an object. No drawn type has such a name. */
function unwrapped(structured: unknown): string {
  const { result } = Object(structured)
  return JSON.stringify(result ?? structured)
}

/** In a list that is cut, and in a page of it. */
export async function inLists(client: TestClient, base: string): Promise<readonly Leaving[]> {
  const lists = Object.entries(eras).flatMap(([era, ask]) => {
    const list = (name: string, args: Params): Entrance => ({
      name: `${era} ${name}`,
      send: () => ask(client, 'tools/call', { name: `${base}_list`, arguments: args }),
      leavingOf: (sent) => [{ json: itemOf(resultIn(sent)) }],
    })
    return [list('cut list', {}), list('page', { offset: 1, limit: 1 })]
  })
  return (await Promise.all(lists.map(leaving))).flat()
}

/** All items are of one value. */
function itemOf({ content }: McpResult): string {
  const text = content?.[0]?.text ?? ''
  const items: readonly unknown[] = JSON.parse(text)
  const [first, ...more] = new Set(items.map((item) => JSON.stringify(item)))
  return first === undefined || more.length > 0 ? text : first
}
