/** Identity providers as data. Source: rules.md, identity providers. */
import t from 'tap'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import { ConfigError } from '../../../runtime/boot/settings/checks.ts'
import {
  type ProviderConfig,
  providerLabel,
  resolveProvider,
} from '../../../runtime/oauth/providers/presets.ts'
import { type FakeGithub, openFakeGithub } from '../support/fake-github.ts'
import { type Browser, location, newBrowser, type World, world } from '../support/harness.ts'

const own = { clientId: 'c', clientSecret: 's' }
const githubAddresses = {
  issuer: 'https://github.com/login/oauth',
  authorization: 'https://github.com/login/oauth/authorize',
  token: 'https://github.com/login/oauth/access_token',
  profile: 'https://api.github.com/user',
  emails: 'https://api.github.com/user/emails',
}

const oidc = (issuer: string, trustEmail = false): object => ({
  kind: 'oidc',
  issuer,
  trustEmail,
  asksUserInfo: false,
  accountPrompt: 'login',
  scope: 'openid profile email',
  ...own,
})
/** A provider with a list of accounts to choose from. */
const choosing = (issuer: string): object => ({ ...oidc(issuer), accountPrompt: 'select_account' })
const scope = 'read:user user:email'
const github = { kind: 'github', addresses: githubAddresses, accountPrompt: 'select_account', scope, ...own }

const resolved: readonly (readonly [name: string, config: Partial<ProviderConfig>, expected: unknown])[] = [
  ['company', { issuer: 'https://id.example' }, oidc('https://id.example')],
  ['company', { issuer: 'https://id.example', trustEmail: true }, oidc('https://id.example', true)],
  [
    'forge',
    { preset: 'gitlab', issuer: 'https://git.example', trustEmail: true },
    oidc('https://git.example', true),
  ],
  ['google', {}, choosing('https://accounts.google.com')],
  ['work', { preset: 'google' }, choosing('https://accounts.google.com')],
  ['microsoft', {}, choosing('https://login.microsoftonline.com/common/v2.0')],
  [
    'microsoft',
    { tenant: 'contoso.example' },
    choosing('https://login.microsoftonline.com/contoso.example/v2.0'),
  ],
  ['gitlab', {}, oidc('https://gitlab.com')],
  ['forge', { preset: 'gitlab', issuer: 'https://git.example' }, oidc('https://git.example')],
  ['github', {}, github],
  [
    'ghe',
    { preset: 'github', addresses: { profile: 'https://ghe.example/api/v3/user' } },
    { ...github, addresses: { ...githubAddresses, profile: 'https://ghe.example/api/v3/user' } },
  ],
  ['google', { issuer: 'https://id.example' }, oidc('https://id.example')],
  ['github', { preset: 'google' }, choosing('https://accounts.google.com')],
]

t.test('presets: by setting or by the provider’s name; an issuer of one’s own goes first', async (t) => {
  for (const [name, config, expected] of resolved) {
    t.strictSame(resolveProvider(name, { ...own, ...config }), expected, `${name} ${JSON.stringify(config)}`)
    t.doesNotThrow(() => resolveConfig({ providers: { [name]: { ...own, ...config } } }))
  }
})

const labels: readonly (readonly [name: string, config: Partial<ProviderConfig>, label: string])[] = [
  ['google', {}, 'Google'],
  ['microsoft', { tenant: 'contoso.example' }, 'Microsoft'],
  ['github', {}, 'GitHub'],
  ['gitlab', { preset: 'gitlab', issuer: 'https://git.example' }, 'GitLab'],
  ['work', { preset: 'google' }, 'work'],
  ['github', { preset: 'google' }, 'github'],
  ['google', { issuer: 'https://id.example' }, 'google'],
  ['company', { issuer: 'https://id.example' }, 'company'],
]

t.test('presets: people read the name of a well-known provider, else the application’s own', async (t) => {
  const shown = labels.map(([name, config]) => [name, config, providerLabel(name, { ...own, ...config })])
  t.strictSame(shown, labels)
})

const mistakes: readonly (readonly [name: string, config: unknown, message: string])[] = [
  ['company', own, 'providers.company: an issuer or a preset is needed'],
  ['x', { ...own, preset: 'yahoo' }, 'providers.x: preset must be one of google, microsoft, gitlab, github'],
  [
    'x',
    { ...own, preset: 'constructor' },
    'providers.x: preset must be one of google, microsoft, gitlab, github',
  ],
  ['constructor', own, 'providers.constructor: an issuer or a preset is needed'],
  ['google', { ...own, tenant: 't' }, 'providers.google: tenant does not fit the preset google'],
  [
    'x',
    { ...own, preset: 'google', issuer: 'https://x.example' },
    'providers.x: issuer does not fit the preset google',
  ],
  ['github', { ...own, tenant: 't' }, 'providers.github: tenant does not fit the preset github'],
  [
    'x',
    { ...own, issuer: 'https://x.example', tenant: 't' },
    'providers.x: tenant and addresses belong to a preset',
  ],
  ['google', { clientId: 'c' }, 'providers.google.clientSecret must be a text'],
  ['google', { clientSecret: 'c' }, 'providers.google.clientId must be a text'],
  [
    'google',
    { ...own, clientSecret: '' },
    'providers.google.clientSecret is empty: write it, or set the variable it comes from',
  ],
  ['google', null, 'providers.google must be an object'],
  ['google', { ...own, secret: 's' }, 'providers.google has no setting secret'],
  [
    'x',
    { ...own, issuer: 'http://x.example' },
    'providers.x.issuer must be an https address, or http on loopback',
  ],
  [
    'x',
    { ...own, issuer: 'http://localhost@x.example' },
    'providers.x.issuer must be an https address, or http on loopback',
  ],
  ['x', { ...own, issuer: 'x' }, 'providers.x.issuer must be an https address, or http on loopback'],
  ['microsoft', { ...own, tenant: 'a/b' }, "providers.microsoft.tenant must be a tenant's id or domain"],
  [
    'github',
    { ...own, addresses: { api: 'https://x.example' } },
    'providers.github.addresses has no setting api',
  ],
  [
    'github',
    { ...own, addresses: { token: 'ftp://x' } },
    'providers.github.addresses.token must be an https address, or http on loopback',
  ],
  ['Google', own, 'providers.Google must be named with a-z, 0-9 and -'],
  ['a_b', own, 'providers.a_b must be named with a-z, 0-9 and -'],
  ['a/b', own, 'providers.a/b must be named with a-z, 0-9 and -'],
  ...['dev', 'sign-out', 'connections'].map(
    (name) =>
      [
        name,
        { ...own, preset: 'google' },
        `providers.${name} must be called otherwise: /auth/${name} is reserved`,
      ] as const,
  ),
  ['google', { ...own, trustEmail: true }, 'providers.google: trustEmail does not fit the preset google'],
  ['github', { ...own, trustEmail: true }, 'providers.github: trustEmail does not fit the preset github'],
  ['microsoft', { ...own, trustEmail: true }, 'providers.microsoft: trustEmail is for an issuer of your own'],
  [
    'x',
    { ...own, issuer: 'https://x.example', trustEmail: 'yes' },
    'providers.x.trustEmail must be true or false',
  ],
]

t.test('presets: a provider that nobody can tell is refused at boot, by name', async (t) => {
  for (const [name, config, message] of mistakes) {
    t.throws(
      () => resolveConfig({ providers: { [name]: config } }),
      new ConfigError(`app/config.ts: config.${message}`),
      name,
    )
  }
})

interface Opened {
  readonly w: World
  readonly github: FakeGithub
  readonly browser: Browser
}

async function open(t: { teardown(f: () => unknown): void }): Promise<Opened> {
  const github = await openFakeGithub()
  t.teardown(github.close)
  const w = await world(t, { providers: { github: { ...own, addresses: github.addresses } } })
  return { w, github, browser: newBrowser() }
}

async function comeBack({ w, browser }: Opened, query = 'code=abc'): Promise<readonly [number, unknown]> {
  const sent = new URL(location(await w.call('GET', '/auth/github', { browser })))
  const state = sent.searchParams.get('state')
  const outcome = await w.call('GET', `/auth/github/callback?${query}&state=${state}`, { browser })
  return [outcome.status, outcome.status === 303 ? location(outcome) : outcome.body]
}

t.test('github: plain OAuth 2 with PKCE, profile and primary address from the API', async (t) => {
  const opened = await open(t)
  const { w, github, browser } = opened
  const sent = new URL(location(await w.call('GET', '/auth/github', { browser })))
  const { state, code_challenge: challenge, ...rest } = Object.fromEntries(sent.searchParams)
  t.equal(`${sent.origin}${sent.pathname}`, github.addresses.authorization)
  for (const random of [state, challenge]) t.match(random, /^[A-Za-z0-9_-]{43}$/)
  t.strictSame(rest, {
    client_id: 'c',
    redirect_uri: 'https://app.example/auth/github/callback',
    response_type: 'code',
    scope: 'read:user user:email',
    code_challenge_method: 'S256',
  })
  t.strictSame(await comeBack(opened), [303, '/auth'])
  t.strictSame(await w.store.findUser('github:583231'), {
    id: 'github:583231',
    name: 'The Octocat',
    email: 'octocat@example.test',
  })
  const [token, profile, emails] = github.requests
  const form = Object.fromEntries(new URLSearchParams(token?.body))
  t.match(form.code_verifier, /^[A-Za-z0-9_-]{43}$/)
  t.strictSame(
    { ...form, code_verifier: '' },
    {
      grant_type: 'authorization_code',
      code: 'abc',
      redirect_uri: 'https://app.example/auth/github/callback',
      client_id: 'c',
      client_secret: 's',
      code_verifier: '',
    },
  )
  t.match(token?.headers.accept, 'application/json')
  for (const request of [profile, emails]) {
    t.equal(request?.headers.authorization, 'Bearer gho_1')
    t.ok(request?.headers['user-agent'])
  }
})

t.test('spec, User: a GitHub user without a name goes by the nickname, else by the number', async (t) => {
  const opened = await open(t)
  const { w, github } = opened
  const cases: readonly (readonly [
    profile: unknown,
    emails: readonly [number, unknown],
    name: string,
    email: string | null,
  ])[] = [
    [{ id: 1, login: 'octocat', name: null }, [200, []], 'octocat', null],
    [{ id: 1, login: 'octocat', name: '' }, [403, { message: 'no' }], 'octocat', null],
    [{ id: 1, login: null, name: null }, [404, { message: 'no' }], '1', null],
    [
      { id: 1, name: '\u202eA\u0000da\n' },
      [200, [{ email: 'a@x.test', primary: true, verified: false }]],
      'Ada',
      null,
    ],
    [
      { id: 1, name: 'x'.repeat(300) },
      [200, [{ email: 'a@x.test', primary: true, verified: true }]],
      'x'.repeat(200),
      'a@x.test',
    ],
    [{ id: 1, name: 'A' }, [200, { email: 'not a list' }], 'A', null],
    [{ id: 1, name: 'A' }, [200, [null, 7, { primary: true, verified: true }]], 'A', null],
  ]
  for (const [profile, emails, name, email] of cases) {
    github.answers.set('/user', [200, profile])
    github.answers.set('/user/emails', emails)
    t.strictSame(await comeBack(opened), [303, '/auth'])
    t.strictSame(await w.store.findUser('github:1'), { id: 'github:1', name, email })
  }
})

t.test('github: what goes wrong is 401 text, and nobody is signed in', async (t) => {
  const opened = await open(t)
  const { github, browser } = opened
  const good = new Map(github.answers)
  const faults: readonly (readonly [path: string, status: number, body: unknown])[] = [
    ['/login/oauth/access_token', 200, { error: 'bad_verification_code', error_description: 'no' }],
    ['/login/oauth/access_token', 200, {}],
    ['/login/oauth/access_token', 500, {}],
    ['/login/oauth/access_token', 200, 'garbage'],
    ['/user', 401, { message: 'Bad credentials' }],
    ['/user', 500, {}],
    ['/user', 200, {}],
    ['/user', 200, { id: '583231' }],
    ['/user', 200, null],
    ['/user', 302, {}],
    ['/user/emails', 500, {}],
  ]
  for (const [path, status, body] of faults) {
    github.answers.set(path, [status, body])
    t.strictSame(await comeBack(opened), [401, 'sign in failed'], `${path} ${status} ${JSON.stringify(body)}`)
    github.answers.set(path, good.get(path) ?? [404, {}])
  }
  t.strictSame(await comeBack(opened, 'error=access_denied'), [401, 'sign in failed'])
  t.strictSame(await comeBack(opened, 'code=abc&iss=https://evil.example'), [401, 'sign in failed'])
  t.equal(browser.get('user_id'), undefined)
})
