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
