/** What a controller has of the token: `this.access`, `this.requireScopes`, `services.userOfAccessToken`. */
import type { FastifyPluginAsync } from 'fastify'
import t from 'tap'
import { Forbidden, Unauthorized } from '../../../runtime/errors.ts'
import { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { databaseOf } from '../../../runtime/store/database.ts'
import type { TestApp } from '../../../runtime/testing.ts'
import {
  ada,
  badToken,
  bearer,
  type GuardedRoute,
  get,
  needs,
  openGuarded,
  ran,
  type Seen,
  signed,
  tokenOf,
  tooLittle,
  unknownCaller,
} from '../support/guarded.ts'
import { errorsOf } from '../support/one-route.ts'
import { request } from '../support/probe.ts'

t.setTimeout(120_000)

const accessOf = (controller: Controller): unknown => controller.access

const json = async (app: TestApp, path: string, token?: string): Promise<unknown> => {
  const { statusCode, body } = await app.client().get(path, token === undefined ? {} : bearer(token))
  return [statusCode, body === '' ? null : JSON.parse(body)]
}

t.test(
  'scopes, this.access: user, client, grant and the resolved scopes, with a scope or without',
  async (t) => {
    const routes = { read: { ...needs('notes:read'), call: accessOf }, free: { call: accessOf } }
    const app = await openGuarded(t, { routes })
    const { accessToken, grantId } = await app.application.developmentToken(ada.id, 'api')
    const access = {
      user: ada,
      client: 'acmcp-command-line',
      grant: grantId,
      scopes: ['notes:read', 'notes:write'],
    }
    for (const path of ['/read', '/free']) t.strictSame(await json(app, path, accessToken), [200, access])
    t.strictSame(await json(app, '/free'), [200, null])
    t.strictSame(await json(app, '/free', 'x'), [200, null])
    const foreign = await signed({ scope: 'notes:read' })
    const own = { user: ada, client: null, grant: null, scopes: ['notes:read'] }
    t.strictSame(await json(app, '/free', foreign), [200, own])
  },
)

class Whoami extends Controller {
  whoami(): unknown {
    return this.access
  }

  strict(): unknown {
    this.requireScopes('api')
    return { ran: 'strict' }
  }

  odd(): void {
    this.requireScopes('notes:read')
  }
}

t.test('this.access: where no scope is declared a token has what it names', async (t) => {
  const route = (name: 'whoami' | 'strict' | 'odd'): GuardedRoute => ({
    controller: Whoami,
    readsAccess: true,
    call: (whoami) => (whoami as Whoami)[name](), // of this class
  })
  const routes = {
    whoami: route('whoami'),
    strict: route('strict'),
    odd: route('odd'),
    elsewhere: { call: accessOf },
  }
  const app = await openGuarded(t, { routes, scopes: null })
  const { accessToken, grantId } = await app.application.developmentToken(ada.id, 'api')
  const access = { user: ada, client: 'acmcp-command-line', grant: grantId, scopes: ['api'] }
  t.strictSame(await json(app, '/whoami', accessToken), [200, access])
  t.strictSame(await json(app, '/whoami', 'x'), [200, null])
  t.strictSame(await get(app, '/strict', bearer(accessToken)), ran('strict'))
  t.strictSame(await get(app, '/strict', bearer(await signed({ scope: 'x' }))), tooLittle('api'))
  t.strictSame(await get(app, '/strict'), unknownCaller)
  t.strictSame(await json(app, '/elsewhere'), [200, null])
  const errors = errorsOf(t, app)
  t.equal((await get(app, '/odd', bearer(accessToken)))[0], 500)
  t.equal((await get(app, '/elsewhere', bearer(accessToken)))[0], 500)
  t.strictSame(errors, [
    "unhandled exception: requireScopes: 'notes:read' is not declared in defineApp({ scopes })",
    'unhandled exception: nobody has looked up the token of this request: `this.access` and `this.requireScopes` must stand in a class of the controller, or scopes be declared',
  ])
})

t.test(
  'requireScopes: in a filter or an action, over HTTP and as a call, with plugins and without',
  async (t) => {
    const requested = (controller: Controller): void => controller.requireScopes('notes:delete', 'notes:read')
    const action = (controller: Controller): unknown => {
      requested(controller)
      return { ran: 'it' }
    }
    const before = {
      when: 'before' as const,
      name: 'ask',
      call: (made: object) => requested(made as Controller),
    }
    const around = {
      when: 'around' as const,
      name: 'ask',
      call: async (made: object, _args: readonly unknown[], next: () => Promise<void>) => {
        await next()
        return requested(made as Controller) // of the route
      },
    }
    const routes = {
      action: { call: action },
      filter: { filters: [before] },
      guarded: { ...needs('notes:write'), call: action },
      late: { filters: [around] },
    }
    const plugin: FastifyPluginAsync = async () => {}
    for (const plugins of [[], [plugin]]) {
      const app = await openGuarded(t, { routes, config: { plugins } })
      const through = async (route: string, token?: string): Promise<readonly Seen[]> => {
        const headers = token === undefined ? {} : bearer(token)
        const path = `/${route}`
        const {
          status,
          headers: sent,
          body,
        } = await app.application.invoke(route, request({ url: path, path, headers }))
        return [
          await get(app, path, headers),
          [status, sent['www-authenticate']?.toString() ?? null, String(body)],
        ]
      }
      const twice = (seen: Seen): readonly Seen[] => [seen, seen]
      const little = tooLittle('notes:read notes:delete')
      const api = await tokenOf(app, 'api')
      const all = await tokenOf(app, 'api notes:delete')
      t.strictSame(await through('action'), twice(unknownCaller))
      t.strictSame(await through('action', 'x'), twice(badToken))
      t.strictSame(await through('action', api), twice(little))
      t.strictSame(await through('action', all), twice(ran('it')))
      t.strictSame(await through('filter', api), twice(little))
      t.strictSame(await through('filter', all), twice(ran('filter')))
      t.strictSame(await through('guarded', api), twice(tooLittle('notes:read notes:write notes:delete')))
      const [late] = await through('late', api)
      t.equal(late?.[0], 500, 'after something was rendered it is unhandled')
    }
  },
)

/** Answers everything in its own way. */
const handlers: GuardedRoute['handlers'] = [Forbidden, Unauthorized, Error].map((error) => ({
  error,
  match: null,
  status: 418,
  contentType: 'text/csv',
  depth: 0,
  call: (made, raised) => {
    const { response } = made as Controller // of the route
    response.set('www-authenticate', 'Basic')
    response.set('x-mine', 'yes')
    return `handled,${(raised as Error).message}`
  },
}))

const forbiddenBy = (challenge: string): Seen => [403, challenge, 'handled,insufficient_scope']

t.test('guard: the handler of Forbidden gives body and type, and nothing else', async (t) => {
  const filters = [{ when: 'before' as const, name: 'no', call: () => t.fail('a filter ran') }]
  const routes = {
    write: { ...needs('notes:write'), handlers, filters },
    ask: { handlers, call: (made: Controller) => made.requireScopes('notes:delete') },
  }
  const app = await openGuarded(t, { routes })
  const token = await tokenOf(app, 'notes:read')
  const scope = (name: string): string => `Bearer error="insufficient_scope", scope="${name}"`
  for (const [path, name] of [
    ['/write', 'notes:write'],
    ['/ask', 'notes:delete'],
  ] as const) {
    t.strictSame(await get(app, path, bearer(token)), forbiddenBy(scope(name)))
    t.strictSame(await get(app, path), unknownCaller, 'a 401 is exactly ours')
    const { headers } = await app.client().get(path, bearer(token))
    t.equal(headers['content-type'], 'text/csv; charset=utf-8')
  }
})

t.test(
  'requireScopes: headers of filters stay, but for a challenge; those of a handler do not',
  async (t) => {
    const call = (made: object): void => {
      const { response } = made as Controller // of the route
      response.set('access-control-allow-origin', '*')
      response.set('www-authenticate', 'Digest')
      response.set('content-language', 'en')
    }
    const filters = [{ when: 'before' as const, name: 'cors', call }]
    const scopes = { read: 'Read', admin: { text: 'All', mayHave: () => false }, more: 'More' }
    const asking = (name: string): GuardedRoute => ({
      handlers,
      filters,
      call: (made) => made.requireScopes(name),
    })
    const app = await openGuarded(t, { routes: { admin: asking('admin'), more: asking('more') }, scopes })
    const token = await tokenOf(app, 'read')
    const sent = async (path: string): Promise<readonly unknown[]> => {
      const { statusCode, headers } = await app.client().get(path, bearer(token))
      const names = ['access-control-allow-origin', 'www-authenticate', 'content-language', 'x-mine']
      return [statusCode, ...names.map((name) => headers[name])]
    }
    const challenge = 'Bearer error="insufficient_scope", scope="more"'
    t.strictSame(await sent('/more'), [403, '*', challenge, undefined, undefined])
    t.strictSame(await sent('/admin'), [403, '*', undefined, undefined, undefined])
  },
)

t.test('guard: a handler that fails, or sends nothing, changes nothing', async (t) => {
  const route = (call: () => unknown): GuardedRoute => ({
    ...needs('notes:write'),
    handlers: [{ error: Forbidden, match: null, status: null, contentType: null, depth: 0, call }],
  })
  const routes = {
    fails: route(() => {
      throw new TypeError('the handler broke')
    }),
    silent: route(() => undefined),
  }
  const app = await openGuarded(t, { routes })
  const token = await tokenOf(app, 'notes:read')
  const errors = errorsOf(t, app)
  for (const path of ['/fails', '/silent'])
    t.strictSame(await get(app, path, bearer(token)), tooLittle('notes:write'))
  t.strictSame(errors, ['unhandled exception: the handler broke'])
})

t.test('guard: nobody is sent to ask for a scope that the user may not have', async (t) => {
  const scopes = {
    'notes:read': 'See notes',
    'notes:admin': { text: 'Do everything', mayHave: (user: { id: string }) => user.id === 'dev:eve' },
    'notes:broken': {
      text: 'Break',
      mayHave: () => {
        throw new Error('mayHave broke')
      },
    },
    'notes:all': { text: 'Do everything everywhere', implies: ['notes:admin'] },
  }
  const routes = {
    all: needs('notes:all'),
    admin: needs('notes:admin'),
    both: needs('notes:read', 'notes:admin'),
    broken: needs('notes:broken'),
    handled: { ...needs('notes:admin'), handlers },
  }
  const app = await openGuarded(t, { routes, scopes })
  const eve = { id: 'dev:eve', name: 'Eve', email: null }
  await app.application.store.saveUser(eve)
  const token = await tokenOf(app, 'notes:read')
  const { accessToken: eves } = await app.application.developmentToken(eve.id, 'notes:read')
  const forbidden: Seen = [403, null, '{"error":"forbidden"}']
  const errors = errorsOf(t, app)
  t.strictSame(await get(app, '/admin', bearer(token)), forbidden)
  t.strictSame(await get(app, '/both', bearer(token)), forbidden)
  t.strictSame(await get(app, '/handled', bearer(token)), [403, null, 'handled,forbidden'])
  t.strictSame(await get(app, '/all', bearer(token)), forbidden, 'nor for one that implies it')
  t.strictSame(await get(app, '/admin', bearer(eves)), tooLittle('notes:admin'))
  t.strictSame(await get(app, '/all', bearer(eves)), tooLittle('notes:all'))
  t.strictSame(await get(app, '/both', bearer(eves)), tooLittle('notes:read notes:admin'))
  t.strictSame(errors, [])
  t.strictSame(await get(app, '/broken', bearer(token)), forbidden)
  t.strictSame(errors, ['mayHave threw: mayHave broke'])
})

t.test(
  'this.services: of one request they still lend the database, and know users of other tokens',
  async (t) => {
    const eve = { id: 'dev:eve', name: 'Eve', email: null }
    let other = ''
    const call = async ({ services, access }: Controller): Promise<unknown> => [
      access?.user.id,
      (await services.userOfAccessToken(other))?.id,
      await services.userOfAccessToken('x'),
      await databaseOf<object>(services)
        .introspection.getTables()
        .then((tables) => tables.length > 0),
      services.clock() > 0,
    ]
    const app = await openGuarded(t, { routes: { read: { ...needs('notes:read'), call } } })
    await app.application.store.saveUser(eve)
    other = (await app.application.developmentToken(eve.id, 'api')).accessToken
    t.strictSame(await json(app, '/read', await tokenOf(app, 'api')), [
      200,
      [ada.id, eve.id, null, true, true],
    ])
  },
)
