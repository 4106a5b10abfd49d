/** Skills as the SDK serves them, and as its clients read them. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import t from 'tap'
import { clientKinds, signedIn } from '../../flow/client-kinds.ts'
import { freePort } from '../../support/free-port.ts'
import { ask } from '../prompts/trips.ts'
import { openGuarded } from '../support/guarded.ts'
import { type Era, message } from '../support/support.ts'
import { buildLibrary } from './library.ts'

t.setTimeout(240_000) // a busy machine

const { bundle, reviewed } = await buildLibrary()

const requested: readonly (readonly [method: string, params: Readonly<Record<string, unknown>>])[] = [
  ['skills/list', {}],
  ['skills/list', { cursor: 'nonsense' }],
  ...['skill://books/SKILL.md', 'skill://books', 'skill://nobody/SKILL.md', 'nonsense'].map(
    (uri) => ['skills/get', { uri }] as const,
  ),
  ...['skill://books', 'skill://books/SKILL.md', 'skill://nobody'].map(
    (uri) => ['resources/directory/read', { uri }] as const,
  ),
  ...[...reviewed.keys(), 'skill://books/none.md'].map((uri) => ['resources/read', { uri }] as const),
  ['skills/get', {}],
  ['resources/directory/read', { uri: 7 }],
]

t.test('skills: what the SDK makes of the same files is what the endpoint answers', async (t) => {
  const { app, tokenOf } = await openGuarded(t, bundle, { config: { mcp: { authProbe: 'people_me' } } })
  const client = app.client().withBearer(await tokenOf('books:read books:write staff'))
  const files = Object.fromEntries([...reviewed].map(([uri, text]) => [uri.replace('skill://', ''), text]))
  const skills = await SkillsExtension.load(memorySkillFiles(files), {
    strict: true,
    cacheHint: { ttlMs: 300_000, cacheScope: 'private' },
  })
  const sdk = createMcpHandler(() => {
    const server = new McpServer({ name: 'sdk', version: '1' })
    skills.attach(server)
    return server
  })
  for (const era of ['legacy', 'modern'] satisfies Era[]) {
    for (const [method, params] of requested) {
      const { said } = await ask(client, { era, method, params })
      const known = await saidBySdk(era, method, params)
      const isError = 'code' in known
      const compared = (item: Record<string, unknown>): unknown => (isError ? { code: item.code } : item)
      const own =
        method === 'resources/read' && era === 'legacy' && isError ? { code: -32002 } : compared(known)
      t.strictSame(compared(said), own, `${era}: ${method} ${JSON.stringify(params)}`)
    }
  }

  async function saidBySdk(era: Era, method: string, params: Readonly<Record<string, unknown>>) {
    const sent = message(era, method, params)
    const { uri } = params
    const named: Record<string, string> = method === 'resources/read' ? { 'mcp-name': String(uri) } : {}
    const response = await sdk.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...sent.headers,
          ...(era === 'modern' ? named : {}),
        },
        body: JSON.stringify(sent.message),
      }),
    )
    const text = await response.text()
    const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
    const { resultType: _type, _meta, ...said } = result ?? error
    return said
  }
})

for (const mode of ['auto', 'legacy'] as const) {
  t.test(`skills: the v2 client (${mode}) lists, verifies and reads them`, async (t) => {
    const port = await freePort()
    const baseUrl = `http://localhost:${port}`
    const { app, tokenOf } = await openGuarded(t, bundle, {
      baseUrl,
      config: { mcp: { authProbe: 'people_me' } },
    })
    await app.application.server.listen({ port, host: 'localhost' })
    for (const [scope, count] of [
      ['books:read books:write staff', 2],
      ['books:read', 1],
    ] as const) {
      const token = await tokenOf(scope)
      const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
        authProvider: { token: async () => token.replace('Bearer ', '') },
      })
      const client = new Client({ name: 'reader', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(transport)
      const skills = new SkillsClient(client)
      t.strictSame([skills.supported, skills.directoryRead], [true, true])
      const { skills: entries, invalid } = await skills.list()
      t.strictSame(invalid, [])
      const refs = entries.flatMap((skill) =>
        skill.resources === 'dynamic' ? [] : skill.resources.map(({ uri }) => ({ skill, uri })),
      )
      t.equal(refs.length, count, scope)
      for (const { skill, uri } of refs) {
        t.equal((await skills.read(skill, uri)).verified, true, uri)
        t.strictSame((await skills.get(skill.uri)).skill, skill)
      }
      const { resources } = await skills.readDirectory('skill://books')
      t.strictSame(
        resources.map(({ uri }) => uri),
        ['skill://books/SKILL.md'],
      )
      await client.close()
    }
  })
}

for (const kind of clientKinds) {
  t.test(`skills: to ${kind.name} they are resources as others`, async (t) => {
    const port = await freePort()
    const baseUrl = `http://localhost:${port}`
    const { app } = await openGuarded(t, bundle, { baseUrl, config: { mcp: { authProbe: 'people_me' } } })
    await app.application.server.listen({ port, host: 'localhost' })
    const { client } = await signedIn(kind, baseUrl)
    const { resources } = await client.listResources()
    t.ok(resources.some(({ uri }) => uri === 'skill://books/SKILL.md'))
    const uri = 'skill://books/SKILL.md'
    t.match((await client.readResource({ uri })).contents, [{ uri, mimeType: 'text/markdown' }])
    t.strictSame((await client.listResourceTemplates()).resourceTemplates, [])
    await client.close()
  })
}
