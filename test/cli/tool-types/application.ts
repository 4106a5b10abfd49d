/** An application whose tools take and answer everything that JSON can say. */
import type { Files } from '../support/memory-host.ts'

const head = `import { ApplicationController, type Body, type Header, type Int32, NotFound, type Rendered } from 'acmcp'
`

/** Without doc comments of tools that only the model would read. */
export const toolsApp: Files = {
  'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config = defineApp({})\n`,
  'app/controllers/label.json':
    '{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}',
  'app/controllers/things.ts': `${head}
/** A name that \`generated/tools.ts\` has itself. */
export interface ToolCall {
  id: bigint
  at: Date
  bytes: Uint8Array
  /** Which. */
  kind: 'a' | 'b'
  parent?: ToolCall
}
export interface Circle { shape: 'circle'; radius: number }
export interface Square { shape: 'square'; side: number }
/** @schema ./label.json */
export interface Label { text: string }

/**
 * Things.
 *
 * @base /things
 */
export class Things extends ApplicationController {
  /**
   * Lists things. Ends with a star and slash: *\\/.
   *
   * @get /
   * @param limit - how many
   * @mcp root
   */
  index(limit: Int32 = 2): ToolCall[] {
    return [1n, 2n, 3n].slice(0, limit).map((id) => ({ id, at: new Date(0), bytes: new Uint8Array([1, 2]), kind: 'a' }))
  }

  /**
   * Shows a thing.
   *
   * @get /:id
   * @param id - of the path
   */
  show(id: bigint): ToolCall {
    if (id > 9n) throw new NotFound('there is none')
    return { id, at: new Date(0), bytes: new Uint8Array(), kind: 'b' }
  }

  /**
   * Changes a thing.
   *
   * @put /:id
   * @param id - of the path
   * @param thing - what it is to be
   * @param shop - of the header
   * @mcp show
   */
  update(id: bigint, thing: Body<ToolCall>, shop: Header<'X-Shop'> | null = null): { thing: ToolCall; shop: string | null } {
    return { thing: { ...thing, id }, shop }
  }

  /**
   * Draws one of two.
   *
   * @get /shape
   * @param round - whether it is a circle
   */
  draw(round: boolean): Circle | Square {
    return round ? { shape: 'circle', radius: 1 } : { shape: 'square', side: 2 }
  }

  /**
   * Labels it.
   *
   * @post /label
   * @param label - the words
   */
  label(label: Body<Label>): { said: string } {
    return { said: label.text }
  }

  /**
   * Forgets everything.
   *
   * @delete /
   */
  clear(): void {}

  /**
   * Says something.
   *
   * @get /say
   */
  say(): Rendered {
    return this.render({ json: { said: 'hello' } })
  }

  /**
   * Is no tool.
   *
   * @get /secret
   * @mcp hide
   */
  secret(): string { return 'secret' }
}
`,
  'app/controllers/users.ts': `${head.replace(/\{.*\}/, '{ ApplicationController }')}
/**
 * People.
 *
 * @base /users
 */
export class Users extends ApplicationController {
  /**
   * Counts them.
   *
   * @get /count
   * @mcp root
   */
  count(): number { return 2 }
}
`,
  'app/controllers/internals.ts': `${head.replace(/\{.*\}/, '{ ApplicationController }')}
export interface Internal { secret: string }
/**
 * Of no use to a model.
 *
 * @base /internals
 * @mcp hide
 */
export class Internals extends ApplicationController {
  /**
   * Shows one.
   *
   * @get /
   */
  show(): Internal { return { secret: 'x' } }
}
`,
}

/** A program of somebody who writes an agent, with the client that `from` exports. What it calls it compares: the types are
 *  tsc's business. */
export const agentProgram = (from: string): string => `import { deepEqual, rejects } from 'node:assert/strict'
import type { Client } from '${from}'
import type {
  AllTools,
  ProxyCall,
  ReadOnlyToolName,
  RootToolName,
  StructuredContent,
  ToolArguments,
  ToolboxName,
  ToolCall,
  ToolName,
  ToolNameIn,
  ToolResult,
  ToolboxTools,
} from '../generated/tools.ts'

/** The README's function: an error is thrown. */
async function call<Name extends keyof AllTools>(client: Client, asked: ToolCall<Name>): Promise<StructuredContent<Name>> {
  const { isError, content, structuredContent } = await client.callTool(asked)
  if (isError === true) throw new Error(JSON.stringify(content))
  return structuredContent as StructuredContent<Name> // as generated/tools.ts says
}

/** The same of a client of 2026-07-28. */
async function callModern<Name extends ToolName>(client: Client, asked: ToolCall<Name>): Promise<ToolResult<Name>> {
  const { structuredContent } = await client.callTool(asked)
  return structuredContent as ToolResult<Name> // as generated/tools.ts says
}

async function callByProxy<Name extends ToolName>(client: Client, asked: ProxyCall<Name>): Promise<StructuredContent<Name>> {
  const { structuredContent } = await client.callTool(asked)
  return structuredContent as StructuredContent<Name> // as generated/tools.ts says
}

const at = '1970-01-01T00:00:00.000Z'
const thing: ToolArguments<'things_update'>['thing'] = { id: '7', at, bytes: 'AQI=', kind: 'b' }

export async function early(client: Client): Promise<void> {
  const one = await call(client, { name: 'things_index', arguments: { limit: 1 } })
  const listed: { result: { id: string; at: string; bytes: string; kind: 'a' | 'b' }[] } = one
  deepEqual(listed, { result: [{ id: '1', at, bytes: 'AQI=', kind: 'a' }] })
  equal(await call(client, { name: 'things_show', arguments: { id: '7' } }), { id: '7', at, bytes: '', kind: 'b' })
  equal(await call(client, { name: 'things_update', arguments: { id: '8', thing, x_shop: 'main' } }), {
    thing: { ...thing, id: '8' },
    shop: 'main',
  })
  equal(await call(client, { name: 'things_draw', arguments: { round: true } }), {
    result: { shape: 'circle', radius: 1 },
  })
  equal(await call(client, { name: 'things_label', arguments: { text: 'hello' } }), { said: 'hello' })
  deepEqual(await call(client, { name: 'things_clear' }), undefined)
  equal(await call(client, { name: 'things_say' }), { said: 'hello' })
  equal(await call(client, { name: 'users_count' }), { result: 2 })
  await rejects(call(client, { name: 'things_show', arguments: { id: '10' } }), /404 Not Found/)
  equal(await callByProxy(client, { name: 'call_read_only', arguments: { name: 'users_count' } }), { result: 2 })
  equal(await callByProxy(client, { name: 'call_tool', arguments: { name: 'things_draw', arguments: { round: false } } }), {
    result: { shape: 'square', side: 2 },
  })
  equal(await call(client, { name: 'call_tool', arguments: { name: 'things_clear' } }), undefined)
  equal(await call(client, { name: 'list_toolboxes' }), {
    toolboxes: [{ name: 'things', description: 'Things.', tools: 6 }],
  })
  const { tools } = await call(client, { name: 'open_toolbox', arguments: { name: 'things' } })
  const shown: readonly (readonly [ToolNameIn<'things'>, string])[] = [
    ['things_show', 'call_read_only'],
    ['things_update', 'call_tool'],
    ['things_draw', 'call_read_only'],
    ['things_label', 'call_tool'],
    ['things_clear', 'call_tool'],
    ['things_say', 'call_read_only'],
  ]
  deepEqual(tools.map(({ name, proxy }) => [name, proxy]), shown)
  const found = await call(client, { name: 'find_tools', arguments: { query: 'draw a circle' } })
  const [best] = found.tools
  deepEqual([best?.toolbox, best?.name, best?.proxy], ['things', 'things_draw', 'call_read_only'])
  deepEqual(await call(client, { name: 'close_toolbox' }), undefined)
  const { tools: roots } = await client.listTools()
  const rootNames: readonly (RootToolName | Exclude<keyof ToolboxTools, 'close_toolbox'>)[] = [
    'things_index',
    'users_count',
    'list_toolboxes',
    'open_toolbox',
    'find_tools',
    'call_read_only',
    'call_tool',
  ]
  deepEqual(roots.map(({ name }) => name), rootNames)
}

export async function modern(client: Client): Promise<void> {
  const one = await callModern(client, { name: 'things_index', arguments: { limit: 1 } })
  same<typeof one>(one, [{ id: '1', at, bytes: 'AQI=', kind: 'a' }])
  same(await callModern(client, { name: 'things_draw', arguments: { round: true } }), { shape: 'circle', radius: 1 })
  same(await callModern(client, { name: 'users_count' }), 2)
  same(await callModern(client, { name: 'things_show', arguments: { id: '7' } }), { id: '7', at, bytes: '', kind: 'b' })
}

function equal<Content>(got: Content, expected: NoInfer<Content> | undefined): void {
  deepEqual(got, expected)
}

function same<Value>(got: Value, expected: NoInfer<Value>): void {
  deepEqual(got, expected)
}

/** The \`params\` of a batch of revision 2025-03-26. */
export const batch: readonly ToolCall[] = [{ name: 'users_count' }, { name: 'things_draw', arguments: { round: true } }]

export const everyBox: Record<ToolboxName, true> = { things: true, users: true }
export const everyTool: Record<ToolName, true> = {
  things_index: true,
  things_show: true,
  things_update: true,
  things_draw: true,
  things_label: true,
  things_clear: true,
  things_say: true,
  users_count: true,
}
export const reading: Record<ReadOnlyToolName, true> = {
  things_index: true,
  things_show: true,
  things_draw: true,
  things_say: true,
  users_count: true,
}
`

/** Lines that must not compile, each for one reason. */
export const wrongCalls: readonly string[] = [
  "{ name: 'things_secret' }",
  "{ name: 'internals_show' }",
  "{ name: 'things_show' }",
  "{ name: 'things_show', arguments: {} }",
  "{ name: 'things_show', arguments: { id: 7n } }",
  "{ name: 'things_show', arguments: { id: '7', more: 1 } }",
  "{ name: 'things_clear', arguments: { more: 1 } }",
  "{ name: 'call_read_only', arguments: { name: 'things_clear' } }",
  "{ name: 'open_toolbox', arguments: { name: 'users' } }",
]
