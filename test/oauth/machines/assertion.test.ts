/** Client assertions: every wrong one has its own reason in the log, and one answer. Source: RFC 7523, 3; RFC 8725. */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import t from 'tap'
import { baseUrl, jsonOf, oauthError, payloadOf, seen, start, world } from '../support/harness.ts'
import { assertionType, claims, form, jwkOf, jwt, machineWorld, p256, seconds } from '../support/machine.ts'

const refused = oauthError('invalid_client', 'the client assertion is not valid', 401)
const far = 'x'.repeat(256)

t.test('decisions, further grants: wrong assertions, each with its reason; none is used up', async (t) => {
  const w = await machineWorld(t)
  const { key } = w
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const payload = (changes: object) => jwt(claims({ ...changes }), key)
  const header = (changes: object) => jwt(claims(), key, { alg: 'ES256', typ: 'JWT', ...changes })
  const unsigned = (alg: unknown) => `${header({ alg }).split('.').slice(0, 2).join('.')}.`
  const good = payload({})
  const spki = key.publicKey.export({ format: 'pem', type: 'spki' })
  const confused = (secret: string | Buffer): string => {
    const text = header({ alg: 'HS256' }).split('.').slice(0, 2).join('.')
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  const twice = (name: string, value: unknown): string =>
    jwt(JSON.stringify(claims()).replace('{', `{"${name}":${JSON.stringify(value)},`), key)
  const wrong: readonly (readonly [what: string, reason: string, sent: string | Record<string, string>])[] = [
    ['none at all', 'assertion_missing', ''],
    ['another type', 'assertion_type', form(good, { client_assertion_type: 'urn:x' })],
    ['no type', 'assertion_type', { grant_type: 'client_credentials', client_assertion: good }],
    ['no JWT', 'malformed', 'a.b'],
    ['padding', 'malformed', `${good}=`],
    ['too long', 'malformed', payload({ more: 'x'.repeat(9000) })],
    ['no JSON', 'malformed', jwt('{', key)],
    ['a list', 'malformed', jwt([claims()], key)],
    ['alg none', 'alg', unsigned('none')],
    ['alg missing', 'alg', unsigned(undefined)],
    ['alg HS256', 'alg', confused(String(spki))],
    ['alg HS256, with the JWK', 'alg', confused(JSON.stringify(jwkOf(key)))],
    ['alg as a list', 'alg', header({ alg: ['ES256'] })],
    ['alg RS256 for a P-256 key', 'unknown_key', header({ alg: 'RS256' })],
    ['another typ', 'typ', header({ typ: 'at+jwt' })],
    ['crit', 'crit', header({ crit: ['b64'], b64: false })],
    ['a kid that is not there', 'unknown_key', header({ kid: 'k2' })],
    ['a kid that is no text', 'unknown_key', header({ kid: 1 })],
    ['another key', 'signature', jwt(claims(), p256())],
    ['a signature of zeros', 'signature', jwt(claims(), key).replace(/\.[^.]*$/, `.${'A'.repeat(86)}`)],
    ['its own key in the header', 'signature', ownKey()],
    ['no signature', 'signature', unsigned('ES256')],
    ['iss missing', 'iss', payload({ iss: undefined })],
    ['iss as a list', 'iss', payload({ iss: ['ci-bot'] })],
    ['iss of nobody', 'unknown_client', payload({ iss: 'who' })],
    ['iss of a name of objects', 'unknown_client', payload({ iss: 'constructor' })],
    ['iss of another than client_id', 'iss', form(payload({ iss: 'who' }), { client_id: 'ci-bot' })],
    ['client_id of nobody', 'unknown_client', form(good, { client_id: 'who' })],
    ['iss twice', 'duplicate', twice('iss', 'who')],
    ['aud twice', 'duplicate', twice('aud', 'https://other.example')],
    ['sub missing', 'sub', payload({ sub: undefined })],
    ['sub of another', 'sub', payload({ sub: 'who' })],
    ['aud missing', 'aud', payload({ aud: undefined })],
    ['aud of another', 'aud', payload({ aud: 'https://other.example' })],
    ['aud with a slash', 'aud', payload({ aud: `${baseUrl}/` })],
    ['aud for two', 'aud', payload({ aud: [baseUrl, 'https://other.example'] })],
    ['aud for nobody', 'aud', payload({ aud: [] })],
    ['exp missing', 'exp', payload({ exp: undefined })],
    ['exp as a text', 'exp', payload({ exp: String(seconds + 60) })],
    ['expired', 'exp', payload({ iat: seconds - 120, exp: seconds - 60 })],
    ['iat missing', 'iat', payload({ iat: undefined })],
    ['iat as a list', 'iat', payload({ iat: [seconds] })],
    ['iat in the future', 'iat', payload({ iat: seconds + 61, exp: seconds + 120 })],
    ['nbf in the future', 'nbf', payload({ nbf: seconds + 61 })],
    ['nbf as a text', 'nbf', payload({ nbf: '0' })],
    ['longer than five minutes', 'lifetime', payload({ exp: seconds + 301 })],
    ['until long after now', 'lifetime', payload({ iat: seconds + 61 - 1, exp: seconds + 361 })],
    ['the end before the beginning', 'lifetime', payload({ iat: seconds + 30, exp: seconds + 30 })],
    ['jti missing', 'jti_missing', payload({ jti: undefined })],
    ['jti empty', 'jti', payload({ jti: '' })],
    ['jti too long', 'jti', payload({ jti: far })],
    ['jti as a number', 'jti', payload({ jti: 7 })],
  ]
  function ownKey(): string {
    const other = p256()
    return jwt(claims(), other, { alg: 'ES256', jwk: jwkOf(other) })
  }
  t.ok(wrong.length >= 20)
  t.equal(rsa.publicKey.asymmetricKeyType, 'rsa')
  for (const [what, reason, sent] of wrong) {
    const body = typeof sent === 'string' ? form(sent) : sent
    const outcome = await w.call('POST', '/oauth/token', { form: body })
    t.strictSame(
      [seen(outcome), outcome.headers['cache-control'], w.reasons()],
      [refused, 'no-store', [reason]],
      what,
    )
  }
  t.equal((await w.call('POST', '/oauth/token', { form: form(good) })).status, 200, 'nothing has used it up')
  t.strictSame(seen(await w.call('POST', '/oauth/token', { form: form(good) })), refused)
  t.strictSame(w.reasons(), ['jti_replayed'])
})

t.test('what is as it may be: both audiences, a minute of skew, every algorithm', async (t) => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const ed = generateKeyPairSync('ed25519')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = p256()
  const keys = [
    jwkOf(key, { kid: 'a', use: 'sig' }),
    jwkOf(ec),
    jwkOf(ed),
    jwkOf(rsa, { key_ops: ['verify'] }),
  ]
  const w = await machineWorld(t, { key, clients: { 'ci-bot': { jwks: { keys }, scopes: ['api'] } } })
  const status = async (assertion: string): Promise<number> =>
    (await w.call('POST', '/oauth/token', { form: form(assertion) })).status
  const good = [
    { aud: baseUrl },
    { aud: `${baseUrl}/oauth/token` },
    { aud: [baseUrl] },
    { iat: seconds + 60, exp: seconds + 360 },
    { iat: seconds - 100, exp: seconds - 59 },
    { nbf: seconds + 60 },
    { jti: 'x'.repeat(255) },
    { extra: { iss: 'x', deep: [{ aud: 1 }] }, text: 'a:"{' },
  ]
  for (const changes of good) t.equal(await status(jwt(claims(changes), key)), 200, JSON.stringify(changes))
  t.equal(await status(jwt(claims(), key, { alg: 'ES256', kid: 'a' })), 200, 'by kid, without typ')
  const signed = (alg: string, make: (text: Buffer) => Buffer): string => {
    const text = jwt(claims(), key, { alg }).split('.').slice(0, 2).join('.')
    return `${text}.${make(Buffer.from(text)).toString('base64url')}`
  }
  const { privateKey } = rsa
  t.equal(await status(signed('RS256', (text) => sign('sha256', text, privateKey))), 200)
  const pss = { key: privateKey, padding: 6, saltLength: 32 }
  t.equal(await status(signed('PS256', (text) => sign('sha256', text, pss))), 200)
  t.equal(await status(signed('EdDSA', (text) => sign(null, text, ed.privateKey))), 200)
  const p1363 = { key: ec.privateKey, dsaEncoding: 'ieee-p1363' } as const
  t.equal(await status(signed('ES384', (text) => sign('sha384', text, p1363))), 200)
})

t.test('a fuzz of 3,000 mutated assertions: none is accepted, no 5xx', async (t) => {
  const w = await machineWorld(t)
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  const values = [null, true, -1, 1e308, '', 'ci-bot', [], {}, [null], seconds + 60, '\u0000', baseUrl]
  const mutate = (): string => {
    const kind = random(4)
    if (kind === 0) {
      const good = jwt(claims(), w.key)
      const at = random(good.length)
      const letter = 'ABCabc019-_.=~'.charAt(random(14))
      return good.charAt(at) === letter ? `${good}.` : `${good.slice(0, at)}${letter}${good.slice(at + 1)}`
    }
    if (kind === 1) return jwt(claims(), w.key).slice(0, random(200))
    const names = kind === 2 ? ['iss', 'sub', 'aud', 'exp', 'iat', 'jti'] : ['alg', 'kid', 'crit']
    const value = values[random(values.length)]
    const name = names[random(names.length)] ?? ''
    const isGood = (name === 'exp' && value === seconds + 60) || (name === 'kid' && value === null)
    const isText = ['iss', 'sub', 'jti'].includes(name) && value === 'ci-bot'
    if (
      isGood ||
      isText ||
      (name === 'aud' && value === baseUrl) ||
      (name === 'jti' && typeof value === 'string')
    )
      return `${jwt(claims(), w.key)}A`
    return kind === 2
      ? jwt(claims({ [name]: value }), w.key)
      : jwt(claims(), w.key, { alg: 'ES256', typ: 'JWT', [name]: value })
  }
  const statuses = new Map<number, number>()
  for (let round = 0; round < 3000; round += 1) {
    const { status } = await w.call('POST', '/oauth/token', { form: form(mutate()) })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  t.strictSame([...statuses], [[401, 3000]])
})

t.test('spec, Token 4; Metadata: without clients nothing is as much as a byte different', async (t) => {
  const w = await world(t)
  const { key, ...with_ } = await machineWorld(t)
  const answer = async (fields: Record<string, string>): Promise<unknown> =>
    seen(await w.call('POST', '/oauth/token', { form: fields }))
  t.strictSame(await answer(form(jwt(claims(), key))), oauthError('invalid_request', 'client_id is required'))
  const withId = form(jwt(claims(), key), { client_id: 'ci-bot' })
  t.strictSame(await answer(withId), oauthError('unsupported_grant_type'))
  t.strictSame(await answer({ ...withId, resource: 'https://x.example' }), oauthError('invalid_target'))
  const metadata = async (from: typeof w | typeof with_): Promise<Record<string, unknown>> =>
    jsonOf(await from.call('GET', '/.well-known/oauth-authorization-server'))
  const before = await metadata(w)
  t.strictSame(Object.keys(before), [
    ...['issuer', 'authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'],
    ...['scopes_supported', 'response_types_supported', 'response_modes_supported', 'grant_types_supported'],
    ...['token_endpoint_auth_methods_supported', 'revocation_endpoint_auth_methods_supported'],
    ...['code_challenge_methods_supported', 'authorization_response_iss_parameter_supported'],
  ])
  t.strictSame(await metadata(with_), {
    ...before,
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: [
      ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
    ],
  })
  const required = [
    [{ client_id: 'x' }, oauthError('invalid_request', 'grant_type is required')],
    [{ grant_type: 'x' }, oauthError('invalid_request', 'client_id is required')],
    [{ grant_type: 'x', client_id: 'x' }, oauthError('unsupported_grant_type')],
  ] as const
  for (const [fields, expected] of required)
    t.strictSame(seen(await with_.call('POST', '/oauth/token', { form: fields })), expected)
  t.equal(assertionType.length, 54)
  t.equal(payloadOf(jwt({ a: start }, key)).a, start)
})
