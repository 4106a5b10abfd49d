/** `acmcp grants`, `clients`, `users` and `sessions`, on both engines. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { tableLines } from '../../../cli/terminal/table.ts'
import type { Store } from '../../../runtime/store/store.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { openStore } from '../../support/whole-store.ts'
import { acmcpHere } from '../support/here.ts'

const busSecret = 'the secret of the instances is long enough'

const folder = mkdtempSync(join(tmpdir(), 'acmcp-access-'))
for (const name of ['.acmcp', 'generated']) symlinkSync(join(process.cwd(), name), join(folder, name))
t.teardown(() => rmSync(folder, { recursive: true }))

interface Ran {
  readonly code: number | null
  readonly out: readonly string[]
  readonly err: readonly string[]
}

/** As a pipe reads it. */
async function acmcp(url: string, words: string, cwd = folder): Promise<Ran> {
  const env = { DATABASE_URL: url, SESSION_SECRET: busSecret }
  const { status, stdout, stderr } = await acmcpHere(cwd, env, ...words.split(' '))
  return { code: status, out: linesOf(stdout), err: linesOf(stderr) }
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.slice(0, -1).split('\n'))

const began = Date.parse('2026-11-01T10:00:00Z')
const farMs = 365 * 86_400_000

const ada = { id: 'dev:ada', name: 'Ada', email: 'ada@example.org' }
const ben = { id: 'dev:ben', name: 'Ben\u001b[31m\nroot', email: null }

/** Ada is connected with both clients, Ben with one, and with a code that nobody redeemed. */
async function filled(store: Store, tick: () => void): Promise<void> {
  await store.saveSignIn(ada, null, began)
  await store.saveUser(ben) // who has a token and never signed in
  for (const [id, name] of [
    ['agent', 'Agent'],
    ['editor', null],
  ] as const) {
    tick()
    const client = { id, name, redirectUris: ['http://127.0.0.1/cb'], grantTypes: ['authorization_code'] }
    await store.saveClient({ ...client, responseTypes: ['code'] })
  }
  const connect = async (id: string, userId: string, clientId: string, scope: string): Promise<void> => {
    tick()
    const allowed = scope === 'api' ? null : scope.split(' ')
    await store.issueCode(
      { id, userId, clientId, scope, resource: '', allowed },
      { jti: id, expiresAt: began + farMs },
    )
  }
  const redeem = (id: string): Promise<unknown> =>
    store.redeemCode(id, {
      access: { jti: `a ${id}`, expiresAt: began + farMs },
      refresh: { jti: `r ${id}`, expiresAt: began + farMs },
    })
  await connect('g1', ada.id, 'agent', 'notes:read notes:write')
  await connect('g2', ada.id, 'editor', 'api')
  await connect('g3', ben.id, 'agent', 'api')
  await connect('g4', ben.id, 'editor', 'api')
  for (const id of ['g1', 'g2', 'g3']) await redeem(id)
  await store.writeSession('s1', { user_id: ada.id, theme: 'dark' }, began + farMs)
  await store.writeSession('s2', { user_id: ada.id }, began + farMs)
  await store.writeSession('s3', { user_id: ben.id }, began + farMs)
  await store.writeSession('s4', {}, began + farMs)
}

async function scenario(t: Test, url: string): Promise<void> {
  let now = began
  const migrations = { '001_notes': { up: async () => {} } }
  const store = await openStore({ url, clock: () => now, migrations, migrate: 'apply' })
  t.teardown(() => store.close())
  await filled(store, () => {
    now += 1000
  })
  const reported: unknown[] = []
  const looks: (() => Promise<void>)[] = []
  const bus = await store.joinBus(
    (_everyMs, work) => {
      looks.push(work)
      return async () => {}
    },
    [busSecret],
  )
  t.teardown(() => bus.close())
  bus.onGap(() => void reported.push('anything'))
  bus.subscribe('revoked', (userId) => void reported.push(userId))
  const heading = 'GRANT\tUSER\tCLIENT\tNAME\tSCOPE\tKIND\tSINCE\tLAST USED'
  const rows = [
    'g1\tdev:ada\tagent\tAgent\tnotes:read notes:write\t\t2026-11-01T10:00:03.000Z\t',
    'g2\tdev:ada\teditor\t\tapi\t\t2026-11-01T10:00:04.000Z\t',
    'g3\tdev:ben\tagent\tAgent\tapi\t\t2026-11-01T10:00:05.000Z\t',
  ] as const

  t.strictSame(await acmcp(url, 'grants list'), {
    code: 0,
    out: [heading, ...rows],
    err: [],
  })
  const ofBen = await acmcp(url, `grants list --user ${ben.id} --client agent`)
  t.strictSame(ofBen.out, [heading, rows[2]])
  const asJson = await acmcp(url, `grants list --json --user ${ada.id} --client agent`)
  t.strictSame(
    asJson.out.map((line) => JSON.parse(line)),
    [
      {
        grants: [
          {
            grantId: 'g1',
            user: ada,
            client: { id: 'agent', name: 'Agent' },
            scope: 'notes:read notes:write',
            allowed: ['notes:read', 'notes:write'],
            readOnly: false,
            kind: null,
            connectedAt: '2026-11-01T10:00:03.000Z',
            lastUsedAt: null,
          },
        ],
      },
    ],
  )
  t.strictSame((await acmcp(url, 'clients list')).out, [
    'CLIENT\tNAME\tCONNECTIONS\tREGISTERED\tLAST USED',
    'agent\tAgent\t2\t2026-11-01T10:00:01.000Z\t2026-11-01T10:00:03.000Z',
    'editor\t\t1\t2026-11-01T10:00:02.000Z\t2026-11-01T10:00:04.000Z',
  ])
  t.strictSame(
    (await acmcp(url, 'users list')).out,
    [
      'USER\tNAME\tE-MAIL\tCONNECTIONS\tSIGNED IN\tBLOCKED',
      'dev:ada\tAda\tada@example.org\t2\t2026-11-01T10:00:00.000Z\t',
      'dev:ben\tBen?[31m?root\t\t1\t\t',
    ],
    'a name is no command to the terminal, and no line',
  )

  const more = 'acmcp: there are more: these are the first 1; --limit lists more'
  t.strictSame(await acmcp(url, `grants list --limit 1 --user ${ada.id}`), {
    code: 0,
    out: [heading, rows[0]],
    err: [more],
  })
  const firstOf = async (kind: 'clients' | 'users'): Promise<unknown> => {
    const { out, err } = await acmcp(url, `${kind} list --limit 1 --json`)
    return [out.map((line) => JSON.parse(line)), err]
  }
  t.match(await firstOf('clients'), [[{ clients: { 0: { id: 'agent' }, length: 1 }, more: true }], [more]])
  t.match(await firstOf('users'), [[{ users: { 0: { id: ada.id }, length: 1 }, more: true }], [more]])

  const unnamed = await acmcp(url, 'grants revoke')
  t.strictSame(unnamed, { code: 2, out: [], err: ['acmcp: say which: a grant, --user or --client'] })
  const nothing = {
    code: 1,
    out: [heading],
    err: ['acmcp: no such connection works: there was nothing to revoke'],
  }
  t.strictSame(await acmcp(url, 'grants revoke g9'), nothing)
  t.strictSame(await acmcp(url, `grants revoke g1 --user ${ben.id}`), nothing, 'of Ben')
  t.strictSame(await acmcp(url, 'grants revoke g1'), {
    code: 0,
    out: [heading, rows[0]],
    err: [],
  })
  t.strictSame(await store.findUserOfToken(ada.id, 'a g1'), null, 'its token works no more')
  t.strictSame(await acmcp(url, 'grants revoke g1'), nothing, 'only once')

  t.strictSame(await acmcp(url, 'clients remove nobody'), {
    code: 1,
    out: [],
    err: ['acmcp: there is no client nobody'],
  })
  t.strictSame((await acmcp(url, 'clients remove agent')).out, [heading, rows[2]])
  t.equal(await store.findClient('agent'), null)
  t.strictSame(await store.findUserOfToken(ben.id, 'a g3'), null)
  t.strictSame(
    await store.redeemCode('g4', {
      access: { jti: 'x', expiresAt: now },
      refresh: { jti: 'y', expiresAt: now },
    }),
    {
      kind: 'redeemed',
      grantId: 'g4',
    },
    "another client's code is not touched",
  )

  t.strictSame(await acmcp(url, 'sessions revoke dev:nobody'), {
    code: 1,
    out: [],
    err: ['acmcp: there is no user dev:nobody'],
  })
  t.strictSame((await acmcp(url, `sessions revoke ${ada.id}`)).out, ['signed out of 2 browsers'])
  t.strictSame((await acmcp(url, `sessions revoke ${ada.id} --json`)).out, ['{"sessions":0}'])
  const [revoked, ...others] = await store.listAudit({}, 10)
  const by = { event: 'revocation', clientName: 'Agent', client: 'agent', detail: { by: 'operator' } }
  t.match(revoked, { ...by, user: ada.id, grant: 'g1', at: Number })
  t.match(others, [
    { ...by, user: ben.id, grant: 'g3' },
    { ...by, event: 'client-removal', user: null, grant: null },
    { event: 'sign-out', user: ada.id, client: null, detail: { by: 'operator', sessions: 2 } },
  ])
  t.equal(others.length, 3)
  const sessions = await Promise.all(['s1', 's2', 's3', 's4'].map((id) => store.readSession(id)))
  t.strictSame(sessions, [null, null, { user_id: ben.id }, {}])
  if (!store.isShared) {
    for (const look of looks) await look()
    t.strictSame(reported, ['anything'], 'a running server is told to look at everything again')
    return
  }
  while (reported.length < 2) await new Promise((resolve) => bus.subscribe('revoked', resolve))
  t.strictSame(reported, [ada.id, ben.id], 'running instances are told whose access ended')
}

const server = await postgresOrNotice((text) => t.comment(text))

t.test('SQLite', (t) => scenario(t, `sqlite:${join(folder, 'store.db')}`))

if (server !== null) {
  t.test('PostgreSQL', async (t) => scenario(t, await server.freshDatabase()))
  t.teardown(() => server.stop())
}

t.test('a store that is behind is refused in one line', async (t) => {
  const ran = await acmcp(`sqlite:${join(folder, 'new.db')}`, 'users list')
  t.equal(ran.code, 1)
  t.match(ran.err.join('\n'), /^acmcp: the store is behind/)
})

t.test('a build that cannot be loaded keeps nobody from ending access', async (t) => {
  const broken = join(folder, 'broken')
  mkdirSync(join(broken, '.acmcp'), { recursive: true })
  writeFileSync(join(broken, '.acmcp', 'app.mjs'), 'throw new Error("it is half copied")')
  const url = `sqlite:${join(broken, 'store.db')}`
  const store = await openStore({ url, clock: () => began, migrations: {}, migrate: 'apply' })
  t.teardown(() => store.close())
  await filled(store, () => {})
  let reported = 0
  let look = async (): Promise<void> => {}
  const bus = await store.joinBus(
    (_everyMs, work) => {
      look = work
      return async () => {}
    },
    [busSecret],
  )
  t.teardown(() => bus.close())
  bus.onGap(() => {
    reported += 1
  })
  const { code, err } = await acmcp(url, 'grants revoke g1', broken)
  await look()
  const recorded = await store.listAudit({ event: 'revocation' }, 10)
  t.strictSame([code, err, reported, recorded.map(({ grant }) => grant)], [0, [], 1, ['g1']])
})

t.test('a terminal shows as many rows as there are', async (t) => {
  const rows = Array.from({ length: 200_000 }, (_, at) => [String(at), 'x'])
  const lines = tableLines(['USER', 'NAME'], rows, { isTerminal: true, colour: false })
  t.strictSame([lines.length, lines[0], lines[1]], [200_001, 'USER    NAME', '0       x'])
})
