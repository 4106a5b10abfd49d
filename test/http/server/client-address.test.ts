/** Whose address is counted, and what a proxy may write about it; paths that nobody knows. Source: rules.md, rate limits and
 *  404 / 405. */
import t from 'tap'
import { plainAddress } from '../../../runtime/http/server/client-address.ts'
import { methodsByPath } from '../../../runtime/http/server/known-paths.ts'
import { costs } from '../../support/report/growth.ts'
import { answerTo, lastAnswer, listening, rawClient } from '../support/raw.ts'
import { endpoint, shell } from '../support/shell.ts'

t.test('security: X-Forwarded-For with a port, or garbage, is one address or none', async (t) => {
  const table: readonly (readonly [string, string | null])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['192.0.2.7:port', null],
    ['[192.0.2.7', null],
    ['unknown', null],
    ['', null],
    ['9'.repeat(9000), null],
  ]
  for (const [text, address] of table) t.equal(plainAddress(text), address, text.slice(0, 30))
})

t.test('security: the port of a client is no part of whom the limits count', async (t) => {
  const own = endpoint('/ip', ({ ip }) => ({ status: 200, headers: {}, body: ip }))
  for (const trustProxy of [1, ['127.0.0.0/8', '10.0.0.0/8']] as const) {
    const { app } = await shell([own], { trustProxy })
    t.teardown(() => app.close())
    const ipOf = async (forwarded: string): Promise<string> =>
      (await app.inject({ url: '/ip', headers: { 'x-forwarded-for': forwarded } })).body
    t.equal(await ipOf('192.0.2.7'), '192.0.2.7')
    t.equal(await ipOf('192.0.2.7:4711'), '192.0.2.7')
    t.equal(await ipOf('[2001:db8::1]:4711'), '2001:db8::1')
    t.equal(await ipOf('garbage, more'), '127.0.0.1', 'the proxy that said so')
    if (typeof trustProxy === 'number') continue
    t.equal(await ipOf('192.0.2.7:1, 10.0.0.3:80'), '192.0.2.7', 'a trusted proxy with its port')
  }
})

t.test('security: two Host lines are 400', async (t) => {
  const { app, port } = await listening({})
  t.teardown(app.close)
  const request = [
    'GET /health HTTP/1.1',
    'Host: localhost',
    'host: evil.example',
    'Connection: close',
    '',
    '',
  ]
  const { status, body } = lastAnswer(await answerTo(port, request.join('\r\n')))
  t.strictSame([status, body], [400, { error: 'the Host header is there twice' }])
})

t.test('an unknown path costs its own length, not a look at every route', async (t) => {
  const routesOf = (length: number) =>
    Array.from({ length }, (_, at) => ({
      path: `/api/box${at}/:id/parts`,
      methods: ['GET'],
    }))
  const routes = routesOf(20_000)
  const methodsOf = methodsByPath([
    ...routes,
    { path: '/api/:box/new/', methods: ['POST'] },
    { path: '/files/*', methods: ['GET'] },
    { path: '/', methods: ['GET', 'HEAD'] },
  ])
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['/', ['GET', 'HEAD']],
    ['/api/box7/1/parts/', ['GET']],
    ['/api/box7/new', ['POST']],
    ['/api/box7//parts', []],
    ['/api/box7/1/parts//', []],
    ['/files/', []],
    ['/files/a/b', ['GET']],
    ['/files', []],
    ['/nowhere', []],
  ]
  for (const [path, methods] of table) t.strictSame(methodsOf(path), methods, path)
  const few = methodsByPath(routesOf(20))
  const asked = (of: typeof methodsOf) => () => {
    for (let count = 0; count < 20; count += 1) of(`/api/box${count}/1/other`)
  }
  const [work, control] = [asked(methodsOf), asked(few)]
  await costs(t, { name: 'a thousand times as many routes', work, control, times: 10 })
})

t.test('the address of a client that has gone is known still', async (t) => {
  for (const trustProxy of [null, ['127.0.0.0/8'], 1] as const) {
    let report = (_ip: string): void => {}
    const reported = new Promise<string>((resolve) => {
      report = resolve
    })
    let come = (): void => {}
    const isThere = new Promise<void>((resolve) => {
      come = resolve
    })
    const late = endpoint('/late', async (request) => {
      request.onDisconnect?.(() => report(request.ip))
      come()
      await reported
      return { status: 204, headers: {}, body: null }
    })
    const { app } = await shell([late], { trustProxy })
    t.teardown(() => app.close())
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const client = await rawClient(Number(port))
    client.write('GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await isThere
    client.socket.resetAndDestroy()
    t.equal(await reported, '127.0.0.1')
  }
})
