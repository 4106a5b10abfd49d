/** `acmcp call` and `acmcp token`: the application in development with credentials of its own. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { openDevelopmentApp } from '../../../runtime/serve/development.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { spawnServe } from '../../flow/support.ts'
import { freePort } from '../../support/free-port.ts'
import { type Ran, write } from '../support/built-app.ts'
import { acmcpHere } from '../support/here.ts'
import { acmcpWith, shopIn } from '../support/shop.ts'

t.test('trying: call prints what the client gets, and fails when the tool does', async (t) => {
  const root = await shopIn(t)
  const call = (...args: readonly string[]): Promise<Ran> => acmcpHere(root, {}, 'call', ...args)
  t.strictSame(await call('orders_create', 'code=7', 'amount=2', 'tags=["a","b"]', 'note=null', '--json'), {
    status: 0,
    stdout: `${JSON.stringify({
      content: [{ type: 'text', text: '{"code":"7","amount":2,"tags":["a","b"],"note":"null"}' }],
      structuredContent: { code: '7', amount: 2, tags: ['a', 'b'], note: 'null' },
    })}\n`,
    stderr: '',
  })
  t.strictSame(await call('orders_create', 'code:="7"', 'amount:=2', 'note:=null'), {
    status: 0,
    stdout: '{"code":"7","amount":2,"tags":[],"note":null}\n',
    stderr: '',
  })
  t.strictSame(await call('orders_create', 'code=7', 'amount=6'), {
    status: 1,
    stdout: '409 Conflict\n{"error":"only 5 are left"}\n',
    stderr: 'acmcp: orders_create failed (isError)\n',
  })
  t.strictSame(await call('call_tool', 'name=orders_create', 'arguments={"code":"x","amount":1}'), {
    status: 0,
    stdout: '{"code":"x","amount":1,"tags":[],"note":null}\n',
    stderr: '',
  })
  t.strictSame(await call('orders_creat', 'code=7'), {
    status: 1,
    stdout: '',
    stderr: 'acmcp: orders_creat was not called: unknown tool "orders_creat", did you mean: orders_create\n',
  })
})

t.test(
  'trying an application: .env is read in development by every command, and never in production',
  async (t) => {
    const root = await shopIn(t)
    const port = await freePort()
    write(root, '.env', `PORT=${port}\nDATABASE_URL=sqlite:data/env.db\nDEV_LOGIN=1\n`)
    const { status, stdout: token, stderr } = acmcpWith(root, { KEEPS_RUNNING: '1' }, 'token')
    t.equal(status, 0, 'what an application leaves running keeps no command')
    t.match(stderr, `access token of dev:developer for http://localhost:${port}, until`)
    t.match(
      acmcpWith(root, { PORT: '4321' }, 'health').stderr,
      'http://127.0.0.1:4321/',
      'the environment wins',
    )
    t.match(
      acmcpWith(root, { KEEPS_RUNNING: '1' }, 'store', 'status').stdout,
      /^SQLite at .*data\/env\.db\n/i,
    )
    t.notMatch(acmcpWith(root, { NODE_ENV: 'production' }, 'store', 'status').stdout, 'env.db')
    t.match(acmcpWith(root, {}, 'health').stderr, `http://127.0.0.1:${port}/`)
    t.notMatch(acmcpWith(root, { NODE_ENV: 'production' }, 'health').stderr, String(port))
    const server = await spawnServe(root, {})
    t.teardown(() => void server.process.kill('SIGKILL'))
    const requested = await fetch(`http://localhost:${port}/api/who`, {
      headers: { authorization: `Bearer ${token.trim()}` },
    })
    t.equal(requested.status, 200)
    write(root, '.env', 'NODE_ENV=production\n')
    const why =
      'acmcp: .env says NODE_ENV=production, but production reads no .env: set it in the environment\n'
    const refused = { status: 1, stdout: '', stderr: why }
    for (const command of ['token', 'routes']) t.strictSame(await acmcpHere(root, {}, command), refused)
    t.strictSame(acmcpWith(root, {}, 'serve'), refused)
  },
)

t.test('trying: arguments that are not written as such are bad usage', async (t) => {
  const root = await shopIn(t)
  const call = async (...args: readonly string[]): Promise<readonly unknown[]> => {
    const { status, stdout, stderr } = await acmcpHere(root, {}, 'call', 'orders_create', ...args)
    return [status, stdout, stderr]
  }
  t.strictSame(await call('7'), [2, '', 'acmcp: 7 is no argument: write name=value, or name:=json\n'])
  t.strictSame(await call('amount:=x'), [2, '', 'acmcp: amount:= is not followed by JSON: x\n'])
  t.strictSame(await call('code=a', 'code=b'), [
    2,
    '',
    `acmcp: code is given twice: write a list as code:='["a","b"]'\n`,
  ])
})

t.test('trying: who calls; what the application prints is no part of the answer', async (t) => {
  const root = await shopIn(t)
  const who = (...args: readonly string[]): Promise<Ran> => acmcpHere(root, {}, 'call', 'orders_who', ...args)
  const answer = (text: string): Ran => ({ status: 0, stdout: `${text}\n`, stderr: '' })
  const developer = answer('{"id":"dev:developer","name":"Developer"}')
  t.strictSame(await who(), developer)
  t.strictSame(await who('--as', 'ada'), answer('{"id":"dev:ada","name":"ada"}'))
  t.strictSame(await who('--as', 'dev:ada'), answer('{"id":"dev:ada","name":"ada"}'))
  t.strictSame(await who('--as', 'github:7'), {
    status: 1,
    stdout: '',
    stderr:
      'acmcp: the store has no user github:7: sign in as that user once, or give a name without a colon, which makes a development user\n',
  })
  write(root, '.env', 'SAYS=loaded\nKEEPS_RUNNING=1\n')
  t.strictSame(acmcpWith(root, {}, 'call', 'orders_who'), { ...developer, stderr: 'loaded\n' })
})

t.test('trying: a token is for the serve of the same folder and store', async (t) => {
  const root = await shopIn(t)
  const env = { PORT: String(await freePort()) }
  const server = await spawnServe(root, env)
  t.teardown(() => void server.process.kill('SIGKILL'))
  const who = async (token: string): Promise<readonly unknown[]> => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${server.baseUrl}/api/who`, { headers })
    return [response.status, response.ok ? await response.json() : null]
  }
  const { status, stdout, stderr } = await acmcpHere(root, env, 'token')
  t.equal(status, 0)
  t.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  t.match(stderr, new RegExp(`^access token of dev:developer for ${server.baseUrl}, until \\d{4}-\\S+Z\n$`))
  t.strictSame(await who(stdout.trim()), [200, { id: 'dev:developer', name: 'Developer' }])
  const asAda = await acmcpHere(root, env, 'token', '--as', 'ada', '--json')
  const { access_token: token, ...others } = JSON.parse(asAda.stdout)
  t.strictSame(others, { token_type: 'Bearer', expires_in: 3600, scope: 'api', user: 'dev:ada' })
  t.strictSame(await who(token), [200, { id: 'dev:ada', name: 'ada' }])
  const form = new URLSearchParams({ token, client_id: 'acmcp-command-line' })
  await fetch(`${server.baseUrl}/oauth/revoke`, { method: 'POST', body: form })
  t.strictSame(await who(token), [401, null], 'revoked like any other')
})

t.test('spec, Limits: a token of the command line ends after an hour', async (t) => {
  const cwd = await shopIn(t)
  let now = Date.UTC(2030, 0, 1)
  const lines: string[] = []
  const warn = (line: string): void => void lines.push(line)
  const env = { LOG_LEVEL: 'error' }
  const app = await openDevelopmentApp({ cwd, env, clock: () => now, warn, isTerminal: false })
  t.teardown(app.close)
  const { accessToken, user } = await app.tokenFor('ada', null)
  t.strictSame(user, { id: 'dev:ada', name: 'ada', email: 'ada@localhost' })
  const status = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${accessToken}` }
    return (await app.application.server.inject({ url: '/api/who', headers })).statusCode
  }
  now += 3_599_000
  t.equal(await status(), 200)
  now += 1_000
  t.equal(await status(), 401)
  const audited = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'audit')
  t.strictSame(
    audited.map(({ event }) => event),
    ['issue'],
    'it is in the audit log of who asked for a log',
  )
})

t.test('trying: the credential of a call ends with it', async (t) => {
  const root = await shopIn(t)
  await acmcpHere(root, {}, 'call', 'orders_who')
  await acmcpHere(root, {}, 'token')
  const { application, close } = await openTestApp({
    cwd: root,
    environment: { databaseUrl: `sqlite:${join(root, 'data/acmcp.db')}` },
  })
  t.teardown(close)
  const { rows } =
    await sql`select client_id, user_id, revoked_reason from acmcp_grants order by created_at`.execute(
      application.store.database,
    )
  t.strictSame(rows, [
    { client_id: 'acmcp-command-line', user_id: 'dev:developer', revoked_reason: 'acmcp call has ended' },
    { client_id: 'acmcp-command-line', user_id: 'dev:developer', revoked_reason: null },
  ])
})

t.test('trying: production refuses both, before anything is made', async (t) => {
  const root = await shopIn(t)
  const stderr =
    'acmcp: this makes credentials: it is for development, and refused when NODE_ENV is production\n'
  for (const args of [['call', 'orders_who'], ['token']])
    t.strictSame(await acmcpHere(root, { NODE_ENV: 'production' }, ...args), {
      status: 1,
      stdout: '',
      stderr,
    })
  t.notOk(existsSync(join(root, 'data')))
  const app = await openTestApp({
    cwd: root,
    environment: { production: true, devLogin: false, baseUrl: 'https://shop.example' },
  })
  t.teardown(app.close)
  await t.rejects(app.application.developmentToken('dev:developer'), {
    name: 'BootError',
    message: 'credentials are made for development only: this is refused in production',
  })
})
