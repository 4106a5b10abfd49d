/** The endpoint inside the whole application: real sockets, every method, revocation by the authorization server. */
import { once } from 'node:events'
import { METHODS } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { gate } from '../../http/support/one-route.ts'
import {
  codeOf,
  openScene,
  postToken,
  redemption,
  refreshing,
  type Scene,
  send,
  tokensOf,
} from '../../oauth/support/scene.ts'
import { surroundings } from '../../support/surroundings.ts'
import { time } from '../support/support.ts'

const getStream = 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nX-API-Key: a\r\nAccept: text/event-stream\r\n\r\n'

t.test('a stream whose client left before the answer is not kept', async (t) => {
  const { opened, open } = gate()
  let entered = 0
  const authenticator = async (): Promise<boolean> => {
    entered += 1
    await opened
    return true
  }
  const { every, running } = time()
  const bundle = await loadBundle(process.cwd())
  const application = await createApplication(
    { ...bundle, config: { ...Object(bundle.config), mcp: { authenticator } } },
    { ...surroundings('http://localhost'), every },
  )
  t.teardown(() => application.close())
  const { server } = application
  const others = running.size
  let closed = 0
  server.server.on('request', (_request, response) => response.on('close', () => (closed += 1)))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo // listens on TCP
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise(setImmediate)
  }
  const dial = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(getStream)
    return socket
  }
  const sockets = await Promise.all(Array.from({ length: 20 }, dial))
  await until(() => entered === 20)
  for (const socket of sockets) socket.resetAndDestroy()
  await until(() => closed === 20)
  open()
  const last = await dial()
  const [head] = await once(last, 'data')
  t.match(String(head), /^HTTP\/1\.1 200 /)
  t.equal(running.size, others + 1, 'one stream is open')
  last.destroy()
  await until(() => closed === 21)
  t.equal(running.size, others, 'and none when it has gone')
})

t.test('spec, MCP endpoint: 401 comes first for every method that Node reads, also odd ones', async (t) => {
  const s = await openScene(t)
  for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
    for (const url of ['/mcp', '/mcp/', '/mcp/notes']) {
      const { statusCode, headers } = await send(s, { method, url } as InjectOptions) // any method that there is
      t.strictSame([method, url, statusCode], [method, url, 401])
      t.match(headers['www-authenticate'], /^Bearer resource_metadata=/)
    }
  }
})

const redeem = (s: Scene, code: string): ReturnType<typeof postToken> => postToken(s, redemption(s, code))

const ping = async (s: Scene, access: string): Promise<number> => {
  const headers = { authorization: `Bearer ${access}`, accept: 'application/json, text/event-stream' }
  const payload = { jsonrpc: '2.0', id: 1, method: 'ping' }
  return (await send(s, { method: 'POST', url: '/mcp', headers, payload })).statusCode
}

t.test('what is revoked is refused by the endpoint of the same instance at once', async (t) => {
  const s = await openScene(t)
  const { access, refresh } = await tokensOf(s)
  t.equal(await ping(s, access), 200)
  const form = { client_id: s.clientId, token: refresh }
  t.equal((await s.client.submit('/oauth/revoke', form)).statusCode, 200)
  t.equal(await ping(s, access), 401)
})

t.test('a replay ends the family on the endpoint at once', async (t) => {
  const byCode = await openScene(t)
  const code = await codeOf(byCode)
  const first = (await redeem(byCode, code)).json()
  t.equal(await ping(byCode, first.access_token), 200)
  t.equal((await redeem(byCode, code)).statusCode, 400)
  t.equal(await ping(byCode, first.access_token), 401)

  const byToken = await openScene(t)
  const { access, refresh } = await tokensOf(byToken)
  t.equal((await postToken(byToken, refreshing(byToken, refresh))).statusCode, 200)
  t.equal(await ping(byToken, access), 200)
  byToken.at(61)
  t.equal(await ping(byToken, access), 200)
  t.equal((await postToken(byToken, refreshing(byToken, refresh))).statusCode, 400)
  t.equal(await ping(byToken, access), 401)
})
