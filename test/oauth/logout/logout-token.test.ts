/** Logout tokens: every wrong one has its own reason in the log, and one answer. Source: OpenID Connect Back-Channel Logout, 2.4 to 2.8;
 *  RFC 8725. */

import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createAuthorizationServer } from '../../../runtime/oauth/server.ts'
import { sidHash } from '../../../runtime/oauth/session.ts'
import { StoreUnavailable } from '../../../runtime/store/store.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { openStore } from '../../support/whole-store.ts'
import { caller, jsonOf, oauthError, seen, start } from '../support/harness.ts'
import { header, logoutEvent, logoutPath, logoutWorld } from '../support/logout.ts'
import { jwkOf, jwt, p256, seconds } from '../support/machine.ts'

const refused = oauthError('invalid_request', 'the logout token is not valid')
const far = 'x'.repeat(256)

t.test('logout tokens: wrong tokens, each with its reason; none is used up', async (t) => {
  const w = await logoutWorld(t)
  const { key } = w
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const payload = w.token
  const headed = (changes: object): string => jwt(w.claims(), key, { ...header, ...changes })
  const parts = (alg: unknown): string => headed({ alg }).split('.').slice(0, 2).join('.')
  const confused = (secret: string | KeyObject): string =>
    `${parts('HS256')}.${createHmac('sha256', secret).update(parts('HS256')).digest('base64url')}`
  const twice = (name: string, value: unknown): string =>
    jwt(JSON.stringify(w.claims()).replace('{', `{"${name}":${JSON.stringify(value)},`), key, header)
  const spki = String(key.publicKey.export({ format: 'pem', type: 'spki' }))
  const wrong: readonly (readonly [what: string, reason: string, sent: string])[] = [
    ['nothing', 'malformed', ''],
    ['no JWT', 'malformed', 'a.b'],
    ['padding', 'malformed', `${payload()}=`],
    ['too long', 'malformed', payload({ more: 'x'.repeat(9000) })],
    ['no JSON', 'malformed', jwt('{', key, header)],
    ['a list', 'malformed', jwt([w.claims()], key, header)],
    ['encrypted', 'malformed', `${payload()}.a.b`],
    ['alg none', 'alg', `${parts('none')}.`],
    ['alg missing', 'alg', `${parts(undefined)}.`],
    ['alg HS256, with the public key', 'alg', confused(spki)],
    ['alg HS256, with the client secret', 'alg', confused('secret')],
    ['alg HS256, with the JWK', 'alg', confused(JSON.stringify(jwkOf(key)))],
    ['alg as a list', 'alg', headed({ alg: ['ES256'] })],
    ['alg of another kind of key', 'unknown_key', headed({ alg: 'PS256' })],
    ['typ of an access token', 'typ', headed({ typ: 'at+jwt' })],
    ['typ as a list', 'typ', headed({ typ: ['logout+jwt'] })],
    ['crit', 'crit', headed({ crit: ['b64'], b64: false })],
    ['a kid that is not there', 'unknown_key', headed({ kid: 'k2' })],
    ['a kid that is no text', 'unknown_key', headed({ kid: 1 })],
    ['another key', 'signature', jwt(w.claims(), p256(), header)],
    ['a signature of zeros', 'signature', payload().replace(/\.[^.]*$/, `.${'A'.repeat(86)}`)],
    ['no signature', 'signature', `${parts('ES256')}.`],
    ['its own key in the header', 'signature', ownKey()],
    ['iss missing', 'iss', payload({ iss: undefined })],
    ['iss of another', 'iss', payload({ iss: 'https://evil.example' })],
    ['iss with a slash', 'iss', payload({ iss: `${w.issuer.issuer}/` })],
    ['iss as a list', 'iss', payload({ iss: [w.issuer.issuer] })],
    ['iss twice', 'duplicate', twice('iss', 'https://evil.example')],
    ['aud missing', 'aud', payload({ aud: undefined })],
    ['aud of another', 'aud', payload({ aud: 'them' })],
    ['aud for two', 'aud', payload({ aud: ['us', 'them'] })],
    ['aud for nobody', 'aud', payload({ aud: [] })],
    ['aud in a list in a list', 'aud', payload({ aud: [['us']] })],
    ['aud twice', 'duplicate', twice('aud', 'them')],
    ['iat missing', 'iat', payload({ iat: undefined })],
    ['iat as a text', 'iat', payload({ iat: String(seconds) })],
    ['iat as a list', 'iat', payload({ iat: [seconds] })],
    ['iat in the future', 'iat', payload({ iat: seconds + 61, exp: seconds + 120 })],
    ['iat long ago', 'iat', payload({ iat: seconds - 360 })],
    ['iat twice', 'duplicate', twice('iat', seconds)],
    ['exp missing', 'exp', payload({ exp: undefined })],
    ['exp as a list', 'exp', payload({ exp: [seconds + 60] })],
    ['expired', 'exp', payload({ iat: seconds - 120, exp: seconds - 60 })],
    ['the end before the beginning', 'exp', payload({ iat: seconds, exp: seconds })],
    ['exp twice', 'duplicate', twice('exp', 1)],
    ['nbf in the future', 'nbf', payload({ nbf: seconds + 61 })],
    ['nbf as a text', 'nbf', payload({ nbf: '0' })],
    ['events missing', 'events', payload({ events: undefined })],
    ['events as a list', 'events', payload({ events: [logoutEvent] })],
    ['events as a text', 'events', payload({ events: logoutEvent })],
    ['events without the event', 'events', payload({ events: {} })],
    ['another event', 'events', payload({ events: { 'https://x.example/event': {} } })],
    ['the event as null', 'events', payload({ events: { [logoutEvent]: null } })],
    ['the event as true', 'events', payload({ events: { [logoutEvent]: true } })],
    ['the event as a list', 'events', payload({ events: { [logoutEvent]: [] } })],
    ['events twice', 'duplicate', twice('events', {})],
    ['a nonce: an ID token', 'nonce', payload({ nonce: 'n' })],
    ['an empty nonce', 'nonce', payload({ nonce: '' })],
    ['a nonce that is null', 'nonce', payload({ nonce: null })],
    ['neither sub nor sid', 'nobody', payload({ sub: undefined, sid: undefined })],
    ['sub empty', 'sub', payload({ sub: '' })],
    ['sub as a list', 'sub', payload({ sub: ['uid-1'] })],
    ['sub too long', 'sub', payload({ sub: far })],
    ['sub with a NUL', 'sub', payload({ sub: 'uid-1\0' })],
    ['sub twice', 'duplicate', twice('sub', 'uid-2')],
    ['sid empty', 'sid', payload({ sid: '' })],
    ['sid as a number', 'sid', payload({ sid: 7 })],
    ['sid as a list', 'sid', payload({ sid: ['session-1'] })],
    ['sid that is null', 'sid', payload({ sid: null })],
    ['sid twice', 'duplicate', twice('sid', 'session-2')],
    ['jti missing', 'jti', payload({ jti: undefined })],
    ['jti empty', 'jti', payload({ jti: '' })],
    ['jti as a list', 'jti', payload({ jti: ['a'] })],
    ['jti too long', 'jti', payload({ jti: far })],
    ['jti twice', 'duplicate', twice('jti', 'a')],
    ['alg twice', 'duplicate', jwt(w.claims(), key, '{"alg":"none","alg":"ES256","kid":"logout"}')],
    ['a key for encryption', 'unknown_key', encryptionKey()],
    ['a client assertion', 'events', jwt(w.claims({ events: undefined, sid: undefined }), key, header)],
  ]
  function ownKey(): string {
    const own = p256()
    return jwt(w.claims(), own, { ...header, jwk: jwkOf(own), jku: 'https://evil.example' })
  }
  function encryptionKey(): string {
    w.issuer.keys = [...w.issuer.keys, { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'enc', use: 'enc' }]
    const signed = jwt(w.claims(), key, { alg: 'RS256', kid: 'enc' }).split('.').slice(0, 2).join('.')
    return `${signed}.${sign('sha256', Buffer.from(signed), rsa.privateKey).toString('base64url')}`
  }
  await w.store.saveUser({ id: 'acme:uid-1', name: 'Ada', email: null })
  await w.store.writeSession('s', { user_id: 'acme:uid-1' }, w.clock.now + 1000)
  for (const [what, reason, sent] of wrong) {
    const answer = await w.post(sent)
    t.strictSame([answer.headers['cache-control'], seen(answer)], ['no-store', refused], what)
    t.strictSame(w.reasons(), [reason], what)
  }
  t.not(await w.store.readSession('s'), null, 'nobody was signed out')
  t.strictSame([w.rows, w.told], [[], []])
  const fine = payload({ jti: 'once' })
  t.strictSame(await w.post(fine), { status: 200, headers: { 'cache-control': 'no-store' }, body: null })
  t.strictSame([await w.store.readSession('s'), w.reasons()], [null, []])
  t.strictSame([seen(await w.post(fine)), w.reasons()], [refused, ['jti_replayed']])
  w.clock.now += 300_000
  t.strictSame(
    [seen(await w.post(fine)), w.reasons()],
    [refused, ['exp']],
    'its end comes before the jti is forgotten',
  )
})

t.test('logout tokens: what providers write, and clocks that differ, pass', async (t) => {
  const w = await logoutWorld(t)
  const { typ: _, ...untyped } = header
  const fine: readonly (readonly [what: string, sent: string])[] = [
    ['aud in a list', w.token({ aud: ['us'] })],
    ['no typ', jwt(w.claims(), w.key, untyped)],
    ['typ JWT', jwt(w.claims(), w.key, { ...header, typ: 'JWT' })],
    ['its full media type', jwt(w.claims(), w.key, { ...header, typ: 'application/logout+jwt' })],
    ['no kid', jwt(w.claims(), w.key, { alg: 'ES256' })],
    ['sub alone', w.token({ sid: undefined })],
    ['sid alone', w.token({ sub: undefined })],
    ['a clock a minute ahead', w.token({ iat: seconds + 60, exp: seconds + 180 })],
    ['a clock a minute behind', w.token({ iat: seconds - 170, exp: seconds - 50 })],
    [
      'more events, and data of ours',
      w.token({ events: { [logoutEvent]: { a: 1 }, 'https://x.example': 1 } }),
    ],
    ['somebody who was never here', w.token({ sub: 'nobody', sid: 'none' })],
  ]
  for (const [what, sent] of fine) t.equal((await w.post(sent)).status, 200, what)
  t.strictSame([w.reasons(), w.rows], [[], []])
})

t.test(
  'the request: a form with one token and nothing else, at a provider that is configured to',
  async (t) => {
    const w = await logoutWorld(t)
    const token = w.token()
    const form = { logout_token: token }
    const send = async (call: object, url = logoutPath): Promise<unknown> => {
      const answer = await w.call('POST', url, call)
      return [seen(answer), w.reasons()]
    }
    const wrong = [refused, ['request']]
    t.strictSame(await send({}), wrong, 'nothing')
    t.strictSame(await send({ raw: JSON.stringify(form), contentType: 'application/json' }), wrong)
    t.strictSame(await send({ raw: `logout_token=${token}`, contentType: null }), wrong)
    t.strictSame(
      await send({ raw: `logout_token=${token}&logout_token=${token}`, contentType: formType }),
      wrong,
    )
    t.strictSame(await send({ form: { ...form, more: 'x'.repeat(33_000) } }), wrong)
    t.strictSame(await send({ form: { ...form, more: 'a\0b' } }), wrong)
    t.strictSame(await send({ form }, `${logoutPath}?a=b`), wrong)
    t.strictSame(await send({}, `${logoutPath}?logout_token=${token}`), wrong)
    for (const name of ['other', 'nobody', 'dev', 'constructor', '__proto__'])
      t.strictSame(
        seen(await w.call('POST', `/oauth/backchannel-logout/${name}`, { form })),
        oauthError('invalid_request', 'unknown provider', 404),
      )
    t.equal((await w.post(token)).status, 200, 'all this has not used it up')
    const off = await logoutWorld(t, { providers: {} })
    await t.rejects(off.post(token), /no endpoint for POST/, 'without the setting there is no address')
  },
)

const formType = 'application/x-www-form-urlencoded'

t.test('3,000 tokens altered at random: 400, none accepted, nothing fails', async (t) => {
  const w = await logoutWorld(t)
  const { fuzzLogoutTokens } = await import('../support/fuzz-logout.ts')
  t.strictSame(await fuzzLogoutTokens(w, { count: 3000, seed: 7 }), { 400: 3000 })
  t.equal((await w.post(w.token())).status, 200)
  t.notMatch(w.logged.join('\n'), 'authorization server failed')
})

t.test(
  'keys: a new one is found, an outage is told once, refused as every token is, and mends by itself',
  async (t) => {
    const w = await logoutWorld(t)
    w.issuer.faults.set('/jwks', (_request, response) => response.writeHead(503).end())
    t.strictSame([seen(await w.post(w.token())), await w.post(w.token()).then(jsonOf)], [refused, refused[1]])
    const told = w.logged.splice(0).filter((line) => line.includes('the keys of the provider'))
    t.strictSame(told, [
      'the keys of the provider cannot be had {"provider":"acme","reason":"the answer is 503"}',
    ])
    w.issuer.faults.clear()
    w.clock.now += 60_000
    t.equal((await w.post(w.token())).status, 200)
    t.match(w.logged.splice(0).join(), 'can be had again')
    const next = p256()
    w.issuer.keys = [jwkOf(next, { kid: 'next' })]
    const signed = (): string =>
      jwt(w.claims({ iat: w.clock.now / 1000, exp: w.clock.now / 1000 + 60 }), next, {
        ...header,
        kid: 'next',
      })
    t.equal((await w.post(signed())).status, 400, 'asked a moment ago')
    w.clock.now += 60_000
    t.equal((await w.post(signed())).status, 200)
    w.clock.now += 5 * 60_000
    const old = w.claims({ iat: w.clock.now / 1000, exp: w.clock.now / 1000 + 60 })
    t.equal((await w.post(jwt(old, w.key, header))).status, 400, 'a key that is published no more')
  },
)

t.test(
  'one store: a token that one instance took is refused by the other; of many at once none fails',
  async (t) => {
    const w = await logoutWorld(t)
    const other = caller(createAuthorizationServer(w.options, w.parts).endpoints)
    const elsewhere = async (token: string): Promise<number> =>
      (await other('POST', logoutPath, { form: { logout_token: token } })).status
    const token = w.token()
    t.strictSame([(await w.post(token)).status, await elsewhere(token)], [200, 400])
    t.strictSame(w.reasons(), ['jti_replayed'])
    const raced = w.token()
    const statuses = await Promise.all(
      [1, 2, 3, 4].map((at) => (at % 2 ? elsewhere(raced) : w.post(raced).then((a) => a.status))),
    )
    t.strictSame(statuses.filter((status) => status === 200).length, 1)
  },
)

t.test('a store that is away is 503, and the same token ends the session when it is back', async (t) => {
  const data = join(temporaryFolder(), 'data')
  mkdirSync(data)
  const options = {
    url: `sqlite:${join(data, 'acmcp.db')}`,
    clock: () => start,
    migrations: {},
    migrate: 'apply',
  } as const
  const store = await openStore(options)
  t.teardown(() => store.close())
  const w = await logoutWorld(t, { store, logout: { revokeGrants: true } })
  await store.writeSession('s', { user_id: 'acme:uid-1' }, start + 1000)
  const token = w.token()
  renameSync(data, `${data}-away`)
  const answer = await w.post(token)
  renameSync(`${data}-away`, data)
  t.strictSame([answer.status, jsonOf(answer).error], [503, 'temporarily_unavailable'])
  t.not(await store.readSession('s'), null)
  t.equal((await w.post(token)).status, 200)
  t.equal(await store.readSession('s'), null)
})

t.test('revokeGrants: a token that names a session alone ends connections when it comes again', async (t) => {
  let isAway = false
  const store = await openStore({
    ...{ url: 'sqlite::memory:', clock: () => start, migrations: {}, migrate: 'apply' },
  })
  t.teardown(() => store.close())
  const faulty: typeof store = Object.assign(Object.create(store), {
    revokeGrants: (...asked: Parameters<typeof store.revokeGrants>) =>
      isAway ? Promise.reject(new StoreUnavailable()) : store.revokeGrants(...asked),
  })
  const w = await logoutWorld(t, { store: faulty, logout: { revokeGrants: true } })
  await store.saveUser({ id: 'acme:uid-1', name: 'Ada', email: null })
  await store.writeSession(
    's',
    { user_id: 'acme:uid-1', sid_hash: sidHash('acme', 'session-1') },
    start + 1000,
  )
  await store.issueCode(
    { id: 'g', userId: 'acme:uid-1', clientId: 'c', scope: 'api', resource: '', allowed: null },
    { jti: 'code', expiresAt: start + 60_000 },
  )
  const token = w.token({ sub: undefined })
  t.not(await store.findUserOfToken('acme:uid-1', 'code'), null)
  isAway = true
  t.equal((await w.post(token)).status, 503)
  isAway = false
  t.equal((await w.post(token)).status, 200)
  t.equal(await store.readSession('s'), null)
  t.equal(await store.findUserOfToken('acme:uid-1', 'code'), null)
})
