/** What a signed-in user sees of their clients, and how they disconnect them. */

import { type RawBuilder, sql } from 'kysely'
import t from 'tap'
import { auditRecords } from '../../../runtime/capabilities/audit/audit-records.ts'
import { KeptTrail } from '../../../runtime/capabilities/audit/audit-trail.ts'
import { createConfidentialClients } from '../../../runtime/oauth/clients/confidential-clients.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import { statementsOf } from '../../support/statements.ts'
import { wholeStore } from '../../support/whole-store.ts'
import {
  authorizeParameters,
  baseUrl,
  codeForm,
  decide,
  jsonOf,
  location,
  newBrowser,
  redirectUri,
  register,
  signedInBrowser,
  start,
  verifier,
  type World,
  world,
} from '../support/harness.ts'

const address = '/auth/connections'

/** What of a page its reader sees, in words. */
const wordsOf = (page: unknown): string =>
  String(page)
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

async function connect(w: World, clientId: string): Promise<string> {
  const answer = await w.call('POST', '/oauth/token', { form: await codeForm(w, clientId) })
  return String(jsonOf(answer).access_token)
}

t.test('nobody is signed in: to sign-in, and back to the list', async (t) => {
  const w = await world(t)
  const browser = newBrowser()
  const first = await w.call('GET', address, { browser })
  t.strictSame([first.status, location(first)], [303, '/auth'])
  t.equal(location(await w.call('GET', '/auth/dev', { browser })), address)
  const posted = await w.call('POST', address, { browser: newBrowser(), form: { client_id: 'c' } })
  t.strictSame([posted.status, location(posted)], [303, '/auth'])
})

t.test('each client once: its name as text, what it may do, since when; nobody else sees it', async (t) => {
  const w = await world(t)
  const browser = await signedInBrowser(w)
  t.match(wordsOf((await w.call('GET', address, { browser })).body), 'No app uses Notes as you, Developer')
  const [agent, editor] = [await register(w), await register(w, { client_name: 'Editor' })]
  await connect(w, agent)
  w.clock.now += 86_400_000
  await connect(w, agent)
  await connect(w, editor)
  await codeForm(w, await register(w, { client_name: 'Never redeemed' }))
  const { status, headers, body } = await w.call('GET', address, { browser })
  t.equal(status, 200)
  t.match(headers, { 'cache-control': 'no-store' })
  const words = wordsOf(body)
  t.match(words, 'These apps use Notes as you, Developer .')
  t.equal(words.split('Connected since').length - 1, 2, 'two cards')
  const since = new Date(start).toISOString().slice(0, 10)
  t.match(
    words,
    `Client &lt;&amp;&quot;&#39;&gt; Published by not known: the app gave this name itself It may everything that you may Connected since ${since}`,
  )
  t.match(words, 'Disconnect Editor')
  t.notMatch(words, 'Never redeemed')
  const other = newBrowser()
  await w.store.saveUser({ id: 'dev:other', name: 'Other', email: null })
  other.set('user_id', 'dev:other')
  t.match(wordsOf((await w.call('GET', address, { browser: other })).body), 'No app uses')
})

t.test('with declared scopes it says what was allowed', async (t) => {
  const scopes = createScopes({ 'notes:read': 'read your notes', 'notes:write': 'write notes' })
  const w = await world(t, { scopes })
  const browser = await signedInBrowser(w)
  const client = await register(w)
  const ticked = { decision: 'allow', 'allow:notes:read': 'on' }
  const decided = await decide(w, browser, authorizeParameters(client), ticked)
  const code = new URL(location(decided)).searchParams.get('code') ?? ''
  const grant = { grant_type: 'authorization_code', client_id: client, redirect_uri: redirectUri }
  const form = { ...grant, code, code_verifier: verifier }
  t.equal((await w.call('POST', '/oauth/token', { form })).status, 200)
  const words = wordsOf((await w.call('GET', address, { browser })).body)
  t.match(words, 'It may read your notes Connected since')
  t.notMatch(words, 'write notes')
})

t.test('disconnecting ends every token of that client, tells everybody, and asks for all anew', async (t) => {
  const revoked: string[] = []
  const w = await world(t, { onRevoked: (userId) => void revoked.push(userId) })
  const browser = await signedInBrowser(w)
  const [agent, editor] = [await register(w), await register(w, { client_name: 'Editor' })]
  const tokens = [await connect(w, agent), await connect(w, agent), await connect(w, editor)]
  w.logged.length = 0
  const answer = await w.call('POST', address, { browser, form: { client_id: agent } })
  t.strictSame([answer.status, location(answer)], [303, address])
  const users = await Promise.all(tokens.map((token) => w.server.userOfAccessToken(token)))
  t.strictSame(
    users.map((user) => user?.id ?? null),
    [null, null, 'dev:developer'],
  )
  t.strictSame(revoked, ['dev:developer'])
  t.equal(w.logged.length, 1)
  t.match(w.logged[0], /^audit \{"event":"revocation",.*"by":"user"/)
  t.notMatch(w.logged[0], agent, 'ids are hashed')
  const shown = wordsOf((await w.call('GET', address, { browser })).body)
  t.match(shown, 'Disconnected. Client &lt;&amp;&quot;&#39;&gt; can no longer use your account.')
  t.notMatch(wordsOf((await w.call('GET', address, { browser })).body), 'Disconnected.', 'said once')
  t.equal((await decide(w, browser, authorizeParameters(agent), {})).status, 200, 'the consent page is shown')
})

t.test('a form of another site, an unknown client, and a second press change nothing', async (t) => {
  const revoked: string[] = []
  const w = await world(t, { onRevoked: (userId) => void revoked.push(userId) })
  const browser = await signedInBrowser(w)
  const agent = await register(w)
  const token = await connect(w, agent)
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    const refused = await w.call('POST', address, { browser, form: { client_id: agent }, headers })
    t.equal(refused.status, 403)
  }
  for (const id of ['', 'nobody', `${agent}x`])
    t.equal(location(await w.call('POST', address, { browser, form: { client_id: id } })), address)
  const stranger = newBrowser()
  const foreign = { headers: { origin: 'https://evil.example' }, form: { client_id: agent } }
  t.equal((await w.call('POST', address, { browser: stranger, ...foreign })).status, 403)
  t.equal(stranger.values.size, 0, 'who is not signed in gets no session by it')
  t.equal((await w.server.userOfAccessToken(token))?.id, 'dev:developer')
  t.strictSame(revoked, [])
  for (let press = 0; press < 2; press += 1)
    await w.call('POST', address, { browser, form: { client_id: agent }, headers: { origin: baseUrl } })
  t.strictSame(revoked, ['dev:developer'], 'once')
})

t.test('when a client was used last, and what it called: let through, lately, by this user', async (t) => {
  const w = await world(t)
  const browser = await signedInBrowser(w)
  const [agent, editor] = [await register(w), await register(w, { client_name: 'Editor' })]
  for (const client of [agent, agent, editor]) await connect(w, client)
  const grants = await w.store.listGrants({ clientId: agent })
  const call = { event: 'tool-call', decision: 'allowed', route: 'notes_list', tool: 'notes_list' } as const
  const dayMs = 86_400_000
  const days = (count: number): number => w.clock.now - count * dayMs
  let bytes = 0
  const rows = [
    { ...call, at: days(31) },
    { ...call, at: days(20) },
    { ...call, at: days(3), grant: grants[1]?.grantId ?? '' },
    { ...call, at: days(2), tool: 'notes_create' },
    { ...call, at: days(1), decision: 403, tool: 'notes_refused' },
    { ...call, at: days(1), route: null, tool: 'made up' },
    { ...call, at: days(1), event: 'revocation', tool: 'notes_never' },
    { ...call, at: days(1), grant: 'of somebody else', tool: 'notes_others' },
  ] as const
  for (const row of rows) {
    const recordOf = auditRecords(
      () => row.at,
      (count) => new Uint8Array(count).fill(bytes++),
    )
    const { at: _at, ...entry } = row
    await wholeStore(w.store).appendAudit([
      recordOf({ user: 'dev:developer', grant: grants[0]?.grantId ?? '', ...entry }),
    ])
  }
  const words = wordsOf((await w.call('GET', address, { browser })).body)
  const day = (time: number): string => new Date(time).toISOString().slice(0, 10)
  const card = `Connected since ${day(start)} Last used ${day(days(1))} Called lately notes_list 2 times notes_create once Disconnect`
  t.match(words, card)
  t.match(words, `Connected since ${day(start)} Disconnect Editor`, 'never used')
  for (const name of ['refused', 'made up', 'never', 'others']) t.notMatch(words, name)
})

/** Client `number`: registered, described by a document, or of the configuration; their names on the page. */
const kinds = [
  (number: number) => ({ id: `registered${number}`, name: `App ${number}` }),
  (number: number) => ({ id: `https://a${number}.example/c`, name: `https://a${number}.example/c` }),
  (number: number) => ({ id: `configured${number}`, name: `Ours ${number}` }),
]
const clients = Array.from({ length: 20 }, (_, number) => kinds[number % 3]?.(number) ?? { id: '', name: '' })

t.test('the page asks the store as often for 20 clients as for 2, and each has its name', async (t) => {
  const ours = clients.filter(({ id }) => id.startsWith('configured'))
  const confidentialClients = createConfidentialClients(
    ours.map((client) => ({ ...client, redirectUris: [], secret: 'SECRET' })),
    () => ['a secret'],
  )
  const w = await world(t, { confidentialClients })
  const browser = await signedInBrowser(w)
  const show = async () => String((await w.call('GET', address, { browser })).body)
  const counts: number[] = []
  for (const count of [2, 20]) {
    for (const { id, name } of clients.slice((await w.store.listGrants({})).length, count)) {
      await fill(w, id, 1)
      const metadata = { redirectUris: [], grantTypes: [], responseTypes: [] }
      if (id.startsWith('registered')) await w.store.saveClient({ id, name, ...metadata })
    }
    const names = [...(await show()).matchAll(/<h2[^>]*>([^<]+)/g)].map(([, name]) => name)
    t.strictSame(
      names.sort(),
      clients
        .slice(0, count)
        .map(({ name }) => name)
        .sort(),
    )
    counts.push(await statementsOf(show))
  }
  t.strictSame(counts, [3, 3], 'who is signed in, what is connected, what that has called')
  const words = wordsOf(await show())
  t.match(words, 'Ours 2 Published by set up by the owner of this service It may')
  t.match(words, 'https://a1.example/c Published by a1.example It may')
  await w.call('POST', address, { browser, form: { client_id: 'configured2' } })
  t.match(wordsOf(await show()), 'Disconnected. Ours 2 can no longer use your account.')
})

/** As many connections of a client that work, as if somebody had made them. */
async function fill({ store: { database }, clock }: World, client: string, count: number): Promise<void> {
  const numbers: RawBuilder<unknown> = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
  const far = clock.now + 1_000_000
  await sql`insert into acmcp_grants (id, user_id, client_id, scope, resource, created_at, expires_at)
    ${numbers} select ${client} || i, 'dev:developer', ${client}, 'api', '', ${clock.now} - i, ${far} from n`.execute(
    database,
  )
  await sql`insert into acmcp_tokens (jti_hash, grant_id, kind, expires_at)
    ${numbers} select ${client} || i, ${client} || i, 'refresh', ${far} from n`.execute(database)
}

t.test(
  'many connections are shown page by page, each client whole, and one of more than a page once',
  async (t) => {
    const w = await world(t)
    const browser = await signedInBrowser(w)
    const pages: (readonly string[])[] = []
    const see = async (url: string): Promise<void> => {
      const body = String((await w.call('GET', url, { browser })).body)
      pages.push([...body.matchAll(/<h2[^>]*>(\w+)/g)].map(([, name = '']) => name))
      const next = /<a href="([^"]*)">Further apps/.exec(body)?.[1]
      if (next === undefined) t.match(wordsOf(body), 'These apps use Notes as you')
      else await see(next)
    }
    for (const [client, count] of [
      ['b', 499],
      ['a', 3],
      ['c', 2],
      ['d', 600],
      ['e', 1],
    ] as const)
      await fill(w, client, count)
    await see(address)
    t.strictSame(pages, [['a'], ['b'], ['c'], ['d'], ['e']])
    t.match(
      wordsOf((await w.call('GET', `${address}?after=e`, { browser })).body),
      'No further app uses Notes as you',
    )
    await w.call('POST', address, { browser, form: { client_id: 'd' } })
    pages.length = 0
    await see(address)
    t.strictSame(pages, [['a'], ['b'], ['c', 'e']], 'all connections of a client have ended')
  },
)

t.test(
  'however many connections end at once, others are served meanwhile, and each has its row',
  async (t) => {
    const rows = new Set<string>()
    const lost: string[] = []
    const trail = new KeptTrail({
      store: {
        appendAudit: async (records) => {
          for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate) // slower than connections end
          for (const { entry } of records) if (entry.event === 'revocation') rows.add(entry.grant ?? '')
        },
      },
      clock: () => start,
      randomBytes: (count) => new Uint8Array(count),
      every: () => async () => {},
      log: { info: () => {}, warn: () => {}, error: (_fields, message) => void lost.push(message) },
    })
    const w = await world(t, { auditTrail: trail })
    const browser = await signedInBrowser(w)
    await fill(w, 'a', 14_000)
    let turns = 0
    const meanwhile = setInterval(() => {
      turns += 1
    }, 0)
    await w.call('POST', address, { browser, form: { client_id: 'a' } })
    clearInterval(meanwhile)
    await trail.close()
    t.strictSame([rows.size, lost], [14_000, []])
    t.ok(turns >= 20, `${turns} times others had their turn`)
  },
)
