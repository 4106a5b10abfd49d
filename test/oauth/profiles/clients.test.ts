/** Registration and authorization in the two profiles. Source: decisions/oauth.md, Profiles; RFC 7591, 3.2.1; RFC 8252, 7.1;
 *  RFC 6749, 4.1.2.1. */
import t from 'tap'
import { profiles } from '../../../runtime/oauth/profile.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import {
  authorizeParameters,
  baseUrl,
  compatibleWorld,
  decide,
  jsonOf,
  location,
  newBrowser,
  oauthError,
  payloadOf,
  query,
  redirectUri,
  register,
  seen,
  signedInBrowser,
  verifier,
  type World,
  world,
} from '../support/harness.ts'

const cursor = 'cursor://anysphere.cursor-mcp/oauth/callback'
const json = 'application/json'

const registration = async (w: World, metadata: unknown): Promise<readonly [number, unknown]> => {
  const outcome = await w.call('POST', '/oauth/register', {
    raw: JSON.stringify(metadata),
    contentType: json,
  })
  return outcome.status === 201 ? [201, jsonOf(outcome).redirect_uris] : seen(outcome)
}

const unsafe = 'redirect_uris must be https, or http on loopback, without a fragment'
const html = { headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' } }

t.test(
  'profiles, private-use redirect schemes: by default 400, and the log names address and profile',
  async (t) => {
    const w = await world(t)
    const three = ['https://www.cursor.com/cb', cursor, 'http://localhost:8787/callback']
    t.strictSame(
      await registration(w, { redirect_uris: three }),
      oauthError('invalid_client_metadata', unsafe),
    )
    const [line = ''] = w.logged
    t.match(line, cursor)
    t.match(line, "oauth.profile: 'compatible'")
  },
)

t.test(
  'profiles, a refused redirect address: the reason is that of the address, the log names the setting',
  async (t) => {
    const w = await compatibleWorld(t, { nativeSchemes: new Set(['cursor']) })
    const foreign = 'is neither https, http on loopback, nor of a scheme that is allowed here'
    const unseen = 'has a fragment, white space, a backslash or an invisible character'
    for (const [uri, reason, hint] of [
      ['https://app.example/cb#a', unseen, null],
      ['https://app.example/a b', unseen, null],
      ['cursor://x#a', unseen, null],
      ['https://', 'is not a URL', null],
      ['cursor:', 'has nothing behind its scheme', null],
      ['http://app.example/cb', foreign, null],
      ['javascript:alert(1)', foreign, null],
      ['myapp://cb', foreign, "oauth.nativeSchemes: ['myapp'] in app/config.ts takes this"],
    ] as const) {
      const logged = w.logged.length
      t.strictSame(
        await registration(w, { redirect_uris: ['https://app.example/cb', uri] }),
        oauthError('invalid_client_metadata', `the redirect address ${uri.replace('\\', '?')} ${reason}`),
      )
      const [line = ''] = w.logged.slice(logged)
      t.equal(line.includes('app/config.ts'), hint !== null, uri)
      if (hint !== null) t.match(line, hint)
    }
    const strict = await world(t)
    await registration(strict, { redirect_uris: ['myapp://cb'] })
    t.match(
      strict.logged[0],
      "oauth.profile: 'compatible' and oauth.nativeSchemes: ['myapp'] in app/config.ts take this",
    )
  },
)

t.test(
  'profiles, private-use redirect schemes: in compatible registered and matched as exact text',
  async (t) => {
    const w = await compatibleWorld(t, { nativeSchemes: new Set(['cursor', 'vscode']) })
    const good = [cursor, 'vscode://x', 'com.example.app:/cb', 'CURSOR://Anysphere/x', 'cursor:x']
    for (const uri of good) t.strictSame(await registration(w, { redirect_uris: [uri] }), [201, [uri]], uri)
    const id = await register(w, { redirect_uris: [redirectUri, cursor] })
    const browser = await signedInBrowser(w)
    const parameters = { ...authorizeParameters(id), redirect_uri: cursor, state: 's' }
    const outcome = await decide(w, browser, parameters)
    t.match(
      location(outcome),
      /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=[\w.-]+&iss=[^&]+&state=s$/,
    )
    for (const other of [
      `${cursor}/`,
      `${cursor}?a=1`,
      cursor.toUpperCase(),
      'cursor://anysphere.cursor-mcp:1/oauth/callback',
      'vscode://x',
    ]) {
      const refused = await w.call('GET', query({ ...parameters, redirect_uri: other }), { browser })
      t.strictSame([refused.status, refused.headers.location], [400, undefined], other)
    }
  },
)

t.test(
  'RFC 8252, 7.1: in compatible dangerous and unlisted schemes refuse the whole registration',
  async (t) => {
    const w = await compatibleWorld(t)
    const bad = [
      'javascript:alert(1)',
      'JavaScript://x/%0aalert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:https://x/y',
      'vbscript:x',
      'about:blank',
      'ws://x.example',
      'wss://x.example',
      'ftp://x.example',
      'mailto:a@b.example',
      'myapp://cb',
      'http://x.example/',
      'cursor:',
      'cursor://a b',
      'cursor://x#f',
      'cursor://\u202ex',
      ' cursor://x',
      '1a.b://x',
      '://x',
      'x',
      '.x://y',
    ]
    for (const uri of bad) {
      const [status, body] = await registration(w, { redirect_uris: [redirectUri, uri] })
      t.equal(status, 400, uri)
      t.match(body, { error: 'invalid_client_metadata' }, uri)
    }
  },
)

t.test(
  'profiles: the log line of a redirect scheme names the setting that takes it, and no other',
  async (t) => {
    const { specification, compatible } = profiles
    const added = "oauth.nativeSchemes: ['myapp'] in app/config.ts takes this"
    const both = "oauth.profile: 'compatible' and oauth.nativeSchemes: ['myapp'] in app/config.ts take this"
    const known = "oauth.profile: 'compatible' in app/config.ts takes this"
    const cases: readonly (readonly [typeof compatible, readonly string[], string | undefined])[] = [
      [compatible, ['myapp://cb'], added],
      [compatible, ['MyApp://cb', 'myapp:/x'], added],
      [compatible, ['myapp://cb', 'javascript:alert(1)'], undefined],
      [compatible, ['data:x'], undefined],
      [compatible, ['myapp://c#f'], undefined],
      [compatible, ['http://x.example/'], undefined],
      [specification, ['myapp://cb', 'cursor://x'], both],
      [specification, ['cursor://x', 'com.example.app:/cb'], known],
      [specification, ['mailto:a@b.example'], undefined],
    ]
    for (const [profile, uris, hint] of cases) {
      const nativeSchemes = profile === compatible ? new Set(['cursor']) : null
      const w = await world(t, { profile, nativeSchemes })
      t.equal((await registration(w, { redirect_uris: uris }))[0], 400, `${uris}`)
      t.strictSame(
        w.logged.map((line) => JSON.parse(line.slice(line.indexOf('{'))).hint),
        [hint],
        `${uris}`,
      )
    }
    const lenient = await compatibleWorld(t, { nativeSchemes: new Set(['cursor', 'myapp']) })
    for (const [profile, uri, hint] of [
      [compatible, 'myapp://cb', added],
      [specification, 'myapp://cb', both],
      [specification, cursor, known],
      [specification, 'com.example.app:/cb', known],
    ] as const) {
      const id = await register(lenient, { redirect_uris: [uri] })
      const nativeSchemes = profile === compatible ? new Set(['cursor']) : null
      const w = await world(t, { ...lenient.options, profile, nativeSchemes })
      const { status } = await w.call('GET', query({ ...authorizeParameters(id), redirect_uri: uri }))
      t.equal(status, 400)
      t.match(lenient.logged.at(-1) ?? '', `"hint":"${hint}"`)
    }
  },
)

t.test(
  'RFC 7591, 3.2.1: in compatible a registration gets the grant and response types that we have',
  async (t) => {
    const jwt = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    const asked = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
    const types = {
      grant_types: ['authorization_code', 'refresh_token', jwt],
      response_types: ['code', 'id_token'],
    }
    const w = await compatibleWorld(t)
    const {
      client_id: id,
      client_id_issued_at: _,
      ...rest
    } = jsonOf(
      await w.call('POST', '/oauth/register', {
        raw: JSON.stringify({ ...asked, ...types }),
        contentType: json,
      }),
    )
    const registered = {
      ...asked,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }
    t.strictSame(rest, registered)
    t.match(await w.store.findClient(String(id)), { grantTypes: registered.grant_types })
    for (const none of [{ grant_types: [jwt] }, { response_types: ['token'] }])
      t.equal((await registration(w, { ...asked, ...none }))[0], 400)
    const s = await world(t)
    const description = 'grant_types may only be authorization_code and refresh_token'
    t.strictSame(
      await registration(s, { ...asked, ...types }),
      oauthError('invalid_client_metadata', description),
    )
    t.match(s.logged[0], "oauth.profile: 'compatible'")
  },
)

t.test(
  'profiles, scopes openid profile email offline_access: ignored when asked, never granted',
  async (t) => {
    const scopes = createScopes({ 'notes:read': 'read' })
    for (const [scope, granted] of [
      ['openid profile email offline_access', 'api'],
      [' offline_access', 'api'],
      ['  api   offline_access ', 'api'],
      ['openid notes:read', 'notes:read'],
    ] as const) {
      const w = await compatibleWorld(t, granted === 'api' ? {} : { scopes })
      const clientId = await register(w)
      const parameters = { ...authorizeParameters(clientId), scope }
      const ticks = granted === 'api' ? {} : { 'allow:notes:read': 'on' }
      const outcome = await decide(w, await signedInBrowser(w), parameters, { decision: 'allow', ...ticks })
      const form = {
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }
      const code = new URL(location(outcome)).searchParams.get('code') ?? ''
      const tokens = jsonOf(await w.call('POST', '/oauth/token', { form: { ...form, code } }))
      t.strictSame([tokens.scope, payloadOf(tokens.access_token).scope], [granted, granted], scope)
      const refresh = {
        grant_type: 'refresh_token',
        client_id: form.client_id,
        refresh_token: String(tokens.refresh_token),
      }
      const again = jsonOf(
        await w.call('POST', '/oauth/token', { form: { ...refresh, scope: 'openid offline_access' } }),
      )
      t.equal(again.scope, granted)
    }
    const s = await world(t)
    const parameters = { ...authorizeParameters(await register(s)), scope: 'api offline_access' }
    t.strictSame(seen(await s.call('GET', query(parameters))), oauthError('invalid_scope'))
    t.match(s.logged.at(-1), /offline_access.*oauth\.profile: 'compatible'/)
  },
)

t.test(
  'RFC 8414: offline_access is announced in the metadata of the authorization server, in compatible alone',
  async (t) => {
    for (const [w, scopes] of [
      [await world(t), ['api']],
      [await compatibleWorld(t), ['api', 'offline_access']],
    ] as const) {
      const metadata = await w.call('GET', '/.well-known/oauth-authorization-server')
      t.strictSame(jsonOf(metadata).scopes_supported, scopes)
    }
  },
)

t.test(
  'RFC 6749, 4.1.2.1: in compatible errors after rule 1 go to the client with state and iss',
  async (t) => {
    const w = await compatibleWorld(t)
    const good = {
      ...authorizeParameters(await register(w, { redirect_uris: [`${redirectUri}?own=1`] })),
      redirect_uri: `${redirectUri}?own=1`,
      state: 'a&b',
    }
    for (const [change, error, description] of [
      [{ response_type: 'token' }, 'unsupported_response_type', 'response_type must be code'],
      [{ code_challenge: '' }, 'invalid_request', 'PKCE with S256 is required'],
      [
        { resource: 'https://evil.example/' },
        'invalid_target',
        `resource must be ${baseUrl} or below it, not 'https://evil.example/'`,
      ],
      [{ scope: 'api admin "x' }, 'invalid_scope', "this server has no scope 'admin 'x'"],
    ] as const) {
      const outcome = await w.call('GET', query({ ...good, ...change }))
      const { searchParams } = new URL(location(outcome))
      const { error_description: said, ...rest } = Object.fromEntries(searchParams)
      t.strictSame([outcome.status, rest], [303, { own: '1', error, iss: baseUrl, state: 'a&b' }], error)
      t.equal(said, description)
    }
    for (const unverified of [
      { client_id: 'nobody' },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: redirectUri },
    ]) {
      const outcome = await w.call('GET', query({ ...good, scope: 'x', ...unverified }))
      t.strictSame([outcome.status, outcome.headers.location], [400, undefined])
    }
  },
)

t.test(
  'profiles, a browser sees a page: in compatible, where Accept names text/html; programs get JSON',
  async (t) => {
    const w = await compatibleWorld(t)
    const address = query({ ...authorizeParameters('nobody'), redirect_uri: redirectUri })
    const page = await w.call('GET', address, html)
    t.equal(page.status, 400)
    t.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    t.equal(page.headers['x-frame-options'], 'DENY')
    t.match(String(page.body), 'no client has this id here')
    for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0', 'text/*']) {
      const headers = accept === undefined ? {} : { accept }
      const [status, body] = seen(await w.call('GET', address, { headers }))
      t.strictSame(
        [status, body],
        oauthError('invalid_request', 'no client has this id here, or not any more'),
        String(accept),
      )
    }
    const s = await world(t)
    t.strictSame(
      seen(await s.call('GET', address, html)),
      oauthError('invalid_request', 'unknown client or redirect_uri'),
    )
    const other = await w.call('GET', '/auth/nobody', { ...html, browser: newBrowser() })
    t.strictSame([other.status, other.headers['content-type']], [404, 'text/html; charset=utf-8'])
  },
)

t.test(
  'issue, after a restart under specification: the client stays known and refreshes, a new authorization is rule 1',
  async (t) => {
    const w = await compatibleWorld(t)
    const id = await register(w, { redirect_uris: [cursor] })
    const parameters = { ...authorizeParameters(id), redirect_uri: cursor }
    const outcome = await decide(w, await signedInBrowser(w), parameters)
    const code = new URL(location(outcome)).searchParams.get('code') ?? ''
    const s = await world(t, { ...w.options, profile: profiles.specification, nativeSchemes: null })
    const form = {
      grant_type: 'authorization_code',
      client_id: id,
      redirect_uri: cursor,
      code_verifier: verifier,
      code,
    }
    const tokens = await s.call('POST', '/oauth/token', { form })
    t.equal(tokens.status, 200)
    const refresh = {
      grant_type: 'refresh_token',
      client_id: id,
      refresh_token: String(jsonOf(tokens).refresh_token),
    }
    t.equal((await s.call('POST', '/oauth/token', { form: refresh })).status, 200)
    t.strictSame(
      seen(await s.call('GET', query(parameters))),
      oauthError('invalid_request', 'unknown client or redirect_uri'),
    )
  },
)

t.test('RFC 8252: the consent page says which app it opens, and warns as for loopback', async (t) => {
  const w = await compatibleWorld(t)
  const id = await register(w, { redirect_uris: [cursor] })
  const page = await w.call('GET', query({ ...authorizeParameters(id), redirect_uri: cursor }), {
    browser: await signedInBrowser(w),
  })
  t.match(String(page.body), 'opens the app <strong>cursor</strong>')
  t.match(String(page.body), 'This application runs on your own computer.')
})

t.test(
  'rule 1: an address that is no URL is an unknown client, in both profiles; no page repeats what a link says',
  async (t) => {
    for (const [w, description] of [
      [await world(t), 'unknown client or redirect_uri'],
      [await compatibleWorld(t), 'no client has this id here, or not any more'],
    ] as const) {
      for (const id of ['https://', 'https:// x', 'https://[', 'HTTPS://', ''])
        t.strictSame(
          seen(await w.call('GET', query(authorizeParameters(id)))),
          oauthError('invalid_request', description),
          id,
        )
      const words = 'https://x.example/your-account-is-locked'
      const parameters = { ...authorizeParameters(await register(w)), redirect_uri: words }
      const outcome = await w.call('GET', query(parameters), html)
      t.equal(outcome.status, 400)
      t.notMatch(String(outcome.body), 'locked')
    }
  },
)
