/** The page on which the user of a call decides, and the inbox. Source: decisions/oauth.md, Approval. */
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { AskedApproval } from '../../runtime/capabilities/approval/types.ts'
import type { TestClient } from '../../runtime/testing.ts'
import { statementsOf } from '../support/statements.ts'
import { openStore } from '../support/whole-store.ts'
import { ada, bob, type Opened, type OpenOptions, openOrders } from './orders.ts'

t.setTimeout(240_000) // a busy machine

interface Scene extends Opened {
  /** Ada is signed in to it. */
  readonly browser: TestClient
}

async function open(t: Test, options: OpenOptions = {}): Promise<Scene> {
  const opened = await openOrders(options)
  t.teardown(() => opened.app.close())
  const browser = opened.app.client()
  await browser.signIn(ada)
  return { ...opened, browser }
}

const wordsOf = (page: string): string =>
  page
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<script.*?<\/script>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

type Ask = Readonly<{ id?: string; amount?: string }>

/** Calls, and resolves with the path of the page. */
async function ask({ client, app }: Opened, { id = '5', amount = '300' }: Ask = {}): Promise<string> {
  const answer = await client.request({
    method: 'DELETE',
    url: `/orders/${encodeURIComponent(id)}?${new URLSearchParams({ amount })}`,
  })
  const { approval } = answer.json()
  if (answer.statusCode !== 428) throw new Error(`answered ${answer.statusCode}: ${answer.body}`)
  return String(approval.url).slice(app.baseUrl.length)
}

const retry = ({ client }: Opened) => client.request({ method: 'DELETE', url: '/orders/5?amount=300' })

const shownIn = (body: string): string => /name="shown" value="([^"]*)"/.exec(body)?.[1] ?? ''

async function answer({ browser }: Pick<Scene, 'browser'>, path: string, decision: string, changes = {}) {
  const page = await browser.get(path)
  return browser.submit(path, { shown: shownIn(page.body), decision, ...changes })
}

t.test('asked, shown, approved, run, and gone: the life of a page', async (t) => {
  const scene = await open(t)
  const path = await ask(scene)
  const page = await scene.browser.get(path)
  t.equal(page.statusCode, 200)
  t.match(page.headers, {
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'content-security-policy': "frame-ancestors 'none'",
  })
  t.equal(
    wordsOf(page.body),
    'O Orders localhost:3000 Approve this call? Delete order 5 and refund 300 Asked by test Published by Not known: the application gave its name itself. It calls orders_remove Asked at 2026-11-27 10:00 UTC Answer until 2026-11-27 10:10 UTC (10 minutes left) What it sends Name Value id 5 amount 300 Deny Approve Signed in as Ada . Connected apps',
  )
  t.notMatch(page.body, 'autofocus')
  t.equal((await retry(scene)).statusCode, 428, 'looking decides nothing')
  const approved = await answer(scene, path, 'approve')
  t.strictSame([approved.statusCode, approved.headers.location], [303, path])
  t.match(
    wordsOf((await scene.browser.get(path)).body),
    'Approved You approved this call. Go back to your application',
  )
  t.strictSame((await retry(scene)).json(), { removed: '5' })
  t.match(wordsOf((await scene.browser.get(path)).body), 'The call was approved and has run.')
  scene.clock.now += 61_000
  t.equal((await scene.browser.get(path)).statusCode, 404)
  t.strictSame(await scene.ran(), ['remove 5 300'])
})

t.test('denied: the call is refused, and a page that was open before says so', async (t) => {
  const scene = await open(t)
  const path = await ask(scene)
  const second = await scene.browser.get(path)
  t.strictSame((await answer(scene, path, 'deny')).headers.location, path)
  t.match(wordsOf((await scene.browser.get(path)).body), 'Denied This call was denied. It does not run.')
  const late = await scene.browser.submit(path, { shown: shownIn(second.body), decision: 'approve' })
  t.equal(late.statusCode, 409)
  t.match(
    wordsOf(late.body),
    'It had been decided before. Your answer came too late and changed nothing. This call was denied.',
  )
  const refused = await retry(scene)
  t.match([refused.statusCode, refused.json()], [403, { reason: 'denied' }])
  t.strictSame(await scene.ran(), [])
})

t.test("another user's call, one that never was and one that has ended: the same 404", async (t) => {
  const scene = await open(t)
  const path = await ask(scene)
  const id = path.split('/').at(-1) ?? ''
  const other = scene.app.client()
  await other.signIn(bob)
  const unknown = 'AAAAAAAAAAAAAAAAAAAAAA'
  const seenBy = async (client: TestClient, approval: string) => {
    const { statusCode, body } = await client.get(`/auth/approvals/${approval}`)
    return [statusCode, body.replaceAll(approval, '*')]
  }
  const [status, body] = await seenBy(other, id)
  t.equal(status, 404)
  t.match(wordsOf(String(body)), 'Nothing waits here')
  t.strictSame(await seenBy(other, unknown), [status, body])
  const shown = shownIn((await scene.browser.get(path)).body)
  const stolen = await other.submit(path, { shown, decision: 'approve' })
  t.strictSame([stolen.statusCode, stolen.body.replaceAll(id, '*')], [status, body])
  const state = { accept: 'application/json' }
  t.strictSame((await other.get(path, state)).statusCode, 404)
  t.strictSame((await scene.browser.get(path, state)).json(), { decision: null, hasRun: false })
  for (const strange of ['a%20b', `${'a'.repeat(65)}`, '%22%3e%3cb%3e'])
    t.equal((await other.get(`/auth/approvals/${strange}`)).statusCode, 404, strange)
  scene.clock.now += 10 * 60_000
  const ended = await seenBy(scene.browser, id)
  t.strictSame(ended, await seenBy(scene.browser, unknown))
  t.equal((await retry(scene)).statusCode, 428)
})

t.test('nobody is signed in: to sign-in and back; another account by signing out', async (t) => {
  const scene = await open(t)
  const path = await ask(scene)
  const browser = scene.app.client()
  const away = await browser.get(path)
  t.strictSame([away.statusCode, away.headers.location], [303, '/auth'])
  t.equal((await browser.get('/auth/dev')).headers.location, path)
  const stranger = await browser.get(path)
  t.equal(stranger.statusCode, 404, 'the developer is not Ada')
  t.match(wordsOf(stranger.body), 'Not Developer? Use another account')
  const out = await browser.submit('/auth/sign-out', { return_to: path })
  t.strictSame([out.statusCode, out.headers.location], [303, path])
  const posted = await scene.app.client().submit(path, { shown: 'x', decision: 'approve' })
  t.strictSame([posted.statusCode, posted.headers.location], [303, '/auth'])
  const polled = await scene.app.client().get(path, { accept: 'application/json' })
  t.strictSame([polled.statusCode, polled.headers['set-cookie']], [404, undefined], 'no session of nobody')
})

t.test(
  'decisions, rate limits: what open pages ask by themselves counts for their user, and locks nobody out',
  async (t) => {
    const scene = await open(t, { config: { limits: { authorizePerHour: 20 } } })
    const path = await ask(scene)
    const statuses = async (client: TestClient, times: number): Promise<readonly number[]> => {
      const seen = new Set<number>()
      for (let time = 0; time < times; time += 1)
        seen.add((await client.get(path, { accept: 'application/json' })).statusCode)
      return [...seen]
    }
    t.strictSame(await statuses(scene.browser, 20), [200])
    t.strictSame(await statuses(scene.browser, 1), [429], 'a limit of its own')
    t.equal((await scene.browser.get(path)).statusCode, 200, 'the page is none of these')
    const other = scene.app.client()
    await other.signIn(bob)
    t.strictSame(await statuses(other, 20), [404], 'another user of the same address')
    t.strictSame(await statuses(scene.app.client(), 20), [404, 429], 'strangers count by their address')
  },
)

const elsewhere = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
]

t.test('a form of another page, an old page, another session or another call decides nothing', async (t) => {
  const scene = await open(t)
  const { browser } = scene
  const path = await ask(scene)
  const [shown, other] = [
    shownIn((await browser.get(path)).body),
    shownIn((await browser.get(await ask(scene, { id: '6' }))).body),
  ]
  const send = (form: Readonly<Record<string, string>>, headers = {}) =>
    browser.request({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(form).toString(),
    })
  for (const headers of elsewhere) {
    const { statusCode } = await send({ shown, decision: 'approve' }, headers)
    t.equal(statusCode, 403, JSON.stringify(headers))
  }
  const second = scene.app.client()
  await second.signIn(ada)
  const ofSecond = shownIn((await second.get(path)).body)
  const wrong = ['', 'x', other, ofSecond, `${shown}=`].map((text) => ({ shown: text, decision: 'approve' }))
  for (const form of [...wrong, { shown, decision: 'perhaps' }, { shown }, { decision: 'approve' }]) {
    const { statusCode, body } = await send(form as Record<string, string>)
    t.equal(statusCode, 403, JSON.stringify(form))
    t.match(wordsOf(body), 'Please answer again.')
  }
  t.equal(
    (await send({ decision: 'approve', shown }, { 'content-type': 'application/json' })).statusCode,
    400,
  )
  t.equal((await browser.get(`${path}?decision=approve&shown=${shown}`)).statusCode, 200)
  t.equal((await retry(scene)).statusCode, 428, 'nothing was decided')
  const own = await send({ shown, decision: 'approve' }, { 'sec-fetch-site': 'same-origin' })
  t.equal(own.statusCode, 303)
  t.strictSame((await retry(scene)).json(), { removed: '5' })
})

t.test(
  'texts of a caller are text: escaped, folded where they are long, hidden characters spelled out',
  async (t) => {
    const scene = await open(t)
    const path = await ask(scene, { id: '<b>"&\u202e\u0007', amount: '1' })
    const { body } = await scene.browser.get(path)
    t.match(body, '&lt;b&gt;')
    t.notMatch(body, '<b>')
    t.notOk(/[^\n\P{Cc}]|\p{Bidi_Control}/u.test(body))
    t.match(body, '\\u{202E}\\u{0007}')
    const reason = `${'long '.repeat(200)}end`
    const asked = await scene.client.json('/orders/5/refund', { amount: 2, reason, pin: '1234' })
    const page = (await scene.browser.get(new URL(asked.json().approval.url).pathname)).body
    t.match(page, /<details><summary>long long [^<]*… <span class="muted">\(all 1,003 characters\)/)
    t.match(page, 'long end</pre></details>')
    t.match(page, '••••••')
    t.notMatch(page, '1234')
  },
)

t.test('the inbox lists what waits; of the other user nothing', async (t) => {
  const scene = await open(t)
  const at = '/auth/connections'
  t.match(wordsOf((await scene.browser.get(at)).body), 'Waiting for you No call waits for your approval.')
  const path = await ask(scene)
  const { body } = await scene.browser.get(at)
  t.match(wordsOf(body), 'Waiting for you Delete order 5 and refund 300 test , since 2026-11-27 10:00 UTC')
  t.match(body, `href="${path}"`)
  const other = scene.app.client()
  await other.signIn(bob)
  t.match(wordsOf((await other.get(at)).body), 'No call waits for your approval.')
  await answer(scene, path, 'deny')
  t.match(wordsOf((await scene.browser.get(at)).body), 'No call waits for your approval.')
})

t.test(
  'the inbox asks the store as often for 10 calls of 10 clients as for one, and says their names',
  async (t) => {
    const ours = { id: 'ours', name: 'Ours', redirectUris: ['https://ours.example/cb'], secret: 'OURS' }
    const scene = await open(t, {
      config: { oauth: { profile: 'compatible', confidentialClients: [ours] } },
      environment: { secretsOf: () => ['a secret of ours that is long enough for it'] },
    })
    const { store } = scene.app.application
    const show = async () => wordsOf((await scene.browser.get('/auth/connections')).body)
    const expected: string[] = []
    const counts: number[] = []
    for (const id of ['c', 'ours', 'https://a.example/d', ...'efghijk']) {
      const path = await ask(scene, { id })
      await sql`update acmcp_approvals set client_id = ${id} where id = ${path.split('/').at(-1)}`.execute(
        store.database,
      )
      const name = id === 'ours' ? 'Ours' : id.length > 1 ? id : `App ${id}`
      if (id.length === 1)
        await store.saveClient({ id, name, redirectUris: [], grantTypes: [], responseTypes: [] })
      expected.push(`Delete order “${id}” and refund 300 ${name} , since`)
      if (expected.length === 1 || expected.length === 10) counts.push(await statementsOf(show))
    }
    const words = await show()
    for (const text of expected) t.ok(words.includes(text), text)
    t.equal(counts[0], counts[1])
  },
)

t.test('the audit has a row of each step, once, also of a call that nobody decided about', async (t) => {
  const databaseUrl = `sqlite:${t.testdir()}/store.db`
  const scene = await open(t, { databaseUrl })
  const path = await ask(scene)
  await answer(scene, path, 'approve')
  await retry(scene)
  const second = await ask(scene, { id: '6' })
  scene.clock.now += 10 * 60_000
  const third = await ask(scene, { id: '6' })
  scene.clock.now += 10 * 60_000
  const { signal } = new AbortController()
  for (const _ of [1, 2]) await scene.app.application.purge(signal)
  await scene.app.close()
  const store = await openStore({ url: databaseUrl, clock: () => 0, migrations: null, migrate: 'refuse' })
  const rows = await store.listAudit({ event: 'approval' }, 100).finally(() => store.close())
  const idOf = (page: string): string => page.split('/').at(-1) ?? ''
  const [a, b, c] = [path, second, third].map(idOf)
  t.strictSame(
    rows.map(({ user, detail }) => [user, detail]),
    [
      { action: 'asked', approval: a },
      { action: 'approved', approval: a, method: 'page' },
      { action: 'spent', approval: a, method: 'page' },
      { action: 'asked', approval: b },
      { action: 'expired', approval: b },
      { action: 'asked', approval: c },
      { action: 'expired', approval: c },
    ].map((detail) => [ada.id, detail]),
  )
})

t.test('onApprovalAsked is told of each call once, and what it throws harms nobody', async (t) => {
  const told: AskedApproval[] = []
  const scene = await open(t, {
    config: {
      onApprovalAsked: (approval, services) => {
        told.push(approval)
        if (services.clock() === 0) return
        throw new Error('no mail server')
      },
    },
  })
  const path = await ask(scene)
  await ask(scene)
  const [first, ...others] = told
  t.strictSame(others, [])
  const client = first?.client?.id ?? ''
  t.strictSame(first, {
    id: path.split('/').at(-1),
    url: `${scene.app.baseUrl}${path}`,
    user: ada.id,
    client: { id: client, name: 'test' },
    route: first?.route,
    name: 'orders_remove',
    sentence: 'Delete order 5 and refund 300',
    expiresAt: scene.clock.now + 10 * 60_000,
  })
  t.ok(client)
})
