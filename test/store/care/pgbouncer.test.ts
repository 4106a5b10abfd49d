/** Behind a real PgBouncer (Debian's), pooling by session and by transaction. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { type Application, createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { defaultPool } from '../../../runtime/store/pool.ts'
import { freePort } from '../../support/free-port.ts'
import { surroundings } from '../../support/surroundings.ts'
import { postgresOrNotice } from '../postgres-server.ts'
import { rejection } from '../support.ts'

const server = await postgresOrNotice((text) => t.comment(text))
const hasBouncer = spawnSync('pgbouncer', ['--version']).status === 0
if (!hasBouncer) t.comment('there is no pgbouncer (apt-get install pgbouncer): its tests are skipped')
if (!hasBouncer && process.env.ACMCP_NOTHING_SKIPPED === '1') throw new Error('there is no pgbouncer')

/** The address of `database` through a PgBouncer of its own. */
async function bouncer(t: Test, database: string, mode: 'session' | 'transaction'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-bouncer-'))
  chmodSync(folder, 0o755)
  const [url, port] = [new URL(database), await freePort()]
  writeFileSync(join(folder, 'users.txt'), `"${url.username}" "${url.password}"\n`, { mode: 0o644 })
  const settings = [
    '[databases]',
    `* = host=${url.hostname} port=${url.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${join(folder, 'users.txt')}`,
    `pool_mode = ${mode}`,
  ]
  writeFileSync(join(folder, 'bouncer.ini'), settings.join('\n'), { mode: 0o644 })
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [] // it does not run as root
  const child = spawn('pgbouncer', [...asOther, join(folder, 'bouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.teardown(async () => {
    const gone = once(child, 'close')
    child.kill('SIGKILL')
    await gone
    rmSync(folder, { recursive: true })
  })
  await listens(child)
  url.port = String(port)
  return url.href
}

async function listens(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error('its output is not read')
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line)
    if (line.includes('process up')) {
      child.stderr.resume()
      return
    }
  }
  throw new Error(`pgbouncer ended: ${lines.join('\n')}`)
}

async function start(databaseUrl: string): Promise<Application> {
  const databasePool = { ...defaultPool, size: 2 }
  const deps = surroundings('http://localhost:3000', { databaseUrl, databasePool })
  return createApplication(await loadBundle(process.cwd()), deps)
}

if (server !== null && hasBouncer) {
  t.teardown(() => server.stop())

  t.test('by session everything works: migrations, sign-in, notes, the limits on statements', async (t) => {
    const application = await start(await bouncer(t, await server.freshDatabase(), 'session'))
    t.teardown(() => application.close())
    await application.store.saveUser({ id: 'dev:ada', name: 'Ada', email: null })
    const { accessToken } = await application.developmentToken('dev:ada', 'api')
    const headers = { authorization: `Bearer ${accessToken}` }
    const added = await application.server.inject({
      method: 'POST',
      url: '/api/notes',
      headers,
      payload: { text: 'through a pooler' },
    })
    t.strictSame([added.statusCode, added.json()], [201, ['through a pooler']])
    t.equal(await application.store.purgeExpired(), 0)
    const { sql } = await import('kysely')
    const limits = await sql`select current_setting('statement_timeout') as statement,
      current_setting('lock_timeout') as lock`.execute(application.store.database)
    t.strictSame(limits.rows, [{ statement: '10s', lock: '3s' }])
  })

  t.test('by transaction it does not start, and says why', async (t) => {
    const error = await rejection(start(await bouncer(t, await server.freshDatabase(), 'transaction')))
    t.match(error, {
      name: 'BootError',
      message:
        'PostgreSQL takes LISTEN, but no notification arrives: a pooler between gives each transaction another connection. Let it pool by session (PgBouncer: pool_mode = session)',
    })
  })
}
