/** The in-process client of `acmcp/testing`. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import type { AppBundle } from '../runtime/contract/bundle.ts'
import type { HttpRequest, Verb } from '../runtime/contract/http.ts'
import type { Route } from '../runtime/contract/route.ts'
import { Controller } from '../runtime/http/pipeline/controller.ts'
import { serve } from '../runtime/serve/serve.ts'
import { databaseOf } from '../runtime/store/database.ts'
import { openTestApp, type TestApp } from '../runtime/testing.ts'
import { built, folderOf, write } from './cli/support/built-app.ts'
import { scopedNotesIn } from './cli/support/scoped-notes.ts'
import { freePort } from './support/free-port.ts'
import { undeclaredRequests } from './support/undeclared.ts'

const undeclared = undeclaredRequests()

const ada = { id: 'test:ada', name: 'Ada', email: null }

type Act = (controller: Controller) => unknown

class Desk extends Controller {}

/** The example with further routes. */
function withRoutes(bundle: AppBundle, acts: Readonly<Record<string, Act>>): AppBundle {
  const base = bundle.routes[0]
  if (base === undefined) throw new Error('the example has no routes')
  const routes = Object.entries(acts).map(([at, act], index): Route => {
    const [verb = 'GET', path = '/'] = at.split(' ')
    const call = (controller: object): unknown => act(controller as Controller) // made by `create`
    const plain = {
      id: `desk_${index}`,
      status: 200,
      statuses: [],
      websocket: false,
      requiresTls: false,
      produces: null,
    }
    // one of the verbs above
    return {
      ...plain,
      verb: verb as Verb,
      path,
      controller: Desk,
      filters: [],
      handlers: [],
      create: () => new Desk(),
      call,
    }
  })
  const codec = { params: [], filters: [], handlers: [] }
  const codecs = Object.fromEntries(routes.map(({ id }) => [id, codec]))
  return { ...bundle, routes: [...bundle.routes, ...routes], codecs: { ...bundle.codecs, ...codecs } }
}

const bodyOf = async ({ body }: HttpRequest): Promise<string> =>
  body.kind === 'bytes' ? Buffer.from(await body.read()).toString() : ''

const open = (acts: Readonly<Record<string, Act>>): Promise<TestApp> =>
  openTestApp({ change: (bundle) => withRoutes(bundle, acts) })

const typeAndBody: Act = async ({ request }) => [
  request.headers['content-type'],
  await bodyOf(request),
  request.method,
]

t.test('clients are independent: each has its own jar, and a forgotten cookie leaves it', async (t) => {
  const app = await open({
    'GET /set': (controller) => {
      controller.response.setCookie('a', 'one two')
      return null
    },
    'GET /clear': (controller) => {
      controller.response.clearCookie('a')
      return null
    },
    'GET /read': ({ request }) => request.cookies.a ?? null,
  })
  t.teardown(app.close)
  const [client, two] = [app.client(), app.client()]
  await client.get('/set')
  t.strictSame([(await client.get('/read')).json(), (await two.get('/read')).json()], ['one two', null])
  t.strictSame([...client.cookies], [['a', 'one two']])
  await client.get('/clear')
  t.strictSame([[...client.cookies], (await client.get('/read')).json()], [[], null])
})

t.test('a test reads and writes the tables of the application: databaseOf(app.services)', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const database = databaseOf<{ notes: { user_id: string; text: string } }>(app.services)
  await database.insertInto('notes').values({ user_id: ada.id, text: 'seeded' }).execute()
  const client = app.client().withBearer(await app.accessToken(ada))
  t.strictSame((await client.json('/api/notes/', { text: 'sent' })).json(), ['seeded', 'sent'])
  t.strictSame(await database.selectFrom('notes').select(['user_id', 'text']).execute(), [
    { user_id: ada.id, text: 'seeded' },
    { user_id: ada.id, text: 'sent' },
  ])
})

t.test('JSON, forms and multipart forms are sent as their types', async (t) => {
  const app = await open({ 'POST /echo': typeAndBody, 'PUT /echo': typeAndBody })
  t.teardown(app.close)
  const client = app.client()
  t.strictSame((await client.json('/echo', { a: 1 })).json(), ['application/json', '{"a":1}', 'POST'])
  t.strictSame((await client.json('/echo', null, 'PUT')).json(), ['application/json', 'null', 'PUT'])
  const form = (await client.submit('/echo', { a: 'x y', b: '&' })).json()
  t.strictSame(form, ['application/x-www-form-urlencoded', 'a=x+y&b=%26', 'POST'])
  const [type, body] = (
    await client.upload('/echo', {
      title: 'a text',
      'odd"name': { filename: 'a\r\nb.txt', content: Buffer.from('file'), contentType: 'text/plain' },
      blob: { filename: 'b.bin', content: 'bin' },
    })
  ).json()
  const boundary = /^multipart\/form-data; boundary=(acmcp-[0-9a-f]+)$/.exec(type)?.[1]
  t.equal(
    body,
    [
      `--${boundary}`,
      'Content-Disposition: form-data; name="title"',
      '',
      'a text',
      `--${boundary}`,
      'Content-Disposition: form-data; name="odd%22name"; filename="a%0D%0Ab.txt"',
      'Content-Type: text/plain',
      '',
      'file',
      `--${boundary}`,
      'Content-Disposition: form-data; name="blob"; filename="b.bin"',
      'Content-Type: application/octet-stream',
      '',
      'bin',
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  )
})

t.test('redirects are followed when asked, inside the application only', async (t) => {
  const app = await open({
    'GET /one': (controller) => {
      controller.response.setCookie('seen', 'one')
      return controller.redirectTo('/two?x=1')
    },
    'GET /two': ({ request }) => [request.url, request.cookies.seen],
    'GET /away': (controller) => controller.redirectTo('https://elsewhere.example/'),
    'GET /round': (controller) => controller.redirectTo('/round'),
  })
  t.teardown(app.close)
  const client = app.client()
  t.equal((await client.get('/one')).statusCode, 302)
  t.strictSame((await client.follow('/one')).json(), ['/two?x=1', 'one'])
  const away = await client.follow('/away')
  t.strictSame([away.statusCode, away.headers.location], [302, 'https://elsewhere.example/'])
  await t.rejects(client.follow('/round'), { message: '/round redirects more than 10 times' })
})

t.test('signIn signs this browser in; without the development login it says so', async (t) => {
  const app = await open({ 'GET /who': ({ request }) => request.session.get('user_id') ?? null })
  t.teardown(app.close)
  const [client, two] = [app.client(), app.client()]
  await client.signIn()
  t.match((await client.get('/who')).json(), /^dev:/)
  t.equal((await two.get('/who')).json(), null)
  const closed = await openTestApp({ environment: { devLogin: false } })
  t.teardown(closed.close)
  await t.rejects(closed.client().signIn(), { message: 'the development login answered 404' })
})

t.test('withBearer sends the token, in the same jar', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const client = app.client()
  const api = client.withBearer(await app.accessToken())
  t.equal((await client.get('/api/notes/')).statusCode, 401)
  t.strictSame((await api.json('/api/notes/', { text: 'one' })).json(), ['one'])
  t.strictSame((await api.get('/api/notes/', { accept: 'application/json' })).json(), ['one'])
  await client.signIn()
  t.strictSame([...api.cookies.keys()], [...client.cookies.keys()])
})

t.test(
  'testing: several users sign in, each with a token, and call tools through the endpoint',
  async (t) => {
    const app = await openTestApp()
    t.teardown(app.close)
    const others = app.client()
    const api = app.client().withBearer(await app.accessToken())
    const adas = others.withBearer(await app.accessToken(ada))
    t.notMatch(await api.tool('notes_create', { text: 'mine' }), { isError: true })
    t.strictSame((await adas.tool('notes_create', { text: 'hers' })).structuredContent, { result: ['hers'] })
    t.strictSame((await adas.get('/api/users/current')).json(), ada)
    t.strictSame((await api.get('/api/notes/')).json(), ['mine'])
    await others.signIn(ada)
    t.match((await others.get('/auth')).body, 'Ada')
    await t.rejects(app.client().tool('notes_create', { text: 'x' }), { message: /was not called: 401 / })
    t.match(await api.tool('notes_create', {}), { isError: true })
  },
)

const controller = (name: string): string => `import { Controller } from 'acmcp'

/** Says something. @base /${name.toLowerCase()} */
export class ${name} extends Controller {
  /**
   * Says it.
   *
   * @get /
   */
  index(): string {
    return '${name.toLowerCase()}'
  }
}
`

t.test(
  'stale: a bundle of other sources is refused, unless it is allowed; a deployment has none',
  async (t) => {
    const cwd = folderOf(t, { 'app/controllers/a.ts': controller('A') })
    t.equal((await built(cwd)).status, 0)
    await (await openTestApp({ cwd })).close()
    const refusal = async (): Promise<string> => {
      try {
        await (await openTestApp({ cwd })).close()
        return 'opened'
      } catch (error) {
        return error instanceof Error && error.name === 'BootError' ? error.message : String(error)
      }
    }
    const reported = (what: string): string =>
      `the bundle was not built from ${what} as it is now: run npx acmcp build`
    write(cwd, 'app/controllers/a.ts', `${controller('A')}// changed\n`)
    t.equal(await refusal(), reported('app/controllers/a.ts'))
    await (await openTestApp({ cwd, stale: 'allow' })).close()
    const lines: string[] = []
    const env = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' }
    const served = await serve({ cwd, env, isTerminal: true, print: (line) => void lines.push(line) })
    await served.close()
    t.equal(lines[0], reported('app/controllers/a.ts'), 'serve warns')
    write(cwd, 'app/controllers/a.ts', controller('A'))
    t.equal(await refusal(), 'opened')
    write(cwd, 'app/controllers/b.ts', controller('B'))
    t.equal(await refusal(), reported('app/controllers'), 'a new file')
    rmSync(join(cwd, 'app'), { recursive: true })
    t.equal(await refusal(), 'opened', 'a deployment without sources')
  },
)

t.test('stacks: serve logs the place in the source, not in the bundle', async (t) => {
  const thrower = controller('A').replace("return 'a'", "throw new Error('no')")
  const cwd = folderOf(t, { 'app/controllers/a.ts': thrower })
  t.equal((await built(cwd)).status, 0)
  const server = spawn(process.execPath, [join(process.cwd(), 'dist/cli/main.js'), 'serve'], {
    cwd,
    env: { PATH: process.env.PATH ?? '', PORT: String(await freePort()), DATABASE_URL: 'sqlite::memory:' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => server.kill('SIGKILL'))
  for await (const line of createInterface({ input: server.stdout })) {
    const { msg, err } = JSON.parse(line)
    const [, address] = /^acmcp serves (.*)$/.exec(msg) ?? []
    if (address !== undefined) void fetch(`${address}/a`).catch(() => {})
    if (msg !== 'unhandled exception') continue
    const at = thrower.split('\n').findIndex((text) => text.includes('throw')) + 1
    t.match(err.stack, `app/controllers/a.ts:${at}:`)
    break
  }
})

t.test('testing: accessToken asks for scopes, and ticks all that it is offered', async (t) => {
  const app = await openTestApp({ cwd: await scopedNotesIn(t) })
  t.teardown(app.close)
  const boss = { id: 'dev:boss', name: 'Boss & "Co"', email: null }
  const scopesOf = async (...requested: Parameters<typeof app.accessToken>): Promise<unknown> =>
    (
      await app
        .client()
        .withBearer(await app.accessToken(...requested))
        .get('/notes/')
    ).json()
  t.strictSame(await scopesOf(), ['notes:read', 'notes:write'])
  t.strictSame(await scopesOf(ada), ['notes:read', 'notes:write'])
  t.strictSame(await scopesOf(ada, { scope: 'notes:read' }), ['notes:read'])
  t.strictSame(await scopesOf(ada, { scope: 'notes:write' }), ['notes:read', 'notes:write'])
  t.strictSame(await scopesOf(ada, { scope: 'notes:read notes:delete' }), ['notes:read', 'notes:delete'])
  t.strictSame(await scopesOf(boss, { scope: 'api staff' }), ['notes:read', 'notes:write', 'staff'])
  await t.rejects(app.accessToken(ada, { scope: 'api staff' }), /was to grant api staff: api$/)
  await t.rejects(
    app.accessToken(ada, { scope: 'staff' }),
    /nothing was granted for scope staff: .*access_denied/,
  )
  await t.rejects(app.accessToken(ada, { scope: 'notes:raed' }), /notes:raed: .*invalid_scope/)
})

t.test(
  'what a test imports of an application is a copy; what stands in globalThis is there once',
  async (t) => {
    const controller = `import { Controller } from 'acmcp'
import { mail, outside } from '../mail.js'

/** Mails that are sent. */
export class Mails extends Controller {
  /**
   * Who sends them.
   *
   * @get /
   * @mcp hide
   */
  index(): string[] { return [mail.sender, outside()] }
}
`
    const mail = `export const mail = { sender: 'real' }
export const outside = () => globalThis[Symbol.for('shop.outside')] ?? 'real'
`
    const types = `export declare const mail: { sender: string }
export declare const outside: () => string
`
    const cwd = folderOf(t, {
      'app/controllers/mails.ts': controller,
      'app/mail.js': mail,
      'app/mail.d.ts': types,
    })
    t.match(await built(cwd), { status: 0 })
    const app = await openTestApp({ cwd })
    t.teardown(app.close)
    const copy = await import(pathToFileURL(join(cwd, 'app/mail.js')).href)
    copy.mail.sender = 'of the test'
    const key = Symbol.for('shop.outside')
    Reflect.set(globalThis, key, 'of the test')
    t.teardown(() => Reflect.deleteProperty(globalThis, key))
    t.strictSame((await app.client().get('/mails')).json(), ['real', 'of the test'])
    t.strictSame([copy.mail.sender, copy.outside()], ['of the test', 'of the test'])
  },
)

t.test('no package that an application runs on requires one that it does not name', (t) => {
  t.strictSame([...undeclared], []) // of all tests above: yarn's pnpm linker, and pnpm without hoisting, find none
  t.end()
})
