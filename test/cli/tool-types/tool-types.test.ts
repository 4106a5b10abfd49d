/** `generated/tools.ts` in the hands of those who write agents: with the clients of both SDKs, against the running server. */
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { transform } from 'esbuild'
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf, strictSettings, typeErrors, write } from '../support/built-app.ts'
import { typeErrorsOf } from '../support/type-check.ts'
import { agentProgram, toolsApp, wrongCalls } from './application.ts'

t.setTimeout(240_000)

const root = folderOf(t, toolsApp)
symlinkSync(
  join(process.cwd(), 'node_modules/@modelcontextprotocol'),
  join(root, 'node_modules/@modelcontextprotocol'),
)
const programs = {
  v1: '@modelcontextprotocol/sdk/client/index.js',
  v2: '@modelcontextprotocol/client',
} as const
const outcome = await built(root, 'tools')
if (outcome.status !== 0) throw new Error(outcome.stderr)
for (const [name, from] of Object.entries(programs)) write(root, `agent/${name}.ts`, agentProgram(from))

const app = await openTestApp({ cwd: root })
t.teardown(() => app.close())
const url = new URL(await app.application.server.listen({ port: 0, host: '127.0.0.1' }))
url.pathname = app.application.mcpPath

write(root, 'tsconfig.json', strictSettings.replace('"app"', '"agent"'))
write(root, 'wrong.json', strictSettings.replace('"app","generated"', '"wrong"'))
const mistakes = (file = 'tsconfig.json'): string => typeErrorsOf(join(root, file))

interface Agent {
  readonly early: (client: object) => Promise<void>
  readonly modern: (client: object) => Promise<void>
  readonly batch: readonly object[]
}

/** The program, as a module. */
async function agentOf(name: keyof typeof programs): Promise<Agent> {
  const { code } = await transform(readFileSync(join(root, `agent/${name}.ts`), 'utf8'), { loader: 'ts' })
  write(root, `${name}.mjs`, code)
  return import(pathToFileURL(join(root, `${name}.mjs`)).href)
}

t.test('tools: programs for the clients of both SDKs compile, strictly', async (t) => {
  t.equal(mistakes(), '')
})

t.test(
  'types of the tools: what the server would refuse does not compile, hidden tools are absent',
  async (t) => {
    const lines = wrongCalls.map((call) => `  ${call},`)
    const head = "import type { AllTools, ToolCall } from '../generated/tools.ts'\n"
    const text = `${head}export const calls: readonly ToolCall<keyof AllTools>[] = [\n${lines.join('\n')}\n]\n`
    write(root, 'wrong/calls.ts', text)
    const wrong = mistakes('wrong.json').matchAll(/calls\.ts[:(](\d+)/g)
    t.strictSame(
      [...new Set([...wrong].map(([, line]) => Number(line)))],
      wrongCalls.map((_, index) => index + 3),
    )
    t.notMatch(readFileSync(join(root, 'generated/tools.ts'), 'utf8'), /secret|Internal/i)
  },
)

t.test('tools: results of the SDK 1 client are as their types say', async (t) => {
  const client = new EarlierClient({ name: 'agent', version: '1' })
  await client.connect(new EarlierTransport(url))
  const { early } = await agentOf('v1')
  await t.resolves(early(client))
  await client.close()
})

t.test('tools: and of the SDK 2 client, of an early revision and of 2026-07-28', async (t) => {
  const { early, modern } = await agentOf('v2')
  for (const [mode, run] of [
    ['legacy', early],
    ['auto', modern],
  ] as const) {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(url))
    await t.resolves(run(client), mode)
    await client.close()
  }
})

t.test('tools: a call is the params of a message in a batch too', async (t) => {
  const { batch } = await agentOf('v2')
  const messages = batch.map((params, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-03-26',
    },
    body: JSON.stringify(messages),
  })
  const events = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    JSON.parse(data),
  )
  t.strictSame(
    events.map(({ id, result }) => [id, result.structuredContent]),
    [
      [0, { result: 2 }],
      [1, { result: { shape: 'circle', radius: 1 } }],
    ],
  )
})

t.test('tools: of an application without tools the file compiles too', async (t) => {
  const bare = folderOf(t, {
    'app/controllers/none.ts': `import { Controller } from 'acmcp'
/**
 * Nothing.
 *
 * @mcp hide
 */
export class None extends Controller {
  /** @get / */
  show(): string { return '' }
}
`,
  })
  t.equal((await built(bare, 'tools')).status, 0)
  t.equal(typeErrors(bare), '')
})
