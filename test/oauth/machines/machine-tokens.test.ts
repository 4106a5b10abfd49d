/** Tokens of clients that act for no user. Source: RFC 6749, 4.4; rules.md, Token claims. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createScopes } from '../../../runtime/scopes.ts'
import type { Store } from '../../../runtime/store/store.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { openStore } from '../../support/whole-store.ts'
import { baseUrl, jsonOf, oauthError, payloadOf, seen, start } from '../support/harness.ts'
import { claims, form, jwt, type MachineWorld, machineWorld, p256, seconds } from '../support/machine.ts'

const ask = async (w: MachineWorld, more: Record<string, string> = {}): Promise<readonly [number, unknown]> =>
  seen(await w.call('POST', '/oauth/token', { form: form(jwt(claims(), w.key), more) }))

const tokenOf = async (w: MachineWorld, more: Record<string, string> = {}): Promise<string> =>
  String(
    jsonOf(await w.call('POST', '/oauth/token', { form: form(jwt(claims(), w.key), more) })).access_token,
  )

t.test('the answer, the claims, whose it is; the user is nobody', async (t) => {
  const rows: unknown[] = []
  const w = await machineWorld(t, {
    auditTrail: {
      record: (row) => void rows.push(row),
      recordDurably: async () => {},
      flush: async () => {},
    },
  })
  const outcome = await w.call('POST', '/oauth/token', {
    form: form(jwt(claims(), w.key), { client_id: 'ci-bot' }),
  })
  const { access_token: token, ...answer } = jsonOf(outcome)
  t.strictSame(answer, { token_type: 'Bearer', expires_in: 600, scope: 'api' })
  t.equal(outcome.headers['cache-control'], 'no-store')
  const { jti, ...payload } = payloadOf(token)
  t.match(jti, /^[0-9a-f]{32}$/)
  t.strictSame(payload, {
    ...{ typ: 'access', iss: baseUrl, aud: baseUrl, sub: 'client:ci-bot', cid: 'ci-bot', scope: 'api' },
    ...{ iat: seconds, exp: seconds + 600 },
  })
  const [grant] = await w.store.listGrants({})
  t.strictSame(await w.server.findAuthInfo(String(token)), {
    ...{
      user: null,
      subject: 'client:ci-bot',
      mayHave: ['api'],
      grantId: grant?.grantId,
      clientId: 'ci-bot',
    },
    ...{ scopes: ['api'], expiresAt: start + 600_000 },
  })
  t.equal(await w.server.userOfAccessToken(String(token)), null)
  t.strictSame(await w.store.listUsers(10), [])
  t.match(rows, [{ event: 'issue', client: 'ci-bot', user: null, grant: grant?.grantId }])
  t.equal(rows.length, 1)
  w.clock.now = start + 600_000
  t.equal(await w.server.findAuthInfo(String(token)), null, 'expired')
})

t.test('a refused assertion stands in the audit, where the client is known', async (t) => {
  const rows: unknown[] = []
  const w = await machineWorld(t, {
    auditTrail: {
      record: (row) => void rows.push(row),
      recordDurably: async () => {},
      flush: async () => {},
    },
  })
  const send = (assertion: string): Promise<unknown> =>
    w.call('POST', '/oauth/token', { form: form(assertion) })
  await send(jwt(claims(), p256()))
  await send(jwt(claims({ iss: 'who', sub: 'who' }), w.key))
  t.match(rows, [
    { event: 'refusal', client: 'ci-bot', user: null, detail: { of: 'client', reason: 'signature' } },
  ])
  t.equal(rows.length, 1, 'anybody can make up a name')
})

t.test('scopes: all of them, some of them, those of api; never more', async (t) => {
  const declared = createScopes({
    'notes:read': 'read notes',
    'notes:write': { text: 'write notes', implies: ['notes:read'] },
    'files:read': 'read files',
  })
  const w = await machineWorld(t, { declared })
  const scopeOf = async (scope: string): Promise<unknown> => {
    const [status, body] = await ask(w, { scope })
    return status === 200 ? Object(body).scope : Object(body).error
  }
  t.strictSame(
    await Promise.all(
      ['', 'notes:write', 'notes:read', 'api', 'files:read', 'notes:read files:read', 'x'].map(scopeOf),
    ),
    [
      ...['notes:write', 'notes:write', 'notes:read', 'notes:read notes:write'],
      ...['invalid_scope', 'invalid_scope', 'invalid_scope'],
    ],
  )
  const scopesOf = async (token: string): Promise<unknown> => (await w.server.findAuthInfo(token))?.scopes
  t.strictSame(await scopesOf(await tokenOf(w)), ['notes:read', 'notes:write'])
  t.strictSame(await scopesOf(await tokenOf(w, { scope: 'notes:read' })), ['notes:read'])
  t.strictSame(await ask(w, { resource: 'https://x.example' }), oauthError('invalid_target'))
  t.equal((await ask(w, { resource: `${baseUrl}/mcp` }))[0], 200)
})

t.test(
  'revoked by the client or an operator: every token of before ends, and the next one is another grant',
  async (t) => {
    const revoked: string[] = []
    const w = await machineWorld(t, { onRevoked: (subject) => void revoked.push(subject) })
    const [first, second] = [await tokenOf(w), await tokenOf(w)]
    t.equal((await w.store.listGrants({})).length, 1)
    t.equal(
      (await w.call('POST', '/oauth/revoke', { form: { client_id: 'ci-bot', token: first } })).status,
      200,
    )
    t.strictSame([await w.server.findAuthInfo(first), await w.server.findAuthInfo(second)], [null, null])
    t.strictSame(revoked, ['client:ci-bot'])
    t.not(await w.server.findAuthInfo(await tokenOf(w)), null)
  },
)

t.test(
  'one that is configured no more, or that our key signed for a client without a row, is none',
  async (t) => {
    const w = await machineWorld(t)
    const token = await tokenOf(w)
    const gone = await machineWorld(t, { store: w.store, clients: {} })
    t.equal(await gone.server.findAuthInfo(token), null)
    await w.store.saveUser({ id: 'client:ci-bot', name: 'x', email: null })
    t.equal((await gone.server.userOfAccessToken(token)) ?? null, null, 'a row of such a name makes no user')
    t.equal(await w.server.userOfAccessToken(token), null)
  },
)

const key = p256()
const replay = async (t: Test, url: string): Promise<void> => {
  const open = (): Promise<Store> => openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' })
  const stores = [await open(), await open()]
  t.teardown(() => Promise.all(stores.map((store) => store.close())))
  const [here, there] = await Promise.all(stores.map((store) => machineWorld(t, { store, key, randomBytes })))
  if (here === undefined || there === undefined) throw new Error('two were opened')
  const sent = { form: form(jwt(claims(), key)) }
  const first = await here.call('POST', '/oauth/token', sent)
  const second = await there.call('POST', '/oauth/token', sent)
  t.strictSame([first.status, second.status, there.reasons()], [200, 401, ['jti_replayed']])
  for (let round = 0; round < 5; round += 1) {
    const again = { form: form(jwt(claims(), key)) }
    const worlds: readonly MachineWorld[] = Array.from({ length: 10 }, (_, at) =>
      at % 2 === 0 ? here : there,
    )
    const all = await Promise.all(worlds.map((w) => w.call('POST', '/oauth/token', again)))
    t.equal(all.filter(({ status }) => status === 200).length, 1)
  }
  const token = String(jsonOf(first).access_token)
  t.not(await there.server.findAuthInfo(token), null)
  t.equal((await here.store.listGrants({})).length, 1)
}

t.test('decisions, single use: replayed at the other instance, SQLite', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-machines-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  await replay(t, `sqlite:${join(folder, 'store.db')}`)
})

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.test('decisions, single use: replayed at the other instance, PostgreSQL', async (t) => {
    await replay(t, await server.freshDatabase())
  })
  t.teardown(() => server.stop())
}
