/** Roles of a whole application: by group from the sign-in over consent and lists to 403, on two instances and both engines. */
import t, { type Test } from 'tap'
import { attributesOf } from '../../../runtime/index.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../../runtime/testing.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { builtFolder } from '../../support/linked.ts'
import { authorizationRequest, authorizeUrl, registerClient } from '../support/scene.ts'

t.setTimeout(240_000) // a busy machine

const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())

const engines: Readonly<Record<string, () => string | Promise<string>>> = {
  SQLite: () => `sqlite:${temporaryFolder()}/roles.db`,
  ...(postgres === null ? {} : { PostgreSQL: () => postgres.freshDatabase() }),
}

const config = `import { attributesOf, defineApp, SignInRefused } from 'acmcp'

declare module 'acmcp' {
  interface UserAttributes { groups: readonly string[] }
}

/** What the provider says of the developer, which the test changes. */
const people = globalThis as { groups?: readonly string[] | null }

export const config = defineApp({
  mcp: {
    path: '/mcp',
    authProbe: '/reports/mine',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
  onSignIn: async ({ user }) => {
    const { groups = null } = people
    if (groups?.includes('banned')) throw new SignInRefused('banned')
    return user.id.startsWith('dev:') && groups !== null ? { groups } : null
  },
  scopes: {
    'reports:read': 'See reports',
    'reports:audit': {
      text: 'See what was deleted',
      mayHave: (user) => {
        const { groups } = attributesOf(user) as { groups: readonly string[] }
        return groups.includes('admins')
      },
    },
  },
})
`

const controller = `import { ApplicationController, attributesOf, Forbidden, type User } from 'acmcp'

/**
 * Reports.
 *
 * @base /reports
 */
export class Reports extends ApplicationController {
  /**
   * Tells who asks, and their groups by each way to the user.
   *
   * @get /mine
   * @scope none
   */
  async mine(): Promise<{ user: User; groups: string[][] }> {
    const token = String(this.request.headers.authorization).slice('Bearer '.length)
    const users = [
      this.access?.user,
      await this.services.userOfAccessToken(token),
      await this.services.userOfSession(this.request.session),
    ]
    const [user] = users
    if (user === undefined || user === null) throw new Forbidden()
    return { user, groups: users.map((one) => [...((one && attributesOf(one)?.groups) ?? [])]) }
  }

  /**
   * Lists what was deleted.
   *
   * @get /deleted
   * @scope reports:audit
   */
  deleted(): string[] { return ['one'] }

  /**
   * Lists what only admins see.
   *
   * @get /internal
   * @scope reports:read
   */
  internal(): string[] {
    if (this.access === null || attributesOf(this.access.user)?.groups.includes('admins') !== true) throw new Forbidden()
    return ['two']
  }
}
`

const files = {
  'package.json': '{"name":"reports","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/reports.ts': controller,
}

const people = globalThis as { groups?: readonly string[] | null }
const secret = 'a secret of the test with more than 32 bytes'

async function instance(t: Test, databaseUrl: string, more: TestAppOptions = {}): Promise<TestApp> {
  const environment = { databaseUrl, jwtSecrets: [secret], sessionSecrets: [`another ${secret}`] }
  const app = await openTestApp({ cwd: await builtFolder(files), environment, ...more })
  t.teardown(app.close)
  return app
}

const get = async (app: TestApp, token: string, url: string): Promise<readonly [number, unknown]> => {
  const answer = await app.client().withBearer(token).get(url)
  return [answer.statusCode, answer.json()]
}

/** The tools that a client is listed, once it has opened the toolbox. */
async function listed(app: TestApp, token: string): Promise<readonly string[]> {
  const { structuredContent } = await app.client().withBearer(token).tool('open_toolbox', { name: 'reports' })
  const { tools } = Object(structuredContent)
  return tools.map(({ name }: { readonly name: string }) => name).sort()
}

/** Whether a client is told what it could ask for more: by what the endpoint remembers of its user. */
async function isOffered(app: TestApp, token: string): Promise<boolean> {
  const { structuredContent } = await app.client().withBearer(token).tool('open_toolbox', { name: 'reports' })
  return 'morePermission' in Object(structuredContent)
}

const developer = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }

for (const [engine, fresh] of Object.entries(engines)) {
  t.test(
    `${engine}, roles: a group decides about consent, lists and routes, and is no part of any answer`,
    async (t) => {
      const app = await instance(t, await fresh())
      people.groups = ['staff', 'admins']
      const admin = await app.accessToken()
      t.strictSame(await get(app, admin, '/reports/mine'), [
        200,
        { user: developer, groups: [['staff', 'admins'], ['staff', 'admins'], []] },
      ])
      t.strictSame(await listed(app, admin), ['reports_deleted', 'reports_internal', 'reports_mine'])
      t.equal((await get(app, admin, '/reports/deleted'))[0], 200)
      for (const groups of [['staff'], null]) {
        people.groups = groups
        const token = await app.accessToken()
        t.strictSame(await listed(app, token), ['reports_internal', 'reports_mine'], String(groups))
        t.equal((await get(app, token, '/reports/deleted'))[0], 403)
        t.equal((await get(app, token, '/reports/internal'))[0], 403)
        await t.rejects(app.accessToken(undefined, { scope: 'reports:audit' }), /nothing was granted/)
      }
      t.equal(
        (await get(app, admin, '/reports/internal'))[0],
        403,
        'what asks the attributes sees them at once',
      )
      t.equal(
        (await get(app, admin, '/reports/deleted'))[0],
        200,
        'a scope that was granted lives with its token',
      )
      people.groups = ['banned']
      const refused = await app.client().get('/auth/dev')
      t.strictSame([refused.statusCode, refused.body], [401, 'sign in failed'])
    },
  )

  t.test(
    `${engine}, roles: a sign-in at one instance counts at the other, also where its tokens are remembered`,
    async (t) => {
      const url = await fresh()
      const first = await instance(t, url)
      const second = await instance(t, url)
      people.groups = ['admins']
      const token = await first.accessToken(undefined, { scope: 'reports:read' })
      for (const app of [first, second]) {
        t.strictSame((await get(app, token, '/reports/mine'))[1], {
          user: developer,
          groups: [['admins'], ['admins'], []],
        })
        t.strictSame([await isOffered(app, token), await isOffered(app, token)], [true, true])
      }
      people.groups = ['staff']
      await second.client().signIn()
      t.equal(await isOffered(second, token), false, 'what the endpoint remembered is forgotten at once')
      for (const app of [second, first]) {
        const { groups } = Object((await get(app, token, '/reports/mine'))[1])
        t.strictSame(groups, [['staff'], ['staff'], []])
      }
    },
  )
}

t.test(
  'acmcp/testing: attributes as if onSignIn had returned them; without them a user that is named has none',
  async (t) => {
    const app = await instance(t, 'sqlite::memory:')
    people.groups = null
    const ada = { id: 'company:1', name: 'Ada', email: null }
    const admins = { attributes: { groups: ['admins'] } }
    const groups = async (token: string): Promise<unknown> => {
      const answer = Object((await get(app, token, '/reports/mine'))[1])
      return [answer.user.id, answer.groups[0]]
    }
    const hers = await app.accessToken(ada, { ...admins, scope: 'reports:read reports:audit' })
    t.strictSame(await groups(hers), ['company:1', ['admins']])
    t.strictSame(await groups(await app.accessToken(undefined, admins)), ['dev:developer', ['admins']])
    await app.client().signIn(ada)
    t.strictSame(await groups(hers), ['company:1', []])
    const browser = app.client()
    await browser.signIn(ada, admins)
    const page = await browser.get('/auth/')
    t.match(page.body, 'signed in as <strong>Ada</strong>')
    const user = await app.application.store.findUser(ada.id)
    t.strictSame(user && attributesOf(user), { groups: ['admins'] })
    await t.rejects(browser.signIn(ada, { attributes: { groups: new Map() } as never }), /is no JSON/)
  },
)

t.test(
  'a user that verifyToken makes has no attributes, one of acmcp that it returns has them',
  async (t) => {
    people.groups = null
    const ada = { id: 'company:1', name: 'Ada', email: null }
    const of: { app: TestApp | null } = { app: null }
    const app = await instance(t, 'sqlite::memory:', {
      change: (bundle) => ({
        ...bundle,
        config: {
          ...Object(bundle.config),
          verifyToken: async (token: string) => {
            const known = await of.app?.application.store.findUser(ada.id)
            const user = token === 'known' ? known : ada
            return { user, client: null, grant: null, scopes: ['reports:read'] }
          },
        },
      }),
    })
    of.app = app
    await app.client().signIn(ada, { attributes: { groups: ['admins'] } })
    for (const [token, own] of [
      ['known', ['admins']],
      ['made', []],
    ] as const)
      t.strictSame(
        await get(app, token, '/reports/mine'),
        [200, { user: ada, groups: [own, own, []] }],
        token,
      )
  },
)

t.test('where nothing is configured metadata and tokens are what they were', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const { iat, exp, jti, ...claims } = JSON.parse(
    Buffer.from((await app.accessToken()).split('.')[1] ?? '', 'base64url').toString(),
  )
  t.strictSame([typeof iat, exp - iat, typeof jti], ['number', 3600, 'string'])
  const { cid, ...others } = claims
  t.strictSame(Object.keys(others).sort(), ['aud', 'iss', 'scope', 'sub', 'typ'])
  const browser = app.client()
  const clientId = await registerClient(browser)
  const asked = await browser.get(authorizeUrl(authorizationRequest(clientId)))
  t.strictSame([asked.statusCode, asked.headers.location], [303, '/auth'])
})
