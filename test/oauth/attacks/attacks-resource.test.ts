/** Attacks on the resource server: what is not a live access token of ours is 401, the same for every kind of wrong.
 *  Source: rules.md, Protected API; RFC 8725; rules.md, token text. */
import { createHmac, generateKeyPairSync } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { SignJWT } from 'jose'
import t from 'tap'
import { payloadOf } from '../support/harness.ts'
import {
  answerOf,
  baseUrl,
  breaches,
  callApi,
  codeOf,
  jwtSecret,
  openScene,
  postToken,
  redemption,
  type Scene,
  send,
  start,
  type Tokens,
  tokensIn,
  tokensOf,
} from '../support/scene.ts'

interface Stage {
  readonly s: Scene
  readonly tokens: Tokens
  /** A code that nobody redeemed. */
  readonly code: string
  /** The claims of the good access token. */
  readonly claims: Record<string, unknown>
}

type Attack = readonly [name: string, token: (stage: Stage) => string | Promise<string>]

const base64url = (text: string | object): string =>
  Buffer.from(typeof text === 'string' ? text : JSON.stringify(text)).toString('base64url')

const key = (secret: string): Uint8Array => new TextEncoder().encode(secret)

/** Signed with the right key: only the claims or the header are wrong. */
const signed =
  (claims: object, header: object = {}, secret: string = jwtSecret) =>
  (stage: Stage): Promise<string> =>
    new SignJWT({ ...stage.claims, ...claims })
      .setProtectedHeader({ alg: 'HS256', ...header })
      .sign(key(secret))

/** Signed by hand, also where a library would refuse to. */
const handmade =
  (header: object, secret: string | Buffer, digest = 'sha256') =>
  ({ claims }: Stage): string => {
    const input = `${base64url(header)}.${base64url(claims)}`
    return `${input}.${createHmac(digest, secret).update(input).digest('base64url')}`
  }

const parts = (token: string): [string, string, string] => {
  const [header = '', payload = '', signature = ''] = token.split('.')
  return [header, payload, signature]
}

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicJwk = stranger.publicKey.export({ format: 'jwk' })

const attacks: readonly Attack[] = [
  ['no token at all', () => ''],
  ['a word', () => 'garbage'],
  ['three empty parts', () => '..'],
  ['8 KB of letters', () => 'a'.repeat(8192)],
  ['alg none without a signature', ({ claims }) => `${base64url({ alg: 'none' })}.${base64url(claims)}.`],
  ['alg None', ({ claims }) => `${base64url({ alg: 'None' })}.${base64url(claims)}.`],
  ['alg NONE', ({ claims }) => `${base64url({ alg: 'NONE' })}.${base64url(claims)}.`],
  [
    'alg none with the old signature',
    ({ tokens }) => {
      const [, payload, signature] = parts(tokens.access)
      return `${base64url({ alg: 'none' })}.${payload}.${signature}`
    },
  ],
  ['alg none, signed', handmade({ alg: 'none' }, jwtSecret)],
  ['no alg', handmade({ typ: 'JWT' }, jwtSecret)],
  ['alg as a list', handmade({ alg: ['HS256'] }, jwtSecret)],
  ['alg hs256', handmade({ alg: 'hs256' }, jwtSecret)],
  ['HS256 with the empty key', handmade({ alg: 'HS256' }, '')],
  ['HS256 with a well-known key', handmade({ alg: 'HS256' }, 'secret')],
  [
    'HS256 with the hash of the key',
    handmade({ alg: 'HS256' }, createHmac('sha256', '').update(jwtSecret).digest()),
  ],
  ['HS384 with the right key', handmade({ alg: 'HS384' }, jwtSecret, 'sha384')],
  ['HS512 with the right key', handmade({ alg: 'HS512' }, jwtSecret, 'sha512')],
  ['RS256 in the header, HMAC in the signature', handmade({ alg: 'RS256' }, jwtSecret)],
  [
    'RS256 with a key of the attacker',
    ({ claims }) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(stranger.privateKey),
  ],
  [
    'RS256 with a key in the header (jwk)',
    ({ claims }) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', jwk: publicJwk as never })
        .sign(stranger.privateKey),
  ],
  [
    'RS256 with an address of keys in the header (jku)',
    ({ claims }) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', jku: 'https://evil.example' })
        .sign(stranger.privateKey),
  ],
  [
    'RS256 with a certificate in the header (x5c)',
    ({ claims }) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', x5c: ['MIIB'] }).sign(stranger.privateKey),
  ],
  ['a kid that is a path', handmade({ alg: 'HS256', kid: '../../../../dev/null' }, '')],
  ['a kid that is SQL', handmade({ alg: 'HS256', kid: "' or 1=1 --" }, 'x')],
  ['an unknown critical header', handmade({ alg: 'HS256', crit: ['x'], x: 1 }, jwtSecret)],
  ['an unencoded payload (b64)', handmade({ alg: 'HS256', b64: false, crit: ['b64'] }, jwtSecret)],
  ['signed with another key', signed({}, {}, 'another key of at least 32 bytes, here')],
  [
    'another payload under the old signature',
    ({ tokens, claims }) => {
      const [header, , signature] = parts(tokens.access)
      return `${header}.${base64url({ ...claims, sub: 'dev:admin' })}.${signature}`
    },
  ],
  ['without its signature', ({ tokens }) => parts(tokens.access).slice(0, 2).join('.')],
  ['with an empty signature', ({ tokens }) => `${parts(tokens.access).slice(0, 2).join('.')}.`],
  ['with half a signature', ({ tokens }) => tokens.access.slice(0, -20)],
  [
    'with altered trailing bits',
    ({ tokens: { access } }) =>
      access.slice(0, -1) + String.fromCharCode(access.charCodeAt(access.length - 1) + 1),
  ],
  ['padded', ({ tokens }) => `${tokens.access}=`],
  ['followed by a space and a word', ({ tokens }) => `${tokens.access} x`],
  ['with a fourth part', ({ tokens }) => `${tokens.access}.x`],
  ['five parts (JWE)', ({ tokens }) => `${tokens.access}.x.y`],
  ['in quotes', ({ tokens }) => `"${tokens.access}"`],
  ['twice, with a comma', ({ tokens }) => `${tokens.access}, ${tokens.access}`],
  [
    'as JSON (RFC 7515, 7.2)',
    ({ tokens }) => {
      const [header, payload, signature] = parts(tokens.access)
      return JSON.stringify({ protected: header, payload, signature })
    },
  ],
  ['an authorization code', ({ code }) => code],
  ['a refresh token', ({ tokens }) => tokens.refresh],
  ['typ refresh', signed({ typ: 'refresh' })],
  ['typ Access', signed({ typ: 'Access' })],
  ['no typ', signed({ typ: undefined })],
  ['expired a second ago', signed({ exp: start / 1000 - 1 })],
  ['expires now', signed({ exp: start / 1000 })],
  ['no exp', signed({ exp: undefined })],
  ['exp as a text', signed({ exp: '9999999999' })],
  ['exp null', signed({ exp: null })],
  ['not yet valid (nbf)', signed({ nbf: start / 1000 + 60 })],
  ['another issuer', signed({ iss: 'https://evil.example' })],
  ['the issuer with a slash', signed({ iss: `${baseUrl}/` })],
  ['no issuer', signed({ iss: undefined })],
  ['another audience', signed({ aud: 'https://evil.example' })],
  ['an audience that starts alike', signed({ aud: `${baseUrl}.evil.example` })],
  ['the audience with a slash', signed({ aud: `${baseUrl}/` })],
  ['the audience in a list', signed({ aud: [baseUrl, 'https://evil.example'] })],
  ['no audience', signed({ aud: undefined })],
  ['a user that does not exist', signed({ sub: 'dev:nobody' })],
  ['no user', signed({ sub: undefined })],
  ['the empty user', signed({ sub: '' })],
  ['a user that is SQL', signed({ sub: "' or '1'='1" })],
  ['a user with a wild card', signed({ sub: 'dev:%' })],
  ['a user with a NUL character', signed({ sub: 'dev:developer\0' })],
]

async function stage(t: Parameters<typeof openScene>[0]): Promise<Stage> {
  const s = await openScene(t)
  const tokens = await tokensOf(s)
  return { s, tokens, code: await codeOf(s), claims: payloadOf(tokens.access) }
}

t.test('attacks on the resource server: API and MCP endpoint answer 401', async (t) => {
  const on = await stage(t)
  for (const [name, make] of attacks) {
    const authorization = `Bearer ${await make(on)}`
    const request: InjectOptions = { method: 'GET', url: '/api/notes/', headers: { authorization } }
    const answer = await send(on.s, request)
    t.strictSame([answerOf(answer), breaches(request, answer)], [[401, { error: 'invalid_token' }], []], name)
    const mcp = await send(on.s, { method: 'POST', url: '/mcp', headers: { authorization }, payload: {} })
    t.equal(mcp.statusCode, 401, `${name}, on the MCP endpoint`)
  }
  t.equal((await callApi(on.s, on.tokens.access)).statusCode, 200, 'the good token still works')
  t.ok(attacks.length >= 60, `${attacks.length} attacks`)
})

t.test('attacks on the resource server: a good token in the wrong place is no credential', async (t) => {
  const { s, tokens } = await stage(t)
  const { access } = tokens
  const places: readonly (readonly [string, InjectOptions])[] = [
    ['in the query (RFC 6750, 2.3)', { url: `/api/notes/?access_token=${access}` }],
    ['in a form (RFC 6750, 2.2)', { method: 'POST', url: '/api/notes/', payload: { access_token: access } }],
    ['in a cookie', { url: '/api/notes/', cookies: { access_token: access } }],
    ['as Basic', { url: '/api/notes/', headers: { authorization: `Basic ${access}` } }],
    ['without a scheme', { url: '/api/notes/', headers: { authorization: access } }],
    ['with a tab', { url: '/api/notes/', headers: { authorization: `Bearer\t${access}` } }],
    ['as an API key', { url: '/api/notes/', headers: { 'x-api-key': access } }],
  ]
  for (const [name, request] of places) {
    const answer = await send(s, request)
    t.strictSame([answerOf(answer), breaches(request, answer)], [[401, { error: 'invalid_token' }], []], name)
  }
})

t.test('attacks on the resource server: a token dies with its family, at once', async (t) => {
  const gone = [401, { error: 'invalid_token' }]
  const s = await openScene(t)
  const form = redemption(s, await codeOf(s))
  const replayed = tokensIn(await postToken(s, form))
  t.equal((await callApi(s, replayed.access)).statusCode, 200)
  await postToken(s, form)
  t.strictSame(answerOf(await callApi(s, replayed.access)), gone, 'the code was replayed')
  const revoked = await tokensOf(s)
  await s.client.submit('/oauth/revoke', { client_id: s.clientId, token: revoked.refresh })
  t.strictSame(answerOf(await callApi(s, revoked.access)), gone, 'the refresh token was revoked')
})
