/** `POST /oauth/revoke`. Source: RFC 7009; rules.md, revocation and keys. */
import { SignJWT } from 'jose'
import t from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import {
  codeForm,
  jsonOf,
  oauthError,
  payloadOf,
  register,
  seen,
  start,
  type World,
  world,
} from '../support/harness.ts'

const secret = 'a secret of at least 32 bytes, the newest'
const invalid = oauthError('invalid_grant', 'the code or refresh token is not valid')

type Form = Record<string, string>

interface Family {
  readonly clientId: string
  readonly code: Form
  readonly access: string
  readonly refresh: string
}

async function family(w: World): Promise<Family> {
  const clientId = await register(w)
  const code = await codeForm(w, clientId)
  const answer = jsonOf(await w.call('POST', '/oauth/token', { form: code }))
  return { clientId, code, access: String(answer.access_token), refresh: String(answer.refresh_token) }
}

const revoke = (w: World, form: Form): Promise<HttpResponse> => w.call('POST', '/oauth/revoke', { form })

const refreshOf = async (
  w: World,
  clientId: string,
  refresh_token: string,
): Promise<readonly [number, unknown]> =>
  seen(
    await w.call('POST', '/oauth/token', {
      form: { grant_type: 'refresh_token', client_id: clientId, refresh_token },
    }),
  )

t.test(
  'decisions, revocation (RFC 7009, 2.1): either token ends the family, access tokens included, at once',
  async (t) => {
    for (const kind of ['access', 'refresh'] as const) {
      const w = await world(t)
      const { clientId, ...tokens } = await family(w)
      const bystander = await family(w)
      const [, next] = await refreshOf(w, clientId, tokens.refresh)
      const newer = next as Form
      t.ok(await w.server.userOfAccessToken(tokens.access))
      const outcome = await revoke(w, {
        client_id: clientId,
        token: tokens[kind],
        token_type_hint: `${kind}_token`,
      })
      t.strictSame([outcome.status, outcome.body, outcome.headers['cache-control']], [200, null, 'no-store'])
      t.equal(outcome.headers['access-control-allow-origin'], '*')
      t.equal(await w.server.userOfAccessToken(tokens.access), null)
      t.equal(await w.server.userOfAccessToken(newer.access_token ?? ''), null)
      t.strictSame(await refreshOf(w, clientId, newer.refresh_token ?? ''), invalid)
      t.ok(await w.server.userOfAccessToken(bystander.access), 'another family lives')
      const again = await revoke(w, { client_id: clientId, token: tokens[kind] })
      t.equal(again.status, 200, 'a second revocation is 200 too')
    }
  },
)

t.test('revoke (RFC 7009, 2.1): a token of another client is refused and lives', async (t) => {
  const w = await world(t)
  const mine = await family(w)
  const other = await family(w)
  for (const token of [mine.access, mine.refresh]) {
    t.strictSame(
      seen(await revoke(w, { client_id: other.clientId, token })),
      oauthError('unauthorized_client', 'the token was issued to another client'),
    )
  }
  t.ok(await w.server.userOfAccessToken(mine.access))
  t.equal((await refreshOf(w, mine.clientId, mine.refresh))[0], 200)
})

t.test('revoke (RFC 7009, 2.2): what is no live token of ours is 200 and changes nothing', async (t) => {
  const w = await world(t)
  const { clientId, access, refresh, code } = await family(w)
  const claims = payloadOf(access)
  const sign = (c: Record<string, unknown>, key = secret): Promise<string> =>
    new SignJWT(c).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(key))
  const tokens = [
    'garbage',
    `${access}=`,
    `${access.slice(0, -2)}AA`,
    code.code ?? '',
    await sign(claims, 'another secret of at least 32 bytes!'),
    await sign({ ...claims, exp: start / 1000 }),
    await sign({ ...claims, aud: 'https://evil.example' }),
    await sign({ ...claims, iss: 'https://evil.example' }),
    await sign({ ...claims, jti: undefined }),
  ]
  for (const token of tokens) {
    for (const token_type_hint of ['', 'access_token', 'refresh_token', 'unknown', 'x'.repeat(3000)]) {
      const outcome = await revoke(w, { client_id: clientId, token, token_type_hint })
      t.strictSame([outcome.status, outcome.body], [200, null])
    }
  }
  t.ok(await w.server.userOfAccessToken(access))
  t.equal((await refreshOf(w, clientId, refresh))[0], 200)
})

t.test('revoke: a wrong hint does not hide the token', async (t) => {
  const w = await world(t)
  const { clientId, access, refresh } = await family(w)
  t.equal(
    (await revoke(w, { client_id: clientId, token: refresh, token_type_hint: 'access_token' })).status,
    200,
  )
  t.equal(await w.server.userOfAccessToken(access), null)
})

t.test('revoke: a token that another holder of the key signed is remembered until it expires', async (t) => {
  const w = await world(t)
  const { clientId, access } = await family(w)
  const key = new TextEncoder().encode(secret)
  const claims = { ...payloadOf(access), jti: 'signed elsewhere' }
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key)
  t.ok(await w.server.userOfAccessToken(token))
  t.equal((await revoke(w, { client_id: clientId, token })).status, 200)
  t.equal(await w.server.userOfAccessToken(token), null)
  t.ok(await w.server.userOfAccessToken(access), 'the family of ours lives')
})

t.test('revoke: the request is judged like a token request (RFC 7009, 2.1)', async (t) => {
  const w = await world(t)
  const { clientId, access } = await family(w)
  const wrongType = oauthError(
    'invalid_request',
    'the request body must be application/x-www-form-urlencoded',
  )
  const twice = oauthError('invalid_request', 'a parameter is given more than once')
  const form = { client_id: clientId, token: access }
  const answers: readonly (readonly [HttpResponse, readonly [number, unknown]])[] = [
    [await revoke(w, { client_id: clientId }), oauthError('invalid_request', 'token is required')],
    [await revoke(w, { token: access }), oauthError('invalid_request', 'client_id is required')],
    [await w.call('POST', '/oauth/revoke?token=x', { form }), twice],
    [await w.call('POST', '/oauth/revoke', { form: `client_id=a&client_id=b&token=${access}` }), twice],
    [
      await w.call('POST', '/oauth/revoke', { raw: JSON.stringify(form), contentType: 'application/json' }),
      wrongType,
    ],
    [
      await revoke(w, { ...form, x: 'x'.repeat(33_000) }),
      oauthError('invalid_request', 'the request body is larger than 32768 bytes', 413),
    ],
  ]
  for (const [outcome, expected] of answers) {
    t.strictSame(seen(outcome), expected)
    t.strictSame(
      [outcome.headers['cache-control'], outcome.headers['access-control-allow-origin']],
      ['no-store', '*'],
    )
  }
  t.ok(await w.server.userOfAccessToken(access))
  const preflight = await w.call('OPTIONS', '/oauth/revoke')
  t.strictSame([preflight.status, preflight.headers['access-control-allow-origin']], [204, '*'])
})

t.test('revoke: a refresh and a revocation at once: afterwards nothing of the family works', async (t) => {
  const w = await world(t)
  const { clientId, refresh, access } = await family(w)
  const [rotated] = await Promise.all([
    refreshOf(w, clientId, refresh),
    revoke(w, { client_id: clientId, token: refresh }),
  ])
  t.equal(await w.server.userOfAccessToken(access), null)
  const newer = rotated[1] as Form
  if (rotated[0] === 200) t.equal(await w.server.userOfAccessToken(newer.access_token ?? ''), null)
  else t.strictSame(rotated, invalid)
})

t.test(
  'the end of a token, revoked: whoever remembers that a token was good is told whose was revoked',
  async (t) => {
    const reported: string[] = []
    const w = await world(t, { onRevoked: (userId) => void reported.push(userId) })
    const { clientId, code, access } = await family(w)
    await revoke(w, { client_id: clientId, token: 'no token of ours' })
    t.strictSame(reported, [], 'nothing was revoked')
    await revoke(w, { client_id: clientId, token: access })
    t.strictSame(reported.splice(0), ['dev:developer'], 'by the client')
    await w.call('POST', '/oauth/token', { form: code })
    t.strictSame(reported.splice(0), ['dev:developer'], 'a replayed code')
    const next = await family(w)
    await refreshOf(w, next.clientId, next.refresh)
    await refreshOf(w, next.clientId, next.refresh)
    t.strictSame(reported, [], 'a refresh token that comes again at once ends nothing')
    w.clock.now += 61_000
    await refreshOf(w, next.clientId, next.refresh)
    t.strictSame(reported, ['dev:developer'], 'a replayed refresh token')
  },
)
