/** Consent where scopes are declared: what the page shows, what an answer grants. */
import { createHash } from 'node:crypto'
import t from 'tap'
import type { ScopesConfig } from '../../../runtime/contract/scopes.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import { StoreUnavailable } from '../../../runtime/store/store.ts'
import {
  answer,
  type ConsentForm,
  consentFor,
  grantedBy,
  open,
  parametersOf,
  readConsent,
  redeemed,
  signIn,
  visit,
} from '../support/consent-form.ts'
import {
  baseUrl,
  jsonOf,
  location,
  newBrowser,
  oauthError,
  query,
  register,
  seen,
  type World,
  world,
} from '../support/harness.ts'

const notes: ScopesConfig = {
  'notes:read': 'See your notes',
  'notes:write': { text: 'Add and change notes', implies: ['notes:read'] },
  'notes:delete': { text: 'Delete notes', sensitive: true, implies: ['notes:write'] },
}

const withScopes = (t: Parameters<typeof world>[0], config: ScopesConfig = notes): Promise<World> =>
  world(t, { scopes: createScopes(config) })

const comesWithRead = 'Comes with: Add and change notes'
const read = {
  under: 'It may',
  field: 'allow:notes:read',
  isTicked: true,
  text: `See your notes notes:read ${comesWithRead}`,
}
const write = {
  under: 'It may',
  field: 'allow:notes:write',
  isTicked: true,
  text: 'Add and change notes notes:write',
}

/** What is read beside the ticks, for pages of which the rest is known. */
const seenTicks = ({ ticks }: ConsentForm): readonly (readonly [string, string, boolean])[] =>
  ticks.map(({ under, field, isTicked }) => [under, field.replace('allow:', ''), isTicked])

t.test(
  'the consent page: `api` is shown as the words of each scope that it stands for, and no other',
  async (t) => {
    const item = await visit(await withScopes(t))
    for (const scope of [null, 'api', 'api api']) {
      const { hidden, ticks, body } = await consentFor(item, scope)
      t.strictSame(ticks, [read, write])
      const { csrf_token, shown, ...rest } = hidden
      t.strictSame(rest, {
        client_id: item.clientId,
        redirect_uri: 'https://client.example/cb',
        response_type: 'code',
        code_challenge: parametersOf(item, null).code_challenge,
        code_challenge_method: 'S256',
        scope: 'api',
        state: '',
        resource: '',
      })
      t.match(csrf_token, /^[\w-]{43}$/)
      t.match(shown, /^[\w-]{43}$/)
      t.notMatch(body, '<dt>It may</dt>')
    }
  },
)

t.test(
  'the consent page: sensitive scopes stand apart and unticked, what they imply is shown too',
  async (t) => {
    const item = await visit(await withScopes(t))
    t.strictSame(seenTicks(await consentFor(item, 'notes:delete')), [
      ['It may', 'notes:read', true],
      ['It may', 'notes:write', true],
      ['It may, only if you tick it', 'notes:delete', false],
    ])
    const { ticks } = await consentFor(item, 'api notes:delete')
    t.strictSame(
      ticks.map(({ text }) => text),
      [
        'See your notes notes:read Comes with: Add and change notes; Delete notes',
        'Add and change notes notes:write Comes with: Delete notes',
        'Delete notes notes:delete',
      ],
    )
  },
)

t.test(
  'Authorize 5; decisions, blanks in scope: any mix of `api` and declared names is known, all else is invalid_scope',
  async (t) => {
    const item = await visit(await withScopes(t))
    for (const scope of [
      'notes:read',
      'notes:delete api',
      'notes:read notes:read',
      'api  notes:read',
      ' api',
      ' ',
    ])
      t.equal((await open(item, parametersOf(item, scope))).status, 200, scope)
    for (const scope of ['notes', 'notes:read admin', 'none', 'API', 'notes:read\tapi'])
      t.strictSame(seen(await open(item, parametersOf(item, scope))), oauthError('invalid_scope'), scope)
  },
)

t.test(
  'the consent page: what each answer grants: the code, the token answer, the tokens, the grant',
  async (t) => {
    const w = await withScopes(t)
    const cases: readonly [
      asked: string | null,
      ticked: readonly string[],
      scope: string,
      granted: string[],
    ][] = [
      [null, ['notes:read', 'notes:write'], 'api', ['notes:read', 'notes:write']],
      ['api', ['notes:write'], 'api', ['notes:read', 'notes:write']],
      ['api', ['notes:read'], 'notes:read', ['notes:read']],
      ['notes:write', ['notes:read'], 'notes:read', ['notes:read']],
      ['notes:write', ['notes:write'], 'notes:read notes:write', ['notes:read', 'notes:write']],
      ['api notes:delete', ['notes:read', 'notes:write'], 'api', ['notes:read', 'notes:write']],
      [
        'api notes:delete',
        ['notes:delete'],
        'api notes:delete',
        ['notes:read', 'notes:write', 'notes:delete'],
      ],
      ['api notes:read', ['notes:read', 'notes:write'], 'api notes:read', ['notes:read', 'notes:write']],
      ['notes:delete', ['notes:read'], 'notes:read', ['notes:read']],
    ]
    for (const [requested, ticked, scope, granted] of cases) {
      const item = await visit(w)
      const tokens = await signIn(item, requested, ticked)
      const label = `${requested} ${ticked}`
      t.strictSame([tokens.scope, await grantedBy(item, tokens.access)], [scope, granted], label)
      const held = await w.store.findLiveGrants('dev:developer', item.clientId)
      t.strictSame(
        held.map(({ surface: _surface, ...kept }) => kept),
        [{ scope, allowed: granted, readOnly: false }],
        label,
      )
    }
  },
)

t.test(
  'consent: an allow without a tick shows the page again, with none ticked; deny needs none',
  async (t) => {
    const item = await visit(await withScopes(t))
    const form = await consentFor(item, 'api notes:delete')
    const again = readConsent(await answer(item, form, { ticked: [] }))
    t.match(again.body, 'Nothing was ticked.')
    t.strictSame(
      again.ticks.map(({ isTicked }) => isTicked),
      [false, false, false],
    )
    t.strictSame(
      [again.hidden, await item.world.store.findLiveGrants('dev:developer', item.clientId)],
      [form.hidden, []],
    )
    const denied = await answer(item, again, { others: { decision: 'deny' } })
    const { searchParams } = new URL(location(denied))
    t.strictSame(Object.fromEntries(searchParams), { error: 'access_denied', iss: baseUrl })
    t.equal((await answer(item, again, { ticked: ['notes:read'] })).status, 303)
  },
)

t.test(
  'the consent page: a script of ours alone runs in the page, which everything is escaped in',
  async (t) => {
    const text = `<b>"See" & 'keep'</b> ✓`
    const name = `a&b<c>'d'=e;f+g%41,[$](h)~{}`
    const item = await visit(await withScopes(t, { [name]: text, decision: 'Decide', scope: 'Scope' }))
    const form = await consentFor(item, `${name} decision scope`)
    t.strictSame(
      form.ticks.map((tick) => [tick.field, tick.text]),
      [
        [`allow:${name}`, `${text} ${name}`],
        ['allow:decision', 'Decide decision'],
        ['allow:scope', 'Scope scope'],
      ],
    )
    t.match(form.body, '&lt;b&gt;&quot;See&quot; &amp; &#39;keep&#39;&lt;/b&gt; ✓')
    t.equal(form.body.split('<script').length, 2)
    const [, script = ''] = /<script>(.*)<\/script>/s.exec(form.body) ?? []
    const hash = createHash('sha256').update(script).digest('base64')
    t.match(form.body, `script-src &#39;sha256-${hash}&#39;`)
    t.strictSame(form.hidden.scope, `${name} decision scope`)
    const tokens = await redeemed(item, await answer(item, form, { ticked: [name, 'decision'] }))
    t.strictSame(
      [tokens.scope, await grantedBy(item, tokens.access)],
      [`${name} decision`, [name, 'decision']],
    )
  },
)

t.test(
  'mayHave: only what the user may have is offered and granted; only `true` is a yes, a throw is logged',
  async (t) => {
    const requested: unknown[] = []
    const w = await withScopes(t, {
      read: 'Read',
      write: {
        text: 'Write',
        mayHave: async (user, services) => {
          requested.push([user.id, typeof services.userOfAccessToken, services.clock()])
          return true
        },
      },
      admin: { text: 'Administrate', mayHave: ({ id }) => id === 'dev:admin' },
      odd: { text: 'Odd', mayHave: () => Object('yes') },
      failing: {
        text: 'Fail',
        mayHave: () => {
          throw new Error('no such table')
        },
      },
      implying: { text: 'Imply', implies: ['admin'] },
    })
    const item = await visit(w)
    const form = await consentFor(item, 'api')
    t.strictSame(seenTicks(form), [
      ['It may', 'read', true],
      ['It may', 'write', true],
    ])
    t.strictSame(requested, [['dev:developer', 'function', w.clock.now]])
    t.ok(w.logged.includes('mayHave threw {"scope":"failing","err":{}}'))
    const tokens = await redeemed(item, await answer(item, form))
    t.strictSame([tokens.scope, await grantedBy(item, tokens.access)], ['api', ['read', 'write']])
    const ticks = await redeemed(
      item,
      await answer(item, await consentFor(item, 'read admin'), { ticked: ['read', 'admin'] }),
    )
    t.strictSame([ticks.scope, await grantedBy(item, ticks.access)], ['read', ['read']])
  },
)

t.test(
  'scopes, mayHave: nothing left is access_denied, as JSON; a store that cannot be asked is 503',
  async (t) => {
    let failure: Error | null = null
    const w = await withScopes(t, {
      admin: {
        text: 'Administrate',
        mayHave: () => {
          if (failure !== null) throw failure
          return false
        },
      },
    })
    const item = await visit(w)
    for (const scope of [null, 'api', 'admin', 'api admin']) {
      const outcome = await open(item, parametersOf(item, scope))
      t.strictSame(
        [seen(outcome), outcome.headers.location],
        [oauthError('access_denied', 'you can have none of these scopes', 403), undefined],
        String(scope),
      )
    }
    failure = new StoreUnavailable()
    const outcome = await open(item, parametersOf(item, 'admin'))
    t.strictSame([outcome.status, outcome.headers['retry-after']], [503, '5'])
    t.equal(
      (await w.call('GET', query(parametersOf(item, 'admin')), { browser: newBrowser() })).status,
      303,
      'nobody is asked before somebody is signed in',
    )
  },
)

t.test(
  'the consent page: `api` that stands for nothing passes what needs no scope; it needs no tick',
  async (t) => {
    const item = await visit(await withScopes(t, { purge: { text: 'Remove everything', sensitive: true } }))
    const form = await consentFor(item, 'api purge')
    t.match(
      form.body,
      '<dt>It may</dt><dd><span class="permission">use what needs no further permission here, as you <code>api</code></span></dd>',
    )
    t.strictSame(seenTicks(form), [['It may, only if you tick it', 'purge', false]])
    for (const [ticked, scope, granted] of [
      [[], 'api', []],
      [['purge'], 'api purge', ['purge']],
    ] as const) {
      const tokens = await redeemed(item, await answer(item, form, { ticked }))
      t.strictSame([tokens.scope, await grantedBy(item, tokens.access)], [scope, granted])
    }
    const bare = await consentFor(item, null)
    t.strictSame([bare.ticks, bare.body.includes('<script')], [[], true], 'to look is less than to use')
    const tokens = await redeemed(item, await answer(item, bare))
    t.strictSame([tokens.scope, await grantedBy(item, tokens.access)], ['api', []])
  },
)

t.test(
  'step-up: new ones first and marked, those of a live grant "already allowed"; old tokens keep theirs',
  async (t) => {
    const w = await withScopes(t, {
      ...notes,
      'notes:share': 'Share notes',
      'notes:purge': { text: 'Purge', sensitive: true },
    })
    const item = await visit(w)
    const first = await signIn(item, 'notes:delete', ['notes:delete'])
    t.strictSame(await grantedBy(item, first.access), ['notes:read', 'notes:write', 'notes:delete'])
    const form = await consentFor(item, 'notes:delete notes:share notes:purge')
    t.strictSame(seenTicks(form), [
      ['New: it may', 'notes:share', true],
      ['New: it may, only if you tick it', 'notes:purge', false],
      ['Already allowed', 'notes:read', true],
      ['Already allowed', 'notes:write', true],
      ['Already allowed, sensitive', 'notes:delete', true],
    ])
    t.strictSame(
      form.ticks.map(({ text }) => text),
      [
        'Share notes notes:share New',
        'Purge notes:purge New',
        'See your notes notes:read Already allowed Comes with: Add and change notes; Delete notes',
        'Add and change notes notes:write Already allowed Comes with: Delete notes',
        'Delete notes notes:delete Already allowed',
      ],
    )
    const second = await redeemed(item, await answer(item, form, { ticked: ['notes:share', 'notes:read'] }))
    t.strictSame(
      [second.scope, await grantedBy(item, second.access), await grantedBy(item, first.access)],
      [
        'notes:read notes:share',
        ['notes:read', 'notes:share'],
        ['notes:read', 'notes:write', 'notes:delete'],
      ],
    )
    const marksOf = (ticks: ConsentForm): readonly string[] => [
      ...new Set(ticks.ticks.map(({ under }) => under)),
    ]
    const other = await visit(w)
    t.strictSame(marksOf(await consentFor(other, 'notes:read')), ['It may'], 'of this client')
    const revoked = [first, second].map(({ refresh }) => ({ client_id: item.clientId, token: refresh }))
    for (const form of revoked) await w.call('POST', '/oauth/revoke', { form })
    t.strictSame(marksOf(await consentFor(item, 'notes:read')), ['It may'], 'of a live grant')
  },
)

t.test(
  'scopes, step-up: a grant from before scopes were declared has what `api` stands for today',
  async (t) => {
    const before = await world(t)
    const old = await signIn(await visit(before), null)
    const clientId = await register(before)
    const mine = await visit(before, clientId)
    await signIn(mine, null)
    const w = await world(t, { scopes: createScopes(notes), store: before.store })
    const item = await visit(w, clientId)
    t.strictSame(await grantedBy(item, old.access), ['notes:read', 'notes:write'])
    t.strictSame(seenTicks(await consentFor(item, 'notes:delete')), [
      ['New: it may, only if you tick it', 'notes:delete', false],
      ['Already allowed', 'notes:read', true],
      ['Already allowed', 'notes:write', true],
    ])
  },
)

t.test('metadata: `scopes_supported` lists `api` and the declared ones', async (t) => {
  const w = await withScopes(t)
  const document = jsonOf(await w.call('GET', '/.well-known/oauth-authorization-server'))
  t.strictSame(document.scopes_supported, ['api', 'notes:read', 'notes:write', 'notes:delete'])
})
