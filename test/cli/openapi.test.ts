/** The committed document by a linter that we did not write. */
import { spawnSync } from 'node:child_process'
import t from 'tap'

t.test('generated/openapi.yml passes @redocly/cli lint without errors', async (t) => {
  const lint = spawnSync('node_modules/.bin/redocly', ['lint', 'generated/openapi.yml'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  t.equal(lint.status, 0, lint.stdout + lint.stderr)
})
