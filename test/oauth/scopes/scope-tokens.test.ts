/** What tokens of declared scopes grant, from the code to the last refresh, while declarations and users change. Source: RFC
 *  6749, 6. */
import { SignJWT } from 'jose'
import t, { type Test } from 'tap'
import type { ScopesConfig } from '../../../runtime/contract/scopes.ts'
import type { AuthorizationServerOptions, Granted } from '../../../runtime/oauth/options.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import {
  answer,
  consentFor,
  grantedBy,
  refreshed,
  signIn,
  type Tokens,
  tokensIn,
  type Visit,
  visit,
} from '../support/consent-form.ts'
import {
  baseUrl,
  oauthError,
  payloadOf,
  register,
  seen,
  start,
  type World,
  world,
} from '../support/harness.ts'

const notes = {
  'notes:read': 'See your notes',
  'notes:write': { text: 'Add and change notes', implies: ['notes:read'] },
  'notes:delete': { text: 'Delete notes', sensitive: true, implies: ['notes:write'] },
} satisfies ScopesConfig

const everything = Object.keys(notes)
const tooMuch = oauthError('invalid_scope', 'more than was granted')
const nothing = oauthError('invalid_grant', 'nothing remains of what was granted')

type Changes = Partial<AuthorizationServerOptions>

const scoped = (t: Test, config: ScopesConfig = notes, changes: Changes = {}): Promise<World> =>
  world(t, { scopes: createScopes(config), ...changes })

/** The same store and client under other declarations. */
const later = async (t: Test, item: Visit, config: ScopesConfig, changes: Changes = {}): Promise<Visit> => ({
  ...item,
  world: await scoped(t, config, { store: item.world.store, ...changes }),
})

const next = async (item: Visit, { refresh }: Tokens, scope?: string): Promise<Tokens> =>
  tokensIn(await refreshed(item, refresh, scope === undefined ? {} : { scope }))

/** The scopes of the token answer and of both tokens, and what the access token grants. */
const scopesOf = async (item: Visit, { scope, access, refresh }: Tokens): Promise<readonly unknown[]> => [
  scope,
  payloadOf(access).scope,
  payloadOf(refresh).scope,
  await grantedBy(item, access),
]

t.test(
  'refresh: with `scope` it narrows the new access token alone; the rotated one keeps the grant’s',
  async (t) => {
    const item = await visit(await scoped(t))
    const whole = 'api notes:delete'
    let tokens = await signIn(item, whole, everything)
    t.strictSame(await scopesOf(item, tokens), [whole, whole, whole, everything])
    for (const [requested, scope, granted] of [
      ['notes:read', 'notes:read', ['notes:read']],
      ['notes:read notes:read', 'notes:read', ['notes:read']],
      ['api', 'api', ['notes:read', 'notes:write']],
      ['notes:delete', 'notes:delete', everything],
      ['', whole, everything],
      [undefined, whole, everything],
    ] as const) {
      tokens = await next(item, tokens, requested)
      t.strictSame(await scopesOf(item, tokens), [scope, scope, whole, granted], requested ?? 'without')
    }
  },
)

t.test('refresh: more than the grant is invalid_scope and spends nothing', async (t) => {
  const item = await visit(await scoped(t))
  const tokens = await signIn(item, 'api', ['notes:read'])
  t.equal(tokens.scope, 'notes:read')
  for (const scope of ['api', 'notes:write', 'notes:delete', 'notes:read notes:write', 'admin', 'none'])
    t.strictSame(seen(await refreshed(item, tokens.refresh, { scope })), tooMuch, scope)
  const again = await next(item, tokens, ' notes:read  notes:read')
  t.strictSame(await scopesOf(item, again), ['notes:read', 'notes:read', 'notes:read', ['notes:read']])
})

t.test(
  'scopes at a refresh: a replay, the quiet window and the end of a family are as they were',
  async (t) => {
    const item = await visit(await scoped(t))
    const first = await signIn(item, 'api')
    const second = await next(item, first, 'notes:read')
    const used = oauthError('invalid_grant', 'already used')
    t.strictSame(seen(await refreshed(item, first.refresh)), used)
    t.strictSame(seen(await refreshed(item, first.refresh, { scope: 'notes:read' })), used)
    t.strictSame(
      await grantedBy(item, second.access),
      ['notes:read'],
      'within the quiet window the family lives',
    )
    item.world.clock.now += 60_001
    t.strictSame(
      seen(await refreshed(item, first.refresh, { scope: 'notes:delete' })),
      tooMuch,
      'nothing is spent',
    )
    t.strictSame(await grantedBy(item, second.access), ['notes:read'])
    t.strictSame(seen(await refreshed(item, first.refresh, { scope: 'notes:read' })), used)
    t.strictSame(await grantedBy(item, second.access), null)
    const ended = oauthError('invalid_grant', 'the code or refresh token is not valid')
    t.strictSame(
      seen(await refreshed(item, second.refresh, { scope: 'notes:delete' })),
      ended,
      'of a family that ended nothing is told',
    )
    t.strictSame(seen(await refreshed(item, first.refresh)), used)
  },
)

t.test(
  'decisions, scopes; token: a scope made sensitive leaves `api` at once; what is declared or implied later comes to no old token',
  async (t) => {
    const item = await visit(await scoped(t))
    const tokens = await signIn(item, 'api')
    const byName = await signIn(item, 'notes:read notes:write')
    const { 'notes:write': write } = notes
    for (const [label, build, ofApi, ofNames] of [
      [
        'made sensitive',
        { ...notes, 'notes:write': { ...write, sensitive: true } },
        ['notes:read'],
        ['notes:read', 'notes:write'],
      ],
      [
        'declared later',
        { ...notes, 'notes:share': 'Share' },
        ['notes:read', 'notes:write'],
        ['notes:read', 'notes:write'],
      ],
      [
        'implied later',
        { ...notes, 'notes:share': 'Share', 'notes:read': { text: 'See', implies: ['notes:share'] } },
        ['notes:read', 'notes:write'],
        ['notes:read', 'notes:write'],
      ],
      [
        'sensitive no more',
        { ...notes, 'notes:delete': 'Delete' },
        ['notes:read', 'notes:write'],
        ['notes:read', 'notes:write'],
      ],
      ['no longer declared', { 'notes:read': 'See' }, ['notes:read'], ['notes:read']],
      ['all others', { 'a:b': 'C' }, [], []],
    ] as const) {
      const today = await later(t, item, build)
      t.strictSame(
        [await grantedBy(today, tokens.access), await grantedBy(today, byName.access)],
        [ofApi, ofNames],
        label,
      )
    }
  },
)

t.test(
  'refresh: a refused sensitive scope does not come with `api` when it is sensitive no more',
  async (t) => {
    const item = await visit(await scoped(t))
    const tokens = await signIn(item, 'api notes:delete', ['notes:read', 'notes:write'])
    const today = await later(t, item, { ...notes, 'notes:delete': 'Delete notes' })
    t.strictSame(await grantedBy(today, tokens.access), ['notes:read', 'notes:write'])
    const second = await next(today, tokens)
    t.strictSame(await scopesOf(today, second), ['api', 'api', 'api', ['notes:read', 'notes:write']])
    t.strictSame(seen(await refreshed(today, second.refresh, { scope: 'notes:delete' })), tooMuch)
  },
)

t.test(
  'refresh: scopes no longer declared are left out, and if none is left it is invalid_grant, unspent',
  async (t) => {
    const item = await visit(await scoped(t))
    const names = 'notes:read notes:write notes:delete'
    let tokens = await signIn(item, names, everything)
    const fewer = await later(t, item, { 'notes:read': 'See your notes' })
    tokens = await next(fewer, tokens)
    t.strictSame(await scopesOf(fewer, tokens), ['notes:read', 'notes:read', names, ['notes:read']])
    tokens = await next(fewer, tokens, 'notes:read notes:write')
    t.strictSame(await scopesOf(fewer, tokens), ['notes:read', 'notes:read', names, ['notes:read']])
    t.strictSame(seen(await refreshed(fewer, tokens.refresh, { scope: 'notes:write' })), nothing)
    const others = await later(t, item, { 'another:one': 'Another' })
    t.strictSame(seen(await refreshed(others, tokens.refresh)), nothing)
    const back = await next(item, tokens)
    t.strictSame(await scopesOf(item, back), [names, names, names, everything], 'nothing was spent')
  },
)

t.test(
  'mayHave: at a refresh what the user can no longer have is left out, `api` is then names; a throw is a no',
  async (t) => {
    const refused = new Set<string>()
    const mayHave = (name: string) => (): boolean => {
      if (refused.has(name)) throw new Error(`no ${name}`)
      return true
    }
    const config = {
      read: { text: 'Read', mayHave: mayHave('read') },
      write: { text: 'Write', mayHave: mayHave('write') },
      both: { text: 'Both', implies: ['read'] },
    }
    const item = await visit(await scoped(t, config))
    let tokens = await signIn(item, 'api')
    const all = ['read', 'write', 'both']
    t.strictSame(await scopesOf(item, tokens), ['api', 'api', 'api', all])
    for (const [names, scope, granted] of [
      [['write'], 'read both', ['read', 'both']],
      [['read'], 'write', ['write']],
      [[], 'api', all],
    ] as const) {
      refused.clear()
      for (const name of names) refused.add(name)
      tokens = await next(item, tokens)
      t.strictSame(await scopesOf(item, tokens), [scope, scope, 'api', granted], String(names))
    }
    refused.add('read').add('write')
    t.strictSame(seen(await refreshed(item, tokens.refresh)), nothing)
    refused.delete('write')
    t.strictSame(seen(await refreshed(item, tokens.refresh, { scope: 'read both' })), nothing)
    t.equal((await next(item, tokens, 'write read')).scope, 'write')
    t.ok(item.world.logged.includes('mayHave threw {"scope":"write","err":{}}'))
  },
)

t.test(
  'scopes, mayHave: what a user could not have at consent is not granted by having it later',
  async (t) => {
    let isAdmin = false
    const item = await visit(
      await scoped(t, { read: 'Read', admin: { text: 'Administrate', mayHave: () => isAdmin } }),
    )
    const tokens = await signIn(item, 'api')
    isAdmin = true
    t.strictSame(await grantedBy(item, tokens.access), ['read'])
    t.strictSame(await scopesOf(item, await next(item, tokens)), ['api', 'api', 'api', ['read']])
  },
)

t.test(
  'token: only grants from before scopes, and tokens of another holder of the key, resolve by today',
  async (t) => {
    const before = await world(t)
    const old = await visit(before)
    const first = await signIn(old, null)
    t.strictSame(await scopesOf(old, first), ['api', 'api', 'api', ['api']])
    const today = await later(t, old, notes)
    t.strictSame(await grantedBy(today, first.access), ['notes:read', 'notes:write'])
    const second = await next(today, first)
    t.strictSame(await scopesOf(today, second), ['api', 'api', 'api', ['notes:read', 'notes:write']])
    t.strictSame(seen(await refreshed(today, second.refresh, { scope: 'notes:delete' })), tooMuch)
    t.strictSame((await next(today, second, 'notes:read')).scope, 'notes:read')

    const foreign = (claims: Record<string, string>): Promise<string> =>
      new SignJWT({ typ: 'access', iss: baseUrl, aud: baseUrl, sub: 'dev:developer', ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(start / 1000 + 60)
        .sign(new TextEncoder().encode('a secret of at least 32 bytes, the newest'))
    for (const [claims, granted] of [
      [{ scope: 'api' }, ['notes:read', 'notes:write']],
      [{ scope: 'notes:delete', jti: 'theirs' }, everything],
      [{ scope: 'unknown api', cid: 'c' }, ['notes:read', 'notes:write']],
      [{ scope: '' }, []],
      [{}, []],
    ] as const)
      t.strictSame(await grantedBy(today, await foreign(claims)), granted, JSON.stringify(claims))
  },
)

t.test(
  'declarations that go: where none is declared any more, a token keeps its names and no other',
  async (t) => {
    const item = await visit(await scoped(t))
    const tokens = await signIn(item, 'notes:read')
    const bare: Visit = { ...item, world: await world(t, { store: item.world.store }) }
    t.strictSame(await grantedBy(bare, tokens.access), ['notes:read'])
    t.strictSame(await scopesOf(bare, await next(bare, tokens)), [
      'notes:read',
      'notes:read',
      'notes:read',
      ['notes:read'],
    ])
  },
)

t.test(
  'without declared scopes: a refresh has its own scope and no more, nobody is told, and the grant keeps no names',
  async (t) => {
    const reported: Granted[] = []
    const item = await visit(await world(t, { onGranted: (granted) => void reported.push(granted) }))
    const tokens = await signIn(item, null)
    for (const more of ['notes:read', 'api notes:read', 'api offline_access', 'API'])
      t.strictSame(
        seen(await refreshed(item, tokens.refresh, { scope: more })),
        oauthError('invalid_scope', 'more than was granted'),
        more,
      )
    const blanks = await next(item, tokens, '  api   api ')
    t.strictSame(await scopesOf(item, blanks), ['api', 'api', 'api', ['api']], 'nothing was spent')
    t.strictSame(await scopesOf(item, await next(item, blanks, '')), ['api', 'api', 'api', ['api']])
    t.strictSame(reported, [])
    t.strictSame(await item.world.store.findLiveGrants('dev:developer', item.clientId), [
      { scope: 'api', allowed: null, readOnly: false, surface: null },
    ])
  },
)

t.test(
  'onGranted: told after a code is redeemed and after a refresh, with what it came to, and after nothing else',
  async (t) => {
    const reported: Granted[] = []
    const item = await visit(await scoped(t, notes, { onGranted: (granted) => void reported.push(granted) }))
    const outcome = await answer(item, await consentFor(item, 'api'))
    t.strictSame([outcome.status, reported], [303, []])
    const tokens = await signIn(item, 'api notes:delete', ['notes:delete'])
    const { clientId } = item
    const granted = (scopes: readonly string[]): Granted => ({ userId: 'dev:developer', clientId, scopes })
    t.strictSame(reported.splice(0), [granted(everything)])
    await next(item, tokens, 'notes:read')
    t.strictSame(reported.splice(0), [granted(['notes:read'])])
    await refreshed(item, tokens.refresh)
    await refreshed(item, tokens.refresh, { scope: 'admin' })
    t.strictSame(reported, [])
  },
)

t.test(
  'scopes after checkToken: it runs before a scope is looked at, and its error is the answer',
  async (t) => {
    const order: string[] = []
    const config = { read: { text: 'Read', mayHave: () => order.push('mayHave') > 0 } }
    const item = await visit(
      await scoped(t, config, { checkToken: async () => void order.push('checkToken') }),
    )
    const tokens = await signIn(item, 'read')
    order.length = 0
    await refreshed(item, tokens.refresh, { scope: 'admin' })
    t.strictSame(order, ['checkToken'])
    await next(item, tokens)
    t.strictSame(order, ['checkToken', 'checkToken', 'mayHave'])
  },
)

t.test('audit: the line of a consent names the scopes that were granted and refused', async (t) => {
  const item = await visit(await scoped(t))
  const lines = (): readonly unknown[] =>
    item.world.logged
      .filter((line) => line.startsWith('audit {"event":"consent"'))
      .map((line) => JSON.parse(line.slice('audit '.length)))
      .map(({ decision, granted, refused }) => [decision, granted, refused])
  const form = await consentFor(item, 'api notes:delete')
  await answer(item, form, { ticked: ['notes:write'] })
  await answer(item, form, { ticked: everything })
  await answer(item, form, { others: { decision: 'deny' } })
  t.strictSame(lines(), [
    ['allow', 'notes:read notes:write', 'notes:delete'],
    ['allow', 'notes:read notes:write notes:delete', ''],
    ['deny', '', 'notes:read notes:write notes:delete'],
  ])
})

t.test(
  'developmentToken: with a scope or `api`, for what the user may have; else OAuth’s own errors',
  async (t) => {
    const config = {
      ...notes,
      admin: { text: 'Administrate', mayHave: ({ id }: { id: string }) => id === 'dev:admin' },
    }
    const item = await visit(await scoped(t, config))
    const { server } = item.world
    for (const [requested, scope, granted] of [
      [undefined, 'api', ['notes:read', 'notes:write']],
      ['notes:delete admin', 'notes:read notes:write notes:delete', everything],
      ['api notes:delete', 'api notes:delete', everything],
    ] as const) {
      const token = await server.developmentToken('dev:developer', requested)
      t.strictSame([token.scope, await grantedBy(item, token.accessToken)], [scope, granted])
    }
    await t.rejects(server.developmentToken('dev:developer', 'api notes:reed'), {
      error: 'invalid_scope',
      message: 'the scope "notes:reed" is not declared',
    })
    await t.rejects(server.developmentToken('dev:developer', 'admin'), {
      error: 'access_denied',
      message: 'Developer can have none of these scopes',
    })
    const bare = await world(t)
    await visit(bare)
    await t.rejects(bare.server.developmentToken('dev:developer', 'admin'), {
      message: 'the scope "admin" is not declared',
    })
    t.equal((await bare.server.developmentToken('dev:developer')).scope, 'api')
  },
)

t.test(
  'of tokens, isSignedHere: whatever our key signed is ours, whatever else is wrong with it',
  async (t) => {
    const w = await scoped(t)
    const { access, refresh } = await signIn(await visit(w, await register(w)), 'api')
    const foreign = new SignJWT({ sub: 'x' }).setProtectedHeader({ alg: 'HS256' })
    const elsewhere = await foreign.sign(
      new TextEncoder().encode('a secret of at least 32 bytes, another one'),
    )
    const bytes = new TextEncoder().encode('a secret of at least 32 bytes, the newest')
    const odd = await new SignJWT({ iss: 'https://elsewhere.example', exp: 1 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(bytes)
    w.clock.now += 365 * 24 * 3_600_000
    for (const [token, isOurs] of [
      [access, true],
      [refresh, true],
      [odd, true],
      [elsewhere, false],
      [`${access.split('.').slice(0, 2).join('.')}.`, false],
      ['not a token', false],
      ['', false],
    ] as const)
      t.equal(await w.server.isSignedHere(token), isOurs)
    t.equal(await w.server.userOfAccessToken(access), null, 'it has expired')
  },
)
