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
  'app/controllers/people.ts': `import { ApplicationController, type Body, Unauthorized } from 'acmcp'

/** @secret */
export type Hash = string

/** @secret */
export type Pin = number

export interface Person {
  name: string
  /** @secret */
  mail: string
  hash?: Hash
  friends: Person[]
}

export interface Wanted {
  name: string
  /** @secret */
  code: number
}

export interface Noted {
  owner: string
  /** @secret */
  note: string
}

export interface Hidden {
  /** @secret */
  inner: number
}

export interface Introduction {
  role: 'user'
  content: {
    type: 'text'
    text: string
    /** @secret */
    mail: string
  }
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
   * Fits two members, of which one keeps the note secret.
   *
   * @get /either
   * @mcp root
   */
  either(): { name: string; note: string } | Noted {
    return { name: 'Ann', note: 'secret', owner: 'Bob' }
  }

  /**
   * None of them lacks a secret, but for what makes it of its type.
   *
   * @get /unfit
   * @mcp root
   */
  unfit(): {
    named: Noted | { note: string; id: number }
    inside: { of: Noted; x: number } | { of: { note: string }; y: number }
    list: { of: Noted[]; x: number } | { of: { note: string }[]; y: number }
    index: Noted | { [name: string]: string }
  } {
    const note = 'secret'
    return {
      named: { note, id: 1 },
      inside: { of: { note }, y: 1 },
      list: { of: [{ note }], y: 1 },
      index: { note, more: 'more' },
    }
  }

  /**
   * Takes the token from the address, as a stream in a browser must.
   *
   * @get /by-token
   * @mcp hide
   */
  async byToken(token: string): Promise<Person> {
    if ((await this.services.userOfAccessToken(token)) === null) throw new Unauthorized()
    return ann
  }

  /**
   * Introduces somebody.
   *
   * @mcp prompt
   */
  introduce(): Introduction[] {
    return [{ role: 'user', content: { type: 'text', text: 'This is Ann', mail: 'secret' } }]
  }

  /**
   * Signs in.
   *
   * @get /sign-in
   * @mcp root
   */
  signIn(pin: Pin, again: Pin = 4799): boolean {
    return pin === again
  }

  /**
   * Fails.
   *
   * @get /pins/:pin
   */
  fail(pin: Pin): boolean {
    if (pin > 0) throw new RangeError('it is too much')
    return true
  }

  /**
   * Another status than the declared one.
   *
   * @get /accepted
   * @returns {Person} 200 a person
   * @mcp root
   */
  accepted() {
    return this.render({ status: 202, json: { ...ann, more: 'undeclared' } })
  }

  /**
   * Finds one.
   *
   * @get /find
   */
  find(by: Wanted): boolean {
    return by.name !== ''
  }

  /**
   * Finds by names of a pattern.
   *
   * @get /find/names
   */
  findNames(by: { [name: \`x-\${string}\`]: Hidden }): boolean {
    return Object.keys(by).length > 0
  }

  /**
   * Fails at a rest.
   *
   * @get /rest/*:rest
   */
  failAt(rest: Hash): boolean {
    throw new RangeError(rest.length > 0 ? 'it is too much' : 'it is nothing')
  }

  /**
   * A stream that breaks off.
   *
   * @get /broken/:pin
   */
  async *broken(pin: Pin): AsyncGenerator<number> {
    yield 1
    throw new RangeError(pin > 0 ? 'half way' : 'nowhere')
  }

  /**
   * Adds one.
   *
   * @post /
   * @mcp root
   */
  add(person: Body<{
    name: string
    /** @secret */
    code: number
  }>): string {
    return person.name
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

const open = async (config: object = {}, cwd = folder): Promise<TestApp> => {
  const app = await openTestApp({
    cwd,
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
  t.notMatch((await browser.get(`/people/by-token?token=${token}`)).body, /secret/, 'in the address')
  const { headers } = await app.client().get('/people')
  t.match(headers.vary, /authorization, cookie/i)
})

t.test('at the MCP endpoint nobody gets one', async (t) => {
  for (const client of [app.client().withBearer(token), app.client(), browser]) {
    const { content, structuredContent } = await client.tool('people_index')
    t.strictSame(structuredContent, withoutSecrets)
    t.notMatch(JSON.stringify(content), /secret/)
    t.notMatch(JSON.stringify(await client.tool('people_nobody')), /secret/)
    t.strictSame((await client.tool('people_either')).structuredContent, {
      result: { name: 'Ann', owner: 'Bob' },
    })
  }
})

t.test('a name that one member of a union without a tag keeps secret is secret in all of them', async (t) => {
  const cut = {
    named: { id: 1 },
    inside: { of: {}, y: 1 },
    list: { of: [{}], y: 1 },
    index: { more: 'more' },
  }
  const answer = await app.client().withBearer(token).get('/people/unfit')
  t.strictSame(answer.json(), cut)
  t.strictSame((await app.client().tool('people_unfit')).structuredContent, cut)
  t.equal((await browser.get('/people/unfit')).body.match(/secret/g)?.length, 4)
})

t.test(
  'what is rendered with a status of which nothing is declared keeps the secrets of the others',
  async (t) => {
    const { ann } = withoutSecrets
    const delegated = await app.client().withBearer(token).get('/people/accepted')
    t.strictSame(delegated.json(), { ...ann, more: 'undeclared' })
    t.strictSame((await app.client().tool('people_accepted')).structuredContent, {
      ...ann,
      more: 'undeclared',
    })
    t.strictSame((await browser.get('/people/accepted')).json(), { ...whole.ann, more: 'undeclared' })
  },
)

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

const mcp = async (method: string, params: object = {}): Promise<string> => {
  const { body } = await app.client().request({
    method: 'POST',
    url: app.application.mcpPath,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method, params },
  })
  return body
}

t.test('the tool promises no secret, and a prompt without a route has none', async (t) => {
  t.notMatch(await mcp('tools/list'), /mail|hash|4799/, 'nor a default of what is secret')
  const { messages } = JSON.parse(await mcp('prompts/get', { name: 'people_introduce' })).result
  t.strictSame(messages, [{ role: 'user', content: { type: 'text', text: 'This is Ann' } }])
})

t.test('an argument that is secret is in no log and in no error', async (t) => {
  const lines: string[] = []
  const logStream = { write: (line: string): void => void lines.push(line) }
  const logged = await openTestApp({ cwd: folder, logStream, environment: { logLevel: 'info' } })
  t.teardown(logged.close)
  const client = logged.client().withBearer(await logged.accessToken())
  const answers = [
    (await client.get('/people/sign-in?pin=4711&again=4712.5')).body,
    (await client.get('/people/sign-in?pin=4711')).body,
    (await client.get(`/people/find?by=${encodeURIComponent('{"name":"Ann","code":4711}')}`)).body,
    (await client.get('/people/find?by={"name":"Ann","code":"4711"}')).body,
    (await client.get('/people/pins/4711')).body,
    (await client.get(`/people/find/names?by=${encodeURIComponent('{"x-a":{"inner":4711}}')}`)).body,
    (await client.get('/people/rest/of/4711/4712/')).body,
    (await client.get('/people/broken/4711').catch(String)) as string,
    (await client.get('/people/pins/4711', { accept: 'text/html' })).body,
    (await client.json('/people', { name: 4713, code: 4714.5, more: 4715 })).body,
    (await client.json('/people', { name: 'Ann', code: [4714] })).body,
    JSON.stringify(await client.tool('people_sign_in', { pin: 4711.5 })),
    JSON.stringify(await client.tool('people_add', { name: 'Ann', code: true })),
  ]
  t.match(answers[9], /got 4713/, 'of others the number is told')
  t.strictSame(
    [...answers, ...lines].filter((text) => /471[1245]|got true/.test(text)),
    [],
  )
})

t.test('what a handler renders, or returns without a status of its own, keeps its secrets too', async (t) => {
  const handled = (handler: string): Promise<string> =>
    builtFolder({
      'package.json': '{"name":"failing","version":"1.0.0","private":true,"type":"module"}',
      'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { serverName: 'Failing' } })
`,
      'app/controllers/failing.ts': `import { Controller } from 'acmcp'

export class Lost extends Error {}

export interface Problem {
  error: string
  /** @secret */
  cause: string
}

/**
 * Fails.
 *
 * @base /failing
 */
export class Failing extends Controller {
  /**
   * Fails.
   *
   * @get /
   * @mcp root
   */
  index(): boolean {
    throw new Lost('lost')
  }

${handler}
}
`,
    })
  const problem = `{ error, cause: 'secret', path: 'undeclared' }`
  const handlers = {
    409: `  /**
   * @exception {Lost} 409
   * @returns {Problem} lost
   */
  onLost({ message: error }: Lost) {
    return this.render({ status: 409, json: ${problem} })
  }`,
    200: `  /** @exception {Lost} default */
  onLost({ message: error }: Lost): Problem {
    const problem = ${problem}
    return problem
  }`,
  }
  for (const [status, handler] of Object.entries(handlers)) {
    const app = await open({}, await handled(handler))
    const delegated = await app
      .client()
      .withBearer(await app.accessToken())
      .get('/failing')
    t.strictSame([delegated.statusCode, delegated.json()], [Number(status), { error: 'lost' }])
    t.notMatch(JSON.stringify(await app.client().tool('failing_index')), /secret|undeclared/)
    t.strictSame((await app.client().get('/failing')).json(), { error: 'lost', cause: 'secret' })
  }
})
