/** Attacks on the token and the revocation endpoint, each with its whole answer. Source: rules.md, Token and Security
 *  requirements; rules.md, OAuth; RFC 9700. */
import type { InjectOptions } from 'fastify'
import t from 'tap'
import {
  type Answer,
  answerOf,
  breaches,
  callApi,
  challenge,
  codeOf,
  loopbackUri,
  openScene,
  postToken,
  redemption,
  redirectUri,
  refreshing,
  refused,
  registerClient,
  type Scene,
  send,
  type Tokens,
  tokensOf,
  verifier,
} from '../support/scene.ts'

type Form = Readonly<Record<string, string>>

interface Stage {
  readonly s: Scene
  /** A code that nobody redeemed, and its form. */
  readonly code: string
  readonly form: Form
  readonly tokens: Tokens
  readonly otherClient: string
}

type Attack = readonly [name: string, request: (stage: Stage) => InjectOptions, expected: Answer]

const formType = { 'content-type': 'application/x-www-form-urlencoded' }
const invalid = refused('invalid_grant', 'the code or refresh token is not valid')
const twice = refused('invalid_request', 'a parameter is given more than once')
const wrongType = refused('invalid_request', 'the request body must be application/x-www-form-urlencoded')
const unsupported = refused('unsupported_grant_type')
const notAllowed = [405, { error: 'method not allowed' }] as const

const post = (
  payload: Form | string | Buffer,
  url = '/oauth/token',
  headers: Form = formType,
): InjectOptions => ({
  method: 'POST',
  url,
  headers,
  payload:
    typeof payload === 'string' || Buffer.isBuffer(payload)
      ? payload
      : new URLSearchParams(payload).toString(),
})

/** The right redemption with `change`. */
const redeem =
  (change: Form) =>
  ({ form }: Stage): InjectOptions =>
    post({ ...form, ...change })

const refresh =
  (change: Form) =>
  ({ s, tokens }: Stage): InjectOptions =>
    post({ ...refreshing(s, tokens.refresh), ...change })

const grantType =
  (grant_type: string) =>
  ({ form }: Stage): InjectOptions =>
    post({ ...form, grant_type })

const without =
  (name: string) =>
  ({ form }: Stage): InjectOptions =>
    post(Object.fromEntries(Object.entries(form).filter(([key]) => key !== name)))

const respell = (text: string): string =>
  text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1)

const onCodes: readonly Attack[] = [
  ['a code without a verifier', without('code_verifier'), invalid],
  ['a code with an empty verifier', redeem({ code_verifier: '' }), invalid],
  ['a code with another verifier', redeem({ code_verifier: 'w'.repeat(43) }), invalid],
  ['a code with the challenge as verifier', redeem({ code_verifier: challenge }), invalid],
  ['a verifier followed by a line break', redeem({ code_verifier: `${verifier}\n` }), invalid],
  ['a verifier of one character', redeem({ code_verifier: 'v' }), invalid],
  ['a verifier of 10,000 characters', redeem({ code_verifier: 'v'.repeat(10_000) }), invalid],
  [
    'plain PKCE asked for at the token endpoint',
    redeem({ code_verifier: challenge, code_challenge_method: 'plain' }),
    invalid,
  ],
  [
    'a code by another registered client',
    ({ form, otherClient }) => post({ ...form, client_id: otherClient }),
    invalid,
  ],
  ['a code by a client that does not exist', redeem({ client_id: 'nobody' }), invalid],
  ['a code by a client called __proto__', redeem({ client_id: '__proto__' }), invalid],
  ['a code without a client', without('client_id'), refused('invalid_request', 'client_id is required')],
  [
    'a client that is named in Basic only',
    ({ s, form }) =>
      post({ ...form, client_id: '' }, '/oauth/token', {
        ...formType,
        authorization: `Basic ${Buffer.from(`${s.clientId}:`).toString('base64')}`,
      }),
    invalid,
  ],
  ['a code with another registered redirect URI', redeem({ redirect_uri: loopbackUri }), invalid],
  ['a code without a redirect URI', without('redirect_uri'), invalid],
  ['a code with a longer redirect URI', redeem({ redirect_uri: `${redirectUri}&x=1` }), invalid],
  ['a code with the redirect URI in capitals', redeem({ redirect_uri: redirectUri.toUpperCase() }), invalid],
  ['an empty code', redeem({ code: '' }), invalid],
  ['a code that is a word', redeem({ code: 'code' }), invalid],
  ['a code with altered trailing bits', ({ form, code }) => post({ ...form, code: respell(code) }), invalid],
  ['a padded code', ({ form, code }) => post({ ...form, code: `${code}=` }), invalid],
  ['a code after a space', ({ form, code }) => post({ ...form, code: ` ${code}` }), invalid],
  ['a code in capitals', ({ form, code }) => post({ ...form, code: code.toUpperCase() }), invalid],
  ['an access token as a code', ({ form, tokens }) => post({ ...form, code: tokens.access }), invalid],
  ['a refresh token as a code', ({ form, tokens }) => post({ ...form, code: tokens.refresh }), invalid],
  ['a code for a foreign resource', redeem({ resource: 'https://evil.example' }), refused('invalid_target')],
  [
    'a resource that starts alike',
    redeem({ resource: 'http://localhost:30001/mcp' }),
    refused('invalid_target'),
  ],
  [
    'a resource behind user info',
    redeem({ resource: 'http://localhost:3000@evil.example' }),
    refused('invalid_target'),
  ],
]

const onRefreshTokens: readonly Attack[] = [
  ['a refresh token by another client', (on) => refresh({ client_id: on.otherClient })(on), invalid],
  ['a refresh token of an empty client', refresh({ client_id: '' }), invalid],
  ['an access token as a refresh token', (on) => refresh({ refresh_token: on.tokens.access })(on), invalid],
  ['a code as a refresh token', (on) => refresh({ refresh_token: on.code })(on), invalid],
  ['no refresh token', refresh({ refresh_token: '' }), invalid],
  ['a padded refresh token', (on) => refresh({ refresh_token: `${on.tokens.refresh}=` })(on), invalid],
  ['a respelled refresh token', (on) => refresh({ refresh_token: respell(on.tokens.refresh) })(on), invalid],
  [
    'a refresh for a foreign resource',
    refresh({ resource: 'https://evil.example/' }),
    refused('invalid_target'),
  ],
]

const onGrantTypes: readonly Attack[] = [
  ...[
    'password',
    'client_credentials',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    '__proto__',
    'constructor',
    'toString',
    'Authorization_Code',
    'authorization_code ',
    'authorization_code refresh_token',
  ].map((name) => [`grant type ${name}`, grantType(name), unsupported] as const),
  ['no grant type', without('grant_type'), refused('invalid_request', 'grant_type is required')],
  [
    'a list of grant types',
    ({ form }) => post({ ...form, grant_type: '', 'grant_type[]': 'authorization_code' }),
    unsupported,
  ],
]

const onRequests: readonly Attack[] = [
  ['client_id in query and body', ({ s, form }) => post(form, `/oauth/token?client_id=${s.clientId}`), twice],
  [
    'the code twice in the body',
    ({ form, code }) => post(`${new URLSearchParams({ ...form })}&code=${code}`),
    twice,
  ],
  [
    'the same name, once escaped',
    ({ form }) => post(`${new URLSearchParams({ ...form })}&client%5Fid=x`),
    twice,
  ],
  ['an empty second value', ({ form }) => post(`${new URLSearchParams({ ...form })}&code=`), twice],
  [
    'a JSON body',
    ({ form }) => post(JSON.stringify(form), '/oauth/token', { 'content-type': 'application/json' }),
    wrongType,
  ],
  [
    'a multipart body',
    () => post('--x\r\n\r\n--x--', '/oauth/token', { 'content-type': 'multipart/form-data; boundary=x' }),
    wrongType,
  ],
  [
    'a form called text',
    ({ form }) =>
      post(`${new URLSearchParams({ ...form })}`, '/oauth/token', { 'content-type': 'text/plain' }),
    wrongType,
  ],
  [
    'a type that starts alike',
    ({ form }) =>
      post(`${new URLSearchParams({ ...form })}`, '/oauth/token', {
        'content-type': 'application/x-www-form-urlencodedx',
      }),
    wrongType,
  ],
  [
    '33 KB',
    redeem({ padding: 'x'.repeat(33 * 1024) }),
    refused('invalid_request', 'the request body is larger than 32768 bytes', 413),
  ],
  [
    '2 MB',
    redeem({ padding: 'x'.repeat(2 * 1024 * 1024) }),
    refused('invalid_request', 'the request body is larger than 1048576 bytes', 413),
  ],
  [
    'a NUL character',
    redeem({ code: 'a\0b' }),
    refused('invalid_request', 'a parameter contains a NUL character'),
  ],
  [
    'bytes that are not UTF-8',
    () => post(Buffer.from([0x61, 0x3d, 0xff])),
    refused('invalid_request', 'the request body is not UTF-8'),
  ],
  [
    'semicolons for ampersands',
    ({ form }) => post(`${new URLSearchParams({ ...form })}`.replaceAll('&', ';')),
    refused('invalid_request', 'client_id is required'),
  ],
  ['GET', () => ({ method: 'GET', url: '/oauth/token' }), notAllowed],
  ['PUT', () => ({ method: 'PUT', url: '/oauth/token', payload: 'x', headers: formType }), notAllowed],
]

const onRevocation: readonly Attack[] = [
  [
    'revocation by another client',
    ({ otherClient, tokens }) => post({ client_id: otherClient, token: tokens.refresh }, '/oauth/revoke'),
    refused('unauthorized_client', 'the token was issued to another client'),
  ],
  [
    'revocation by another client, in the name of a hint',
    ({ otherClient, tokens }) =>
      post(
        { client_id: otherClient, token: tokens.access, token_type_hint: 'refresh_token' },
        '/oauth/revoke',
      ),
    refused('unauthorized_client', 'the token was issued to another client'),
  ],
  [
    'revocation without a client',
    ({ tokens }) => post({ token: tokens.access }, '/oauth/revoke'),
    refused('invalid_request', 'client_id is required'),
  ],
  [
    'revocation of a code',
    ({ s, code }) => post({ client_id: s.clientId, token: code }, '/oauth/revoke'),
    [200, ''],
  ],
  [
    'revocation of an altered token',
    ({ s, tokens }) => post({ client_id: s.clientId, token: respell(tokens.access) }, '/oauth/revoke'),
    [200, ''],
  ],
  [
    'revocation as JSON',
    ({ s, tokens }) =>
      post(JSON.stringify({ client_id: s.clientId, token: tokens.access }), '/oauth/revoke', {
        'content-type': 'application/json',
      }),
    wrongType,
  ],
  [
    'revocation of two tokens',
    ({ s, tokens }) => post(`client_id=${s.clientId}&token=a&token=${tokens.access}`, '/oauth/revoke'),
    twice,
  ],
  [
    'revocation by GET',
    ({ tokens }) => ({ method: 'GET', url: `/oauth/revoke?token=${tokens.access}` }),
    notAllowed,
  ],
]

async function stage(t: Parameters<typeof openScene>[0]): Promise<Stage> {
  const s = await openScene(t)
  const tokens = await tokensOf(s)
  const code = await codeOf(s)
  const otherClient = await registerClient(s.client)
  return { s, code, form: redemption(s, code), tokens, otherClient }
}

t.test(
  'attacks on token and revocation: each refused with its whole answer, and nothing is burned',
  async (t) => {
    const on = await stage(t)
    const attacks = [...onCodes, ...onRefreshTokens, ...onGrantTypes, ...onRequests, ...onRevocation]
    for (const [name, make, expected] of attacks) {
      const request = make(on)
      const answer = await send(on.s, request)
      t.strictSame([answerOf(answer), breaches(request, answer)], [expected, []], name)
    }
    t.equal((await callApi(on.s, on.tokens.access)).statusCode, 200, 'the access token lives')
    t.equal((await postToken(on.s, on.form)).statusCode, 200, 'the code was not burned')
    const refreshed = await postToken(on.s, refreshing(on.s, on.tokens.refresh))
    t.equal(refreshed.statusCode, 200, 'nor was the refresh token')
    t.ok(attacks.length >= 70, `${attacks.length} attacks`)
  },
)

t.test('attacks on token: a wider scope, a secret or a nicer lifetime is not given', async (t) => {
  const on = await stage(t)
  const wishes = { scope: 'api admin', client_secret: 'guess', expires_in: '999999999', sub: 'dev:admin' }
  const answer = await postToken(on.s, { ...on.form, ...wishes })
  const { access_token: _, refresh_token: __, ...rest } = answer.json()
  t.strictSame(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'api' })
  const widened = await postToken(on.s, { ...refreshing(on.s, on.tokens.refresh), ...wishes })
  t.strictSame(answerOf(widened), refused('invalid_scope', 'more than was granted'))
  const { scope: _scope, ...others } = wishes
  const same = await postToken(on.s, { ...refreshing(on.s, on.tokens.refresh), ...others })
  t.equal(same.json().scope, 'api', 'and nothing was spent')
})

t.test(
  'attacks on token: the thief and the client race; one wins, a late thief ends the family',
  async (t) => {
    const on = await stage(t)
    const race = await Promise.all(Array.from({ length: 20 }, () => postToken(on.s, on.form)))
    const statuses = race.map(({ statusCode }) => statusCode)
    t.strictSame(statuses.filter((status) => status === 200).length, 1)
    t.strictSame(new Set(statuses), new Set([200, 400]))
    const stolen = refreshing(on.s, on.tokens.refresh)
    const first = await postToken(on.s, stolen)
    t.equal(first.statusCode, 200)
    on.s.at(3000)
    t.strictSame(answerOf(await postToken(on.s, stolen)), refused('invalid_grant', 'already used'))
    t.equal((await callApi(on.s, String(first.json().access_token))).statusCode, 401)
  },
)
