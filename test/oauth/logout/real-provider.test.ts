/** A provider that we did not write: sign-in, groups, whom it signs out, and asking anew. Source: OpenID Connect Back-Channel Logout;
 *  OpenID Connect Core, 3.1.2.1. */

import { once } from 'node:events'
import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import type * as Ws from 'ws'
import type { AuthorizationServerOptions } from '../../../runtime/oauth/options.ts'
import type { BackchannelLogout } from '../../../runtime/oauth/providers/presets.ts'
import { createProvider } from '../../../runtime/oauth/providers/provider.ts'
import { newLogin } from '../../../runtime/oauth/session.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { Browser, temporaryFolder } from '../../flow/support.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { freePort } from '../../support/free-port.ts'
import { builtFolder } from '../../support/linked.ts'
import { wholeStore } from '../../support/whole-store.ts'
import { clientSecret, type RealProvider, startRealProvider } from '../support/real-provider.ts'

t.setTimeout(240_000) // a busy machine

// `ws` is a dependency of @fastify/websocket, not of ours
const { WebSocket }: typeof Ws = createRequire(createRequire(import.meta.url).resolve('@fastify/websocket'))(
  'ws',
)

const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())

const engines: Readonly<Record<string, () => string | Promise<string>>> = {
  SQLite: () => `sqlite:${temporaryFolder()}/logout.db`,
  ...(postgres === null ? {} : { PostgreSQL: () => postgres.freshDatabase() }),
}

const files = {
  'app/config.ts': `import { defineApp } from 'acmcp'

const texts = (claim: unknown): string[] => (Array.isArray(claim) ? claim.map(String) : [])

export const config = defineApp({
  onSignIn: ({ claims }) => ({ groups: texts(claims.groups), sid: String(claims.sid) }),
})
`,
  'app/controllers/people.ts': `import { ApplicationController, attributesOf, type Socket, Unauthorized } from 'acmcp'

/** People. */
export class People extends ApplicationController {
  /**
   * Tells who is signed in.
   *
   * @get /me
   */
  async me(): Promise<{ id: string; attributes: unknown }> {
    const user = await this.services.userOfSession(this.request.session)
    if (user === null) throw new Unauthorized('nobody')
    return { id: user.id, attributes: attributesOf(user) }
  }

  /**
   * Tells whose a token is.
   *
   * @get /holder
   */
  async holder(): Promise<{ id: string }> {
    const user = await this.services.userOfAccessToken(String(this.request.headers.authorization).slice(7))
    if (user === null) throw new Unauthorized('nobody')
    return { id: user.id }
  }

  /**
   * Says who listens.
   *
   * @websocket /live
   */
  async live(socket: Socket): Promise<void> {
    const user = await this.services.userOfSession(this.request.session)
    socket.send(user?.id ?? 'nobody')
  }
}
`,
}

interface Scene {
  readonly provider: RealProvider
  readonly first: TestApp
  readonly second: TestApp
  readonly baseUrl: string
  readonly ports: readonly number[]
  readonly logged: string[]
}

const secret = 'a secret of the test with more than 32 bytes'

/** Two instances with one store and one address, which the first has. */
async function open(t: Test, databaseUrl: string, backchannelLogout?: BackchannelLogout): Promise<Scene> {
  const ports = [await freePort(), await freePort(), await freePort()]
  const [port = 0, otherPort = 0, providerPort = 0] = ports
  const baseUrl = `http://localhost:${port}`
  const provider = await startRealProvider({ port: providerPort, baseUrl })
  t.teardown(provider.close)
  const logged: string[] = []
  const local = {
    ...{ issuer: provider.issuer, clientId: 'acmcp', clientSecret, scope: 'groups' },
    ...(backchannelLogout === undefined ? {} : { backchannelLogout }),
  }
  const cwd = await builtFolder(files)
  const instance = async (at: number): Promise<TestApp> => {
    const app = await openTestApp({
      cwd,
      environment: {
        databaseUrl,
        baseUrl,
        jwtSecrets: [secret],
        sessionSecrets: [`another ${secret}`],
      },
      change: (bundle) => ({ ...bundle, config: { ...Object(bundle.config), providers: { local } } }),
      logStream: { write: (line: string) => void logged.push(line) },
    })
    t.teardown(app.close)
    await app.application.server.listen({ port: at, host: 'localhost' })
    return app
  }
  return { provider, first: await instance(port), second: await instance(otherPort), baseUrl, ports, logged }
}

const me = async (browser: Browser, baseUrl: string): Promise<readonly [number, unknown]> => {
  const answer = await browser.fetch(`${baseUrl}/people/me`)
  return [answer.status, await answer.json()]
}

/** Its cookies, also for the other instance: a browser knows no ports. */
class BothPorts extends Browser {
  override async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const response = await super.fetch(url, init)
    for (const line of response.headers.getSetCookie())
      if (new URL(url).port === this.#own) this.cookie = line.split(';')[0] ?? ''
    return response
  }
  readonly #own: string
  cookie = ''
  constructor(own: number) {
    super()
    this.#own = String(own)
  }
}

async function dial(port: number, cookie: string): Promise<{ socket: Ws.WebSocket; hello: string }> {
  const socket = new WebSocket(`ws://localhost:${port}/people/live`, { headers: { cookie } })
  const [hello] = await once(socket, 'message')
  return { socket, hello: String(hello) }
}

for (const [engine, fresh] of Object.entries(engines)) {
  t.test(
    `${engine}: whom the provider signs out is signed out here, at both instances, sockets too`,
    async (t) => {
      const { provider, first, second, baseUrl, ports } = await open(t, await fresh(), {})
      const other = `http://localhost:${ports[1]}`
      provider.groups.set('ada', ['staff', 'admins'])
      const browser = new BothPorts(ports[0] ?? 0)
      const elsewhere = new BothPorts(ports[0] ?? 0)
      const grace = new BothPorts(ports[0] ?? 0)
      await provider.signIn(browser, `${baseUrl}/auth/local`, 'ada')
      await provider.signIn(elsewhere, `${baseUrl}/auth/local`, 'ada')
      await provider.signIn(grace, `${baseUrl}/auth/local`, 'grace')
      const [status, body] = await me(browser, baseUrl)
      const { attributes, id } = Object(body)
      t.strictSame(
        [status, id, attributes.groups, attributes.sid.length > 10],
        [200, 'local:ada', ['staff', 'admins'], true],
      )
      const asAda = { headers: { cookie: browser.cookie } }
      t.equal((await fetch(`${other}/people/me`, asAda)).status, 200)
      const here = await dial(ports[0] ?? 0, browser.cookie)
      const there = await dial(ports[1] ?? 0, browser.cookie)
      const hers = await dial(ports[1] ?? 0, grace.cookie)
      t.strictSame([here.hello, there.hello, hers.hello], ['local:ada', 'local:ada', 'local:grace'])
      const ends = [once(here.socket, 'close'), once(there.socket, 'close')]
      const row = wholeStore(first.application.store).listAudit({ event: 'sign-out' }, 10)
      t.strictSame(await row, [])

      await provider.signOut(browser)
      t.strictSame(
        (await Promise.all(ends)).map(([code]) => code),
        [1008, 1008],
      )
      t.strictSame(await me(browser, baseUrl), [401, { error: 'nobody' }])
      t.equal((await fetch(`${other}/people/me`, asAda)).status, 401)
      t.equal((await me(elsewhere, baseUrl))[0], 200, 'another session at the provider')
      t.equal((await me(grace, baseUrl))[0], 200)
      t.equal(hers.socket.readyState, WebSocket.OPEN)
      hers.socket.close()
      await first.application.close()
      const [signOut] = await wholeStore(second.application.store).listAudit({ event: 'sign-out' }, 10)
      t.match(signOut, { user: 'local:ada', detail: { by: 'provider', provider: 'local', sessions: 1 } })
    },
  )
}

t.test(
  'revokeGrants: what the user has connected ends too, at both instances; without it it lives on',
  async (t) => {
    for (const revokeGrants of [false, true]) {
      const scene = await open(t, `sqlite:${temporaryFolder()}/logout.db`, { revokeGrants })
      const { provider, first, second, baseUrl } = scene
      const browser = new Browser()
      await provider.signIn(browser, `${baseUrl}/auth/local`, 'ada')
      const ada = { id: 'local:ada', name: 'ada', email: null }
      const token = await first.accessToken(ada)
      const holder = async (app: TestApp): Promise<number> =>
        (await app.client().withBearer(token).get('/people/holder')).statusCode
      t.strictSame([await holder(first), await holder(second)], [200, 200])
      await provider.signOut(browser)
      const status = revokeGrants ? 401 : 200
      t.strictSame([await holder(first), await holder(second)], [status, status])
      t.strictSame((await me(browser, baseUrl))[0], 401)
      t.equal((await first.application.store.listGrants({ userId: ada.id })).length, revokeGrants ? 0 : 1)
      t.notMatch(scene.logged.join(''), /logout_token|eyJ/, 'no token is in the log')
    }
  },
)

t.test('without the setting the provider is answered 404, and nothing of its session is kept', async (t) => {
  const { provider, first, baseUrl } = await open(t, `sqlite:${temporaryFolder()}/logout.db`)
  const browser = new Browser()
  await provider.signIn(browser, `${baseUrl}/auth/local`, 'ada')
  await provider.signOut(browser)
  t.equal((await me(browser, baseUrl))[0], 200)
  const answer = await fetch(`${baseUrl}/oauth/backchannel-logout/local`, { method: 'POST' })
  t.equal(answer.status, 404)
  t.strictSame(Object.fromEntries(await first.application.store.endSessions(null, 'x')), {})
})

t.test('max_age: who is to sign in anew is asked for the password again, and auth_time moves', async (t) => {
  const port = await freePort()
  const baseUrl = 'http://localhost:1'
  const provider = await startRealProvider({ port, baseUrl })
  t.teardown(provider.close)
  const silent = { info: () => {}, warn: () => {}, error: () => {} }
  const config = { issuer: provider.issuer, clientId: 'acmcp', clientSecret }
  const local = createProvider('local', config, { baseUrl, timeoutMs: 5000, clock: Date.now, log: silent })
  const randomBytes: AuthorizationServerOptions['randomBytes'] = (count) =>
    crypto.getRandomValues(new Uint8Array(count))
  const isBack = (url: URL): boolean => url.origin === baseUrl
  const browser = new Browser()
  const signIn = async (
    asks: 'sign-in' | null,
  ): Promise<readonly [askedForPassword: boolean, authTime: number]> => {
    const login = newLogin('local', { clock: Date.now, randomBytes })
    let landing = await browser.follow(await local.authorizationUrl(login, asks), isBack)
    const isAsked = landing.page.includes('name="password"')
    for (let forms = 0; forms < 5 && !isBack(landing.url); forms += 1)
      landing = await browser.submit(landing, { login: 'ada', password: 'any' }, isBack)
    const { authTime } = await local.identify(landing.url.searchParams, login)
    return [isAsked, authTime ?? 0]
  }
  const [asked, at] = await signIn(null)
  const [again, same] = await signIn(null)
  t.strictSame([asked, again, same], [true, false, at], 'its own session is enough')
  const times: number[] = []
  while ((times.at(-1) ?? at) === at && times.length < 1000) {
    const [anew, time] = await signIn('sign-in')
    t.ok(anew, 'its own session is not enough')
    times.push(time)
  }
  t.ok((times.at(-1) ?? 0) > at, 'once the second is over')
})
