/** Tokens of others: `defineApp({ verifyToken })` is asked for what our keys did not sign. */
import t, { type Test } from 'tap'
import type { HttpRequest } from '../../../runtime/contract/http.ts'
import { bearerToken } from '../../../runtime/http/access/bearer.ts'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { StoreUnavailable } from '../../../runtime/store/store.ts'
import type { TestApp } from '../../../runtime/testing.ts'
import {
  badToken,
  bearer,
  get,
  needs,
  openGuarded,
  ran,
  revoke,
  type Seen,
  signed,
  tokenOf,
  tooLittle,
  unknownCaller,
} from '../support/guarded.ts'

t.setTimeout(120_000)

const now = Date.UTC(2026, 10, 23)
const eve = { id: 'idp:eve', name: 'Eve', email: null }
const partner = { user: eve, client: 'partner', grant: 'g1', scopes: ['notes:write'] }

/** What the test's own issuer says to each token. */
const answers: Readonly<Record<string, () => unknown>> = {
  good: () => partner,
  api: () => ({ ...partner, scopes: ['api', 'x'] }),
  sensitive: () => ({ ...partner, scopes: ['notes:delete'] }),
  'not.a.jwt': () => ({ ...partner, expiresAt: now + 1 }),
  over: () => ({ ...partner, expiresAt: now }),
  nobody: () => null,
  undefined: () => undefined,
  text: () => 'yes',
  userless: () => ({ ...partner, user: undefined }),
  nameless: () => ({ ...partner, user: { id: 'idp:eve' } }),
  scopeless: () => ({ ...partner, scopes: 'api' }),
  grantless: () => ({ ...partner, grant: undefined }),
  dateless: () => ({ ...partner, expiresAt: '2027' }),
  throws: () => {
    throw new RangeError('the issuer says no to throws')
  },
  outage: () => {
    throw new StoreUnavailable()
  },
}

interface Opened {
  readonly app: TestApp
  readonly requested: string[]
  readonly lines: string[]
}

const routes = {
  read: {
    ...needs('notes:read'),
    filters: [
      {
        when: 'before' as const,
        name: 'signedIn',
        call: async (made: object) => {
          const { services, request, access } = made as Controller // of the route
          const user = await services.userOfAccessToken(String(request.headers.authorization).slice(7))
          t.equal(user?.id, access?.user.id)
        },
      },
    ],
    call: (made: Controller) => {
      made.requireScopes('notes:read')
      return { ran: 'read' }
    },
  },
  write: needs('notes:write'),
  delete: needs('notes:delete'),
  whoami: { call: ({ access }: Controller) => access },
}

async function open(t: Test, config: object = {}): Promise<Opened> {
  const requested: string[] = []
  const lines: string[] = []
  const verifyToken = async (token: string, { method, url }: HttpRequest): Promise<unknown> => {
    requested.push(`${token} ${method} ${url}`)
    return answers[token]?.() ?? null
  }
  const app = await openGuarded(t, {
    routes,
    config: { verifyToken, ...config },
    options: {
      clock: () => now,
      environment: { logLevel: 'info' },
      logStream: { write: (line) => lines.push(line) },
    },
  })
  return { app, requested, lines }
}

t.test('verifyToken: is asked once a request, and its scopes count as named', async (t) => {
  const { app, requested } = await open(t)
  t.strictSame(await get(app, '/read', bearer('good')), ran('read'))
  t.strictSame(requested, ['good GET /read'])
  const { body } = await app.client().get('/whoami', bearer('good'))
  t.strictSame(JSON.parse(body), { ...partner, scopes: ['notes:read', 'notes:write'] })
  t.strictSame(await get(app, '/write', bearer('api')), ran('write'))
  t.strictSame(await get(app, '/delete', bearer('api')), tooLittle('notes:delete'))
  t.strictSame(await get(app, '/delete', bearer('sensitive')), ran('delete'))
  t.strictSame(await get(app, '/read', bearer('not.a.jwt')), ran('read'))
  t.strictSame(await get(app, '/read'), unknownCaller)
  t.equal(requested.length, 6)
})

t.test(
  'scopes, verifyToken: null, a throw or a wrong shape is a refused token, and a line without it',
  async (t) => {
    const { app, lines } = await open(t)
    const reported = async (token: string): Promise<readonly [Seen, ...string[]]> => {
      lines.length = 0
      const seen = await get(app, '/read', bearer(token))
      const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50)
      t.notMatch(lines.join(''), token, `${token} is in no line`)
      return [seen, ...errors.map(({ error, msg }) => (error === undefined ? msg : `${error} ${msg}`))]
    }
    for (const token of ['over', 'nobody', 'unheard-of'])
      t.strictSame(await reported(token), [badToken], token)
    const refused = 'verifyToken returned neither an Access nor null: the token is refused'
    for (const token of ['text', 'userless', 'nameless', 'scopeless', 'grantless', 'dateless'])
      t.strictSame(await reported(token), [badToken, refused], token)
    t.strictSame(await reported('throws'), [badToken, 'RangeError verifyToken threw: the token is refused'])
  },
)

t.test('verifyToken: that its database is away says nothing about a token', async (t) => {
  const { app } = await open(t)
  const [status, challenge, body] = await get(app, '/read', bearer('outage'))
  t.strictSame([status, challenge, body], [503, null, '{"error":"the store is not available"}'])
})

t.test('verifyToken: is never asked for a token of ours', async (t) => {
  const { app, requested } = await open(t)
  const gone = await tokenOf(app, 'api')
  await revoke(app, gone)
  const seconds = Math.floor(now / 1000)
  const bad = [
    gone,
    await signed({ scope: 'api', exp: seconds }),
    await signed({ scope: 'api', aud: 'https://other.example', exp: seconds + 60 }),
    await signed({ scope: 'api', iss: 'https://other.example', exp: seconds + 60 }),
    await signed({ scope: 'api', typ: 'refresh', exp: seconds + 60 }),
    await signed({ scope: 'api', sub: 'dev:nobody', exp: seconds + 60 }),
  ]
  for (const token of bad) t.strictSame(await get(app, '/read', bearer(token)), badToken)
  t.strictSame(await get(app, '/read', bearer(await tokenOf(app, 'api'))), ran('read'))
  t.strictSame(requested, [])
  const others = await signed({ scope: 'api', exp: seconds + 60 }, 'x'.repeat(40))
  t.strictSame(await get(app, '/read', bearer(others)), badToken)
  t.equal(requested.length, 1)
})

t.test('verifyToken: without it guarded routes take our tokens only', async (t) => {
  const app = await openGuarded(t, { routes })
  t.strictSame(await get(app, '/read', bearer('good')), badToken)
  t.strictSame(await get(app, '/read', bearer(await tokenOf(app, 'api'))), ran('read'))
})

t.test(
  'scopes, verifyToken: the MCP endpoint knows whose such a token is, and runs guarded tools',
  async (t) => {
    for (const mcp of [{}, { authenticator: async () => true }]) {
      const { app, lines } = await open(t, { mcp })
      const client = app.client().withBearer('good')
      t.strictSame((await client.tool('read')).content, [{ type: 'text', text: '{"ran":"read"}' }])
      const [line] = lines.map((text) => JSON.parse(text)).filter(({ event }) => event === 'tool call')
      t.strictSame([line.user, line.client, line.grant], [eve.id, 'partner', 'g1'])
    }
  },
)

t.test('guard: the request’s line says what was decided, and what the token grants', async (t) => {
  const { app, lines } = await open(t)
  const lineOf = async (path: string, headers = {}): Promise<unknown> => {
    lines.length = 0
    await app.client().get(path, headers)
    const [line] = lines.map((text) => JSON.parse(text)).filter(({ event }) => event === 'response')
    const { decision, scopes, status } = line
    return { status, decision, scopes }
  }
  const token = await tokenOf(app, 'notes:read')
  t.strictSame(await lineOf('/read', bearer(token)), {
    status: 200,
    decision: 'allowed',
    scopes: ['notes:read'],
  })
  t.strictSame(await lineOf('/write', bearer(token)), { status: 403, decision: 403, scopes: ['notes:read'] })
  t.strictSame(await lineOf('/write', bearer('x')), { status: 401, decision: 401, scopes: null })
  t.strictSame(await lineOf('/whoami', bearer(token)), {
    status: 200,
    decision: undefined,
    scopes: undefined,
  })
})

t.test(
  'bearerToken: the token of the header, whatever the case of its scheme (RFC 9110, 11.1)',
  async (t) => {
    const cases: readonly (readonly [string | null | undefined, string | null])[] = [
      ['Bearer abc', 'abc'],
      ['bearer abc', 'abc'],
      ['BEARER   abc', 'abc'],
      ['bEaReR a.b.c', 'a.b.c'],
      ['Bearer', null],
      ['Bearer ', null],
      ['Bearerabc', null],
      ['Basic abc', null],
      ['', null],
      [null, null],
      [undefined, null],
    ]
    for (const [header, token] of cases) t.equal(bearerToken(header), token, String(header))
  },
)
