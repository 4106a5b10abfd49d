/** `acmcp serve --workers`: what workers know of each other, and how they end. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { askHealth } from '../../../runtime/serve/health.ts'
import { start } from '../../../runtime/serve/serve.ts'
import { acmcpHere } from '../../cli/support/here.ts'
import { message } from '../../mcp/support/support.ts'
import { type PostgresServer, postgresOrNotice } from '../../store/postgres-server.ts'
import { freePort } from '../../support/free-port.ts'
import { Connection } from '../support/connection.ts'
import { main } from '../support/dev-process.ts'
import { startInstance } from '../support/instance.ts'
import { connectionToEach, startDesk } from './support/desk-app.ts'

t.setTimeout(120_000) // a busy machine

/** Calls a tool at the MCP endpoint. */
async function call(connection: Connection, name: string): Promise<string> {
  const answer = await connection.ask(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
    { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  )
  return answer.body
}

/** A stream of revision 2026-07-28 that hears of one resource. */
function subscribed(connection: Connection, uri: string): ReturnType<Connection['open']> {
  const notifications = { resourceSubscriptions: [uri] }
  const { message: body, headers = {} } = message('modern', 'subscriptions/listen', { notifications })
  return connection.open('/mcp', body, { ...headers, accept: 'application/json, text/event-stream' })
}

/** A further connection to that worker. */
async function connectionTo({ baseUrl }: { readonly baseUrl: string }, pid: number): Promise<Connection> {
  const connection = new Connection(baseUrl)
  if ((await connection.pid()) === pid) return connection
  connection.close()
  return connectionTo({ baseUrl }, pid)
}

const server = await postgresOrNotice((text) => t.comment(text))

if (server !== null) await servedBySeveral(server)

async function servedBySeveral(server: PostgresServer): Promise<void> {
  /** Until it is told to end: each of the first tests goes on where the one before has ended. */
  const desk = await startDesk(t, {
    databaseUrl: await server.freshDatabase(),
    env: { LOG_LEVEL: 'info', SHUTDOWN_DELAY_SECONDS: '1' },
  })

  t.test(
    'workers tell each other, and one that dies is replaced while the streams of the others go on',
    async (t) => {
      const [item, other] = await connectionToEach(t, desk, 2)
      if (item === undefined || other === undefined) throw new Error('there are two workers')
      const listen = (connection: Connection): ReturnType<Connection['open']> =>
        connection.open('/mcp', null, { accept: 'text/event-stream' })

      const beside = await connectionTo(desk, await other.pid())
      const subscription = await subscribed(beside, `${desk.baseUrl}/api/build`)
      const news = subscription[Symbol.asyncIterator]()
      t.match(String((await news.next()).value), 'subscriptions/acknowledged')
      const stream = await listen(other)
      const events = stream[Symbol.asyncIterator]()
      t.match(await call(item, 'desk_touched'), 'touched')
      t.match(
        String((await news.next()).value),
        `notifications/resources/updated","params":{"uri":"${desk.baseUrl}/api/build"`,
      )
      t.match(await call(item, 'desk_changed'), 'changed')
      t.match(String((await events.next()).value), 'notifications/tools/list_changed', 'told over the store')

      t.equal(subscription.readableLength, 0, 'it subscribed to no list')
      const [mine, pids] = [await item.pid(), desk.workerPids()]
      const lost = item.ask('/api/patient')
      const reset = t.rejects(lost, { code: 'ECONNRESET' }, 'what ran there')
      await desk.until('patient')
      await desk.killWorker(mine)
      await reset
      const now = desk.workerPids()
      t.strictSame([now.length, now.filter((pid) => pids.includes(pid)).length], [2, 1])
      const [successor] = await connectionToEach(t, desk, 2)
      t.match(await call(successor ?? other, 'desk_touched'), 'touched')
      t.match(String((await news.next()).value), 'notifications/resources/updated')
      stream.destroy()
      subscription.destroy()
      beside.close()
    },
  )

  t.test('health tells of a worker that does not answer though another does', async (t) => {
    const url = new URL(desk.baseUrl.replace('localhost', '127.0.0.1'))
    const health = async (store: boolean): Promise<unknown> =>
      (await askHealth({ env: {}, url, store })).map(({ wrong }) => wrong)
    t.strictSame([await health(false), await health(true)], [[null], [null]])
    const [connection] = await connectionToEach(t, desk, 2)
    const pid = Number(await connection?.pid())
    process.kill(pid, 'SIGSTOP')
    t.teardown(() => process.kill(pid, 'SIGCONT'))
    const silent = '1 of 2 workers does not answer'
    t.strictSame(await Promise.all([health(false), health(true)]), [[silent], [silent]])
    process.kill(pid, 'SIGCONT')
    t.equal(await connection?.pid(), pid)
    t.strictSame(await health(false), [null])
  })

  t.test('workers serve on while the server is no longer ready, then their port closes', async (t) => {
    const kept = new Connection(desk.baseUrl)
    const answer = async (path: string): Promise<string> => {
      const { status, body } = await new Connection(desk.baseUrl).ask(path, null, { connection: 'close' })
      return `${status} ${body}`
    }
    t.equal(await answer('/readyz'), '200 {"status":"ready"}')
    const pid = await kept.pid()
    const stopped = desk.stop()
    let ready = ''
    while (!ready.startsWith('503')) ready = await answer('/readyz')
    t.equal(ready, '503 {"status":"draining"}')
    t.equal(await answer('/api/build'), '200 "first build"', 'a new connection is taken')
    t.equal(await kept.pid(), pid)
    t.strictSame(await stopped, [0, null])
    await t.rejects(answer('/readyz'), { code: 'ECONNREFUSED' })
  })

  t.test('ends', { jobs: 2 }, async (t) => {
    void t.test('a second signal ends all at once', async (t) => {
      const desk = await startDesk(t, {
        databaseUrl: await server.freshDatabase(),
        env: { SHUTDOWN_DELAY_SECONDS: '600' },
      })
      const lost = t.rejects(new Connection(desk.baseUrl).ask('/api/patient'), { code: 'ECONNRESET' })
      await desk.until('patient')
      void desk.stop()
      let status = 200
      while (status === 200) status = (await new Connection(desk.baseUrl).ask('/readyz')).status
      desk.process.kill('SIGTERM')
      t.strictSame(await desk.gone, [1, null])
      await lost
      await t.rejects(new Connection(desk.baseUrl).pid(), { code: 'ECONNREFUSED' })
    })

    void t.test(
      'what runs is told and still answered, on a worker that a restart has replaced too; what never ends is cut off, all within ten seconds',
      async (t) => {
        const desk = await startDesk(t, { databaseUrl: await server.freshDatabase() })
        const old = new Connection(desk.baseUrl).ask('/api/patient')
        await desk.until('patient')
        await desk.restart()
        t.equal((await new Connection(desk.baseUrl).ask('/api/build')).status, 200)
        t.equal(desk.workerPids().length >= 3, true, 'the old one has it still')
        const now = new Connection(desk.baseUrl).ask('/api/patient')
        await desk.until('patient')
        const cutOff = t.rejects(new Connection(desk.baseUrl).ask('/api/stubborn'), { code: 'ECONNRESET' })
        await desk.until('stubborn')
        t.strictSame(await desk.stop(), [0, null], 'nobody has to end it')
        for (const { status, headers, body } of [await old, await now])
          t.strictSame([status, headers.connection, body], [200, 'close', '"told"'])
        await cutOff
      },
    )
  })

  t.test(
    'PORT=0: the first worker, the others and their successors have one port and one issuer, and end with a supervisor that is killed',
    async (t) => {
      const { root: cwd } = desk
      const env = { DATABASE_URL: await server.freshDatabase() }
      const {
        said,
        restart,
        process: supervisor,
        gone,
      } = await startInstance({ cwd, port: 0, workers: 2, env })
      t.teardown(() => void supervisor.kill('SIGKILL'))
      const [, baseUrl = ''] = /serves (\S+)/.exec(said.join('\n')) ?? []
      const issuers = async (): Promise<readonly string[]> => {
        const connection = new Connection(baseUrl)
        const { body } = await connection.ask('/.well-known/oauth-authorization-server')
        connection.close()
        return [JSON.parse(body).issuer, JSON.parse(body).token_endpoint]
      }
      t.match(baseUrl, /^http:\/\/localhost:[1-9]\d+$/)
      t.strictSame(await issuers(), [baseUrl, `${baseUrl}/oauth/token`])
      await restart()
      t.strictSame(await issuers(), [baseUrl, `${baseUrl}/oauth/token`])
      const stream = await new Connection(baseUrl).open('/api/events', null, {})
      const broken = t.rejects(text(stream))
      supervisor.kill('SIGKILL')
      t.strictSame(await gone, [null, 'SIGKILL'], 'and nobody has its output open')
      await broken
      await t.rejects(new Connection(baseUrl).pid(), { code: 'ECONNREFUSED' })
    },
  )
}

t.test('what cannot be served by several is refused in a clear line', async (t) => {
  const refused = (
    env: Readonly<Record<string, string>>,
    ...flags: readonly string[]
  ): readonly unknown[] => {
    const { status, stderr } = spawnSync(process.execPath, [main, 'serve', ...flags], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', PORT: '0', ...env },
    })
    return [status, stderr]
  }
  const line = (count: number): string =>
    `acmcp: --workers ${count}: one process serves a SQLite store: set DATABASE_URL to a postgres:// address, or serve without --workers\n`
  t.strictSame(refused({ DATABASE_URL: 'sqlite::memory:' }, '--workers', '2'), [1, line(2)])
  t.strictSame(refused({ DATABASE_URL: 'sqlite:many.db' }, '--watch', '--workers', '3'), [1, line(3)])
  t.strictSame(refused({}, '--workers', '2'), [1, line(2)], 'which is the store unless another is set')
  t.equal(existsSync('many.db'), false)
  const env = { PORT: '0' }
  for (const wrong of ['0', '-1', '1.5', 'two', '']) {
    const { status, stderr } = await acmcpHere(process.cwd(), env, 'serve', '--workers', wrong)
    t.strictSame(
      [status, stderr.split('\n')[0]],
      [
        2,
        `error: option '--workers <count>' argument '${wrong}' is invalid. It must be a whole number from 1 to 999, or auto.`,
      ],
    )
  }
})

t.test('of several workers one removes what has expired', async (t) => {
  const regular = async (cleans: boolean): Promise<number> => {
    const intervals: number[] = []
    const { close } = await start({
      cwd: process.cwd(),
      env: { PORT: String(await freePort()), DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' },
      print: () => {},
      listen: ({ server }, at) => server.listen(at),
      every: (everyMs) => {
        intervals.push(everyMs)
        return async () => {}
      },
      place: { count: 1, cleans },
    })
    await close()
    return intervals.filter((everyMs) => everyMs > 60_000).length
  }
  t.strictSame([await regular(true), await regular(false)], [1, 0])
})
