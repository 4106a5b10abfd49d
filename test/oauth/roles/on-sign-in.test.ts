/** What an application is told at a sign-in, what it refuses, and what is kept of what it returns. Source: rules.md, Sign-in and User;
 *  decisions/oauth.md, Roles. */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { OnSignIn, SigningIn } from '../../../runtime/contract/application.ts'
import type { AuditEntry } from '../../../runtime/contract/calls.ts'
import type { User } from '../../../runtime/contract/store.ts'
import { attributesOf, SignInRefused } from '../../../runtime/index.ts'
import type { AuthorizationServerOptions } from '../../../runtime/oauth/options.ts'
import type { ProviderConfig } from '../../../runtime/oauth/providers/presets.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { openStore } from '../../support/whole-store.ts'
import { openFakeGithub } from '../support/fake-github.ts'
import { type FaultProvider, openFaultProvider } from '../support/fault-provider.ts'
import { type Browser, location, newBrowser, start, type World, world } from '../support/harness.ts'

interface Scene {
  readonly w: World
  readonly issuer: FaultProvider
  readonly rows: AuditEntry[]
  /** By how often it was told that what is known of a user has changed. */
  readonly forgotten: string[]
}

async function scene(
  t: Test,
  onSignIn: OnSignIn | null,
  provider: Partial<ProviderConfig> = {},
  changes: Partial<AuthorizationServerOptions> = {},
): Promise<Scene> {
  const issuer = await openFaultProvider()
  t.teardown(issuer.close)
  const rows: AuditEntry[] = []
  const forgotten: string[] = []
  const acme = { issuer: issuer.issuer, clientId: 'us', clientSecret: 'secret', ...provider }
  const w = await world(t, {
    onSignIn,
    providers: { acme },
    onRevoked: (id) => void forgotten.push(id),
    auditTrail: {
      record: (row) => void rows.push(row),
      recordDurably: async () => {},
      flush: async () => {},
    },
    ...changes,
  })
  return { w, issuer, rows, forgotten }
}

/** Through the provider; status, body, and where to. */
async function signIn({ w, issuer }: Scene, browser: Browser = newBrowser()): Promise<readonly unknown[]> {
  const url = new URL(location(await w.call('GET', '/auth/acme', { browser })))
  issuer.nonce = url.searchParams.get('nonce') ?? ''
  const state = url.searchParams.get('state')
  const { status, headers, body } = await w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, {
    browser,
  })
  return [status, headers['content-type'], headers.location, String(body)]
}

const passed: readonly unknown[] = [303, undefined, '/auth', '']

const stored = async ({ w }: Scene, id = 'acme:uid-1'): Promise<User> => {
  const user = await w.store.findUser(id)
  if (user === null) throw new Error(`there is no ${id}`)
  return user
}

const isFrozen = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozen))

t.test(
  'onSignIn: the verified claims, the record and the services come, frozen, before anybody is stored',
  async (t) => {
    const seen: SigningIn[] = []
    const before: unknown[] = []
    const it: Scene = await scene(t, async (signingIn) => {
      seen.push(signingIn)
      before.push(await it.w.store.findUser('acme:uid-1'))
      return { groups: ['a', 'b'] }
    })
    it.issuer.claims = {
      name: 'Ada',
      email: 'ada@x.test',
      email_verified: true,
      realm_access: { roles: ['admin'] },
    }
    t.strictSame((await signIn(it)).slice(0, 3), passed.slice(0, 3))
    const [first] = seen
    const { iat, exp, nonce, ...claims } = first?.claims ?? {}
    t.strictSame([typeof iat, typeof exp, typeof nonce], ['number', 'number', 'string'])
    t.strictSame(claims, {
      iss: it.issuer.issuer,
      aud: 'us',
      sub: 'uid-1',
      name: 'Ada',
      email: 'ada@x.test',
      email_verified: true,
      realm_access: { roles: ['admin'] },
    })
    const user = { id: 'acme:uid-1', name: 'Ada', email: 'ada@x.test' }
    t.strictSame([first?.provider, first?.user, before], ['acme', user, [null]])
    t.equal(first?.services.clock(), it.w.clock.now)
    t.ok(isFrozen(first?.claims) && isFrozen(first?.user))
    t.strictSame(it.issuer.requests.includes('/userinfo'), false, 'the ID token had all')
  },
)

t.test(
  'attributes: frozen, read by attributesOf alone, and by nothing that copies, prints or serialises',
  async (t) => {
    const it = await scene(t, () => ({ groups: ['secret-group'], nested: { at: [1, null, true] } }))
    await signIn(it)
    const record = { id: 'acme:uid-1', name: 'uid-1', email: null }
    const bySession = await it.w.server.userOfSession(
      Object.assign(newBrowser(), { get: (name: string) => (name === 'user_id' ? 'acme:uid-1' : undefined) }),
    )
    for (const user of [await stored(it), bySession]) {
      if (user === null) throw new Error('nobody is signed in')
      const attributes = attributesOf(user)
      t.strictSame(attributes, { groups: ['secret-group'], nested: { at: [1, null, true] } })
      t.ok(isFrozen(attributes))
      t.equal(attributesOf(user), attributes, 'parsed once')
      t.strictSame(user, record)
      t.strictSame(
        [Object.keys(user), JSON.stringify(user)],
        [['id', 'name', 'email'], JSON.stringify(record)],
      )
      t.strictSame(structuredClone(user), record)
      for (const text of [inspect(user), inspect(user, { showHidden: true, depth: 9 }), String(user)])
        t.notMatch(text, 'secret-group')
      t.equal(attributesOf({ ...user }), null, 'a copy has none')
    }
    t.equal(attributesOf(record), null)
    const said = JSON.stringify([it.w.logged, it.rows])
    t.notMatch(said, 'secret-group', 'neither log nor audit')
  },
)

t.test(
  'attributes are renewed and removed at each sign-in, and others are told where onSignIn is set',
  async (t) => {
    let next: object | null | undefined = { groups: ['a'] }
    const it = await scene(t, () => next)
    const kept: unknown[] = []
    for (next of [{ groups: ['a'] }, { groups: [] }, null, { n: 1 }, undefined, {}]) {
      t.strictSame((await signIn(it))[0], 303)
      kept.push(attributesOf(await stored(it)))
    }
    t.strictSame(kept, [{ groups: ['a'] }, { groups: [] }, null, { n: 1 }, null, {}])
    t.strictSame(
      it.forgotten,
      Array.from(kept, () => 'acme:uid-1'),
    )
    await it.w.store.saveUser({ id: 'acme:uid-1', name: 'Renamed', email: null })
    t.strictSame(attributesOf(await stored(it)), {}, 'a record that is saved without a sign-in keeps them')
  },
)

t.test(
  'a refusal is the 401 of every failed sign-in; the reason stands in the log and the audit',
  async (t) => {
    const it = await scene(t, () => {
      throw new SignInRefused(`not in\u202e the group ${'x'.repeat(300)}`)
    })
    it.issuer.faults.set('/token', (_, response) => response.writeHead(500).end())
    const failed = await signIn(it)
    it.issuer.faults.clear()
    const browser = newBrowser()
    t.strictSame(await signIn(it, browser), failed)
    t.strictSame(failed.slice(0, 1).concat(failed.slice(3)), [401, 'sign in failed'])
    const told = [['sign_in_failure', { problem: 'refused', provider: 'acme' }]]
    t.strictSame([browser.generation, [...browser.values]], [0, told], 'nobody is signed in')
    t.equal(await it.w.store.findUser('acme:uid-1'), null, 'nobody is stored')
    const reason = `not in the group ${'x'.repeat(300)}`.slice(0, 200)
    t.strictSame(it.rows, [
      {
        event: 'sign-in',
        client: null,
        clientName: null,
        user: 'acme:uid-1',
        grant: null,
        detail: { provider: 'acme', outcome: 'refused', reason },
      },
    ])
    t.strictSame(
      it.w.logged.at(-1),
      `sign in failed ${JSON.stringify({ provider: 'acme', reason: `onSignIn refused: ${reason}` })}`,
    )
    t.strictSame(it.forgotten, [])
  },
)

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic
class Group {
  readonly name = 'a secret group'
}

const wrong: readonly (readonly [what: string, returned: unknown, message: string])[] = [
  ['a text', 'a secret group', 'what it returned is no object'],
  ['a number', 1, 'what it returned is no object'],
  ['false', false, 'what it returned is no object'],
  ['a list', ['a secret group'], 'what it returned is no object'],
  ['a Map', new Map([['a', 1]]), 'what it returned is no JSON: an instance of Map'],
  ['a Map inside', { a: new Map() }, 'what it returned.a is no JSON: an instance of Map'],
  ['a class', { a: [new Group()] }, 'what it returned.a[0] is no JSON: an instance of Group'],
  ['a Date', { a: new Date(0) }, 'what it returned.a is no JSON: an instance of Date'],
  ['a BigInt', { a: 7n }, 'what it returned.a is no JSON: bigint'],
  ['a function', { a: () => 'a secret group' }, 'what it returned.a is no JSON: function'],
  ['a symbol', { a: Symbol('a secret group') }, 'what it returned.a is no JSON: symbol'],
  ['undefined inside', { groups: undefined }, 'what it returned.groups is no JSON: undefined'],
  ['NaN', { a: Number.NaN }, 'what it returned.a is no JSON: NaN'],
  [
    '8 KB and one byte',
    { a: 'x'.repeat(8_185) },
    'what it returned has 8193 bytes of JSON, at most 8192 are kept',
  ],
  [
    'bytes, not characters',
    { a: 'ä'.repeat(4_093) },
    'what it returned has 8194 bytes of JSON, at most 8192 are kept',
  ],
]

t.test(
  'what is no JSON object of 8 KB at most is an error of the application, and a failed sign-in',
  async (t) => {
    let next: unknown = null
    const errors: unknown[] = []
    const log = {
      info: () => {},
      warn: ({ reason }: Readonly<Record<string, unknown>>) => void errors.push(reason),
      error: ({ provider, err }: Readonly<Record<string, unknown>>, text: string) =>
        void errors.push([text, provider, err instanceof Error ? err.message : err]),
    }
    const it = await scene(t, () => next as object, {}, { log }) // whatever an application returns
    for (const [what, returned, message] of wrong) {
      next = returned
      t.strictSame(
        (await signIn(it)).filter((_, index) => index !== 1),
        [401, undefined, 'sign in failed'],
        what,
      )
      t.strictSame(errors.splice(0), [['onSignIn threw', 'acme', message], 'onSignIn threw'], what)
    }
    next = cyclic
    t.equal((await signIn(it))[0], 401)
    t.match(JSON.stringify(errors.splice(0)), 'is nested too deep, or holds itself')
    t.equal(await it.w.store.findUser('acme:uid-1'), null)
    t.strictSame(it.rows, [])
    for (const returned of [{ a: 'x'.repeat(8_184) }, Object.assign(Object.create(null), { a: 1 })]) {
      next = returned
      t.equal((await signIn(it))[0], 303)
      t.strictSame(attributesOf(await stored(it)), { ...returned })
    }
  },
)

t.test('what onSignIn throws, rejects with or never returns is a failed sign-in', async (t) => {
  let next: OnSignIn = () => null
  const it = await scene(t, (signingIn) => next(signingIn), {}, { providerTimeoutMs: 300 })
  const attempts: readonly OnSignIn[] = [
    () => {
      throw new TypeError('a bug')
    },
    async () => Promise.reject(new Error('away')),
    () => Promise.reject('a text'),
    () => new Promise(() => {}),
  ]
  for (next of attempts) {
    const browser = newBrowser()
    t.strictSame(
      (await signIn(it, browser)).filter((_, index) => index !== 1),
      [401, undefined, 'sign in failed'],
    )
    t.equal(browser.get('user_id'), undefined)
    const [threw, failed] = it.w.logged.slice(-2)
    t.match(threw, /^onSignIn threw \{"provider":"acme"/)
    t.equal(failed, 'sign in failed {"provider":"acme","reason":"onSignIn threw"}')
  }
  next = () => ({ ok: true })
  t.equal((await signIn(it))[0], 303, 'and works again')
})

t.test('the development login asks too', async (t) => {
  const seen: unknown[] = []
  const it = await scene(t, ({ provider, claims }) => {
    seen.push([provider, claims])
    if (seen.length > 1) throw new SignInRefused('twice')
    return { groups: ['dev'] }
  })
  const browser = newBrowser()
  t.equal((await it.w.call('GET', '/auth/dev', { browser })).status, 303)
  const claims = { sub: 'developer', name: 'Developer', email: 'developer@localhost', email_verified: true }
  t.strictSame(seen, [['dev', claims]])
  t.strictSame(attributesOf(await stored(it, 'dev:developer')), { groups: ['dev'] })
  const { status, body } = await it.w.call('GET', '/auth/dev', { browser })
  t.strictSame([status, body], [401, 'sign in failed'])
  t.equal(browser.get('user_id'), 'dev:developer', 'who was signed in still is')
  t.equal(
    attributesOf(await stored(it, 'dev:developer')),
    null,
    'what the sign-in before has left counts no more',
  )
  const forwarded = await it.w.call('GET', '/auth/dev', { headers: { forwarded: 'for=1.2.3.4' } })
  t.strictSame([forwarded.status, seen.length], [403, 2], 'a request that was passed on asks nobody')
})

t.test(
  'scope: asked beside openid profile email, each once; the user info is asked then, the ID token goes first',
  async (t) => {
    const seen: SigningIn[] = []
    const it = await scene(
      t,
      (signingIn) => {
        seen.push(signingIn)
        return null
      },
      { scope: 'groups openid offline_access' },
    )
    const url = new URL(location(await it.w.call('GET', '/auth/acme')))
    t.equal(url.searchParams.get('scope'), 'openid profile email groups offline_access')
    it.issuer.claims = { name: 'Ada', email: 'a@x.test', email_verified: true, locale: 'de' }
    it.issuer.userInfo = { groups: ['staff'], locale: 'en', name: 'Another' }
    t.equal((await signIn(it))[0], 303)
    const { groups, locale, name } = seen[0]?.claims ?? {}
    t.strictSame([groups, locale, name], [['staff'], 'de', 'Ada'])
  },
)

t.test('GitHub: its scopes, and its user as claims', async (t) => {
  const github = await openFakeGithub()
  t.teardown(github.close)
  const seen: unknown[] = []
  const config = { clientId: 'c', clientSecret: 's', addresses: github.addresses, scope: 'read:org' }
  const w = await world(t, {
    providers: { github: config },
    onSignIn: ({ provider, claims, user }) => {
      seen.push([provider, claims, user.id])
      return { login: String(claims.login) }
    },
  })
  const browser = newBrowser()
  const url = new URL(location(await w.call('GET', '/auth/github', { browser })))
  t.equal(url.searchParams.get('scope'), 'read:user user:email read:org')
  const state = url.searchParams.get('state')
  t.equal((await w.call('GET', `/auth/github/callback?code=abc&state=${state}`, { browser })).status, 303)
  const claims = { id: 583231, login: 'octocat', name: 'The Octocat', email: 'shown@example.test' }
  t.strictSame(seen, [['github', claims, 'github:583231']])
  const user = await w.store.findUser('github:583231')
  t.strictSame(user && attributesOf(user), { login: 'octocat' })
})

t.test(
  'without onSignIn nothing is kept and nobody is told; what another build kept goes at the next sign-in',
  async (t) => {
    const it = await scene(t, null)
    await it.w.store.saveSignIn(
      { id: 'acme:uid-1', name: 'Ada', email: null },
      '{"groups":["a"]}',
      it.w.clock.now,
    )
    const browser = newBrowser()
    t.strictSame((await signIn(it, browser)).slice(0, 1), [303])
    t.strictSame([...browser.values], [['user_id', 'acme:uid-1']])
    t.equal(attributesOf(await stored(it)), null)
    t.strictSame(Object.getOwnPropertySymbols(await stored(it)), [])
    t.strictSame([it.forgotten, it.rows.map(({ detail }) => detail)], [[], [{ provider: 'acme' }]])
  },
)

t.test('claims: an address and whether it is verified come from the same source', async (t) => {
  const seen: SigningIn[] = []
  const it = await scene(t, (signingIn) => void seen.push(signingIn), { scope: 'groups' })
  const mine = 'mine@x.test'
  const cases: readonly (readonly [claims: object, userInfo: object, told: object, kept: string | null])[] = [
    [{ email: 'ceo@x.test' }, { email: mine, email_verified: true }, { email: 'ceo@x.test' }, mine],
    [
      { email: 'ceo@x.test', email_verified: false },
      { email: mine, email_verified: true },
      { email: 'ceo@x.test', email_verified: false },
      mine,
    ],
    [{ email_verified: true }, { email: 'ceo@x.test' }, { email: 'ceo@x.test' }, null],
    [{}, { email: mine, email_verified: true }, { email: mine, email_verified: true }, mine],
    [
      { phone_number: '+1' },
      { phone_number: '+2', phone_number_verified: true },
      { phone_number: '+1' },
      null,
    ],
  ]
  for (const [claims, userInfo, told, kept] of cases) {
    it.issuer.claims = { ...claims }
    it.issuer.userInfo = { ...userInfo }
    t.strictSame((await signIn(it)).slice(0, 3), passed.slice(0, 3))
    const { iss, aud, sub, iat, exp, nonce, ...rest } = seen.at(-1)?.claims ?? {}
    t.strictSame([rest, seen.at(-1)?.user.email], [told, kept])
  }
})

t.test('onSignIn: a store that cannot be asked is 503, as everywhere, and nobody is signed in', async (t) => {
  const data = join(temporaryFolder(), 'data')
  mkdirSync(data)
  const store = await openStore({
    url: `sqlite:${join(data, 'acmcp.db')}`,
    clock: () => start,
    migrations: {},
    migrate: 'apply',
  })
  t.teardown(() => store.close())
  const ask = async (): Promise<void> =>
    void (await sql`delete from acmcp_users where id = 'nobody'`.execute(store.database))
  const asks: OnSignIn[] = [
    ask,
    () =>
      ask().catch((cause: unknown) => {
        throw new Error('the roles cannot be read', { cause })
      }),
  ]
  for (const onSignIn of asks) {
    const it = await scene(t, onSignIn)
    t.strictSame((await signIn(it)).slice(0, 3), passed.slice(0, 3))
    renameSync(data, `${data}-away`)
    const browser = newBrowser()
    const [status, type, , body] = await signIn(it, browser)
    renameSync(`${data}-away`, data)
    t.strictSame([status, type], [503, 'application/json'])
    t.match(JSON.parse(String(body)), { error: 'temporarily_unavailable' })
    t.equal(browser.get('user_id'), undefined)
  }
})
