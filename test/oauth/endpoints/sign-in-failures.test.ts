/** What the sign-in page says after a sign-in that failed, and what the log says of the provider. Source: rules.md, Sign-in;
 *  decisions/oauth.md, Sign-in. */
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import t, { type Test } from 'tap'
import { SignInRefused } from '../../../runtime/index.ts'
import type { AuthorizationServerOptions } from '../../../runtime/oauth/options.ts'
import { type ProviderTrouble, providerTroubleOf } from '../../../runtime/oauth/providers/provider-trouble.ts'
import { freePort } from '../../support/free-port.ts'
import { type Fault, type FaultProvider, openFaultProvider } from '../support/fault-provider.ts'
import { type Browser, location, newBrowser, type World, world } from '../support/harness.ts'

interface Scene {
  readonly w: World
  readonly issuer: FaultProvider
}

async function scene(t: Test, changes: Partial<AuthorizationServerOptions> = {}): Promise<Scene> {
  const issuer = await openFaultProvider()
  t.teardown(issuer.close)
  const acme = { issuer: issuer.issuer, clientId: 'us', clientSecret: 'secret' }
  const w = await world(t, { providers: { acme, google: { clientId: 'us', clientSecret: 's' } }, ...changes })
  return { w, issuer }
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Fault =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** Status and text of the start, or of the callback with that query. */
async function signIn(
  { w, issuer }: Scene,
  browser: Browser,
  query = 'code=abc',
): Promise<readonly unknown[]> {
  const started = await w.call('GET', '/auth/acme', { browser })
  if (started.status !== 303) return [started.status, started.headers, started.body]
  const url = new URL(location(started))
  issuer.nonce = url.searchParams.get('nonce') ?? ''
  const state = url.searchParams.get('state')
  const answer = await w.call('GET', `/auth/acme/callback?${query}&state=${state}`, { browser })
  return [answer.status, answer.headers, answer.body]
}

/** Heading and text of the page's notice, else null. */
async function noticeOn({ w }: Scene, browser: Browser): Promise<string | null> {
  const { body } = await w.call('GET', '/auth/', { browser })
  return (
    /<div class="notice error" role="note">\n<strong>(.*)<\/strong>\n(.*)\n<\/div>/
      .exec(String(body))
      ?.slice(1)
      .join(' ') ?? null
  )
}

const headers = {
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'content-type': 'text/plain; charset=utf-8',
}

/** Of the log: what is told of the provider. */
const troubles = ({ w }: Scene): readonly string[] =>
  w.logged.splice(0).flatMap(
    (line) =>
      /^nobody can sign in.*"trouble":"([\w-]+)"|^(the identity provider works again)/
        .exec(line)
        ?.slice(1)
        .find((found) => found !== undefined) ?? [],
  )

const plain = (answer: readonly unknown[]): readonly unknown[] => [
  answer[0],
  Object(answer[1])['content-type'],
  answer[2],
]
const failed = [401, headers['content-type'], 'sign in failed']

t.test('the page says once what happened; the answer stays the plain text', async (t) => {
  const it: Scene = await scene(t, {
    onSignIn: ({ claims }) => {
      if (claims.banned === true) throw new SignInRefused('the private reason')
      if (claims.broken === true) throw new Error('a mistake')
    },
  })
  const cases: readonly (readonly [what: string, query: string, before: () => void, notice: string])[] = [
    [
      'refused by onSignIn',
      'code=a',
      () => void Object.assign(it.issuer, { claims: { banned: true } }),
      'You were not let in. This service knows who you are, and does not let you in. Ask whoever runs it, or use another account.',
    ],
    [
      'a mistake in onSignIn',
      'code=a',
      () => void Object.assign(it.issuer, { claims: { broken: true } }),
      'You were not signed in. Something went wrong. Try again; if it stays so, ask whoever runs this service.',
    ],
    [
      'said no',
      'error=access_denied',
      () => {},
      'You were not signed in. The sign-in at acme was stopped there. Begin again, and allow what it asks.',
    ],
    [
      'the provider is busy',
      'error=temporarily_unavailable',
      () => {},
      'You could not be signed in now. acme cannot be reached, or does not work. Try again in a few minutes.',
    ],
    [
      'a wrong request',
      'error=invalid_scope',
      () => {},
      'You cannot be signed in. This service and acme do not agree. Trying again does not help: whoever runs this service finds the cause in its log.',
    ],
    [
      'a wrong secret',
      'code=a',
      () => it.issuer.faults.set('/token', json(401, { error: 'invalid_client' })),
      'You cannot be signed in. This service and acme do not agree. Trying again does not help: whoever runs this service finds the cause in its log.',
    ],
    [
      'away',
      'code=a',
      () => it.issuer.faults.set('/token', json(503, {})),
      'You could not be signed in now. acme cannot be reached, or does not work. Try again in a few minutes.',
    ],
    [
      'a code that was spent',
      'code=a',
      () => it.issuer.faults.set('/token', json(400, { error: 'invalid_grant' })),
      'You were not signed in. Something went wrong. Try again; if it stays so, ask whoever runs this service.',
    ],
  ]
  for (const [what, query, before, notice] of cases) {
    before()
    const browser = newBrowser()
    t.strictSame(plain(await signIn(it, browser, query)), failed, what)
    t.strictSame([await noticeOn(it, browser), await noticeOn(it, browser)], [notice, null], what)
    t.strictSame([...browser.values], [], 'nothing is left')
    it.issuer.claims = {}
    it.issuer.faults.clear()
  }
  const browser = newBrowser()
  t.equal((await signIn(it, browser))[0], 303)
  t.equal(await noticeOn(it, browser), null)
})

t.test(
  'a state that is not there, too old or of another browser is told; nothing is, to who is signed in',
  async (t) => {
    const it = await scene(t)
    const expired =
      'That sign-in was no longer good. It took longer than ten minutes, was used before, or began in another browser. Begin again here, and let this site keep cookies.'
    const stranger = newBrowser()
    const answer = await it.w.call('GET', '/auth/acme/callback?code=a&state=b', { browser: stranger })
    t.strictSame([answer.status, answer.body], [400, 'invalid sign-in state'])
    t.equal(await noticeOn(it, stranger), expired)
    const slow = newBrowser()
    const url = new URL(location(await it.w.call('GET', '/auth/acme', { browser: slow })))
    it.w.clock.now += 11 * 60_000
    const back = `/auth/acme/callback?code=a&state=${url.searchParams.get('state')}`
    t.equal((await it.w.call('GET', back, { browser: slow })).status, 400)
    t.equal(await noticeOn(it, slow), expired)
    const signedIn = newBrowser()
    await signIn(it, signedIn)
    t.equal((await it.w.call('GET', back, { browser: signedIn })).status, 400)
    t.equal(await noticeOn(it, signedIn), null)
  },
)

t.test('what is kept for the page is nobody’s to write: other values say nothing', async (t) => {
  const it = await scene(t)
  for (const kept of [
    'refused',
    null,
    7,
    [],
    {},
    { problem: 'constructor', provider: 'acme' },
    { problem: 'away', provider: 7 },
  ]) {
    const browser = newBrowser()
    browser.set('sign_in_failure', kept)
    t.equal(await noticeOn(it, browser), null)
    t.strictSame([...browser.values], [])
  }
  for (const [provider, label] of [
    ['google', 'Google'],
    ['<b>', '&lt;b&gt;'],
    ['__proto__', '__proto__'],
    ['$&', '$&amp;'],
  ] as const) {
    const browser = newBrowser()
    browser.set('sign_in_failure', { problem: 'away', provider })
    t.match(await noticeOn(it, browser), `now. ${label} cannot be reached`)
  }
})

t.test(
  'log: a provider that fails is told as what it is, once until it works again; what a browser brings is not',
  async (t) => {
    const it = await scene(t)
    const { issuer } = it
    const good = issuer.idToken
    const { privateKey } = await generateKeyPair('RS256')
    const signedByAnother = (all: JWTPayload): Promise<string> =>
      new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(privateKey)
    const seconds = (after: number): number => Math.floor(Date.now() / 1000) + after
    const token = (fault: Fault) => () => void issuer.faults.set('/token', fault)
    const claims = (changed: object) => () => Object.assign(issuer, { claims: changed })
    const cases: readonly (readonly [trouble: string, begin: () => unknown])[] = [
      ['client-secret', token(json(401, { error: 'invalid_client' }))],
      ['client-secret', token(json(401, {}, { 'www-authenticate': 'Basic realm="x"' }))],
      ['client-secret', token(json(400, { error: 'unauthorized_client' }))],
      ['redirect-uri', token(json(400, { error: 'redirect_uri_mismatch' }))],
      ['status', token(json(502, {}))],
      ['status', token(json(429, {}))],
      ['status', token(json(400, { error: 'temporarily_unavailable' }))],
      [
        'answer',
        token((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
      ],
      ['connection', token((_request, response) => response.destroy())],
      ['clock', claims({ exp: seconds(-600), iat: seconds(-900) })],
      ['clock', claims({ nbf: seconds(600) })],
      ['issuer', claims({ iss: 'https://evil.example' })],
      ['client-id', claims({ aud: 'them' })],
      ['keys', () => Object.assign(issuer, { idToken: signedByAnother })],
    ]
    for (const [trouble, begin] of cases) {
      begin()
      const same: Scene = {
        w: await world(t, {
          providers: { acme: { issuer: issuer.issuer, clientId: 'us', clientSecret: 's' } },
        }),
        issuer,
      }
      for (let again = 0; again < 3; again += 1) t.equal((await signIn(same, newBrowser()))[0], 401, trouble)
      t.strictSame(troubles(same), [trouble], trouble)
      issuer.faults.clear()
      issuer.claims = {}
      issuer.idToken = good
      t.equal((await signIn(same, newBrowser()))[0], 303)
      t.strictSame(troubles(same), ['the identity provider works again'], trouble)
    }
    const brought = [
      'error=temporarily_unavailable',
      'error=invalid_client',
      'error=server_error',
      'code=abc&iss=https://evil.example',
      'code=a&code=b',
      'response=x',
    ]
    for (const query of brought) await signIn(it, newBrowser(), query)
    issuer.faults.set('/token', json(400, { error: 'invalid_grant' }))
    await signIn(it, newBrowser())
    issuer.faults.clear()
    issuer.claims = { nonce: 'another' }
    await signIn(it, newBrowser())
    t.strictSame(troubles(it), [])
  },
)

t.test('log: what keeps discovery from working is told too', async (t) => {
  const at = async (issuer: string): Promise<readonly unknown[]> => {
    const w = await world(t, {
      providers: { acme: { issuer, clientId: 'us', clientSecret: 's' } },
      providerTimeoutMs: 300,
    })
    const it = { w, issuer: await openFaultProvider() }
    t.teardown(it.issuer.close)
    const browser = newBrowser()
    const answer = plain(await signIn(it, browser))
    return [answer, troubles(it), (await noticeOn(it, browser))?.slice(0, 8)]
  }
  const discovery = '/.well-known/openid-configuration'
  const broken = async (begin: (issuer: FaultProvider) => unknown): Promise<readonly unknown[]> => {
    const issuer = await openFaultProvider()
    t.teardown(issuer.close)
    begin(issuer)
    return at(issuer.issuer)
  }
  t.strictSame(await at(`http://127.0.0.1:${await freePort()}`), [failed, ['connection'], 'You coul'])
  t.strictSame(
    await broken((issuer) => Object.assign(issuer, { metadata: { issuer: 'https://other.example' } })),
    [failed, ['issuer'], 'You cann'],
  )
  t.strictSame(await broken((issuer) => issuer.faults.set(discovery, json(404, {}))), [
    failed,
    ['issuer'],
    'You cann',
  ])
  t.strictSame(await broken((issuer) => issuer.faults.set(discovery, json(500, {}))), [
    failed,
    ['status'],
    'You coul',
  ])
  t.strictSame(await broken((issuer) => issuer.faults.set(discovery, () => {})), [
    failed,
    ['timeout'],
    'You coul',
  ])
})

t.test('log: what the network says, by the codes of Node', async (t) => {
  const codes: readonly (readonly [code: string, trouble: ProviderTrouble])[] = [
    ['ENOTFOUND', 'name'],
    ['EAI_AGAIN', 'name'],
    ['ECONNREFUSED', 'connection'],
    ['EHOSTUNREACH', 'connection'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['CERT_HAS_EXPIRED', 'certificate'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
  ]
  for (const [code, trouble] of codes) {
    const cause = Object.assign(new Error('what Node says'), { code })
    t.equal(providerTroubleOf(new TypeError('fetch failed', { cause })), trouble, code)
  }
})
