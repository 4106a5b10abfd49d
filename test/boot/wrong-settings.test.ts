/** What the start says of settings that are not what they must be. */
import t from 'tap'
import { resolveConfig } from '../../runtime/boot/resolve-config.ts'
import { ConfigError } from '../../runtime/boot/settings/checks.ts'

t.test('everything that is wrong with the settings is told at once, a line each', async (t) => {
  const config = {
    mcp: { path: 'mcp', answerChars: 0, budget: 5 },
    providers: {
      google: { clientId: 'one', clientSecret: '' },
      github: { clientId: 7 },
    },
    log: { ms: 'yes' },
    scopes: { 'notes:read': '', 'notes:write': { sensitive: 1 } },
    nothing: true,
  }
  t.throws(
    () => resolveConfig(config),
    new ConfigError(
      [
        'config.mcp.path must be a path that starts with / and ends without',
        'config.mcp.answerChars must be a positive number',
        'config.mcp has no setting budget',
        'config.providers.google.clientSecret is empty: write it, or set the variable it comes from',
        'config.providers.github.clientId must be a text',
        'config.providers.github.clientSecret must be a text',
        'config.log.ms must be true or false',
        "config.scopes['notes:read'] is empty: write it, or set the variable it comes from",
        "config.scopes['notes:write'].sensitive must be true or false",
        'config has no setting nothing',
      ]
        .map((line) => `app/config.ts: ${line}`)
        .join('\n'),
    ),
  )
})

t.test('scopes of providers and the time of grants.signInWithin are read strictly', async (t) => {
  const provider = (scope: unknown): object => ({
    providers: { google: { clientId: 'c', clientSecret: 's', scope } },
  })
  for (const scope of ['', ' groups', 'groups ', 'a  b', 'a,b"c', 'a\nb', 'ä', ['groups'], 7])
    t.throws(
      () => resolveConfig(provider(scope)),
      new ConfigError(
        'app/config.ts: config.providers.google.scope must be scopes with one space between two',
      ),
      String(scope),
    )
  for (const scope of ['groups', 'read:org user', 'https://www.googleapis.com/auth/userinfo.email', 'a,b'])
    t.doesNotThrow(() => resolveConfig(provider(scope)), scope)
  for (const signInWithin of ['7', '7w', '0d', '366d', '9000h', 'd', 7, '', '7 d', '1.5d'])
    t.throws(
      () => resolveConfig({ grants: { signInWithin } }),
      new ConfigError(
        "app/config.ts: config.grants.signInWithin must be a time in s, m, h or d up to 365d, as '7d'",
      ),
      String(signInWithin),
    )
  const dayMs = 86_400_000
  t.strictSame(
    ['7d', '365d', '36h', '90m', '45s'].map(
      (signInWithin) => resolveConfig({ grants: { signInWithin } }).grants.signInWithin,
    ),
    [7 * dayMs, 365 * dayMs, 1.5 * dayMs, dayMs / 16, 45_000],
  )
  t.strictSame(resolveConfig({}).grants, { cover: 'shown', signInWithin: null })
  t.throws(
    () => resolveConfig({ approval: { reauthenticate: '1d' } }),
    /reauthenticate must be a time in s, m or h up to 24h/,
  )
  t.throws(() => resolveConfig({ onSignIn: {} }), /config\.onSignIn must be a function/)
})
