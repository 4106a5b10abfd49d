/** The consent form of declared scopes, attacked: an answer counts for the page that was shown and grants no more than it
 *  showed. */
import t, { type Test } from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import type { ScopesConfig } from '../../../runtime/contract/scopes.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import { costs } from '../../support/report/growth.ts'
import {
  answer,
  consentFor,
  fieldOf,
  grantedBy,
  open,
  parametersOf,
  readConsent,
  redeemed,
  type Visit,
  visit,
} from '../support/consent-form.ts'
import {
  type Browser,
  challenge,
  newBrowser,
  oauthError,
  register,
  seen,
  type World,
  world,
} from '../support/harness.ts'

const notes = {
  'notes:read': 'See your notes',
  'notes:write': { text: 'Add and change notes', implies: ['notes:read'] },
  'notes:delete': { text: 'Delete notes', sensitive: true, implies: ['notes:write'] },
} satisfies ScopesConfig

const everything = Object.keys(notes)

const scoped = async (t: Test, config: ScopesConfig = notes, other?: World): Promise<World> =>
  world(t, { scopes: createScopes(config), ...(other === undefined ? {} : { store: other.store }) })

/** It was answered with the page, and nothing was granted. */
async function isShownAgain(t: Test, { world }: Visit, outcome: HttpResponse, label = ''): Promise<void> {
  t.strictSame([outcome.status, outcome.headers.location], [200, undefined], label)
  t.match(readConsent(outcome).body, 'Please answer again.', label)
  t.notOk(
    world.logged.some((line) => line.includes('"decision":"allow"')),
    label,
  )
}

t.test(
  'digest: each hidden field that is edited, and a digest that is missing or another, shows the page again',
  async (t) => {
    const w = await scoped(t)
    const clientId = await register(w, {
      redirect_uris: ['https://client.example/cb', 'https://client.example/other'],
    })
    const item = await visit(w, clientId)
    const form = await consentFor(item, 'api')
    const edits: readonly Record<string, string>[] = [
      { client_id: await register(w) },
      { redirect_uri: 'https://client.example/other' },
      { code_challenge: challenge.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) },
      { resource: 'https://app.example' },
      { scope: 'api notes:delete' },
      { scope: 'notes:delete' },
      { scope: 'notes:read notes:write' },
      { shown: '' },
      { shown: `${form.hidden.shown}=` },
      { shown: 'x'.repeat(43) },
    ]
    for (const others of edits)
      await isShownAgain(
        t,
        item,
        await answer(item, form, { ticked: everything, others }),
        JSON.stringify(others),
      )
    t.equal(
      (await answer(item, form, { others: { state: 'another' } })).status,
      303,
      'the state is the client’s own',
    )
  },
)

t.test(
  'the page of a second tab: the page of a tab answers for that tab alone, and both stay good',
  async (t) => {
    const item = await visit(await scoped(t))
    const narrow = await consentFor(item, 'notes:read')
    const wide = await consentFor(item, 'api notes:delete')
    t.not(narrow.hidden.shown, wide.hidden.shown)
    const { shown = '' } = wide.hidden
    await isShownAgain(t, item, await answer(item, narrow, { ticked: everything, others: { shown } }))
    const crossed = { scope: 'api notes:delete', shown: narrow.hidden.shown ?? '' }
    await isShownAgain(t, item, await answer(item, narrow, { ticked: everything, others: crossed }))
    for (const [form, granted] of [
      [narrow, ['notes:read']],
      [wide, everything],
    ] as const) {
      const tokens = await redeemed(item, await answer(item, form, { ticked: everything }))
      t.strictSame(await grantedBy(item, tokens.access), granted)
    }
  },
)

t.test(
  'ticks: a scope that was not shown cannot be ticked, in form or query, whatever the value',
  async (t) => {
    const item = await visit(
      await scoped(t, { ...notes, 'never:had': { text: 'Never', mayHave: () => false } }),
    )
    const form = await consentFor(item, 'notes:read')
    const ticked = [...everything, 'never:had', 'api', 'undeclared']
    const tokens = await redeemed(item, await answer(item, form, { ticked }))
    t.strictSame([tokens.scope, await grantedBy(item, tokens.access)], ['notes:read', ['notes:read']])
    const linked = { ...parametersOf(item, 'api notes:delete'), [fieldOf('notes:delete')]: 'on' }
    const page = readConsent(await open(item, linked))
    t.equal(
      page.ticks.find(({ field }) => field === fieldOf('notes:delete'))?.isTicked,
      false,
      'a link ticks nothing',
    )
    t.notMatch(page.body, /return_to" value="[^"]*allow/)
    for (const value of ['', 'off', 'false', 'On', 'yes']) {
      const others = { [fieldOf('notes:read')]: value }
      const outcome = await answer(item, form, { ticked: [], others })
      t.match(
        readConsent(outcome).body,
        'Nothing was ticked.',
        `a value of ${JSON.stringify(value)} is no tick`,
      )
    }
    const twice = new URLSearchParams({ ...form.hidden, decision: 'allow', [fieldOf('notes:read')]: 'on' })
    twice.append(fieldOf('notes:read'), 'on')
    const { browser } = item
    const outcome = await item.world.call('POST', '/oauth/authorize', { browser, form: `${twice}` })
    t.strictSame(seen(outcome), oauthError('invalid_request', 'a parameter is given more than once'))
  },
)

t.test(
  'implies: what is left unticked comes only with a ticked scope that implies it, never the other way',
  async (t) => {
    const item = await visit(await scoped(t))
    const form = await consentFor(item, 'api notes:delete')
    for (const [ticked, granted] of [
      [['notes:read'], ['notes:read']],
      [['notes:write'], ['notes:read', 'notes:write']],
      [['notes:delete'], everything],
    ] as const) {
      const tokens = await redeemed(item, await answer(item, form, { ticked }))
      t.strictSame(await grantedBy(item, tokens.access), granted)
    }
  },
)

t.test(
  'digest: another user, another session, or the same one signed in again, shows the page again',
  async (t) => {
    const w = await scoped(t)
    const item = await visit(w)
    const form = await consentFor(item, 'api')
    const other: Visit = { ...item, browser: newBrowser() }
    await w.store.saveUser({ id: 'dev:other', name: 'Other', email: null })
    other.browser.set('user_id', 'dev:other')
    const theirs = await consentFor(other, 'api')
    await isShownAgain(t, other, await answer(other, form), 'the whole form of somebody else')
    const { csrf_token = '' } = theirs.hidden
    await isShownAgain(
      t,
      other,
      await answer(other, form, { others: { csrf_token } }),
      'with a token of their own',
    )
    item.browser.set('user_id', 'dev:other')
    await isShownAgain(t, item, await answer(item, form), 'the session became somebody else’s')
    await w.call('GET', '/auth/dev', { browser: item.browser })
    await isShownAgain(t, item, await answer(item, form), 'after a sign-in everything is new')
    const again = await consentFor(item, 'api')
    t.equal((await answer(item, again)).status, 303)
    t.equal((await answer({ ...item, browser: newBrowser() }, again)).headers.location, '/auth', 'nobody')
  },
)

t.test(
  'the consent digest: after a new build with other words, scopes or rules the page is shown again',
  async (t) => {
    const w = await scoped(t)
    const item = await visit(w)
    const form = await consentFor(item, 'api')
    const { 'notes:write': write, ...rest } = notes
    const builds: readonly ScopesConfig[] = [
      { ...notes, 'notes:read': 'See the notes of everybody' },
      { ...notes, 'notes:share': 'Share notes' },
      { ...notes, 'notes:write': { ...write, sensitive: true } },
      { 'notes:read': notes['notes:read'] },
      { ...notes, 'notes:write': { ...write, mayHave: () => false } },
      { ...notes, 'notes:write': { ...write, implies: [] } },
      { ...notes, 'notes:write': 'Add and change notes' },
      {
        ...notes,
        'notes:list': 'List notes',
        'notes:read': { text: 'See your notes', implies: ['notes:list'] },
      },
    ]
    for (const build of builds) {
      const later: Visit = { ...item, world: await scoped(t, build, w) }
      await isShownAgain(t, later, await answer(later, form, { ticked: Object.keys(rest) }))
    }
    const same: Visit = { ...item, world: await scoped(t, notes, w) }
    t.equal((await answer(same, form)).status, 303, 'the same build on another instance takes it')
  },
)

t.test(
  'the consent digest: what is left unticked does not come with what a new build lets imply it',
  async (t) => {
    const before = { 'notes:list': 'List notes', 'notes:read': 'See your notes' }
    const w = await scoped(t, before)
    const item = await visit(w)
    const form = await consentFor(item, 'api')
    const implies = ['notes:read']
    const later = await scoped(t, { ...before, 'notes:list': { text: 'List notes', implies } }, w)
    const there: Visit = { ...item, world: later }
    await isShownAgain(t, there, await answer(there, form, { ticked: ['notes:list'] }))
  },
)

t.test(
  'the consent digest: scopes that became declared after the page was shown are not granted by it',
  async (t) => {
    const before = await world(t)
    const item = await visit(before)
    const form = await consentFor(item, null)
    const later: Visit = { ...item, world: await scoped(t, notes, before) }
    await isShownAgain(t, later, await answer(later, form, { ticked: everything }))
  },
)

t.test(
  'replay: a form that is sent again grants the same to the same client and challenge, for that browser alone',
  async (t) => {
    const w = await scoped(t)
    const item = await visit(w)
    const form = await consentFor(item, 'api')
    const codes = [await answer(item, form), await answer(item, form)]
    for (const outcome of codes)
      t.strictSame(await grantedBy(item, (await redeemed(item, outcome)).access), [
        'notes:read',
        'notes:write',
      ])
    const thief: Browser = newBrowser()
    t.equal((await answer({ ...item, browser: thief }, form)).headers.location, '/auth')
    await w.call('GET', '/auth/dev', { browser: thief })
    const outcome = await answer({ ...item, browser: thief }, form)
    t.strictSame([outcome.status, outcome.headers.location], [200, undefined])
  },
)

t.test('consent: the page of hundreds of scopes holds up nobody else', async (t) => {
  const name = (at: number): string => `notes:${at}`
  const visitOf = async (count: number): Promise<Visit> => {
    const chain = Array.from({ length: count }, (_, at) => [
      name(at),
      { text: `Do ${at}`, implies: at === 0 ? [] : [name(at - 1)] },
    ])
    return visit(await scoped(t, Object.fromEntries(chain)))
  }
  const [few, many] = [await visitOf(75), await visitOf(300)]
  t.equal((await consentFor(many, 'api')).ticks.length, 300)
  const [work, control] = [() => consentFor(many, 'api'), () => consentFor(few, 'api')]
  await costs(t, {
    name: 'four times as many scopes, each of which implies all before it',
    work,
    control,
    times: 32,
  }) // ×64 when each tick resolved every other one
})
