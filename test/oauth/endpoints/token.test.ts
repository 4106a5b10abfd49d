import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { AuthServerError } from '../../../runtime/errors.ts'
import { openStore } from '../../support/whole-store.ts'
import {
  authorizeParameters,
  baseUrl,
  codeForm,
  decide,
  jsonOf,
  location,
  oauthError,
  payloadOf,
  redirectUri,
  register,
  seen,
  signedInBrowser,
  start,
  type World,
  world,
} from '../support/harness.ts'

const invalid = oauthError('invalid_grant', 'the code or refresh token is not valid')
const gone = oauthError(
  'invalid_client',
  'no client has this id here, or not any more: register again, or compare the id with the one that the owner of this server set up',
  401,
)
const used = oauthError('invalid_grant', 'already used')
const secret = 'a secret of at least 32 bytes, the newest'

type Form = Record<string, string>

async function redeem(w: World, form: Form): Promise<readonly [number, unknown]> {
  const outcome = await w.call('POST', '/oauth/token', { form })
  if (outcome.headers['cache-control'] !== 'no-store') throw new Error('no-store is missing')
  return seen(outcome)
}

async function signedIn(w: World): Promise<{ clientId: string; code: Form; answer: Form; refresh: Form }> {
  const clientId = await register(w)
  const code = await codeForm(w, clientId)
  const answer = jsonOf(await w.call('POST', '/oauth/token', { form: code })) as Form
  const refresh = {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: answer.refresh_token ?? '',
  }
  return { clientId, code, answer, refresh }
}

t.test(
  'spec, Token 1 and 4; decisions, token and revocation body, missing required OAuth parameter: the request (RFC 6749, 3.2)',
  async (t) => {
    const w = await world(t)
    const form = { grant_type: 'password', client_id: 'c' }
    t.strictSame(await redeem(w, { client_id: 'c' }), oauthError('invalid_request', 'grant_type is required'))
    t.strictSame(await redeem(w, { grant_type: 'x' }), oauthError('invalid_request', 'client_id is required'))
    t.strictSame(await redeem(w, form), oauthError('unsupported_grant_type'), 'rule 4')
    const foreign = { ...form, resource: 'https://evil.example' }
    t.strictSame(await redeem(w, foreign), oauthError('invalid_target'), 'rule 1 comes first')
    const twice = oauthError('invalid_request', 'a parameter is given more than once')
    t.strictSame(seen(await w.call('POST', '/oauth/token?client_id=c', { form })), twice)
    t.strictSame(seen(await w.call('POST', '/oauth/token', { form: 'client_id=a&client_id=a' })), twice)
    const query = '/oauth/token?grant_type=password&client_id=c'
    t.strictSame(
      seen(await w.call('POST', query)),
      oauthError('unsupported_grant_type'),
      'query parameters are accepted',
    )
    const wrongType = oauthError(
      'invalid_request',
      'the request body must be application/x-www-form-urlencoded',
    )
    for (const contentType of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', null]) {
      const outcome = await w.call('POST', query, { raw: JSON.stringify(form), contentType })
      t.strictSame(
        [seen(outcome), outcome.headers['cache-control']],
        [wrongType, 'no-store'],
        String(contentType),
      )
    }
    const typed = { form, contentType: 'Application/X-WWW-Form-Urlencoded; charset=utf-8' }
    t.strictSame(seen(await w.call('POST', '/oauth/token', typed)), oauthError('unsupported_grant_type'))
    t.strictSame(
      await redeem(w, { ...form, x: 'a\0' }),
      oauthError('invalid_request', 'a parameter contains a NUL character'),
    )
    t.strictSame(
      await redeem(w, { ...form, x: 'a'.repeat(33_000) }),
      oauthError('invalid_request', 'the request body is larger than 32768 bytes', 413),
    )
  },
)

t.test('spec, Token 2 and 7: a code becomes tokens with exactly the listed claims', async (t) => {
  const w = await world(t)
  const { clientId, answer } = await signedIn(w)
  const { access_token, refresh_token, ...rest } = answer
  t.strictSame(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'api' })
  for (const [token, typ, lifetime] of [
    [access_token, 'access', 3600],
    [refresh_token, 'refresh', 2_592_000],
  ] as const) {
    const { jti, ...claims } = payloadOf(token)
    t.match(jti, /^[0-9a-f]{32}$/)
    const iat = start / 1000
    const sub = 'dev:developer'
    t.strictSame(claims, {
      typ,
      iss: baseUrl,
      aud: baseUrl,
      sub,
      cid: clientId,
      scope: 'api',
      iat,
      exp: iat + lifetime,
    })
  }
})

t.test(
  'spec, Token 2; decisions, every defect: of a code it is invalid_grant and burns nothing',
  async (t) => {
    const w = await world(t)
    const { answer } = await signedIn(w)
    const other = await register(w)
    const form = await codeForm(w, await register(w))
    const code = form.code ?? ''
    const altered = code.slice(0, -1) + String.fromCharCode(code.charCodeAt(code.length - 1) + 1)
    const changes: readonly Form[] = [
      { code: '' },
      { code: 'garbage' },
      { code: `${code}=` },
      { code: ` ${code}` },
      { code: altered },
      { code: answer.access_token ?? '' },
      { code: answer.refresh_token ?? '' },
      { client_id: other },
      { redirect_uri: '' },
      { redirect_uri: 'https://client.example/cb/' },
      { code_verifier: '' },
      { code_verifier: 'wrong' },
      { code_verifier: 'w'.repeat(43) },
      { code_verifier: String(payloadOf(code).challenge) },
    ]
    for (const change of changes)
      t.strictSame(await redeem(w, { ...form, ...change }), invalid, JSON.stringify(change))
    t.equal((await redeem(w, form))[0], 200)
  },
)

t.test('spec, Token 2: a code signed with another key, algorithm or method is invalid_grant', async (t) => {
  const w = await world(t)
  const form = await codeForm(w, await register(w))
  const claims = payloadOf(form.code)
  const key = new TextEncoder().encode(secret)
  const sign = (c: Record<string, unknown>, k: Uint8Array = key, alg = 'HS256'): Promise<string> =>
    new SignJWT(c).setProtectedHeader({ alg }).sign(k)
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${form.code?.split('.')[1]}.`
  const forged = [
    await sign(claims, new TextEncoder().encode('another secret of at least 32 bytes!')),
    await sign(claims, new Uint8Array(64), 'HS512'),
    await sign({ ...claims, method: 'plain', challenge: form.code_verifier }),
    await sign({ ...claims, iss: 'https://evil.example' }),
    await sign({ ...claims, exp: undefined }),
    await sign({ ...claims, jti: 'f'.repeat(64) }),
    none,
  ]
  for (const code of forged) t.strictSame(await redeem(w, { ...form, code }), invalid)
  t.equal((await redeem(w, { ...form, code: await sign(claims) }))[0], 200, 'kid is optional')
})

t.test('token: a code lives 5 minutes to the second', async (t) => {
  const w = await world(t)
  const form = await codeForm(w, await register(w))
  w.clock.now = start + 301_000
  t.strictSame(await redeem(w, form), invalid)
  w.clock.now = start + 300_000
  t.strictSame(await redeem(w, form), invalid)
  w.clock.now = start + 299_000
  t.equal((await redeem(w, form))[0], 200)
})

t.test(
  'spec, Token 5; decisions, second use of a code: it is "already used" and revokes what it gave',
  async (t) => {
    const w = await world(t)
    const { code, answer, refresh } = await signedIn(w)
    t.strictSame(await redeem(w, { ...code, code_verifier: 'wrong' }), invalid)
    t.ok(
      await w.server.userOfAccessToken(answer.access_token ?? ''),
      'a replay that knows nothing does no harm',
    )
    t.strictSame(await redeem(w, code), used)
    t.equal(await w.server.userOfAccessToken(answer.access_token ?? ''), null)
    t.strictSame(await redeem(w, refresh), invalid)
    t.notMatch(w.logged.join('\n'), code.code ?? '')
  },
)

t.test('spec, Token 3: rotation; of 50 parallel refreshes one wins and its family lives', async (t) => {
  const w = await world(t)
  const { refresh } = await signedIn(w)
  const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(w, refresh)))
  const winners = answers.filter(([status]) => status === 200)
  t.equal(winners.length, 1)
  t.strictSame(
    answers.filter(([status]) => status === 400),
    Array.from({ length: 49 }, () => used),
  )
  const winner = winners[0]?.[1] as Form
  t.ok(await w.server.userOfAccessToken(winner.access_token ?? ''))
  t.equal((await redeem(w, { ...refresh, refresh_token: winner.refresh_token ?? '' }))[0], 200)
})

t.test(
  'spec, Token 5; decisions, second use of a refresh token: within 60 s spares the family, later revokes it',
  async (t) => {
    for (const [after, lives] of [
      [60_000, true],
      [60_001, false],
    ] as const) {
      const w = await world(t)
      const { refresh } = await signedIn(w)
      const next = (await redeem(w, refresh))[1] as Form
      w.clock.now = start + after
      t.strictSame(await redeem(w, refresh), used)
      t.equal((await w.server.userOfAccessToken(next.access_token ?? '')) !== null, lives)
      t.equal(
        (await redeem(w, { ...refresh, refresh_token: next.refresh_token ?? '' }))[0],
        lives ? 200 : 400,
      )
    }
  },
)

t.test(
  'spec, Token 3; decisions, every defect: of a refresh token it is invalid_grant and burns nothing',
  async (t) => {
    const w = await world(t)
    const { answer, refresh } = await signedIn(w)
    const key = new TextEncoder().encode(secret)
    const sign = (c: object): Promise<string> =>
      new SignJWT({ ...c }).setProtectedHeader({ alg: 'HS256' }).sign(key)
    const claims = payloadOf(answer.refresh_token)
    const changes: readonly Form[] = [
      { refresh_token: '' },
      { refresh_token: answer.access_token ?? '' },
      { refresh_token: await sign({ ...claims, typ: 'access' }) },
      { refresh_token: await sign({ ...claims, aud: 'https://evil.example' }) },
      { refresh_token: await sign({ ...claims, jti: 'never issued' }) },
      { client_id: await register(w) },
    ]
    for (const change of changes) t.strictSame(await redeem(w, { ...refresh, ...change }), invalid)
    w.clock.now = start + 2_592_000_000
    t.strictSame(await redeem(w, refresh), invalid, '30 days, to the second')
    w.clock.now = start + 2_591_999_000
    t.equal((await redeem(w, refresh))[0], 200)
  },
)

t.test(
  'decisions, every defect: of a client that is gone what is right is invalid_client, all else as ever (RFC 6749, 5.2)',
  async (t) => {
    const w = await world(t)
    const { refresh, clientId } = await signedIn(w)
    const code = await codeForm(w, clientId)
    const other = await register(w)
    const spent = { ...refresh }
    const rotated = jsonOf(await w.call('POST', '/oauth/token', { form: refresh })) as Form
    const right: Form = { ...refresh, refresh_token: rotated.refresh_token ?? '' }
    await w.store.removeClient(clientId)
    for (const form of [code, right]) {
      t.strictSame(await redeem(w, form), gone)
      t.strictSame(await redeem(w, { ...form, client_id: other }), invalid, 'of another client')
      t.strictSame(await redeem(w, { ...form, client_id: 'never registered' }), invalid)
    }
    for (const change of [{ code: 'x' }, { code_verifier: 'x' }, { redirect_uri: '' }])
      t.strictSame(await redeem(w, { ...code, ...change }), invalid, JSON.stringify(change))
    t.strictSame(await redeem(w, { ...right, refresh_token: `${right.refresh_token}x` }), invalid)
    t.strictSame(await redeem(w, spent), used, 'what was used before')
    w.clock.now = start + 60_001
    t.strictSame(await redeem(w, spent), used)
    t.equal(await w.server.userOfAccessToken(rotated.access_token ?? ''), null, 'a thief’s family still ends')
  },
)

t.test('decisions, every defect: a client that another took the place of is gone too', async (t) => {
  const clock = () => start
  const store = await openStore({
    url: 'sqlite::memory:',
    clock,
    migrations: {},
    migrate: 'apply',
    clientCap: 1,
  })
  t.teardown(() => store.close())
  const w = await world(t, { store })
  const { refresh } = await signedIn(w)
  await register(w)
  t.strictSame(await redeem(w, refresh), gone)
})

t.test(
  'decisions, token and revocation body: what proves a client, and assertions, are never taken from the address',
  async (t) => {
    const w = await world(t)
    const { refresh } = await signedIn(w)
    for (const name of ['assertion', 'client_assertion', 'client_secret']) {
      const refused = oauthError('invalid_request', `${name} must not stand in the address`)
      for (const path of ['token', 'revoke']) {
        const outcome = await w.call('POST', `/oauth/${path}?${name}=x`, { form: refresh })
        t.strictSame(seen(outcome), refused, `${name} ${path}`)
      }
    }
    const inAddress = await w.call('POST', `/oauth/token?${new URLSearchParams(refresh)}`)
    t.equal(inAddress.status, 200, 'other parameters are, and nothing was spent')
  },
)

t.test('decisions, aud: exactly the base URL, whatever resource of ours is named', async (t) => {
  const w = await world(t)
  const form = await codeForm(w, await register(w))
  for (const resource of [`${baseUrl}.evil.example`, `${baseUrl}@evil.example/`, 'x'])
    t.strictSame(await redeem(w, { ...form, resource }), oauthError('invalid_target'), resource)
  const [status, answer] = await redeem(w, { ...form, resource: `${baseUrl}/mcp` })
  const { access_token, refresh_token } = answer as Form
  t.strictSame([status, payloadOf(access_token).aud, payloadOf(refresh_token).aud], [200, baseUrl, baseUrl])
})

t.test('spec, Protected API: whose access token it is', async (t) => {
  const w = await world(t)
  const { answer, code } = await signedIn(w)
  const access = answer.access_token ?? ''
  const user = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }
  t.strictSame(await w.server.userOfAccessToken(access), user)
  const key = new TextEncoder().encode(secret)
  const sign = (c: object): Promise<string> =>
    new SignJWT({ ...c }).setProtectedHeader({ alg: 'HS256' }).sign(key)
  const claims = payloadOf(access)
  t.strictSame(
    await w.server.userOfAccessToken(await sign({ ...claims, jti: 'not listed' })),
    user,
    'shared key',
  )
  const refused = [
    '',
    `${access} `,
    `${access}=`,
    answer.refresh_token ?? '',
    code.code ?? '',
    await sign({ ...claims, typ: 'refresh' }),
    await sign({ ...claims, aud: `${baseUrl}/` }),
    await sign({ ...claims, aud: [baseUrl] }),
    await sign({ ...claims, iss: 'https://evil.example' }),
    await sign({ ...claims, sub: 'nobody:1' }),
    await sign({ ...claims, exp: undefined }),
  ]
  for (const token of refused) t.equal(await w.server.userOfAccessToken(token), null)
  w.clock.now = start + 3_599_000
  t.strictSame(await w.server.userOfAccessToken(access), user)
  for (const late of [3_600_000, 3_601_000]) {
    w.clock.now = start + late
    t.equal(await w.server.userOfAccessToken(access), null)
  }
})

t.test('keys rotate: the first signs, all verify; an unlisted one does not', async (t) => {
  const old = 'the older secret of at least 32 bytes'
  const newer = await world(t, { jwtSecrets: [secret, old] })
  await signedIn(newer)
  const claims = payloadOf((await signedIn(newer)).answer.access_token)
  const signed = (text: string): Promise<string> =>
    new SignJWT({ ...claims, jti: 'x' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(text))
  t.ok(await newer.server.userOfAccessToken(await signed(secret)))
  t.ok(await newer.server.userOfAccessToken(await signed(old)))
  t.equal(await newer.server.userOfAccessToken(await signed('an unlisted secret of 32 bytes or more')), null)
  await t.rejects(world(t, { jwtSecrets: [] }), { message: 'a JWT secret is required' })
})

t.test(
  'spec, Token 2: any verifier that is not empty counts, its length (RFC 7636, 4.1) is the client’s affair',
  async (t) => {
    const w = await world(t)
    const clientId = await register(w)
    const judged = async (verifier: string): Promise<number> => {
      const code_challenge = createHash('sha256').update(verifier).digest('base64url')
      const browser = await signedInBrowser(w)
      const outcome = await decide(w, browser, { ...authorizeParameters(clientId), code_challenge })
      const code = new URL(location(outcome)).searchParams.get('code') ?? ''
      const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri }
      return (await redeem(w, { ...form, code, code_verifier: verifier }))[0]
    }
    const verifiers = ['a', 'a'.repeat(42), 'a'.repeat(129), 'a'.repeat(10_000), ' + ', 'é', 'a\n']
    t.strictSame(
      await Promise.all(verifiers.map(judged)),
      verifiers.map(() => 200),
    )
    t.equal(await judged(''), 400)
  },
)

t.test(
  'spec, Token 6; decisions, token rule 6: an error with an OAuth type and a status keeps both, and the code is not burned',
  async (t) => {
    class LibraryError extends Error {
      readonly error = 'invalid_client'
      readonly error_description = 'the client is suspended'
      readonly status = 401
    }
    const raised: { error: unknown } = { error: null }
    const seenClaims: unknown[] = []
    const checkToken = (claims: Readonly<Record<string, unknown>>): void => {
      seenClaims.push(claims.jti)
      if (raised.error !== null) throw raised.error
    }
    const w = await world(t, { checkToken })
    const clientId = await register(w)
    const form = await codeForm(w, clientId)
    const cases: readonly (readonly [unknown, readonly [number, unknown]])[] = [
      [new AuthServerError('access_denied', 'not today', 403), oauthError('access_denied', 'not today', 403)],
      [
        new AuthServerError('invalid_token', 'invalid_token', 401),
        oauthError('invalid_token', 'invalid_token', 401),
      ],
      [new LibraryError('internal words'), oauthError('invalid_client', 'the client is suspended', 401)],
      [
        Object.assign(new Error('secret'), { error: 'slow_down', status: 503 }),
        oauthError('slow_down', 'slow_down', 503),
      ],
      [Object.assign(new Error('no type'), { status: 401 }), oauthError('server_error', 'server_error', 500)],
      [
        Object.assign(new Error('odd'), { error: '<b>', status: 400 }),
        oauthError('server_error', 'server_error', 500),
      ],
      [
        Object.assign(new Error('odd'), { error: 'ok', status: 200 }),
        oauthError('server_error', 'server_error', 500),
      ],
      [new TypeError('a bug'), oauthError('server_error', 'server_error', 500)],
    ]
    for (const [error, expected] of cases) {
      raised.error = error
      t.strictSame(await redeem(w, form), expected, String(error))
    }
    raised.error = null
    const [status, pair] = await redeem(w, form)
    t.equal(status, 200)
    t.equal(new Set(seenClaims).size, 1, 'the check saw the claims of the code')
    raised.error = new AuthServerError('invalid_grant', 'this user has left')
    const { refresh_token = '' } = pair as Form
    const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token }
    t.strictSame(await redeem(w, refresh), oauthError('invalid_grant', 'this user has left'))
    raised.error = null
    t.equal((await redeem(w, refresh))[0], 200)
  },
)

t.test(
  'spec, Production expectations: CORS on every answer, without credentials; a preflight is answered',
  async (t) => {
    const w = await world(t)
    for (const [method, form] of [
      ['OPTIONS', {}],
      ['POST', { grant_type: 'x', client_id: 'c' }],
    ] as const) {
      const { headers, status } = await w.call(method, '/oauth/token', { form })
      t.equal(status, method === 'POST' ? 400 : 204)
      t.equal(headers['access-control-allow-origin'], '*')
      t.equal(headers['access-control-allow-credentials'], undefined)
      t.match(headers['access-control-expose-headers'], /\bwww-authenticate\b/)
      t.equal(headers['cache-control'], 'no-store')
    }
  },
)

t.test('token: a check that fails writes no token and no claim into the log', async (t) => {
  const w = await world(t)
  const { answer, refresh, code } = await signedIn(w)
  await redeem(w, refresh)
  await redeem(w, refresh)
  await redeem(w, { ...code, code_verifier: 'x' })
  const lines = w.logged.join('\n')
  for (const text of [answer.access_token, answer.refresh_token, code.code, code.code_verifier])
    t.notOk(lines.includes(String(text)))
})
