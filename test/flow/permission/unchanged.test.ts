/** Without declared scopes nothing changes: what the example gave before there were scopes, as literal values. */
import { readdirSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { acmcp } from '../../cli/support/built-app.ts'
import { message } from '../../mcp/support/support.ts'
import { payloadOf } from '../../oauth/support/harness.ts'
import { consentFormIn, newClient, refreshed, tokensFor } from './support/consent-form.ts'
import { callHttp, post } from './support/entrances.ts'

const base = 'http://localhost:3000'
const start = 1_800_000_000
const developer = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }

async function example(t: Test): Promise<TestApp> {
  const app = await openTestApp({ clock: () => start * 1000 })
  t.teardown(app.close)
  return app
}

t.test('without declared scopes: no generated file speaks of scopes', async (t) => {
  for (const file of readdirSync('generated').filter((name) => name !== 'README.md'))
    t.notMatch(readFileSync(`generated/${file}`, 'utf8'), /scope/i, file)
  t.equal(
    acmcp(process.cwd(), 'routes').stdout,
    [
      'VERB\tPATH\tCONTROLLER\tFILTERS\tHANDLERS\tTOOL',
      'GET\t/health/\tHealth#show\t\t\t',
      'GET\t/api/notes/\tNotes#index\tbefore authenticate\t\tnotes_index',
      'POST\t/api/notes/\tNotes#create\tbefore authenticate\t\tnotes_create',
      'GET\t/api/users/current\tUsers#current\tbefore authenticate\t\tusers_current',
      '',
    ].join('\n'),
  )
})

t.test('without declared scopes: the consent form has the fields that it had', async (t) => {
  const app = await example(t)
  const browser = app.client()
  await browser.signIn()
  const client_id = await newClient(browser)
  const request = {
    response_type: 'code',
    client_id,
    redirect_uri: 'https://client.example/callback',
    code_challenge: 'CrlVwe1WSHWuTQYh3iczmx3aS-faRx6C92k9_hNxl4A',
    code_challenge_method: 'S256',
    state: 's',
  }
  for (const scope of [{}, { scope: 'api' }, { scope: 'api api' }]) {
    const { body } = await browser.get(`/oauth/authorize?${new URLSearchParams({ ...request, ...scope })}`)
    const { hidden, ticks } = consentFormIn(body)
    const { csrf_token, ...fields } = hidden
    t.match(csrf_token, /^[\w-]{43}$/)
    t.strictSame(
      [Object.entries(fields), ticks],
      [
        [
          ['client_id', client_id],
          ['redirect_uri', 'https://client.example/callback'],
          ['response_type', 'code'],
          ['code_challenge', 'CrlVwe1WSHWuTQYh3iczmx3aS-faRx6C92k9_hNxl4A'],
          ['code_challenge_method', 'S256'],
          ['scope', 'api'],
          ['state', 's'],
          ['resource', ''],
        ],
        [],
      ],
    )
    t.equal(
      /<dt>It may<\/dt>.*/.exec(body)?.[0],
      '<dt>It may</dt><dd><span class="permission">use everything that you may use here, as you <code>api</code></span></dd></div>',
    )
    t.notMatch(body, /<script|<fieldset|type="checkbox"/)
  }
  for (const scope of ['notes:read', 'api notes:read']) {
    const query = new URLSearchParams({ ...request, scope })
    const refused = await browser.get(`/oauth/authorize?${query}`)
    t.strictSame(
      [refused.statusCode, refused.json()],
      [400, { error: 'invalid_scope', error_description: 'invalid_scope' }],
    )
  }
})

t.test('without declared scopes: tokens hold what they held', async (t) => {
  const app = await example(t)
  const browser = app.client()
  await browser.signIn()
  const first = await tokensFor(browser)
  for (const tokens of [first, await refreshed(browser, first)]) {
    const claims = { iss: base, aud: base, sub: developer.id, cid: first.clientId, scope: 'api', iat: start }
    const { jti: access, ...ofAccess } = payloadOf(tokens.access)
    t.strictSame(ofAccess, { typ: 'access', ...claims, exp: start + 3600 })
    const { jti: refresh, ...ofRefresh } = payloadOf(tokens.refresh)
    t.strictSame(ofRefresh, { typ: 'refresh', ...claims, exp: start + 30 * 86_400 })
    t.match([access, refresh], [/^[0-9a-f]+$/, /^[0-9a-f]+$/])
    t.equal(tokens.scope, 'api')
  }
})

t.test(
  'where there are no declared scopes: metadata, challenges and answers are what they were',
  async (t) => {
    const app = await example(t)
    const client = app.client()
    t.strictSame((await client.get('/.well-known/oauth-authorization-server')).json(), {
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      registration_endpoint: `${base}/oauth/register`,
      revocation_endpoint: `${base}/oauth/revoke`,
      scopes_supported: ['api'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
    t.strictSame((await client.get('/.well-known/oauth-protected-resource/mcp')).json(), {
      resource: `${base}/mcp`,
      authorization_servers: [base],
      scopes_supported: ['api'],
      bearer_methods_supported: ['header'],
    })
    const bearer = { authorization: `Bearer ${await app.accessToken()}` }
    const junk = { authorization: 'Bearer junk' }
    const current = { method: 'GET', url: '/api/users/current' } as const
    const refused = { status: 401, challenge: null, body: { error: 'invalid_token' } }
    t.strictSame(await callHttp(app, current, {}), refused)
    t.strictSame(await callHttp(app, current, junk), refused)
    t.strictSame(await callHttp(app, current, bearer), { status: 200, challenge: null, body: developer })
    const metadata = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp", scope="api"`
    const body = { jsonrpc: '2.0', error: { code: -32600, message: 'Unauthorized' }, id: null }
    const list = message('modern', 'tools/list')
    t.strictSame(await post(app, '/mcp', list, {}), { status: 401, challenge: metadata, body })
    const wrong = `${metadata}, error="invalid_token"`
    t.strictSame(await post(app, '/mcp', list, junk), { status: 401, challenge: wrong, body })
    const { body: listed } = await post(app, '/mcp', list, bearer)
    t.match(listed, { result: { cacheScope: 'public', resultType: 'complete' } })
    const open = message('legacy', 'tools/call', { name: 'list_toolboxes', arguments: {} })
    const { body: opened } = await post(app, '/mcp', open, bearer)
    t.match(opened, { result: { content: [{ type: 'text' }] } })
    t.notMatch(JSON.stringify(opened), /morePermission|scope/)
  },
)
