/** `enterprise` of the configuration: each mistake is told at the start, by name. */
import t from 'tap'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import { ConfigError } from '../../../runtime/boot/settings/checks.ts'

const credentials = { clientId: 'us', clientSecret: 'secret' }
const okta = { issuer: 'https://acme.okta.example', ...credentials }
const providers = {
  okta,
  github: credentials,
  microsoft: credentials,
  twin: { ...okta, issuer: `${okta.issuer}/` },
}

function mistakesOf(enterprise: unknown, more: object = {}): readonly string[] {
  try {
    resolveConfig({ providers, enterprise, ...more })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.mistakes.map(({ text }) => text)
  }
}

t.test('what an entry must be', async (t) => {
  const at = 'config.enterprise[0]'
  const notOpenId = `${at}.provider must be the name of an OpenID provider in providers`
  const cases: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ['config.enterprise must be a list']],
    [[{}], [`${at}.provider must be a text`]],
    [[{ provider: '' }], [`${at}.provider is empty: write it, or set the variable it comes from`]],
    [
      [{ provider: 'okta', client: 'x' }],
      [`${at} has no setting client, did you mean: allowPublicClients, clients`],
    ],
    [[{ provider: 'okta', clients: [] }], [`${at}.clients must be a list of at least one client`]],
    [[{ provider: 'okta', clients: [''] }], [`${at}.clients must be a list of at least one client`]],
    [[{ provider: 'okta', scopes: 'api' }], [`${at}.scopes must be a list of at least one scope`]],
    [[{ provider: 'okta', allowPublicClients: 1 }], [`${at}.allowPublicClients must be true or false`]],
    [[{ provider: 'who' }], [notOpenId]],
    [[{ provider: 'constructor' }], [notOpenId]],
    [[{ provider: 'github' }], [notOpenId]],
    [[{ provider: 'dev' }], [notOpenId]],
    [
      [{ provider: 'microsoft' }],
      [`${at}.provider must be a provider of one tenant: this one signs for all`],
    ],
    [[{ provider: 'okta', scopes: ['x'] }], [`${at}.scopes must be 'api' alone, for none are declared`]],
    [
      [{ provider: 'okta' }, { provider: 'okta' }],
      ['config.enterprise[1].provider must be another provider than those before it'],
    ],
    [
      [{ provider: 'okta' }, { provider: 'twin' }],
      ['config.enterprise[1].provider must be another provider than those before it'],
    ],
    [[], []],
    [
      [
        {
          provider: 'okta',
          clients: ['ci', 'https://x.example/c'],
          scopes: ['api'],
          allowPublicClients: true,
        },
      ],
      [],
    ],
  ]
  for (const [enterprise, expected] of cases)
    t.strictSame(mistakesOf(enterprise), expected, JSON.stringify(enterprise))
  const scopes = { 'notes:read': 'read notes' }
  t.strictSame(mistakesOf([{ provider: 'okta', scopes: ['notes:read', 'api'] }], { scopes }), [])
  t.strictSame(mistakesOf([{ provider: 'okta', scopes: ['notes'] }], { scopes }), [
    `${at}.scopes must be declared scopes`,
  ])
  t.strictSame(
    mistakesOf([{ provider: 'microsoft' }], {
      providers: { microsoft: { ...credentials, tenant: 'acme.example' } },
    }),
    [],
  )
})
