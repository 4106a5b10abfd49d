/** What looking for tools, arguments and pages costs: in proportion to what is asked, and to how many tools there are. */
import t from 'tap'
import type { ToolEntry } from '../../../runtime/contract/mcp.ts'
import { growth } from '../../support/report/growth.ts'
import { call, catalogue, json, message, routes, serve } from '../support/support.ts'

t.setTimeout(240_000) // a busy machine

const [anyTool] = catalogue.tools
if (anyTool === undefined) throw new Error('there are tools')
const plain: ToolEntry = anyTool
const control = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

t.test('a query of one word, of many and of many words takes time in proportion to its bytes', async (t) => {
  const app = serve()
  const words: readonly (readonly [string, (length: number) => string])[] = [
    ['one word', (length) => 'a'.repeat(length)],
    ['many words', (length) => 'delete notes '.repeat(length / 13)],
  ]
  for (const [name, input] of words)
    await growth(t, {
      name: `find_tools, ${name}: characters`,
      sizes: [1_000, 2_000, 4_000],
      input,
      work: (query) => call(app, 'modern', 'find_tools', { query }),
      control,
      maxMs: 20,
    })
})

t.test('tools with output schemas are listed in time in proportion to their number', async (t) => {
  const outputSchema = {
    $ref: '#/$defs/T',
    $defs: { T: { anyOf: [{ $ref: '#/$defs/T' }, { type: 'string' }] } },
  }
  await growth(t, {
    name: 'a list that is made anew: tools',
    sizes: [250, 500, 1_000],
    input: (count) =>
      Array.from({ length: count }, (_, at) => ({
        ...plain,
        name: `notes_n${at}`,
        route: 'notes_index',
        outputSchema,
      })),
    work: async (tools) => {
      const app = serve({ catalogue: { ...catalogue, tools }, routes })
      await app({ ...message('modern', 'tools/list'), url: '/mcp?toolboxes=all' })
      await call(app, 'modern', 'find_tools', { query: 'notes' })
    },
    control,
  })
})

t.test('what a page says of itself is read in time in proportion to its bytes', async (t) => {
  const tool = { ...plain, inputSchema: { type: 'object', properties: { cursor: { type: 'string' } } } }
  const args = [{ argument: 'cursor', from: 'query' as const, name: 'cursor' }]
  let value: unknown = null
  const tools = [
    { ...tool, name: 'files_answer', route: 'files_answer', outputSchema: null, arguments: args },
  ]
  const app = serve({
    catalogue: { ...catalogue, tools },
    invoke: async () => json(200, value),
    answerChars: 9e6,
  })
  const pages: readonly (readonly [string, (count: number) => object])[] = [
    ['items', (count) => ({ items: Array.from({ length: count }, (_, id) => ({ id })), next: 'abc' })],
    ['names', (count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`next${at}`, 'abc']))],
    ['a long cursor', (count) => ({ items: [1], next: 'a'.repeat(count * 10) })],
  ]
  for (const [name, input] of pages)
    await growth(t, {
      name: `a page with ${name}`,
      sizes: [12_500, 25_000, 50_000],
      input,
      work: (page) => {
        value = page
        return call(app, 'modern', 'files_answer')
      },
      control,
    })
})
