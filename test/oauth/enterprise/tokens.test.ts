/** Tokens by identity assertions: whose they are, what they may, how they end. Source: MCP ext-auth, Enterprise-Managed Authorization, 5;
 *  decisions/oauth.md, Enterprises. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createClientDocuments } from '../../../runtime/capabilities/client-documents/client-documents.ts'
import type { SigningIn } from '../../../runtime/contract/application.ts'
import { attributesOf, SignInRefused } from '../../../runtime/index.ts'
import { profiles } from '../../../runtime/oauth/profile.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import { type Store, StoreUnavailable } from '../../../runtime/store/store.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { openStore } from '../../support/whole-store.ts'
import { openDocumentHost, publish } from '../support/document-host.ts'
import { type EnterpriseWorld, enterpriseWorld, jagHeader } from '../support/enterprise.ts'
import {
  baseUrl,
  newBrowser,
  oauthError,
  payloadOf,
  redirectUri,
  register,
  start,
} from '../support/harness.ts'
import { claims as clientClaims, jwkOf, jwt, p256, seconds } from '../support/machine.ts'

const refused = oauthError('invalid_grant', 'the assertion is not valid')
const notTheClient = oauthError('invalid_client', 'the client assertion is not valid', 401)

/** A token, or fails. */
async function tokenOf(w: EnterpriseWorld, changes: object = {}, more = {}): Promise<string> {
  const [status, body] = await w.ask(w.form(w.jag(changes), more))
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)} ${w.reasons()}`)
  return String(body.access_token)
}

t.test('the answer, the claims, whose it is: the id is that of an interactive sign-in', async (t) => {
  const w = await enterpriseWorld(t)
  const [status, { access_token: token, ...answer }] = await w.ask(
    w.form(w.jag({ name: 'Ada', email: 'ada@x.test', email_verified: true })),
  )
  t.strictSame([status, answer], [200, { token_type: 'Bearer', expires_in: 600, scope: 'api' }])
  const { jti, ...payload } = payloadOf(token)
  t.match(jti, /^[0-9a-f]{32}$/)
  t.strictSame(payload, {
    ...{ typ: 'access', iss: baseUrl, aud: baseUrl, sub: 'okta:00u1', cid: 'ci-bot', scope: 'api' },
    ...{ iat: seconds, exp: seconds + 600 },
  })
  const ada = { id: 'okta:00u1', name: 'Ada', email: 'ada@x.test' }
  t.strictSame(await w.server.userOfAccessToken(String(token)), ada)
  const [grant] = await w.store.listGrants({})
  t.match(grant, { user: ada, client: { id: 'ci-bot' }, scope: 'api', kind: 'enterprise' })
  t.match(await w.server.findAuthInfo(String(token)), {
    ...{ user: ada, subject: ada.id, clientId: 'ci-bot', grantId: grant?.grantId, scopes: ['api'] },
  })
  t.match(w.rows, [
    {
      ...{ event: 'issue', client: 'ci-bot', user: ada.id, grant: grant?.grantId },
      detail: { by: 'enterprise', provider: 'okta' },
    },
  ])
  t.equal(w.rows.length, 1)
  w.clock.now = start + 600_000
  t.equal(await w.server.findAuthInfo(String(token)), null, 'expired')
})

t.test('a user is made of the assertion: name, else nickname, else sub; what is known stays', async (t) => {
  const w = await enterpriseWorld(t)
  const userBy = async (changes: object): Promise<unknown> =>
    w.server.userOfAccessToken(await tokenOf(w, changes))
  const id = 'okta:00u1'
  t.strictSame(await userBy({}), { id, name: '00u1', email: null })
  t.equal((await w.store.findStanding(id))?.signedInAt, null, 'nobody has signed in: grants.signInWithin')
  t.strictSame(await userBy({ email: 'ada@x.test' }), { id, name: '00u1', email: null }, 'not verified')
  const whole = { name: 'Ada', email: 'ada@x.test', email_verified: true }
  t.strictSame(await userBy(whole), { id, name: 'Ada', email: 'ada@x.test' })
  t.strictSame(await userBy({}), { id, name: 'Ada', email: 'ada@x.test' })
  t.strictSame(await userBy({ sub: '00u2', nickname: 'ada' }), { id: 'okta:00u2', name: 'ada', email: null })
  for (const sub of ['x'.repeat(256), 'a\u0000b', 'a\u202eb', '  '])
    t.strictSame([await w.ask(w.form(w.jag({ sub }))), w.reasons()], [refused, ['sub']], JSON.stringify(sub))
})

t.test(
  'an assertion is no sign-in: whoever signed in has done so since then, whatever it brings',
  async (t) => {
    const w = await enterpriseWorld(t)
    const id = 'okta:00u1'
    const signedInAt = start - 86_400_000
    w.clock.now = signedInAt
    await w.store.saveSignIn({ id, name: 'Ada', email: null }, null, signedInAt)
    w.clock.now = start
    for (const changes of [{}, { name: 'Ada L.' }, { email: 'ada@x.test', email_verified: true }]) {
      w.clock.now += 1000
      await tokenOf(w, changes)
      const [listed] = await w.store.listUsers(1)
      t.strictSame(
        [(await w.store.findStanding(id))?.signedInAt, listed?.signedInAt],
        [signedInAt, signedInAt],
      )
    }
    await tokenOf(w, { sub: '00u2' })
    const times = (await w.store.listUsers(10)).map((user) => [user.id, user.signedInAt])
    t.strictSame(times, [
      [id, signedInAt],
      ['okta:00u2', null],
    ])
  },
)

t.test('onSignIn: sees the claims and what is kept, may refuse; what it throws is no token', async (t) => {
  const seen: SigningIn[] = []
  let answer: (signingIn: SigningIn) => object | null = () => ({ groups: ['a'] })
  const forgotten: string[] = []
  const w = await enterpriseWorld(t, {
    onSignIn: async (signingIn) => {
      seen.push(signingIn)
      return answer(signingIn) as never
    },
    onRevoked: (id) => void forgotten.push(id),
  })
  const token = await tokenOf(w, { groups: ['a'] })
  const [first] = seen
  t.match([first?.provider, first?.user], ['okta', { id: 'okta:00u1', name: '00u1', email: null }])
  t.match(first?.claims, { iss: w.okta.issuer, sub: '00u1', client_id: 'ci-bot', groups: ['a'] })
  const user = await w.server.userOfAccessToken(token)
  t.strictSame(user && attributesOf(user), { groups: ['a'] })
  t.strictSame(forgotten, ['okta:00u1'])
  answer = ({ claims, user }) => (claims.groups === undefined ? attributesOf(user) : null)
  await tokenOf(w)
  const kept = await w.store.findUser('okta:00u1')
  t.strictSame(kept && attributesOf(kept), { groups: ['a'] }, 'an assertion without groups')
  answer = () => {
    throw new SignInRefused('no longer here')
  }
  w.rows.length = 0
  t.strictSame([await w.ask(w.form(w.jag())), w.reasons()], [refused, ['refused']])
  t.match(w.rows, [
    { event: 'sign-in', user: 'okta:00u1', detail: { outcome: 'refused', reason: 'no longer here' } },
    { event: 'refusal', client: 'ci-bot', detail: { of: 'identity', reason: 'refused' } },
  ])
  const left = await w.store.findUser('okta:00u1')
  t.equal(left && attributesOf(left), null)
  answer = () => {
    throw new Error('a bug')
  }
  t.strictSame([await w.ask(w.form(w.jag())), w.reasons()], [refused, ['sign_in_failed']])
  answer = () => {
    throw new StoreUnavailable('away', { cause: null })
  }
  t.equal((await w.call('POST', '/oauth/token', { form: w.form(w.jag()) })).status, 503)
})

t.test('what a provider said earlier does not replace what it said later', async (t) => {
  const w = await enterpriseWorld(t, {
    onSignIn: ({ claims }) => ({ groups: claims.groups }) as never,
  })
  const groups = async (): Promise<unknown> => {
    const user = await w.store.findUser('okta:00u1')
    return user && attributesOf(user)
  }
  const [older, newer] = [
    w.jag({ groups: ['admins'], iat: seconds - 60, exp: seconds + 200 }),
    w.jag({ groups: [] }),
  ]
  t.equal((await w.ask(w.form(newer)))[0], 200)
  t.equal((await w.ask(w.form(older)))[0], 200)
  t.strictSame(await groups(), { groups: [] })
})

const declared = createScopes({
  'notes:read': 'read notes',
  'notes:write': { text: 'write notes', implies: ['notes:read'] },
  'notes:admin': { text: 'all notes', sensitive: true, mayHave: (user) => user.id === 'okta:boss' },
})

t.test(
  'scopes: of the assertion, the request, the configuration, the client and the user what all have',
  async (t) => {
    const wide = { 'ci-bot': { scopes: ['notes:write', 'notes:admin'] } }
    const key = p256()
    const worldWith = (entry: object, scopes = wide['ci-bot'].scopes): Promise<EnterpriseWorld> =>
      enterpriseWorld(t, {
        ...{ declared, key, entry },
        clients: { 'ci-bot': { jwks: { keys: [jwkOf(key)] }, scopes } },
      })
    const scopeIn = async (w: EnterpriseWorld, changes: object, scope?: string): Promise<unknown> => {
      const [status, body] = await w.ask(w.form(w.jag(changes), { scope }))
      return status === 200 ? body.scope : [body.error, ...w.reasons()]
    }
    const none = ['invalid_grant', 'scope']
    const boss = { sub: 'boss' }
    const all = await worldWith({})
    t.strictSame(
      [
        await scopeIn(all, {}),
        await scopeIn(all, boss),
        await scopeIn(all, { ...boss, scope: 'notes:admin' }),
        await scopeIn(all, { ...boss, scope: 'api notes:admin' }),
        await scopeIn(all, { ...boss, scope: 'api notes:admin' }, 'notes:read'),
        await scopeIn(all, { scope: 'notes:admin' }),
        await scopeIn(all, { scope: 'notes:admin notes:read' }),
        await scopeIn(all, { scope: 'notes:read' }, 'notes:write'),
        await scopeIn(all, { scope: 'notes:read chat.read' }, 'notes:write x'),
        await scopeIn(all, {}, 'notes:admin'),
        await scopeIn(all, boss, 'notes:admin'),
        await scopeIn(all, { scope: 'chat.read' }),
        await scopeIn(all, {}, 'x'),
      ],
      [
        'notes:read notes:write',
        'notes:read notes:write',
        'notes:admin',
        'notes:read notes:write notes:admin',
        'notes:read',
        none,
        'notes:read',
        'notes:read',
        'notes:read',
        none,
        none, // neither assertion nor configuration names it
        none,
        none,
      ],
    )
    const some = await worldWith({ scopes: ['notes:read', 'notes:admin'] })
    t.strictSame(
      [
        await scopeIn(some, {}),
        await scopeIn(some, boss),
        await scopeIn(some, { ...boss, scope: 'api' }),
        await scopeIn(some, {}, 'notes:write'),
      ],
      ['notes:read', 'notes:read notes:admin', 'notes:read', 'notes:read'],
    )
    const narrow = await worldWith({}, ['notes:read'])
    t.strictSame(
      [await scopeIn(narrow, {}), await scopeIn(narrow, { scope: 'notes:write' })],
      ['notes:read', 'notes:read'],
    )
    const token = await tokenOf(all, { ...boss, scope: 'api notes:admin' })
    t.strictSame((await all.server.findAuthInfo(token))?.scopes, ['notes:read', 'notes:write', 'notes:admin'])
    t.strictSame(
      (await all.store.listUsers(10)).map(({ id }) => id),
      ['okta:00u1', 'okta:boss'],
    )
  },
)

t.test(
  'the grant: one of each user and client, beside one of consent; revoked it ends what is out',
  async (t) => {
    const w = await enterpriseWorld(t)
    const [first, second] = [await tokenOf(w), await tokenOf(w)]
    const other = await tokenOf(w, { sub: '00u2' })
    await w.store.issueCode(
      { id: 'consent', userId: 'okta:00u1', clientId: 'ci-bot', scope: 'api', resource: '', allowed: null },
      { jti: 'c', expiresAt: start + 60_000 },
    )
    await w.store.redeemCode('c', {
      access: { jti: 'a', expiresAt: start + 3_600_000 },
      refresh: { jti: 'r', expiresAt: start + 7_200_000 },
    })
    const third = await tokenOf(w)
    const kinds = async (): Promise<unknown> =>
      (await w.store.listGrants({})).map(({ user, kind }) => `${user.id} ${kind}`).sort()
    t.strictSame(await kinds(), ['okta:00u1 enterprise', 'okta:00u1 null', 'okta:00u2 enterprise'])
    const pageOf = async (userId: string): Promise<string> => {
      const browser = newBrowser()
      browser.set('user_id', userId)
      return String((await w.call('GET', '/auth/connections', { browser })).body)
    }
    t.match(await pageOf('okta:00u2'), /Allowed by<.*your organization/s)
    t.notMatch(await pageOf('okta:00u1'), 'Allowed by', 'they allowed it, too')
    const browser = newBrowser()
    browser.set('user_id', 'okta:00u1')
    await w.call('POST', '/auth/connections', { browser, form: { client_id: 'ci-bot' } })
    const alive = await Promise.all([first, second, third, other].map(w.server.userOfAccessToken))
    t.strictSame(
      alive.map((user) => user?.id ?? null),
      [null, null, null, 'okta:00u2'],
    )
    const again = await tokenOf(w)
    t.not(await w.server.userOfAccessToken(again), null, 'the enterprise decides who comes again')
    await w.call('POST', '/oauth/revoke', { form: { client_id: 'ci-bot', token: again } })
    t.equal(await w.server.userOfAccessToken(again), null)
    t.match(
      w.rows.map(({ event }) => event),
      [...Array(4).fill('issue'), 'revocation', 'revocation', 'issue', 'revocation'],
    )
  },
)

t.test('clients without keys: only where the enterprise takes them, by their id', async (t) => {
  const w = await enterpriseWorld(t)
  const clientId = await register(w)
  const bare = { client_assertion: undefined, client_assertion_type: undefined, client_id: clientId }
  const jag = (): string => w.jag({ client_id: clientId })
  t.strictSame([await w.ask(w.form(jag(), bare)), w.reasons()], [notTheClient, ['public_client']])
  const open = await enterpriseWorld(t, { store: w.store, entry: { allowPublicClients: true } })
  const ask = async (client_id: string, more: object = {}): Promise<unknown> => {
    const [status] = await open.ask(open.form(open.jag({ client_id }), { ...bare, client_id, ...more }))
    return [status, ...open.reasons()]
  }
  t.strictSame(await ask(clientId), [200])
  t.strictSame(await ask(clientId, { client_assertion: 'a.b.c' }), [401, 'public_client'])
  t.strictSame(await ask('who'), [401, 'unknown_client'])
  t.strictSame(await ask('ci-bot'), [401, 'assertion_missing'], 'one that has keys shows them')
  t.strictSame(await ask('acmcp-pages'), [401, 'unknown_client'], 'our own pages ask their user')
  const listed = await enterpriseWorld(t, {
    store: w.store,
    entry: { allowPublicClients: true, clients: ['x'] },
  })
  t.strictSame(
    [(await listed.ask(listed.form(listed.jag({ client_id: clientId }), bare)))[0], listed.reasons()],
    [400, ['client_not_allowed']],
  )
})

t.test('clients with a metadata document: by the keys that it names, and by nothing less', async (t) => {
  const host = await openDocumentHost()
  t.teardown(host.close)
  const key = p256()
  const id = host.url('/client')
  const document = (more: object): void => {
    publish(
      host,
      { client_id: id, redirect_uris: [redirectUri], token_endpoint_auth_method: 'private_key_jwt', ...more },
      { 'cache-control': 'no-store' },
    )
  }
  const clientDocuments = createClientDocuments({
    ...{
      baseUrl,
      mcpPath: '/mcp',
      ownPages: [],
      nativeSchemes: null,
      heldAddresses: new Set(),
      profile: profiles.specification,
      network: host.network,
      allowLoopback: true,
      hasLiveGrant: async () => false,
    },
    ...{ clock: () => start, log: { info: () => {}, warn: () => {}, error: () => {} } },
  })
  const w = await enterpriseWorld(t, { clientDocuments, clients: {}, entry: { allowPublicClients: true } })
  const ask = async (by: typeof key | null): Promise<unknown> => {
    const proof = by === null ? undefined : jwt(clientClaims({ iss: id, sub: id }), by)
    const type = by === null ? { client_assertion_type: undefined } : {}
    const form = w.form(w.jag({ client_id: id }), { client_assertion: proof, client_id: id, ...type })
    return [(await w.ask(form))[0], ...w.reasons()]
  }
  document({ jwks: { keys: [jwkOf(key), { kty: 'oct', k: 'AA' }, 7] } })
  t.strictSame(await ask(key), [200])
  t.strictSame(await ask(p256()), [401, 'signature'])
  t.strictSame(await ask(null), [401, 'assertion_missing'], 'no way around its keys')
  document({ jwks: { keys: [{ ...key.privateKey.export({ format: 'jwk' }) }] } })
  t.strictSame(await ask(key), [401, 'unknown_key'], 'a private key is none')
  document({ jwks: { keys: [jwkOf(key)] } })
  const { answer } = host
  for (const refusing of [
    (response: ServerResponse) => void response.writeHead(503).end(),
    (response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  ]) {
    let fetches = 0
    host.answer = (request, response) => {
      fetches += 1
      if (fetches === 1) refusing(response)
      else answer(request, response)
    }
    t.strictSame(
      [await ask(null), fetches],
      [[401, 'unknown_client'], 1],
      'one failed fetch makes no public client',
    )
  }
  document({})
  t.strictSame(await ask(key), [401, 'unknown_key'])
  document({ jwks_uri: 'http://client.test/jwks' })
  t.strictSame(await ask(key), [401, 'unknown_key'])
  const jwks = host.url('/jwks')
  host.answer = (request, response) => {
    const isKeys = request.url === '/jwks'
    const body = isKeys
      ? { keys: [jwkOf(key)] }
      : {
          client_id: id,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'private_key_jwt',
          jwks_uri: jwks,
        }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  t.strictSame([await ask(key), await ask(key)], [[200], [200]])
  const requests = host.requests.length
  const stranger = w.form(jwt(w.claims({ client_id: host.url('/x') }), key, jagHeader), {
    client_id: host.url('/x'),
  })
  t.equal((await w.ask(stranger))[0], 400)
  t.equal(host.requests.length, requests, 'nothing is fetched for who has no assertion')
})

const replay = async (t: Test, url: string): Promise<void> => {
  const open = (): Promise<Store> => openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' })
  const stores = [await open(), await open()]
  t.teardown(() => Promise.all(stores.map((store) => store.close())))
  const [key, oktaKey] = [p256(), p256()]
  const first = await enterpriseWorld(t, { store: stores[0], key, oktaKey, randomBytes } as never)
  const second = await enterpriseWorld(t, {
    ...{ store: stores[1], key, oktaKey, randomBytes, okta: first.okta },
  } as never)
  const jag = first.jag()
  const statuses = [(await first.ask(first.form(jag)))[0], (await second.ask(second.form(jag)))[0]]
  t.strictSame([statuses, second.reasons()], [[200, 400], ['jti_replayed']])
  for (let round = 0; round < 5; round += 1) {
    const again = first.jag({ sub: `00u${round}` })
    const worlds = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? first : second))
    const all = await Promise.all(worlds.map((w) => w.ask(w.form(again))))
    t.equal(all.filter(([status]) => status === 200).length, 1)
  }
  t.equal((await first.store.listGrants({})).length, 5)
}

t.test('decisions, single use: replayed at the other instance, SQLite', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-enterprise-'))
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
