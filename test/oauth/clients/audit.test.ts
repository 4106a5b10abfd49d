/** The audit log. */
import { createHash } from 'node:crypto'
import t from 'tap'
import {
  authorizeParameters,
  codeForm,
  decide,
  jsonOf,
  payloadOf,
  register,
  signedInBrowser,
  type World,
  world,
} from '../support/harness.ts'
import { openScene, tokensOf } from '../support/scene.ts'

type Line = Record<string, unknown>

const hashed = (id: unknown): string => createHash('sha256').update(String(id)).digest('hex').slice(0, 16)
const user = hashed('dev:developer')

/** The audit lines of one event, in order. */
function lines(w: World, event: string): Line[] {
  const audits = w.logged.filter((line) => line.startsWith('audit '))
  return audits.map((line) => JSON.parse(line.slice('audit '.length))).filter((line) => line.event === event)
}

t.test(
  'audit: one line per registration, sign-in, consent, issue, refresh, reuse and revocation',
  async (t) => {
    const w = await world(t)
    const clientId = await register(w)
    const client = hashed(clientId)
    t.strictSame(lines(w, 'registration'), [{ event: 'registration', client }])
    await signedInBrowser(w)
    t.strictSame(lines(w, 'sign-in'), [{ event: 'sign-in', user, provider: 'dev' }])
    const post = async (path: string, form: Record<string, string>): Promise<Line> =>
      jsonOf(await w.call('POST', path, { form }))
    await decide(w, await signedInBrowser(w), authorizeParameters(clientId), { decision: 'deny' })
    t.strictSame(lines(w, 'consent'), [{ event: 'consent', client, user, decision: 'deny' }])

    const form = await codeForm(w, clientId)
    const [, allowed] = lines(w, 'consent')
    const { grant, ...consent } = allowed ?? {}
    const code = hashed(payloadOf(form.code).jti)
    t.match(grant, /^[0-9a-f]{16}$/)
    t.strictSame(consent, { event: 'consent', client, user, to: code, decision: 'allow' })

    const pair = await post('/oauth/token', form)
    const first = hashed(payloadOf(pair.refresh_token).jti)
    t.strictSame(lines(w, 'issue'), [{ event: 'issue', client, user, from: code, to: first }])

    const refresh = {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: String(pair.refresh_token),
    }
    const next = await post('/oauth/token', refresh)
    const second = hashed(payloadOf(next.refresh_token).jti)
    t.strictSame(lines(w, 'refresh'), [{ event: 'refresh', client, user, from: first, to: second }])

    await post('/oauth/token', refresh)
    w.clock.now += 60_001
    await post('/oauth/token', refresh)
    await post('/oauth/token', form)
    const reuse = { event: 'reuse', client, user, grant }
    t.strictSame(lines(w, 'reuse'), [
      { ...reuse, from: first, reason: 'refresh token reused', familyRevoked: false },
      { ...reuse, from: first, reason: 'refresh token reused', familyRevoked: true },
      { ...reuse, from: code, reason: 'code replayed', familyRevoked: true },
    ])

    const token = String(next.refresh_token)
    await w.call('POST', '/oauth/revoke', { form: { client_id: clientId, token } })
    t.strictSame(lines(w, 'revocation'), [
      { event: 'revocation', client, user, from: second, grant, reason: 'revoked by the client' },
    ])
  },
)

t.test('audit: what fails leaves no line, and no id stands in clear', async (t) => {
  const w = await world(t)
  const clientId = await register(w)
  const form = await codeForm(w, clientId)
  const before = w.logged.filter((line) => line.startsWith('audit ')).length
  await w.call('POST', '/oauth/token', { form: { ...form, code_verifier: 'wrong' } })
  await w.call('POST', '/oauth/revoke', { form: { client_id: clientId, token: 'garbage' } })
  t.equal(w.logged.filter((line) => line.startsWith('audit ')).length, before)
  for (const line of w.logged.filter((text) => text.startsWith('audit '))) {
    for (const id of [clientId, 'dev:developer', String(payloadOf(form.code).jti)]) t.notOk(line.includes(id))
  }
})

t.test('audit log: LOG_LEVEL leaves no audit line out, but for silent', async (t) => {
  for (const [logLevel, expected] of [
    ['error', ['registration', 'sign-in', 'consent', 'issue']],
    ['silent', []],
  ] as const) {
    const written: string[] = []
    const logStream = { write: (line: string): void => void written.push(line) }
    const scene = await openScene(t, { logStream, environment: { logLevel } })
    await tokensOf(scene)
    t.strictSame(
      written.map((line) => JSON.parse(line).event),
      expected,
      logLevel,
    )
  }
})
