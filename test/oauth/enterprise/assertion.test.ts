/** Identity assertions (ID-JAG): every wrong one has its own reason in the log, and one answer. Source: MCP ext-auth, Enterprise-Managed
 *  Authorization, 5.1 and 7; RFC 8725. */
import { createHmac, createSign, generateKeyPairSync, sign } from 'node:crypto'
import t from 'tap'
import { enterpriseWorld, jagHeader, publishKeys } from '../support/enterprise.ts'
import { baseUrl, oauthError, seen, world } from '../support/harness.ts'
import { claims as clientClaims, jwkOf, jwt, p256, seconds } from '../support/machine.ts'

const refused = oauthError('invalid_grant', 'the assertion is not valid')
const notTheClient = oauthError('invalid_client', 'the client assertion is not valid', 401)
const elsewhere = 'https://other.example'

t.test('wrong assertions, each with its reason; none is used up', async (t) => {
  const w = await enterpriseWorld(t, { entry: { clients: ['ci-bot', 'allowed'] } })
  const { jag, oktaKey, acmeKey, claims } = w
  const header = (changes: object): string => jag({}, { ...jagHeader, ...changes })
  const good = jag()
  const unsigned = (alg: unknown): string => `${header({ alg }).split('.').slice(0, 2).join('.')}.`
  const hmac = (secret: string | Buffer): string => {
    const text = header({ alg: 'HS256' }).split('.').slice(0, 2).join('.')
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  const twice = (name: string, value: unknown): string =>
    jwt(JSON.stringify(claims()).replace('{', `{"${name}":${JSON.stringify(value)},`), oktaKey, jagHeader)
  const other = p256()
  const ownKey = (more: object): string => jwt(claims(), other, { ...jagHeader, kid: undefined, ...more })
  const wrong: readonly (readonly [what: string, reason: string, assertion: string])[] = [
    ['none', 'assertion_missing', ''],
    ['no JWT', 'malformed', 'a.b'],
    ['five parts', 'malformed', `${good}.x.y`],
    ['padding', 'malformed', `${good}=`],
    ['too long', 'malformed', jag({ more: 'x'.repeat(9000) })],
    ['no JSON', 'malformed', jwt('{', oktaKey, jagHeader)],
    ['a list', 'malformed', jwt([claims()], oktaKey, jagHeader)],
    ['typ missing', 'typ', header({ typ: undefined })],
    ['typ of an ID token', 'typ', header({ typ: 'JWT' })],
    ['typ of an access token', 'typ', header({ typ: 'at+jwt' })],
    ['typ of a client assertion', 'typ', header({ typ: 'client-authentication+jwt' })],
    ['typ as a list', 'typ', header({ typ: ['oauth-id-jag+jwt'] })],
    ['alg none', 'alg', unsigned('none')],
    ['alg nOnE', 'alg', unsigned('nOnE')],
    ['alg missing', 'alg', unsigned(undefined)],
    ['alg as a list', 'alg', header({ alg: ['ES256'] })],
    ['HS256 with the public key', 'alg', hmac(oktaKey.publicKey.export({ format: 'pem', type: 'spki' }))],
    ['HS256 with the JWK', 'alg', hmac(JSON.stringify(jwkOf(oktaKey)))],
    ['HS256 with our client secret', 'alg', hmac('secret')],
    ['RS256 for a P-256 key', 'unknown_key', header({ alg: 'RS256' })],
    ['ES384 for a P-256 key', 'unknown_key', header({ alg: 'ES384' })],
    ['crit', 'crit', header({ crit: ['b64'], b64: false })],
    ['iss missing', 'iss', jag({ iss: undefined })],
    ['iss as a list', 'iss', jag({ iss: [w.okta.issuer] })],
    ['iss of nobody', 'iss', jag({ iss: elsewhere })],
    ['iss of a provider that is no enterprise', 'iss', jag({ iss: w.options.providers.acme?.issuer })],
    ['iss with a slash', 'iss', jag({ iss: `${w.okta.issuer}/` })],
    ['iss in capitals', 'iss', jag({ iss: w.okta.issuer.toUpperCase() })],
    ['iss is our own', 'iss', jag({ iss: baseUrl })],
    ['iss twice', 'duplicate', twice('iss', elsewhere)],
    ['sub twice', 'duplicate', twice('sub', 'somebody')],
    [
      'sub twice, once escaped',
      'duplicate',
      jwt(JSON.stringify(claims()).replace('{', '{"\\u0073ub":"x",'), oktaKey, jagHeader),
    ],
    ['aud twice', 'duplicate', twice('aud', elsewhere)],
    ['client_id twice', 'duplicate', twice('client_id', 'x')],
    ['a kid of nobody', 'unknown_key', header({ kid: 'k9' })],
    ['a kid that is a path', 'unknown_key', header({ kid: '../../dev/null' })],
    ['a kid that is no text', 'unknown_key', header({ kid: { a: 1 } })],
    ['a kid of the other provider', 'unknown_key', header({ kid: 'acme-1' })],
    ['another key', 'signature', jwt(claims(), other, jagHeader)],
    ['the key of another provider', 'signature', jwt(claims(), acmeKey, jagHeader)],
    ['the key of the client', 'signature', jwt(claims(), w.key, jagHeader)],
    ['its own key in the header', 'signature', ownKey({ jwk: jwkOf(other) })],
    ['its own key by jku', 'signature', ownKey({ jku: `${elsewhere}/jwks` })],
    ['its own certificate by x5u', 'signature', ownKey({ x5u: `${elsewhere}/cert`, x5c: ['MIIB'] })],
    ['no signature', 'signature', unsigned('ES256')],
    ['a signature of zeros', 'signature', good.replace(/\.[^.]*$/, `.${'A'.repeat(86)}`)],
    ['a claim changed afterwards', 'signature', swapped(good, claims({ sub: 'admin' }))],
    ['aud missing', 'aud', jag({ aud: undefined })],
    ['aud of another', 'aud', jag({ aud: elsewhere })],
    ['aud is our client at the provider', 'aud', jag({ aud: 'us' })],
    ['aud is the token endpoint', 'aud', jag({ aud: `${baseUrl}/oauth/token` })],
    ['aud with a slash', 'aud', jag({ aud: `${baseUrl}/` })],
    ['aud for two', 'aud', jag({ aud: [baseUrl, elsewhere] })],
    ['aud for us twice', 'aud', jag({ aud: [baseUrl, baseUrl] })],
    ['aud for nobody', 'aud', jag({ aud: [] })],
    ['aud as an object', 'aud', jag({ aud: { 0: baseUrl } })],
    ['resource of another', 'resource', jag({ resource: `${elsewhere}/mcp` })],
    ['resource that begins like ours', 'resource', jag({ resource: `${baseUrl}.evil.example` })],
    ['resource as a list', 'resource', jag({ resource: [`${baseUrl}/mcp`] })],
    ['resource null', 'resource', jag({ resource: null })],
    ['client_id missing', 'client_id', jag({ client_id: undefined })],
    ['client_id of another', 'client_id', jag({ client_id: 'allowed' })],
    ['client_id as a list', 'client_id', jag({ client_id: ['ci-bot'] })],
    ['client_id as azp alone', 'client_id', jag({ client_id: undefined, azp: 'ci-bot' })],
    ['exp missing', 'exp', jag({ exp: undefined })],
    ['exp as a text', 'exp', jag({ exp: String(seconds + 60) })],
    ['exp as a list', 'exp', jag({ exp: [seconds + 60] })],
    ['expired', 'exp', jag({ iat: seconds - 300, exp: seconds - 60 })],
    ['iat missing', 'iat', jag({ iat: undefined })],
    ['iat as a text', 'iat', jag({ iat: 'now' })],
    ['iat in the future', 'iat', jag({ iat: seconds + 61, exp: seconds + 120 })],
    ['nbf in the future', 'nbf', jag({ nbf: seconds + 61 })],
    ['nbf as a text', 'nbf', jag({ nbf: '0' })],
    ['longer than five minutes', 'lifetime', jag({ exp: seconds + 301 })],
    ['for ever', 'lifetime', jag({ exp: 1e300 })],
    ['the end before the beginning', 'lifetime', jag({ iat: seconds + 30, exp: seconds + 30 })],
    ['bound to a key', 'cnf', jag({ cnf: { jkt: 'x' } })],
    ['cnf null', 'cnf', jag({ cnf: null })],
    ['authorization_details', 'authorization_details', jag({ authorization_details: [{ type: 'x' }] })],
    ['sub missing', 'sub', jag({ sub: undefined })],
    ['sub empty', 'sub', jag({ sub: '' })],
    ['sub as a number', 'sub', jag({ sub: 7 })],
    ['sub as a list', 'sub', jag({ sub: ['00u1'] })],
    ['jti missing', 'jti_missing', jag({ jti: undefined })],
    ['jti empty', 'jti', jag({ jti: '' })],
    ['jti as a number', 'jti', jag({ jti: 7 })],
    ['jti too long', 'jti', jag({ jti: 'x'.repeat(256) })],
    ['scope as a list', 'scope', jag({ scope: ['api'] })],
    ['scope null', 'scope', jag({ scope: null })],
    ['scope of nothing', 'scope', jag({ scope: '' })],
    ['scope that is none of ours', 'scope', jag({ scope: 'chat.read' })],
  ]
  for (const [what, reason, assertion] of wrong) {
    const outcome = await w.call('POST', '/oauth/token', { form: w.form(assertion) })
    t.strictSame(
      [seen(outcome), outcome.headers['cache-control'], w.reasons()],
      [refused, 'no-store', [reason]],
      what,
    )
  }
  t.strictSame(await w.store.listUsers(10), [], 'nobody is made of them')
  t.equal((await w.ask(w.form(good)))[0], 200, 'nothing has used it up')
  t.strictSame([await w.ask(w.form(good)), w.reasons()], [refused, ['jti_replayed']])
})

/** The payload of one, the signature of another. */
function swapped(jwt: string, payload: object): string {
  const [header, , signature] = jwt.split('.')
  return [header, Buffer.from(JSON.stringify(payload)).toString('base64url'), signature].join('.')
}

t.test('wrong clients, each with its reason: the assertion is good, and is not used up', async (t) => {
  const w = await enterpriseWorld(t)
  const good = w.jag()
  const other = p256()
  const proof = (changes: object, key = w.key): Record<string, string> => ({
    client_assertion: jwt(clientClaims({ ...changes }), key),
  })
  const wrong: readonly (readonly [string, string, Record<string, string | undefined>])[] = [
    ['no assertion', 'assertion_missing', { client_assertion: undefined, client_assertion_type: undefined }],
    [
      'an id alone',
      'assertion_missing',
      { client_assertion: undefined, client_assertion_type: undefined, client_id: 'ci-bot' },
    ],
    ['no type', 'assertion_type', { client_assertion_type: undefined }],
    ['the type of SAML', 'assertion_type', { client_assertion_type: 'urn:saml' }],
    ['another key', 'signature', proof({}, other)],
    ['the key of the provider', 'signature', proof({}, w.oktaKey)],
    ['sub of another', 'sub', proof({ sub: 'who' })],
    ['aud of another', 'aud', proof({ aud: elsewhere })],
    ['expired', 'exp', proof({ iat: seconds - 120, exp: seconds - 60 })],
    ['no jti', 'jti_missing', proof({ jti: undefined })],
    ['the identity assertion itself', 'typ', { client_assertion: good, client_id: 'ci-bot' }],
  ]
  for (const [what, reason, more] of wrong)
    t.strictSame([await w.ask(w.form(good, more)), w.reasons()], [notTheClient, [reason]], what)
  t.strictSame(
    [await w.ask(w.form(good, proof({ iss: 'who', sub: 'who' }))), w.reasons()],
    [refused, ['client_id']],
    'a client that is not the one',
  )
  const used = w.form(w.jag())
  t.equal((await w.ask(used))[0], 200)
  t.strictSame(
    [await w.ask({ ...used, assertion: good }), w.reasons()],
    [notTheClient, ['jti_replayed']],
    'a client assertion that was used',
  )
  const query = new URLSearchParams({ assertion: good })
  const { assertion: _, ...rest } = w.form(good)
  t.match(seen(await w.call('POST', `/oauth/token?${query}`, { form: rest })), [
    400,
    { error: 'invalid_request' },
  ])
  t.match(await w.ask(w.form(good, { resource: elsewhere })), [400, { error: 'invalid_target' }])
  t.equal((await w.ask(w.form(good)))[0], 200)
})

t.test('what is as it may be: skew, one audience in a list, every algorithm', async (t) => {
  const w = await enterpriseWorld(t)
  const status = async (assertion: string): Promise<number> => (await w.ask(w.form(assertion)))[0]
  const good = [
    { aud: [baseUrl] },
    { resource: undefined },
    { resource: baseUrl },
    { iat: seconds + 60, exp: seconds + 360 },
    { iat: seconds - 300, exp: seconds - 59 },
    { nbf: seconds + 60 },
    { jti: 'x'.repeat(255) },
    { scope: 'api other' },
    { extra: { sub: 'x', deep: [{ aud: 1 }] }, text: 'a:"{' },
  ]
  for (const changes of good) t.equal(await status(w.jag(changes)), 200, JSON.stringify(changes))
  t.equal(await status(w.jag({}, { ...jagHeader, kid: undefined })), 200, 'without a kid')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keys = {
    ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    EdDSA: generateKeyPairSync('ed25519'),
  }
  publishKeys(w.okta, () => [
    jwkOf(rsa, { kid: 'r', x5c: ['MIIB'] }),
    ...Object.values(keys).map((key) => jwkOf(key)),
  ])
  w.clock.now += 5 * 60_000
  const shift = { iat: seconds + 300, exp: seconds + 360 }
  const signed = async (alg: string, make: (text: Buffer) => Buffer): Promise<number> => {
    const text = w
      .jag(shift, { ...jagHeader, kid: undefined, alg })
      .split('.')
      .slice(0, 2)
      .join('.')
    const assertion = `${text}.${make(Buffer.from(text)).toString('base64url')}`
    const client_assertion = jwt(clientClaims(shift), w.key)
    return (await w.ask(w.form(assertion, { client_assertion })))[0]
  }
  for (const bits of [256, 384, 512]) {
    const { privateKey } = rsa
    t.equal(await signed(`RS${bits}`, (text) => createSign(`sha${bits}`).update(text).sign(privateKey)), 200)
    const pss = { key: privateKey, padding: 6, saltLength: bits / 8 }
    t.equal(await signed(`PS${bits}`, (text) => sign(`sha${bits}`, text, pss)), 200)
  }
  const raw = 'ieee-p1363'
  t.equal(
    await signed('ES384', (text) => sign('sha384', text, { key: keys.ES384.privateKey, dsaEncoding: raw })),
    200,
  )
  t.equal(
    await signed('ES512', (text) => sign('sha512', text, { key: keys.ES512.privateKey, dsaEncoding: raw })),
    200,
  )
  t.equal(await signed('EdDSA', (text) => sign(null, text, keys.EdDSA.privateKey)), 200)
})

t.test(
  'keys: a new one is found by its kid, one that is withdrawn ends; a provider that is away',
  async (t) => {
    const w = await enterpriseWorld(t)
    const next = p256()
    const jagOf = (key: typeof next, kid: string, at = w.clock.now / 1000): string =>
      jwt(w.claims({ iat: at, exp: at + 60 }), key, { ...jagHeader, kid })
    const status = async (assertion: string): Promise<readonly [number, readonly string[]]> => {
      const at = w.clock.now / 1000
      const client_assertion = jwt(clientClaims({ iat: at, exp: at + 60 }), w.key)
      return [(await w.ask(w.form(assertion, { client_assertion })))[0], w.reasons()]
    }
    t.strictSame(await status(jagOf(w.oktaKey, 'okta-1')), [200, []])
    publishKeys(w.okta, () => [jwkOf(next, { kid: 'okta-2' })])
    t.strictSame(await status(jagOf(next, 'okta-2')), [400, ['unknown_key']], 'asked a moment ago')
    w.clock.now += 60_000
    t.strictSame(await status(jagOf(next, 'okta-2')), [200, []])
    t.strictSame(await status(jagOf(w.oktaKey, 'okta-1')), [400, ['unknown_key']])
    w.okta.faults.set('/jwks', (_request, response) => void response.writeHead(503).end())
    w.clock.now += 6 * 60_000
    t.strictSame(await status(jagOf(next, 'okta-2')), [200, []], 'known keys are good for an hour')
    t.strictSame(await status(jagOf(next, 'okta-3')), [400, ['jwks_unavailable']])
    const away = await enterpriseWorld(t)
    away.okta.close()
    t.strictSame([(await away.ask(away.form(away.jag())))[0], away.reasons()], [400, ['jwks_unavailable']])
  },
)

t.test('spec, Token 4; Metadata: without an enterprise nothing is as much as a byte different', async (t) => {
  const plain = await world(t)
  const w = await enterpriseWorld(t)
  const form = w.form(w.jag())
  t.strictSame(
    seen(await plain.call('POST', '/oauth/token', { form })),
    oauthError('invalid_request', 'client_id is required'),
  )
  t.strictSame(
    seen(await plain.call('POST', '/oauth/token', { form: { ...form, client_id: 'ci-bot' } })),
    oauthError('unsupported_grant_type'),
  )
  const metadata = async (from: Pick<typeof w, 'call'>): Promise<Record<string, unknown>> =>
    JSON.parse(String((await from.call('GET', '/.well-known/oauth-authorization-server')).body))
  const { grant_types_supported: grants, ...others } = await metadata(w)
  const before = await metadata(plain)
  t.strictSame(grants, ['authorization_code', 'refresh_token', 'client_credentials', form.grant_type])
  t.match(others, {
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
  })
  t.equal(Object.keys(others).length, Object.keys(before).length + 1)
  const alone = await enterpriseWorld(t, { clients: {} })
  t.strictSame((await metadata(alone)).grant_types_supported, [
    'authorization_code',
    'refresh_token',
    form.grant_type,
  ])
})
