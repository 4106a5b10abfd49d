/** Clients with a secret, and clients whose document names keys alone. Source: decisions/oauth.md, Confidential clients; RFC 6749, 2.3;
 *  RFC 7523, 3. */
import t, { type Test } from 'tap'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import { startableClients } from '../../../runtime/boot/settings/confidential-clients.ts'
import { createClientDocuments } from '../../../runtime/capabilities/client-documents/client-documents.ts'
import {
  createConfidentialClients,
  heldAddresses,
} from '../../../runtime/oauth/clients/confidential-clients.ts'
import type { AuthorizationServerOptions } from '../../../runtime/oauth/options.ts'
import { type Profile, profiles } from '../../../runtime/oauth/profile.ts'
import { type DocumentHost, openDocumentHost, publish } from '../support/document-host.ts'
import {
  authorizeParameters,
  baseUrl,
  codeForm,
  compatibleWorld,
  decide,
  jsonOf,
  location,
  oauthError,
  query,
  redirectUri,
  register,
  seen,
  signedInBrowser,
  start,
  type World,
  world,
} from '../support/harness.ts'
import { assertionType, claims, jwkOf, jwt, p256 } from '../support/machine.ts'

const held = 'https://www.perplexity.ai/rest/connections/oauth_callback'
const [newest, older] = ['the newest + of 32 bytes: %, é and more', 'the older one of at least 32 bytes!!']
const configured = { id: 'perplexity', name: 'Perplexity', redirectUris: [held], secret: 'P_SECRET' }

function confidentialWorld(t: Test, changes: Partial<AuthorizationServerOptions> = {}): Promise<World> {
  const confidentialClients = createConfidentialClients([configured], () => [newest, older])
  return compatibleWorld(t, {
    confidentialClients,
    heldAddresses: heldAddresses(confidentialClients),
    ...changes,
  })
}

/** A code of the client, and the form that redeems it, without any proof of who sends it. */
async function codeOf(w: World): Promise<Record<string, string>> {
  const parameters = { ...authorizeParameters('perplexity'), redirect_uri: held }
  const code = new URL(location(await decide(w, await signedInBrowser(w), parameters))).searchParams.get(
    'code',
  )
  const { code_verifier = '' } = await codeForm(w, await register(w))
  return { grant_type: 'authorization_code', redirect_uri: held, code_verifier, code: code ?? '' }
}

const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const basic = (id: string, secret: string, scheme = 'Basic') => ({
  headers: { authorization: `${scheme} ${base64(`${encoded(id)}:${encoded(secret)}`)}` },
})
const named = { client_id: 'perplexity' }
const invalid = oauthError('invalid_client', 'the client authentication is not valid', 401)

t.test(
  'RFC 6749, 2.3.1: each way to send the secret, of a code, a refresh token and a revocation',
  async (t) => {
    const raw = { headers: { authorization: `basic ${base64(`perplexity:${newest}`)}` } }
    for (const [form, call] of [
      [{}, basic('perplexity', newest)],
      [named, basic('perplexity', older, 'bAsIc')],
      [{}, raw],
      [{ ...named, client_secret: newest }, {}],
      [{ ...named, client_secret: older }, { headers: { authorization: 'Bearer of-somebody' } }],
    ] as const) {
      const w = await confidentialWorld(t)
      const code = await codeOf(w)
      const first = await w.call('POST', '/oauth/token', { form: { ...code, ...form }, ...call })
      t.equal(first.status, 200)
      const refresh = { grant_type: 'refresh_token', refresh_token: String(jsonOf(first).refresh_token) }
      t.strictSame(seen(await w.call('POST', '/oauth/token', { form: { ...refresh, ...named } })), invalid)
      const second = await w.call('POST', '/oauth/token', { form: { ...refresh, ...form }, ...call })
      t.equal(second.status, 200)
      t.strictSame(
        seen(await w.call('POST', '/oauth/token', { form: { ...refresh, ...named } })),
        invalid,
        'in the grace too',
      )
      t.equal((await w.call('POST', '/oauth/token', { form: { ...refresh, ...form }, ...call })).status, 200)
      const token = String(jsonOf(second).access_token)
      t.strictSame(seen(await w.call('POST', '/oauth/revoke', { form: { token, ...named } })), invalid)
      t.ok(await w.server.userOfAccessToken(token))
      t.equal((await w.call('POST', '/oauth/revoke', { form: { token, ...form }, ...call })).status, 200)
      t.equal(await w.server.userOfAccessToken(token), null)
      t.notMatch(w.logged.join(), newest)
    }
  },
)

t.test(
  'RFC 6749, 5.2: a wrong or missing secret is 401, challenged where Basic was used, and spends no code',
  async (t) => {
    const w = await confidentialWorld(t)
    const code = await codeOf(w)
    const challenge = 'Basic realm="client"'
    const empty = { headers: { authorization: `Basic ${base64('perplexity:')}` } }
    for (const [form, call, wanted] of [
      [named, {}, undefined],
      [{ ...named, client_secret: '' }, {}, undefined],
      [{ ...named, client_secret: `${newest}x` }, {}, undefined],
      [{ ...named, client_secret: `${newest},${older}` }, {}, undefined],
      [{}, basic('perplexity', 'wrong'), challenge],
      [{}, empty, challenge],
      [{}, { headers: { authorization: 'Basic ?' } }, challenge],
      [{}, { headers: { authorization: `Basic ${base64('no colon')}` } }, challenge],
      [{ ...named, client_assertion: 'a.b.c', client_assertion_type: assertionType }, {}, undefined],
    ] as const) {
      const outcome = await w.call('POST', '/oauth/token', { form: { ...code, ...form }, ...call })
      t.strictSame(seen(outcome), invalid, JSON.stringify([form, call]))
      t.equal(outcome.headers['www-authenticate'], wanted)
    }
    const several = 'the client authenticates by more than one method'
    const assertion = { client_assertion: 'a.b.c', client_assertion_type: assertionType }
    for (const [form, call, description] of [
      [{ client_secret: newest }, basic('perplexity', newest), several],
      [assertion, basic('perplexity', newest), several],
      [{ ...named, ...assertion, client_secret: newest }, {}, several],
      [
        { client_id: 'other' },
        basic('perplexity', newest),
        'client_id and the Authorization header name two clients',
      ],
    ] as const)
      t.strictSame(
        seen(await w.call('POST', '/oauth/token', { form: { ...code, ...form }, ...call })),
        oauthError('invalid_request', description),
      )
    const address = `/oauth/token?client_secret=${encodeURIComponent(newest)}`
    t.strictSame(
      seen(await w.call('POST', address, { form: { ...code, ...named } })),
      oauthError('invalid_request', 'client_secret must not stand in the address'),
    )
    const form = { ...code, ...named, client_secret: newest }
    t.equal((await w.call('POST', '/oauth/token', { form })).status, 200)
  },
)

t.test(
  'decisions, token and revocation body: no client is called by a NUL character, which PostgreSQL cannot hold',
  async (t) => {
    const w = await confidentialWorld(t)
    const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }
    const invalidAssertion = { ...claims({ iss: 'a\0b', sub: 'a\0b' }) }
    const assertion = {
      client_assertion: jwt(invalidAssertion, p256()),
      client_assertion_type: assertionType,
    }
    for (const path of ['/oauth/token', '/oauth/revoke']) {
      for (const id of ['a\0b', 'a%00b', 'perplexity\0']) {
        const headers = { authorization: `Basic ${base64(`${id}:`)}` }
        t.strictSame(seen(await w.call('POST', path, { form, headers })), invalid, id)
      }
      t.strictSame(seen(await w.call('POST', path, { form: { ...form, ...assertion } })), invalid)
    }
  },
)

t.test('decisions, confidential clients: 20 wrong secrets a minute for a client and address', async (t) => {
  const w = await confidentialWorld(t)
  const form = { ...(await codeOf(w)), ...named }
  const guess = (client_secret: string, ip: string) =>
    w.call('POST', '/oauth/token', { form: { ...form, client_secret }, ip })
  for (let count = 0; count < 20; count += 1)
    t.equal((await guess(`guess ${count}`, '192.0.2.1')).status, 401)
  const over = await guess('one more', '192.0.2.1')
  t.strictSame([over.status, over.headers['retry-after']], [429, '60'])
  t.equal((await guess(newest, '192.0.2.1')).status, 429)
  t.equal((await guess(newest, '192.0.2.2')).status, 200)
  w.clock.now += 60_000
  t.equal((await guess('after a minute', '192.0.2.1')).status, 401)
})

t.test(
  'issue: a public client that sends a secret is refused, one that sends an empty one is not',
  async (t) => {
    const w = await confidentialWorld(t)
    const id = await register(w)
    const form = await codeForm(w, id)
    const none = oauthError(
      'invalid_client',
      'no client with a secret has this id here: a public client sends none',
      401,
    )
    const call = (more: object, headers = {}) =>
      w.call('POST', '/oauth/token', { form: { ...form, ...more }, ...headers })
    t.strictSame(seen(await call({ client_secret: newest })), none)
    t.strictSame(seen(await call({}, basic(id, newest))), none)
    t.strictSame(
      seen(await call({ client_assertion: 'a.b.c', client_assertion_type: assertionType })),
      oauthError('invalid_client', 'the client assertion is not valid', 401),
    )
    t.equal((await call({ client_secret: '' })).status, 200)
  },
)

t.test(
  'decisions, confidential clients: the consent page says that the owner set the client up',
  async (t) => {
    const w = await confidentialWorld(t)
    const browser = await signedInBrowser(w)
    const setUp = 'Set up by the owner of this service, who gave it its name.'
    const unknown = 'Not known: the application gave its name itself.'
    for (const [id, redirect_uri, said, other] of [
      ['perplexity', held, setUp, unknown],
      [await register(w), redirectUri, unknown, setUp],
    ] as const) {
      const page = await w.call('GET', query({ ...authorizeParameters(id), redirect_uri }), { browser })
      t.match(String(page.body), said)
      t.notMatch(String(page.body), other)
    }
  },
)

t.test(
  'decisions, confidential clients: their redirect addresses are theirs alone, to the letter',
  async (t) => {
    const before = await compatibleWorld(t)
    const early = await register(before, { redirect_uris: [redirectUri, held] })
    const w = await confidentialWorld(t, { store: before.store })
    const taken = 'redirect_uris must not be those of a client that is configured here'
    for (const uri of [
      held,
      `${held}?a=1`,
      `${held}/`,
      held.replace('www', 'WWW'),
      held.replace('.ai', '.ai:443'),
      held.replace('.ai', '.ai.'),
      held.replace('oauth', '%6fauth'),
    ]) {
      const raw = JSON.stringify({ redirect_uris: [redirectUri, uri] })
      const outcome = await w.call('POST', '/oauth/register', { raw, contentType: 'application/json' })
      t.strictSame(seen(outcome), oauthError('invalid_client_metadata', taken), uri)
    }
    const own = { ...configured, redirectUris: ['http://localhost:9999/cb'] }
    const confidentialClients = createConfidentialClients([own], () => [newest])
    const onLoopback = await compatibleWorld(t, {
      confidentialClients,
      heldAddresses: heldAddresses(confidentialClients),
    })
    for (const host of ['localhost:9999', '127.0.0.1:9999', '[::1]:9999', 'LOCALHOST:9999']) {
      const raw = JSON.stringify({ redirect_uris: [`http://${host}/cb`] })
      const outcome = await onLoopback.call('POST', '/oauth/register', {
        raw,
        contentType: 'application/json',
      })
      t.strictSame(seen(outcome), oauthError('invalid_client_metadata', taken), host)
    }
    const portless = await register(onLoopback, { redirect_uris: ['http://127.0.0.1/cb'] })
    const there = { ...authorizeParameters(portless), redirect_uri: 'http://127.0.0.1:9999/cb' }
    t.equal((await onLoopback.call('GET', query(there))).status, 400, 'the port is known only now')
    for (const [id, uri] of [
      [early, held],
      ['perplexity', redirectUri],
      ['perplexity', `${held}/`],
    ] as const) {
      const outcome = await w.call('GET', query({ ...authorizeParameters(id), redirect_uri: uri }))
      t.strictSame([outcome.status, outcome.headers.location], [400, undefined], uri)
    }
    const browser = await signedInBrowser(w)
    const parameters: Record<string, string> = {
      ...authorizeParameters('perplexity'),
      redirect_uri: held,
    }
    t.match(String((await w.call('GET', query(parameters), { browser })).body), '<strong>Perplexity</strong>')
    const { code_challenge: _, code_challenge_method: __, ...manual } = parameters
    const refused = new URL(location(await w.call('GET', query(manual), { browser })))
    t.equal(refused.searchParams.get('error_description'), 'PKCE with S256 is required')
  },
)

t.test('RFC 8414: the methods are announced while there is such a client', async (t) => {
  const methods = async (w: World) => {
    const metadata = jsonOf(await w.call('GET', '/.well-known/oauth-authorization-server'))
    return [
      metadata.token_endpoint_auth_methods_supported,
      metadata.revocation_endpoint_auth_methods_supported,
    ]
  }
  const secrets = ['none', 'client_secret_basic', 'client_secret_post']
  t.strictSame(await methods(await confidentialWorld(t)), [secrets, secrets])
  t.strictSame(await methods(await compatibleWorld(t)), [['none'], ['none']])
})

t.test('oauth.confidentialClients: what stops the start, and why', (t) => {
  const mistake = (...clients: readonly unknown[]): string => {
    try {
      resolveConfig({ oauth: { profile: 'compatible', confidentialClients: clients } })
      return ''
    } catch (error) {
      return String(error)
    }
  }
  const at = 'config.oauth.confidentialClients'
  t.equal(mistake(configured), '')
  const other = { id: 'other', name: 'Other', redirectUris: [redirectUri], secret: 'O_SECRET' }
  for (const [clients, text] of [
    [[{ ...configured, id: '0123456789abcdef0123456789abcdef' }], `${at}[0].id must be`],
    [[{ ...configured, id: 'acmcp-pages' }], `${at}[0].id must be`],
    [[{ ...configured, id: 'https://x.example/c' }], `${at}[0].id must be`],
    [[{ ...configured, name: '' }], `${at}[0].name must be`],
    [[{ ...configured, redirectUris: [] }], `${at}[0].redirectUris must be`],
    [[{ ...configured, secret: 'JWT_SECRET' }], `${at}[0].secret must be`],
    [[{ ...configured, secret: newest }], `${at}[0].secret must be`],
    [[{ id: 'x' }], `${at}[0].name must be`],
    [[configured, { ...other, id: 'perplexity' }], `${at}[1].id must be the id of no other client`],
    [[configured, { ...other, secret: 'P_SECRET' }], `${at}[1].secret must be another variable`],
    [[configured, { ...other, redirectUris: [`${held}/`] }], `${at}[1].redirectUris must be no other`],
  ] as const)
    t.match(mistake(...clients), text)
  t.throws(
    () => resolveConfig({ oauth: { confidentialClients: [configured] } }),
    /oauth\.profile 'compatible'/,
  )
  const providers = { github: { clientSecret: 'c'.repeat(20) + older } }
  const rules = { baseUrl, mcpPath: '/mcp', ownPages: [], nativeSchemes: null, providers }
  const defects = (secrets: readonly string[], redirectUris = [held]): string => {
    const environment = {
      production: true,
      jwtSecrets: ['a'.repeat(20) + older],
      sessionSecrets: [],
      metrics: null,
    }
    try {
      startableClients([{ ...configured, redirectUris }], { ...environment, secretsOf: () => secrets }, rules)
      return ''
    } catch (error) {
      return String(error)
    }
  }
  t.equal(defects([newest, older]), '')
  t.match(defects([]), 'P_SECRET is not set, nor P_SECRET_FILE')
  t.match(defects([newest, 'short']), 'P_SECRET: every secret needs at least 32 bytes')
  t.match(defects([newest, '']), 'P_SECRET: every secret needs at least 32 bytes')
  for (const letter of 'ac')
    t.match(defects([letter.repeat(20) + older]), 'P_SECRET must differ from every other secret')
  for (const [uri, text] of [
    [
      'http://x.example/',
      'http://x.example/ is neither https, http on loopback, nor of a scheme that is allowed here',
    ],
    ['https://x.example/#a', 'https://x.example/#a has a fragment, white space,'],
    [
      'myapp://cb',
      "allowed here: oauth.profile: 'compatible' and oauth.nativeSchemes: ['myapp'] in app/config.ts take this",
    ],
  ] as const)
    t.match(defects([newest], [held, uri]), text)
  t.match(defects([newest], [`${baseUrl}/oauth/x`]), 'must not be endpoints of this service')
  t.end()
})

const key = p256()

interface DocumentWorld extends World {
  readonly host: DocumentHost
  /** The same store after a start with the profile `compatible`. */
  restarted(): Promise<World>
}

async function documentWorld(t: Test, compatible: boolean): Promise<DocumentWorld> {
  const host = await openDocumentHost()
  t.teardown(host.close)
  const clock = { now: start }
  const documentsIn = (profile: Profile) =>
    createClientDocuments({
      ...{ baseUrl, mcpPath: '/mcp', ownPages: [], nativeSchemes: null, heldAddresses: new Set<string>() },
      ...{ network: host.network, profile, allowLoopback: true, hasLiveGrant: async () => false },
      clock: () => clock.now,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    })
  const partsOf = (profile: Profile) => ({ clientDocuments: documentsIn(profile), clock: () => clock.now })
  const [open, profile] = compatible
    ? [compatibleWorld, profiles.compatible]
    : [world, profiles.specification]
  const w = await open(t, partsOf(profile))
  const restarted = () => compatibleWorld(t, { ...partsOf(profiles.compatible), store: w.store })
  return { ...w, clock, host, restarted }
}

const document = (id: string, more: object): object => ({
  client_id: id,
  redirect_uris: [redirectUri],
  jwks: { keys: [jwkOf(key)] },
  ...more,
})

const proof = (id: string, changes: object = {}, by = key): Record<string, string> => ({
  client_assertion: jwt(claims({ iss: id, sub: id, ...changes }), by),
  client_assertion_type: assertionType,
})

t.test(
  'profiles, a document without none: by default the list of methods is not looked at, as ever',
  async (t) => {
    for (const methods of ['x', ['client_secret_post'], ['private_key_jwt']]) {
      const w = await documentWorld(t, false)
      const id = w.host.url('/list.json')
      publish(w.host, document(id, { token_endpoint_auth_methods_supported: methods }))
      const { status } = await w.call('POST', '/oauth/token', { form: await codeForm(w, id) })
      t.equal(status, 200, String(methods))
    }
  },
)

t.test(
  'profiles, a document without none: in compatible the client proves its key, and is never taken as public',
  async (t) => {
    const silent: DocumentHost['answer'] = (request) => void request.destroy()
    const overloaded: DocumentHost['answer'] = (_request, response) => response.writeHead(503).end()
    for (const [methods, answer] of [
      [{ token_endpoint_auth_method: 'private_key_jwt' }, silent],
      [{ token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic'] }, overloaded],
    ] as const) {
      const w = await documentWorld(t, true)
      const id = w.host.url('/keys.json')
      publish(w.host, document(id, methods))
      const form = await codeForm(w, id)
      const refused = oauthError('invalid_client', 'the client assertion is not valid', 401)
      for (const more of [
        {},
        proof(id, {}, p256()),
        proof(id, { aud: 'https://x.example' }),
        proof(id, { sub: 'x' }),
      ])
        t.strictSame(seen(await w.call('POST', '/oauth/token', { form: { ...form, ...more } })), refused)
      const sent = proof(id)
      const first = await w.call('POST', '/oauth/token', { form: { ...form, ...sent } })
      t.equal(first.status, 200)
      const refresh = { grant_type: 'refresh_token', refresh_token: String(jsonOf(first).refresh_token) }
      for (const more of [{ client_id: id }, sent])
        t.strictSame(seen(await w.call('POST', '/oauth/token', { form: { ...refresh, ...more } })), refused)
      w.host.answer = answer
      w.clock.now += 6 * 60_000 // what is kept of the document has expired, and its host does not give it
      const times = { iat: w.clock.now / 1000, exp: w.clock.now / 1000 + 60 }
      t.strictSame(
        seen(await w.call('POST', '/oauth/token', { form: { ...refresh, client_id: id } })),
        refused,
      )
      const last = await w.call('POST', '/oauth/token', { form: { ...refresh, ...proof(id, times) } })
      t.equal(last.status, 200)
    }
  },
)

t.test(
  'SEP-3149: a document with none beside private_key_jwt stays public; in specification each is',
  async (t) => {
    const both = {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    }
    for (const [isCompatible, methods] of [
      [true, both],
      [true, {}],
      [true, { token_endpoint_auth_methods_supported: ['client_secret_post', 'none'] }],
      [false, { token_endpoint_auth_method: 'private_key_jwt' }],
      [false, { token_endpoint_auth_methods_supported: ['private_key_jwt'] }],
    ] as const) {
      const w = await documentWorld(t, isCompatible)
      const id = w.host.url('/public.json')
      publish(w.host, document(id, methods))
      const form = await codeForm(w, id)
      t.equal((await w.call('POST', '/oauth/token', { form })).status, 200)
      const metadata = jsonOf(await w.call('GET', '/.well-known/oauth-authorization-server'))
      const announced = isCompatible ? ['none', 'private_key_jwt'] : ['none']
      t.strictSame(metadata.token_endpoint_auth_methods_supported, announced)
    }
    const w = await documentWorld(t, true)
    const id = w.host.url('/both.json')
    publish(w.host, document(id, both))
    const form = await codeForm(w, id)
    t.equal(
      (await w.call('POST', '/oauth/token', { form: { ...form, ...proof(id, {}, p256()) } })).status,
      401,
    )
    t.equal((await w.call('POST', '/oauth/token', { form: { ...form, ...proof(id) } })).status, 200)
    for (const methods of [['client_secret_basic'], ['tls_client_auth'], 'none']) {
      const other = w.host.url(`/${methods}.json`)
      publish(w.host, document(other, { token_endpoint_auth_methods_supported: methods }))
      t.equal((await w.call('GET', query(authorizeParameters(other)))).status, 400)
    }
  },
)

t.test(
  'decisions, confidential clients: a document that cannot be had is 503, spends nothing, and makes nobody public',
  async (t) => {
    const w = await documentWorld(t, true)
    const id = w.host.url('/gone.json')
    publish(w.host, document(id, { token_endpoint_auth_method: 'private_key_jwt' }), {
      'cache-control': 'no-store',
    })
    const form = await codeForm(w, id)
    w.host.answer = (request) => void request.destroy()
    const outcome = await w.call('POST', '/oauth/token', { form })
    t.strictSame([outcome.status, outcome.headers['retry-after']], [503, '30'])
    publish(w.host, document(id, { token_endpoint_auth_method: 'private_key_jwt' }))
    w.clock.now += 31_000
    const times = { iat: w.clock.now / 1000, exp: w.clock.now / 1000 + 60 }
    t.equal((await w.call('POST', '/oauth/token', { form: { ...form, ...proof(id, times) } })).status, 200)
  },
)

t.test(
  'decisions, confidential clients: the key is proved before a revocation, and for strangers nobody fetches',
  async (t) => {
    const w = await documentWorld(t, true)
    const id = w.host.url('/keys.json')
    publish(w.host, document(id, { token_endpoint_auth_method: 'private_key_jwt' }), {
      'cache-control': 'no-store',
    })
    const form = await codeForm(w, id)
    const fetched = w.host.requests.length
    const refresh = { grant_type: 'refresh_token', client_id: id, refresh_token: 'x' }
    for (const wrong of [{ ...form, code: 'x' }, { ...form, code_verifier: 'x' }, refresh])
      t.strictSame(jsonOf(await w.call('POST', '/oauth/token', { form: wrong })).error, 'invalid_grant')
    t.equal((await w.call('POST', '/oauth/revoke', { form: { client_id: id, token: 'x' } })).status, 200)
    t.equal(w.host.requests.length, fetched)
    const first = await w.call('POST', '/oauth/token', { form: { ...form, ...proof(id) } })
    const token = String(jsonOf(first).access_token)
    const revoke = async (more: object): Promise<number> =>
      (await w.call('POST', '/oauth/revoke', { form: { client_id: id, token, ...more } })).status
    t.strictSame([await revoke({}), await revoke(proof(id, {}, p256()))], [401, 401])
    t.ok(await w.server.userOfAccessToken(token))
    t.equal(await revoke(proof(id)), 200)
    t.equal(await w.server.userOfAccessToken(token), null)
  },
)

t.test(
  'issue: what specification gave to a client with keys needs a proof after a start with compatible',
  async (t) => {
    const before = await documentWorld(t, false)
    const id = before.host.url('/keys.json')
    publish(before.host, document(id, { token_endpoint_auth_method: 'private_key_jwt' }))
    const first = await before.call('POST', '/oauth/token', { form: await codeForm(before, id) })
    const form = {
      grant_type: 'refresh_token',
      client_id: id,
      refresh_token: String(jsonOf(first).refresh_token),
    }
    const w = await before.restarted()
    t.equal((await w.call('POST', '/oauth/token', { form })).status, 401)
    t.equal((await w.call('POST', '/oauth/token', { form: { ...form, ...proof(id) } })).status, 200)
  },
)
