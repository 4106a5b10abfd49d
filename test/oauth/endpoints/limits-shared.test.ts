/** Two instances of the application on one PostgreSQL exchange what their limits counted, once a second, for as long as
 *  they run. Source: rules.md, rate limits. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import t from 'tap'
import { type Application, createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { defaultPool } from '../../../runtime/store/pool.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'

interface Instance {
  readonly application: Application
  /** Lets a second pass. */
  readonly tick: () => Promise<void>
  readonly log: string[]
}

const start = 1_800_000_000_000

/** `ended` is how long the exchange under way still takes when the application closes. */
async function openInstance(
  databaseUrl: string,
  log: string[],
  ended: Promise<unknown> = Promise.resolve(),
): Promise<Instance> {
  const bundle = await loadBundle(process.cwd())
  let tick = async (): Promise<void> => {}
  const { mcp, ...own } = bundle.config as { readonly mcp: object } // what app/config.ts exports
  const limits = { tokenPerHour: 4, toolCallsPerMinute: 4 }
  const audit = { enabled: false } // it works once a second too
  const config = { ...own, audit, limits, mcp: { ...mcp, authProbe: undefined, authenticator: () => true } }
  const application = await createApplication(
    { ...bundle, config },
    {
      environment: {
        production: false,
        host: '127.0.0.1',
        port: 0,
        baseUrl: 'http://localhost:3000',
        databaseUrl,
        databasePool: defaultPool,
        jwtSecrets: ['a secret of the test with more than 32 bytes'],
        jwtPrivateKeys: [],
        shutdownDelaySeconds: 0,
        sessionSecrets: ['another secret of the test, more than 32 bytes'],
        devLogin: true,
        logLevel: 'silent',
        metrics: null,
      },
      migrate: true,
      clock: () => start,
      randomBytes: (count) => randomBytes(count),
      every: (everyMs, work) => {
        if (everyMs !== 1000 || log.length > 0) return async () => {} // the bus, and the clock of tool calls
        log.push(`every ${everyMs} ms`)
        tick = work
        return async () => {
          await ended
          log.push('stopped')
        }
      },
    },
  )
  return { application, tick: () => tick(), log }
}

const ask = async ({ application }: Instance): Promise<number> =>
  (await application.server.inject({ method: 'POST', url: '/oauth/token', remoteAddress: '192.0.2.1' }))
    .statusCode

/** The status of a tool call that the endpoint accepts. */
async function call({ application }: Instance): Promise<number> {
  const params = { name: 'call_tool', arguments: { name: 'none' } }
  const answer = await application.server.inject({
    method: 'POST',
    url: '/mcp',
    remoteAddress: '192.0.2.1',
    headers: {
      host: 'localhost:3000',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return answer.statusCode
}

t.test('limits: an SQLite store is not shared, nothing is exchanged', async (t) => {
  const { application, log } = await openInstance('sqlite::memory:', [])
  await application.close()
  t.strictSame(log, [])
})

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) t.teardown(server.stop)

t.test('limits: instances on one PostgreSQL share one limit', { skip: server === null }, async (t) => {
  if (server === null) return
  const instance = await openInstance(server.url, [])
  const two = await openInstance(server.url, [])
  t.strictSame([instance.log, two.log], [['every 1000 ms'], ['every 1000 ms']])
  t.strictSame(
    [await ask(instance), await ask(instance), await ask(instance), await ask(two)],
    [400, 400, 400, 400],
  )
  await instance.tick()
  await two.tick()
  t.equal(await ask(two), 429, 'the fifth of both')
  await two.tick()
  t.equal(await ask(instance), 400, 'told of its own three only')
  await instance.tick()
  t.equal(await ask(instance), 429)
  t.strictSame(
    [await call(instance), await call(instance), await call(instance), await call(two)],
    [200, 200, 200, 200],
  )
  await instance.tick()
  await two.tick()
  t.equal(await call(two), 429, 'the fifth tool call of both')
  await instance.application.close()
  await two.application.close()
  t.strictSame(
    [instance.log, two.log],
    [
      ['every 1000 ms', 'stopped'],
      ['every 1000 ms', 'stopped'],
    ],
  )
})

t.test(
  'limits: the server closes while the last exchange waits for the database, the store after both',
  { skip: server === null, timeout: 60_000 },
  async (t) => {
    if (server === null) return
    let release = (): void => {}
    const ended = new Promise<void>((resolve) => {
      release = resolve
    })
    const { application, log } = await openInstance(server.url, [], ended)
    await application.server.listen({ port: 0, host: '127.0.0.1' })
    const serverClosed = once(application.server.server, 'close')
    const closed = application.close()
    await serverClosed
    t.strictSame(log, ['every 1000 ms'], 'the exchange is still under way')
    t.equal(await application.store.findUser('nobody'), null, 'the store is open')
    release()
    await closed
    t.strictSame(log, ['every 1000 ms', 'stopped'])
  },
)
