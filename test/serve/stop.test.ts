/** How an application stops: what is open ends in order, what runs is told, the store is closed whatever fails. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import Libsql from 'libsql'
import t, { type Test } from 'tap'
import { start } from '../../runtime/serve/serve.ts'
import { built, folderOf } from '../cli/support/built-app.ts'
import { spawnServe } from '../flow/support.ts'
import { dial, gate, openProbe, readAll } from '../http/support/one-route.ts'
import { freePort } from '../support/free-port.ts'
import { openStore } from '../support/whole-store.ts'

const get = 'GET /probe HTTP/1.1\r\nhost: localhost\r\n\r\n'

/** An application that stops while a request runs on, which is told after two seconds: what ends before that waits for nobody.
 *  Resolves with what it answered. */
async function stopsWith(t: Test, told: () => void): Promise<{ readonly answer: Promise<string> }> {
  const running = gate()
  const app = await openProbe(t, {
    call: async (probe) => {
      const { signal } = probe.request
      running.open()
      await once(signal, 'abort')
      told()
      return 'told'
    },
  })
  const socket = await dial(t, app)
  socket.write(get)
  const answer = readAll(socket)
  await running.opened
  void app.close()
  return { answer }
}

t.test(
  'stop: an event stream ends in order at once, its generator with it; what runs on is told after two seconds, and still answered',
  async (t) => {
    const order: string[] = []
    const ended = gate()
    const aborted = gate()
    const app = await openProbe(t, {
      call: async function* (probe) {
        probe.request.signal.addEventListener('abort', aborted.open)
        try {
          yield 'one'
          await aborted.opened
        } finally {
          ended.open()
        }
      },
    })
    const socket = await dial(t, app)
    socket.write(get)
    await once(socket, 'data')
    const rest = readAll(socket)
    const { answer } = await stopsWith(t, () => order.push('told'))
    void ended.opened.then(() => order.push('ended'))
    await app.close()
    t.match(await rest, /(^|\r\n)0\r\n\r\n$/, 'the last chunk')
    t.match(await answer, /^HTTP\/1\.1 200 [\s\S]*"told"$/)
    t.strictSame(order, ['ended', 'told'])
  },
)

t.test(
  'stop: the first request of a connection that was taken before is answered, as its last',
  async (t) => {
    const app = await openProbe(t, { call: () => 'answered' })
    const taken = once(app.application.server.server, 'connection')
    const socket = await dial(t, app)
    await taken
    const closing = app.close()
    socket.write(get)
    t.match(await readAll(socket), /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"answered"$/i)
    await closing
  },
)

t.test('stop: a file under way is sent whole', async (t) => {
  const released = gate()
  const app = await openProbe(t, {
    produces: 'application/octet-stream',
    call: async function* () {
      yield 'first '
      await released.opened
      yield 'second'
    },
  })
  const socket = await dial(t, app)
  socket.write(get)
  await once(socket, 'data')
  const rest = readAll(socket)
  const order: string[] = []
  const { answer } = await stopsWith(t, () => order.push('told'))
  const closing = app.close().then(() => order.push('closed'))
  released.open()
  t.match(await rest, 'second\r\n0\r\n\r\n')
  await Promise.all([closing, answer])
  t.strictSame(order, ['closed', 'told'], 'nobody waits for the connection after its answer')
})

t.test('stop: an answer that is made, and whose client reads slowly, is sent whole', async (t) => {
  const answer = 'x'.repeat(32 * 1024 * 1024) // more than a connection holds
  const app = await openProbe(t, { call: () => answer })
  const socket = await dial(t, app)
  socket.write(get)
  await once(socket, 'readable') // and it takes no more
  const { server } = app.application.server
  const closing = app.close()
  while (server.listening) await new Promise((resolve) => setImmediate(resolve))
  const [, body] = (await readAll(socket)).split('\r\n\r\n')
  t.equal(body?.length, answer.length + 2)
  await closing
})

t.test("stop: a plugin's failing onClose is told, and the store is closed", async (t) => {
  const plugin = async (app: {
    addHook: (name: 'onClose', hook: () => Promise<void>) => void
  }): Promise<void> => {
    app.addHook('onClose', async () => {
      throw new Error('the plugin could not close')
    })
  }
  const app = await openProbe(t, { call: () => 'x', config: { plugins: [plugin] } }).catch((e) =>
    Promise.reject(e),
  )
  await t.rejects(app.close(), { message: 'the plugin could not close' })
  await t.rejects(app.application.store.findUser('u'), 'the store is closed')
})

t.test('stop: a purge ends after the batch in which it is told to', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-stop-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const options = { migrations: {}, migrate: 'apply', clock: () => 1000 } as const
  const store = await openStore({ ...options, url: `sqlite:${join(folder, 'store.db')}` })
  t.teardown(() => store.close())
  await sql`insert into acmcp_sessions (id_hash, data, expires_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
    select 'h' || i, '{}', 1 from n`.execute(store.database)
  const stopping = new AbortController()
  const purging = store.purgeExpired(stopping.signal)
  stopping.abort()
  t.ok((await purging) <= 500)
  t.ok((await store.purgeExpired()) >= 700)
})

t.test('stop: the port closes while a purge waits for the database, the store after both', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-stop-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'store.db')
  let purge = (): Promise<void> => Promise.reject(new Error('nothing purges'))
  const { application, close } = await start({
    cwd: process.cwd(),
    env: {
      PORT: String(await freePort()),
      DATABASE_URL: `sqlite:${file}`,
      JWT_SECRET: 'kQ8w-2nB7vXz_4mLr9TgYh3PdSa6EfUj',
      SESSION_SECRET: 'Zx5c-8VbN1mQw_7eRt2YuI0oPaS4dFgH',
      LOG_LEVEL: 'silent',
    },
    print: () => {},
    listen: ({ server }, at) => server.listen(at),
    every: (everyMs, work) => {
      let run = Promise.resolve()
      if (everyMs >= 270_000) {
        purge = () => {
          run = work()
          return run
        }
      }
      return () => run
    },
  })
  const locker = new Libsql(file)
  t.teardown(() => locker.close())
  locker.exec('begin immediate')
  let isPurged = false
  const purged = purge().then(() => {
    isPurged = true
  })
  const portClosed = once(application.server.server, 'close')
  const closed = close()
  await portClosed
  t.equal(isPurged, false, 'the purge waits for the lock')
  t.equal(await application.store.findUser('nobody'), null, 'the store is open')
  locker.exec('rollback')
  await purged
  await closed
  await t.rejects(application.store.findUser('nobody'), 'the store is closed')
})

t.test('stop: SIGTERM with an open stream ends the stream and the process', async (t) => {
  const controller = `import { Controller, type ServerEvent } from 'acmcp'

/** Ticks. @base /ticks */
export class Ticks extends Controller {
  /**
   * Tells one event and waits for ever.
   *
   * @get /
   */
  async *index(): AsyncGenerator<ServerEvent<number> | number> {
    yield 1
    await new Promise(() => {})
  }
}
`
  const root = folderOf(t, { 'app/controllers/ticks.ts': controller })
  const { status, stderr } = await built(root)
  t.equal(status, 0, stderr)
  const server = await spawnServe(root, { PORT: String(await freePort()) })
  t.teardown(() => server.process.kill('SIGKILL'))
  const answer = await fetch(`${server.baseUrl}/ticks`)
  const body = answer.text()
  server.process.kill('SIGTERM')
  t.match(await body, /data: 1\n\n$/)
  const [code, signal] = server.process.exitCode === null ? await once(server.process, 'exit') : [0, null]
  t.strictSame([code, signal], [0, null])
})
