/** A script that starts a PostgreSQL and fails: `npm run torture` believes its exit code. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { postgresOrNotice } from './postgres-server.ts'

t.setTimeout(120_000) // on a busy machine

const server = await postgresOrNotice((text) => t.comment(text))
if (server === null) {
  t.pass('skipped: no PostgreSQL')
} else {
  await server.stop()
  const own = pathToFileURL(join(import.meta.dirname, 'postgres-server.js')).href
  for (const code of [0, 1, 3])
    t.test(`a script that has started a server ends with ${code} when it says so`, async (t) => {
      const script = `import { startPostgres } from '${own}'
        const server = await startPostgres()
        await server.stop()
        process.exitCode = ${code}`
      const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script])
      t.equal(status, code)
    })
}
