/** What a user gives beside scopes: a connection may be read only, and covers what its page showed. On both engines, at both entrances. */
import { sql } from 'kysely'
import t from 'tap'
import { temporaryFolder } from '../../flow/support.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { type Deployed, deploy, newClient, readOnly } from './grown-notes.ts'

t.setTimeout(240_000) // a busy machine

const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())

const engines: Readonly<Record<string, () => string | Promise<string>>> = {
  SQLite: () => `sqlite:${temporaryFolder()}/notes.db`,
  ...(postgres === null ? {} : { PostgreSQL: () => postgres.freshDatabase() }),
}

const metadata = 'http://localhost:3000/.well-known/oauth-protected-resource'
const challenge = (scope: string, path = ''): string =>
  `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadata}${path}"`

const isReadOnly = 'This connection is read only: its user let it look, and change nothing.'
const isNew =
  'The user was not asked about this: it was added after they connected this client. They can allow it when they connect it again.'
const looking = [
  ['GET', '/notes', 200],
  ['POST', '/notes/search', 200],
  ['GET', '/open', 200],
] as const
const changing = [
  ['POST', '/notes'],
  ['GET', '/notes/seen'],
  ['POST', '/open'],
] as const

/** What the page says is new. */
const newOn = ({ body }: { readonly body: string }): readonly string[] =>
  [...(/New since you connected:[\s\S]*?<\/section>/.exec(body)?.[0] ?? '').matchAll(/<li>(.*?)<\/li>/g)].map(
    ([, text = '']) => text,
  )

for (const [engine, fresh] of Object.entries(engines)) {
  t.test(
    `${engine}, grants: read only holds at each route and both entrances, after a refresh too`,
    async (t) => {
      const it = await deploy(t, 'first', await fresh())
      const client = await newClient(it)
      const form = await it.page(client)
      t.match(form.body, '<span>Read only: it may look, and change nothing</span>')
      const whole = await it.allow(client, form)
      const tools = ['notes_archive', 'notes_create', 'notes_index', 'notes_search', 'notes_seen']
      t.strictSame(await it.listed(whole.access), [...tools, 'open_index', 'open_visit'])
      t.equal((await it.http(whole.access, 'POST', '/notes'))[0], 200)

      const reading = await it.allow(client, form, readOnly)
      for (const { access } of [reading, await it.refreshed(client, reading.refresh)]) {
        for (const [method, url, status] of looking)
          t.equal((await it.http(access, method, url))[0], status, `${method} ${url}`)
        for (const [method, url] of changing)
          t.strictSame(
            await it.http(access, method, url),
            [
              403,
              undefined,
              JSON.stringify(
                url === '/open' ? { error: 'forbidden', message: isReadOnly } : { error: isReadOnly },
              ),
            ],
            `${method} ${url}`,
          )
        t.strictSame(await it.listed(access), ['notes_index', 'notes_search', 'open_index'])
        for (const tool of ['notes_create', 'notes_seen', 'open_visit']) {
          const [status, asked, text] = await it.call(access, tool)
          t.strictSame([status, asked, text.split('\n').at(-1)], [200, undefined, isReadOnly], tool)
        }
        t.equal((await it.call(access, 'notes_search'))[2], '[]')
      }
      t.equal(
        (await it.http(whole.access, 'POST', '/notes'))[0],
        200,
        'another grant of the client is what it was',
      )
      const { body } = await it.browser.get('/auth/connections')
      t.notMatch(body, 'Read only', 'one of its connections is not')
    },
  )
}

t.test(
  'grants: more scopes do not help a connection that is read only, and a new consent changes it',
  async (t) => {
    const it = await deploy(t, 'first', 'sqlite::memory:')
    const client = await newClient(it)
    const { access } = await it.allow(client, await it.page(client, 'notes:read'), readOnly)
    t.strictSame((await it.http(access, 'POST', '/notes')).slice(0, 2), [403, undefined])
    t.match((await it.browser.get('/auth/connections')).body, '<dt>Read only</dt>')
    const again = await it.page(client, 'notes:read notes:write')
    t.match(
      again.body,
      'name="read_only" value="on" data-implies="" checked>',
      'it stays so unless somebody unticks it',
    )
    const more = await it.allow(client, again)
    const all = await it.allow(client, again, { read_only: 'on', 'allow:notes:write': 'on' })
    t.equal((await it.http(all.access, 'POST', '/notes'))[0], 403)
    t.equal((await it.http(more.access, 'POST', '/notes'))[0], 200)
  },
)

t.test('grants: a page that asks again keeps the tick as it was sent', async (t) => {
  const it = await deploy(t, 'first', 'sqlite::memory:')
  const client = await newClient(it)
  const { hidden } = await it.page(client)
  const { body } = await it.browser.submit('/oauth/authorize', { ...hidden, ...readOnly, decision: 'allow' })
  t.match(body, 'Nothing was ticked.')
  t.match(body, 'name="read_only" value="on" data-implies="" checked>')
})

/** What came to the scopes of a client that was connected before. */
async function grow(t: Deployed, access: string): Promise<readonly unknown[]> {
  return [
    await t.http(access, 'POST', '/notes'),
    await t.http(access, 'GET', '/notes/count'),
    await t.http(access, 'DELETE', '/notes'),
    await t.http(access, 'POST', '/notes/archive'),
    await t.http(access, 'PUT', '/notes/hidden'),
  ].map(([status, asked, body]) => [status, asked, status === 403 ? JSON.parse(body) : null])
}

const told = { error: isNew }

for (const [engine, fresh] of Object.entries(engines)) {
  t.test(
    `${engine}, grants: what joins a scope is asked for once, shown on the page, and works after that`,
    async (t) => {
      const url = await fresh()
      const before = await deploy(t, 'first', url)
      const client = await newClient(before)
      const old = await before.allow(client, await before.page(client))
      const form = await before.page(client)
      const after = await deploy(t, 'second', url)
      t.strictSame(await grow(after, old.access), [
        [200, undefined, null],
        [200, undefined, null],
        [403, challenge('notes:write'), { error: 'insufficient_scope' }],
        [403, undefined, told],
        [403, undefined, told],
      ])
      const { access } = await after.refreshed(client, old.refresh)
      t.strictSame((await grow(after, access))[2], [403, undefined, told], 'a refresh asks nobody')
      t.equal(
        (await before.http(access, 'POST', '/notes/archive'))[0],
        200,
        'the version before knows no more',
      )
      t.match(await after.listed(access), [
        'notes_add',
        'notes_archive',
        'notes_count',
        'notes_index',
        'notes_remove',
      ])
      const [status, asked, text] = await after.call(access, 'notes_remove')
      t.strictSame([status, asked, text.split('\n').at(-1)], [200, undefined, isNew])

      const unusable = await after.browser.submit('/oauth/authorize', {
        ...form.hidden,
        decision: 'allow',
        'allow:notes:write': 'on',
      })
      t.match(unusable.body, 'Please answer again.', 'a page of the version before showed less')
      const page = await after.page(client)
      t.strictSame(newOn(page), ['Archives a note.', 'Deletes &lt;all&gt; notes.', 'PUT /notes/hidden'])
      const fresher = await after.allow(client, page)
      t.strictSame(await grow(after, fresher.access), Array(5).fill([200, undefined, null]))
      t.strictSame(newOn(await after.page(client)), [], 'nothing is new any more')
      t.strictSame((await grow(after, access))[2], [403, undefined, told], 'the old grant is what it was')
    },
  )

  t.test(`${engine}, grants: the endpoint challenges once for a tool that joined a scope`, async (t) => {
    const url = await fresh()
    const before = await deploy(t, 'first', url)
    const client = await newClient(before)
    const { access } = await before.allow(client, await before.page(client))
    const after = await deploy(t, 'second', url)
    t.strictSame(await after.call(access, 'notes_archive'), [
      403,
      challenge('notes:read notes:write', '/mcp'),
      '',
    ])
    t.equal((await after.call(access, 'notes_archive'))[0], 200)
    t.equal((await after.call(access, 'notes_add'))[2], '{"added":1}')
  })

  t.test(
    `${engine}, grants: those of before cover what their scopes cover at the first start with this`,
    async (t) => {
      const url = await fresh()
      const before = await deploy(t, 'first', url)
      const client = await newClient(before)
      const { access } = await before.allow(client, await before.page(client))
      await sql`update acmcp_grants set surface = null`.execute(before.app.application.store.database)
      t.equal((await before.http(access, 'POST', '/notes'))[0], 200)
      const after = await deploy(t, 'second', url)
      t.strictSame(
        (await grow(after, access)).map((answer) => Object(answer)[0]),
        [200, 200, 403, 403, 403],
      )
      t.equal(newOn(await after.page(client)).length, 3)
    },
  )
}

t.test(
  'grants: cover: scopes, and a token for whom nobody was shown a page, go by scopes alone',
  async (t) => {
    const url = `sqlite:${temporaryFolder()}/notes.db`
    const before = await deploy(t, 'first', url)
    const client = await newClient(before)
    const old = await before.allow(client, await before.page(client))
    const own = await before.app.application.developmentToken('dev:developer')
    const by = await deploy(t, 'second', url, { grants: { cover: 'scopes' } })
    t.strictSame(await grow(by, old.access), Array(5).fill([200, undefined, null]))
    t.strictSame(newOn(await by.page(client)), [])
    const after = await deploy(t, 'second', url)
    t.strictSame(await grow(after, own.accessToken), Array(5).fill([200, undefined, null]))
    t.equal((await grow(after, old.access)).length, 5)
  },
)

t.test('grants: without scopes the form is what it was', async (t) => {
  const it = await deploy(t, 'first', 'sqlite::memory:', { scopes: {} })
  const { body } = await it.browser.get(`/oauth/authorize?${new URLSearchParams({ x: 'y' })}`)
  t.notMatch(body, 'read_only')
  const token = it.app.accessToken(undefined, { readOnly: true })
  await t.rejects(token, {
    message: 'no scopes are declared: the consent page has no tick that says read only',
  })
})
