/** What is left of clients that have gone. Source: rules.md, What the service does 7. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { type Era, message, serveAll } from '../support/support.ts'

t.setTimeout(240_000) // a busy machine

const eras: readonly Era[] = ['legacy', 'modern']

t.test(
  'no protocol state is kept for a client, and the caches of credentials and limits are bounded',
  (t) => {
    const visits = join(import.meta.dirname, '../support/visits.js')
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', visits], { encoding: 'utf8' })
    t.equal(stderr, '')
    t.ok(Number(stdout) < 60, `${Number(stdout).toFixed(0)} bytes of heap for each client that came and went`)
    t.end()
  },
)

t.test('spec, What the service does 7: a request needs none before it, at no instance', async (t) => {
  const credential = { authorization: 'Bearer good' }
  for (const era of eras) {
    const ask = async (method: string, params = {}) => {
      const sent = message(era, method, params)
      const { app } = serveAll({ authProbe: '/api/users/current' })
      const { status, headers } = await app({ ...sent, headers: { ...sent.headers, ...credential } })
      return [status, headers['mcp-session-id']]
    }
    const alone = [200, undefined]
    t.strictSame(await ask('tools/list'), alone)
    t.strictSame(await ask('tools/call', { name: 'notes_index' }), alone)
    t.strictSame(await ask(era === 'legacy' ? 'ping' : 'server/discover'), alone)
  }
})
