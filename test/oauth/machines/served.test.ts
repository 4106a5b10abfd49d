/** Machines at a served application: SDK v2's provider, routes that need a user, `acmcp token --client`. */
import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Client, PrivateKeyJwtProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { acmcpHere } from '../../cli/support/here.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { freePort } from '../../support/free-port.ts'
import { builtFolder } from '../../support/linked.ts'
import { claims, form, jwkOf, jwt, p256 } from '../support/machine.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  scopes: { 'jobs:run': 'run jobs', 'jobs:end': 'end jobs' },
  mcp: {
    path: '/mcp', serverName: 'Jobs', authProbe: '/jobs/me',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
})
`

const jobs = `import { ApplicationController, Unauthorized } from 'acmcp'

/** Jobs. */
export class Jobs extends ApplicationController {
  /** @filter before */
  async signedIn(): Promise<void> {
    if (this.access === null) throw new Unauthorized('who are you?')
  }

  /**
   * Says who asks.
   *
   * @get /me
   */
  me(): { client: string | null; scopes: readonly string[] } {
    return { client: this.access?.client ?? null, scopes: this.access?.scopes ?? [] }
  }

  /**
   * Runs a job.
   *
   * @post /
   * @scope jobs:run
   * @idempotencyKey
   */
  run(name: string): { name: string; at: number } {
    return { name, at: performance.now() }
  }

  /**
   * Ends a job.
   *
   * @delete /:id
   * @scope jobs:end
   */
  end(id: string): { id: string } {
    return { id }
  }

  /**
   * Pays for jobs.
   *
   * @post /pay
   * @approval Pay for all jobs
   */
  pay(): { paid: boolean } {
    return { paid: true }
  }

  /**
   * The jobs of a user.
   *
   * @get /mine
   */
  mine(): { user: string | null } {
    return { user: this.access?.user.id ?? null }
  }
}
`

const users = `import { ApplicationController, Unauthorized, type User } from 'acmcp'

/** Users. */
export class Users extends ApplicationController {
  private user: User | null = null

  /** @filter before */
  async signedIn(): Promise<void> {
    const token = String(this.request.headers.authorization ?? '').slice('Bearer '.length)
    this.user = await this.services.userOfAccessToken(token)
    if (this.user === null) throw new Unauthorized('invalid_token')
  }

  /**
   * Says who asks.
   *
   * @get /current
   */
  current(): { id: string } {
    return { id: this.user?.id ?? '' }
  }
}
`

const key = p256()
const pem = String(key.privateKey.export({ type: 'pkcs8', format: 'pem' }))

interface Served {
  readonly app: TestApp
  readonly folder: string
  readonly token: (scope?: string) => Promise<string>
  readonly http: (verb: string, path: string, more?: RequestInit) => Promise<readonly [number, unknown]>
}

async function serve(t: Test, authProbe = '/jobs/me', more: object = {}): Promise<Served> {
  const files = {
    'app/config.ts': config,
    'app/controllers/jobs.ts': jobs,
    'app/controllers/users.ts': users,
  }
  const folder = await builtFolder(files)
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const app = await openTestApp({
    cwd: folder,
    stale: 'allow',
    environment: { baseUrl },
    change: (bundle) => {
      const { mcp } = Object(bundle.config)
      const clients = { 'ci-bot': { jwks: { keys: [jwkOf(key)] }, scopes: ['jobs:run'] } }
      return { ...bundle, config: { ...Object(bundle.config), clients, ...more, mcp: { ...mcp, authProbe } } }
    },
  })
  t.teardown(() => app.close())
  await app.application.server.listen({ port, host: 'localhost' })
  const token = async (scope = ''): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const body = form(
      jwt(claims({ aud: baseUrl, iat: now, exp: now + 60 }), key),
      scope === '' ? {} : { scope },
    )
    const answer = await app.client().submit('/oauth/token', body)
    return String(answer.json().access_token)
  }
  const http: Served['http'] = async (verb, path, { headers, ...more } = {}) => {
    const sent = { authorization: `Bearer ${await token()}`, 'content-type': 'application/json', ...headers }
    const response = await fetch(`${baseUrl}${path}`, { method: verb, headers: sent, ...more })
    return [response.status, await response.json()]
  }
  return { app, folder, token, http }
}

async function connect(baseUrl: string): Promise<Client> {
  const options = { clientId: 'ci-bot', privateKey: pem, algorithm: 'ES256', expectedIssuer: baseUrl }
  const authProvider = new PrivateKeyJwtProvider(options)
  const client = new Client({ name: 'ci', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { authProvider }))
  return client
}

t.test(
  'SDK v2 signs in by its private-key provider and calls a tool; a probe that wants a user is 401',
  async (t) => {
    const { app } = await serve(t)
    const client = await connect(app.baseUrl)
    t.teardown(() => client.close())
    const { structuredContent } = await client.callTool({ name: 'jobs_me', arguments: {} })
    t.strictSame(structuredContent, { client: 'ci-bot', scopes: ['jobs:run'] })
    const ran = await client.callTool({ name: 'jobs_run', arguments: { name: 'nightly' } })
    t.match(ran.structuredContent, { name: 'nightly' })
    const [grant] = await app.application.store.listGrants({ clientId: 'ci-bot' })
    t.match(grant, { user: { id: 'client:ci-bot' }, scope: 'jobs:run' })
    const other = await serve(t, '/users/current')
    await t.rejects(connect(other.app.baseUrl))
  },
)

t.test(
  'routes: what needs a user is 401, an approval has nobody, scopes and keys are as for others',
  async (t) => {
    const { http, app, token } = await serve(t)
    t.strictSame(await http('GET', '/jobs/me'), [200, { client: 'ci-bot', scopes: ['jobs:run'] }])
    t.strictSame(await http('GET', '/jobs/mine'), [
      401,
      { error: 'this token is of the client ci-bot, and of no user' },
    ])
    t.strictSame((await http('GET', '/users/current'))[0], 401)
    t.match(await http('DELETE', '/jobs/1'), [403, { error: 'forbidden' }], 'more is not to be had')
    t.match(await http('POST', '/jobs/pay'), [403, {}])
    const repeat = { headers: { 'idempotency-key': 'k1' }, body: '{"name":"nightly"}' }
    const [first, second] = [await http('POST', '/jobs', repeat), await http('POST', '/jobs', repeat)]
    t.equal(first[0], 200)
    t.strictSame(second, first, 'by another token of the same client')
    const bearer = await token()
    await app.client().submit('/oauth/revoke', { client_id: 'ci-bot', token: bearer })
    const refused = await app.client().withBearer(bearer).get('/jobs/me')
    t.equal(refused.statusCode, 401)
  },
)

t.test('acmcp token --client: a token by the key in a file, whose readers are warned of', async (t) => {
  const { app, folder } = await serve(t)
  const run = async (flags: object): Promise<unknown> => {
    const words = Object.entries({ url: app.baseUrl, ...flags }).flatMap(([name, value]) =>
      Object.is(value, true) ? [`--${name}`] : [`--${name}`, String(value)],
    )
    const { status, stdout, stderr } = await acmcpHere(folder, {}, 'token', ...words)
    const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1)
    return [status, linesOf(stdout), linesOf(stderr)]
  }
  writeFileSync(join(folder, 'ci.pem'), pem, { mode: 0o600 })
  writeFileSync(join(folder, 'ci.json'), JSON.stringify(key.privateKey.export({ format: 'jwk' })))
  chmodSync(join(folder, 'ci.json'), 0o644)
  const good = Object(await run({ client: 'ci-bot', key: 'ci.pem' }))
  t.match(good, [0, [/^[\w-]+\.[\w-]+\.[\w-]+$/], []])
  const me = await app.client().withBearer(String(good[1][0])).get('/jobs/me')
  t.equal(me.statusCode, 200)
  t.match(await run({ client: 'ci-bot', key: 'ci.json', scope: 'jobs:run', json: true }), [
    0,
    [/"expires_in":600,"scope":"jobs:run"/],
    ['acmcp: ci.json can be read by others: chmod 600 ci.json'],
  ])
  t.match(await run({ client: 'other', key: 'ci.pem' }), [
    1,
    [],
    [/^acmcp: the server refused it: invalid_client/],
  ])
  t.match(await run({ client: 'ci-bot', key: 'ci.pem', scope: 'x' }), [1, [], [/invalid_scope/]])
  t.match(await run({ client: 'ci-bot', key: 'none.pem' }), [1, [], [/^acmcp: none.pem: ENOENT/]])
  t.match(await run({ client: 'ci-bot' }), [2, [], [/go together/]])
  t.match(await run({ client: 'ci-bot', key: 'ci.pem', url: 'http://notes.example' }), [1, [], [/not https/]])
})

t.test('acmcp token --client: what a server answers reaches no terminal as it is', async (t) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'ci.pem'), pem, { mode: 0o600 })
  let answer: object = {}
  const server = createServer((_request, response) => void response.end(JSON.stringify(answer)))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${Object(server.address()).port}`
  const run = (): Promise<readonly [out: string, err: string]> =>
    new Promise((ended) => {
      const words = ['token', '--client', 'ci-bot', '--key', 'ci.pem', '--url', url]
      const main = join(process.cwd(), 'dist/cli/main.js')
      execFile(process.execPath, [main, ...words], { cwd: folder }, (_error, out, err) => ended([out, err]))
    })
  answer = { error: 'invalid\u001b]0;owned\u0007', error_description: 'a\u202eb\u001b[2Jc' }
  t.strictSame(await run(), ['', 'acmcp: the server refused it: invalid?]0;owned?: a?b?[2Jc\n'])
  answer = { access_token: 'a\u001b[31mb' }
  t.strictSame(await run(), ['', 'acmcp: the server answers a token with characters that no token has\n'])
})

t.test('no other token is of a client; keys by http are refused outside of development', async (t) => {
  const user = { id: 'client:ci-bot', name: 'x', email: null }
  const verifyToken = async () => ({ user, client: 'x', grant: null, scopes: ['jobs:run'] })
  const { app, token } = await serve(t, '/jobs/me', { verifyToken })
  const status = async (bearer: string): Promise<number> =>
    (await app.client().withBearer(bearer).get('/jobs/me')).statusCode
  t.strictSame([await status('foreign'), await status(await token())], [401, 200])
  const clients = { 'ci-bot': { jwksUri: 'http://localhost:1/jwks', scopes: ['jobs:run'] } }
  const change = (bundle: AppBundle): AppBundle => ({
    ...bundle,
    config: { ...Object(bundle.config), clients },
  })
  const cwd = await builtFolder({
    'app/config.ts': config,
    'app/controllers/jobs.ts': jobs,
    'app/controllers/users.ts': users,
  })
  const open = openTestApp({ cwd, stale: 'allow', change, environment: { baseUrl: 'https://jobs.example' } })
  await t.rejects(open, {
    message: 'app/config.ts: config.clients.ci-bot.jwksUri must be https outside of development',
  })
})
