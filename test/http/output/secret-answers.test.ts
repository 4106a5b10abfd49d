/** `@secret`: left out of what models and tokens of this server get, whatever the entrance. Source: decisions/http.md, Answers by type. */
import t from 'tap'
import { openTestApp, type TestApp, type TestClient } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'

const folder = await builtFolder({
  'package.json': '{"name":"people","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { serverName: 'People' },
  verifyToken: async (token) =>
    token === 'foreign' ? { user: { id: 'f', name: 'Foreign', email: null }, scopes: ['api'], expiresAt: 4e12 } : null,
})
`,
  'app/controllers/people.ts': `import { ApplicationController } from 'acmcp'

/** @secret */
export type Hash = string

export interface Person {
  name: string
  /** @secret */
  mail: string
  hash?: Hash
  friends: Person[]
}

export class Missing extends Error {}

export interface Problem {
  error: string
  /** @secret */
  cause: string
}

const ann = { name: 'Ann', mail: 'secret', hash: 'secret', friends: [{ name: 'Bob', mail: 'secret', friends: [] }] }

/**
 * People.
 *
 * @base /people
 */
export class People extends ApplicationController {
  /**
   * All.
   *
   * @get /
   * @mcp root
   * @mcp resource
   */
  index(): Record<string, Person> {
    return { ann }
  }

  /**
   * Nobody.
   *
   * @get /nobody
   * @mcp root
   */
  nobody(): Person {
    throw new Missing('nobody')
  }

  /**
   * One after the other.
   *
   * @get /events
   */
  async *events(): AsyncGenerator<Person> {
    yield ann
  }

  /** @exception {Missing} 404 */
  onMissing({ message }: Missing): Problem {
    return { error: message, cause: 'secret' }
  }
}
`,
})

const open = async (config: object = {}): Promise<TestApp> => {
  const app = await openTestApp({
    cwd: folder,
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), ...config } }), // a plain object
  })
  t.teardown(app.close)
  return app
}

const app = await open()
const token = await app.accessToken()
const browser = app.client()
await browser.signIn()

const secret = 'secret'
const whole = {
  ann: { name: 'Ann', mail: secret, hash: secret, friends: [{ name: 'Bob', mail: secret, friends: [] }] },
}
const withoutSecrets = { ann: { name: 'Ann', friends: [{ name: 'Bob', friends: [] }] } }

const listed = async (client: TestClient): Promise<unknown> => (await client.get('/people')).json()

t.test('over HTTP a token of ours gets no secret; sessions, others and nobody do', async (t) => {
  t.strictSame(await listed(app.client().withBearer(token)), withoutSecrets)
  t.strictSame(await listed(browser.withBearer(token)), withoutSecrets, 'with a session beside it')
  t.strictSame(await listed(browser), whole)
  t.strictSame(await listed(app.client().withBearer('foreign')), whole)
  t.strictSame(await listed(app.client()), whole)
  const { headers } = await app.client().get('/people')
  t.match(headers.vary, /authorization, cookie/i)
})

t.test('at the MCP endpoint nobody gets one', async (t) => {
  for (const client of [app.client().withBearer(token), app.client(), browser]) {
    const { content, structuredContent } = await client.tool('people_index')
    t.strictSame(structuredContent, withoutSecrets)
    t.notMatch(JSON.stringify(content), /secret/)
    t.notMatch(JSON.stringify(await client.tool('people_nobody')), /secret/)
  }
})

t.test('events, YAML and error bodies too', async (t) => {
  const client = app.client().withBearer(token)
  for (const [url, accept] of [
    ['/people/events', 'text/event-stream'],
    ['/people', 'application/yaml'],
    ['/people/nobody', 'application/json'],
  ] as const) {
    t.notMatch((await client.get(url, { accept })).body, /secret/, url)
    t.match((await browser.get(url, { accept })).body, /secret/, url)
  }
})

t.test(
  'secrets: tools leaves them out at the MCP endpoint alone; answers: whole keeps them out',
  async (t) => {
    const tools = await open({ secrets: 'tools' })
    const client = tools.client().withBearer(await tools.accessToken())
    t.strictSame(await listed(client), whole)
    t.strictSame((await client.tool('people_index')).structuredContent, withoutSecrets)
    const loose = await open({ answers: 'whole' })
    const other = loose.client().withBearer(await loose.accessToken())
    t.strictSame(await listed(other), withoutSecrets)
    t.strictSame(await listed(loose.client()), whole)
  },
)

t.test('the tool promises no secret, and mcp.yml says what is left out', async (t) => {
  const lists = await app.client().request({
    method: 'POST',
    url: app.application.mcpPath,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  t.notMatch(lists.body, /mail|hash/)
})
