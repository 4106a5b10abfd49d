/** Keys: rotation, algorithms, the published key set. Source: rules.md, keys and token text; RFC 7517, RFC 7638, RFC 8725. */
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import t from 'tap'
import type { AuthorizationServerOptions } from '../../../runtime/oauth/options.ts'
import { asymmetricKey, readPrivateKeys } from '../../../runtime/oauth/tokens/keys.ts'
import {
  baseUrl,
  codeForm,
  jsonOf,
  payloadOf,
  register,
  seen,
  start,
  type World,
  world,
} from '../support/harness.ts'

const newest = 'the newest secret of at least 32 bytes'
const older = 'the older secret of at least 32 bytes!'
const developer = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }

const ed25519 = generateKeyPairSync('ed25519').privateKey
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const algorithms: readonly (readonly [string, KeyObject])[] = [
  ['EdDSA', ed25519],
  ['ES256', p256],
  ['RS256', rsa],
]

type Keys = Partial<Pick<AuthorizationServerOptions, 'jwtSecrets' | 'jwtPrivateKeys'>>

/** A world whose user exists, and an access token that it issued. */
async function issuer(t: Parameters<typeof world>[0], keys: Keys): Promise<{ w: World; access: string }> {
  const w = await world(t, { jwtSecrets: [], ...keys })
  const form = await codeForm(w, await register(w))
  return { w, access: String(jsonOf(await w.call('POST', '/oauth/token', { form })).access_token) }
}

/** What another configuration of keys says to `token`. */
async function judged(t: Parameters<typeof world>[0], keys: Keys, token: string): Promise<unknown> {
  const w = await world(t, { jwtSecrets: [], ...keys })
  await w.store.saveUser(developer)
  return w.server.userOfAccessToken(token)
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const segment = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

t.test(
  'decisions, keys: the first secret signs under its kid, all verify, a removed one refuses',
  async (t) => {
    const before = await issuer(t, { jwtSecrets: [older] })
    const after = await issuer(t, { jwtSecrets: [newest, older] })
    const { kid, ...header } = decodeProtectedHeader(after.access)
    t.strictSame(header, { alg: 'HS256', typ: 'JWT' })
    t.match(kid, /^[0-9a-f]{16}$/)
    t.not(kid, decodeProtectedHeader(before.access).kid)
    t.strictSame(
      await judged(t, { jwtSecrets: [newest, older] }, before.access),
      developer,
      'the old key verifies',
    )
    t.strictSame(await judged(t, { jwtSecrets: [newest] }, after.access), developer, 'the newest key signed')
    t.equal(await judged(t, { jwtSecrets: [newest] }, before.access), null, 'a removed key refuses')
    t.equal(await judged(t, { jwtSecrets: [older] }, after.access), null)
  },
)

t.test('keys: kid is optional, and a foreign one decides nothing', async (t) => {
  const { w, access } = await issuer(t, { jwtSecrets: [newest, older] })
  const sign = (header: object, key: string): Promise<string> =>
    new SignJWT(payloadOf(access) as JWTPayload)
      .setProtectedHeader({ alg: 'HS256', ...header })
      .sign(bytes(key))
  for (const key of [newest, older]) {
    for (const header of [{}, { kid: 'theirs' }, { kid: '' }, { kid: '../../etc/passwd' }])
      t.strictSame(await w.server.userOfAccessToken(await sign(header, key)), developer)
  }
  const stranger = 'a secret of nobody here, 32 bytes long'
  for (const kid of [String(decodeProtectedHeader(access).kid), 'x'])
    t.equal(await w.server.userOfAccessToken(await sign({ kid }, stranger)), null)
})

t.test(
  'keys: an asymmetric key signs with its own algorithm; the kid is its thumbprint (RFC 7638)',
  async (t) => {
    for (const [alg, key] of algorithms) {
      const { w, access } = await issuer(t, { jwtPrivateKeys: [key] })
      const kid = await calculateJwkThumbprint(createPublicKey(key).export({ format: 'jwk' }) as object)
      t.strictSame(decodeProtectedHeader(access), { alg, typ: 'JWT', kid })
      t.strictSame(await w.server.userOfAccessToken(access), developer)
    }
  },
)

t.test('keys: the change from a secret to a private key signs nobody out', async (t) => {
  const before = await issuer(t, { jwtSecrets: [older] })
  const keys = { jwtPrivateKeys: [ed25519, p256], jwtSecrets: [older] }
  const after = await issuer(t, keys)
  t.equal(decodeProtectedHeader(after.access).alg, 'EdDSA')
  t.strictSame(await judged(t, keys, before.access), developer)
  t.equal(await judged(t, { jwtPrivateKeys: [ed25519] }, before.access), null, 'until the secret is removed')
})

t.test(
  'jwks: the metadata names the set; it holds public members only and verifies our tokens',
  async (t) => {
    const { w, access } = await issuer(t, { jwtPrivateKeys: [rsa, ed25519, p256], jwtSecrets: [newest] })
    const metadata = jsonOf(await w.call('GET', '/.well-known/oauth-authorization-server'))
    t.equal(metadata.jwks_uri, `${baseUrl}/.well-known/jwks.json`)
    const outcome = await w.call('GET', '/.well-known/jwks.json')
    const document = jsonOf(outcome)
    t.strictSame(
      [outcome.status, outcome.headers['access-control-allow-origin'], Object.keys(document)],
      [200, '*', ['keys']],
    )
    const keys = document.keys as Record<string, string>[]
    t.strictSame(
      keys.map((key) => Object.keys(key).sort()),
      [
        ['alg', 'e', 'kid', 'kty', 'n', 'use'],
        ['alg', 'crv', 'kid', 'kty', 'use', 'x'],
        ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
      ],
    )
    const verified = await jwtVerify(access, createLocalJWKSet({ keys: keys as never }), {
      issuer: baseUrl,
      audience: baseUrl,
      currentDate: new Date(start),
    })
    t.equal(verified.protectedHeader.alg, 'RS256')
    for (const key of [rsa, ed25519, p256]) {
      const { d = '' } = key.export({ format: 'jwk' })
      t.notOk(String(outcome.body).includes(d))
    }
    t.notOk(String(outcome.body).includes(newest))
    t.equal((await w.call('OPTIONS', '/.well-known/jwks.json')).status, 204)
  },
)

t.test('jwks: with secrets alone there is no set and no jwks_uri', async (t) => {
  const { w } = await issuer(t, { jwtSecrets: [newest] })
  t.notOk('jwks_uri' in jsonOf(await w.call('GET', '/.well-known/oauth-authorization-server')))
  t.notOk(w.server.endpoints.some(({ path }) => path.includes('jwks')))
})

t.test('keys: no algorithm but the key’s own (RFC 8725, 2.1 and 3.1)', async (t) => {
  const { w, access } = await issuer(t, { jwtPrivateKeys: [rsa, p256, ed25519], jwtSecrets: [newest] })
  const claims = payloadOf(access)
  const hmac = (alg: string, key: string | Buffer): string => {
    const input = `${segment({ alg, typ: 'JWT', kid: asymmetricKey(rsa).kid })}.${segment(claims)}`
    return `${input}.${createHmac(alg === 'HS512' ? 'sha512' : 'sha256', key)
      .update(input)
      .digest('base64url')}`
  }
  const publicTexts = [rsa, p256, ed25519].flatMap((key) => {
    const publicKey = createPublicKey(key)
    return [
      publicKey.export({ type: 'spki', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'der' }),
      JSON.stringify(publicKey.export({ format: 'jwk' })),
    ]
  })
  const forged = [
    ...publicTexts.map((text) => hmac('HS256', text)),
    ...['none', 'None', 'NONE', '', 'RS256', 'HS512'].map((alg) => hmac(alg, newest)),
    `${segment({ alg: 'none' })}.${segment(claims)}.`,
    await new SignJWT(claims).setProtectedHeader({ alg: 'PS256' }).sign(rsa),
    await new SignJWT(claims).setProtectedHeader({ alg: 'RS512' }).sign(rsa),
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', jwk: createPublicKey(rsa).export({ format: 'jwk' }) as never })
      .sign(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', jku: 'https://evil.example/jwks.json' })
      .sign(generateKeyPairSync('ed25519').privateKey),
  ]
  for (const token of forged) t.equal(await w.server.userOfAccessToken(token), null, token.slice(0, 60))
  for (const [alg, key] of algorithms) {
    const own = await new SignJWT(claims).setProtectedHeader({ alg }).sign(key)
    t.strictSame(await w.server.userOfAccessToken(own), developer, `${alg} with its own key`)
  }
})

t.test('keys: what is no usable key throws words that repeat nothing of it', async (t) => {
  for (const text of ['', 'secret text', '[]', '[1]', '{"kty":"oct","k":"c2VjcmV0"}', 'null'])
    t.throws(() => readPrivateKeys(text), {
      message: 'expected private keys as PKCS#8 PEM, or as JSON Web Keys',
    })
  await t.rejects(world(t, { jwtSecrets: [], jwtPrivateKeys: [] }), { message: 'a JWT secret is required' })
})

t.test('decisions, token text: only canonical base64url, for every algorithm', async (t) => {
  for (const [alg, key] of algorithms) {
    const { w, access } = await issuer(t, { jwtPrivateKeys: [key] })
    const [header = '', payload = '', signature = ''] = access.split('.')
    const respelled = [
      `${access}=`,
      `${access}==`,
      ` ${access}`,
      `${access}\n`,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}=.${signature}`,
      `${header}.${payload}.${signature.replaceAll('-', '+').replaceAll('_', '/')}=`,
      `${header}.${payload}.${signature}.`,
      `${header}..${payload}.${signature}`,
      `${header}.${payload}.${nextSpelling(signature)}`,
    ]
    for (const token of respelled) t.equal(await w.server.userOfAccessToken(token), null, alg)
    t.strictSame(await w.server.userOfAccessToken(access), developer)
    t.strictSame(seen(await w.call('GET', '/.well-known/jwks.json'))[0], 200)
  }
})

/** Another text of the same bytes: the last character's unused bits are set. */
function nextSpelling(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(text.at(-1) ?? '')
  return text.slice(0, -1) + alphabet[last + 1]
}
