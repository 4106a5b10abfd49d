/** `acmcp health`: whether a server answers. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { spawnServe } from '../../flow/support.ts'
import { freePort } from '../../support/free-port.ts'
import type { Ran } from '../support/built-app.ts'
import { acmcpHere } from '../support/here.ts'
import { acmcpWith, shopIn } from '../support/shop.ts'

const metadata = '/.well-known/oauth-authorization-server'

async function listening(t: Pick<Test, 'teardown'>, answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return (server.address() as AddressInfo).port // of a server that listens on a port
}

async function requested(env: Readonly<Record<string, string>>, store = false): Promise<readonly unknown[]> {
  const { status, stdout, stderr } = await acmcpHere('.', env, 'health', ...(store ? ['--store'] : []))
  return [status, ...`${stdout}${stderr}`.split('\n').slice(0, -1)]
}

/** Asked at the beginning: it takes five seconds. */
const silentPort = await listening(t, () => {})
const silent = requested({ PORT: String(silentPort) })

t.test('health: of a running server, of its store, of an address, of nobody', async (t) => {
  const root = await shopIn(t)
  const port = String(await freePort())
  const at = `http://127.0.0.1:${port}`
  const ran = (...args: readonly string[]): Promise<Ran> => acmcpHere(root, {}, 'health', ...args)
  t.strictSame(acmcpWith(root, { PORT: port }, 'health'), {
    status: 1,
    stdout: '',
    stderr: `acmcp: not healthy: GET ${at}/livez?workers: nothing listens there: is acmcp serve running?\n`,
  })
  const server = await spawnServe(root, { PORT: port })
  t.teardown(() => void server.process.kill('SIGKILL'))
  const requested = `GET ${at}/livez?workers answered 200\n`
  t.strictSame(await acmcpHere(root, { PORT: port }, 'health'), { status: 0, stdout: requested, stderr: '' })
  t.strictSame(await ran(at, '--store'), {
    status: 0,
    stdout: `GET ${at}/readyz?workers answered 200\n`,
    stderr: '',
  })
  t.strictSame(await ran(`${at}/up`), {
    status: 0,
    stdout: `GET ${at}/up answered 200\n`,
    stderr: '',
  })
  t.strictSame(await ran(`${at}/nowhere`), {
    status: 1,
    stdout: '',
    stderr: `acmcp: not healthy: GET ${at}/nowhere answered 404: not a success\n`,
  })
  t.equal((await ran('localhost:1')).status, 2)
})

t.test('health: another server is not ours, and a store that is away is told', async (t) => {
  const other = await listening(t, (_, response) => void response.end('hello'))
  const at = `http://127.0.0.1:${other}`
  t.strictSame(await requested({ PORT: String(other) }), [
    1,
    `acmcp: not healthy: GET ${at}${metadata} answered 200: not the metadata of an acmcp server`,
  ])
  const away = await listening(t, ({ url }, response) => {
    response.statusCode = url === metadata ? 200 : 503
    response.end('{"issuer":"https://shop.example"}')
  })
  t.strictSame(await requested({ PORT: String(away) }, true), [
    1,
    `GET http://127.0.0.1:${away}${metadata} answered 200`,
    `acmcp: not healthy: GET http://127.0.0.1:${away}/oauth/authorize?client_id=acmcp-health answered 503: the store is not available`,
  ])
})

t.test(
  'health: why a server is not ready is told; one with a route of its own there is asked for more',
  async (t) => {
    const draining = await listening(t, (_, response) => {
      response.statusCode = 503
      response.end('{"status":"draining"}')
    })
    t.strictSame(await requested({ PORT: String(draining) }, true), [
      1,
      `acmcp: not healthy: GET http://127.0.0.1:${draining}/readyz?workers answered 503: draining`,
    ])
    const own = await listening(t, ({ url = '' }, response) => {
      if (url.startsWith('/oauth/')) response.statusCode = 400
      response.end(url === metadata ? '{"issuer":"https://shop.example"}' : '{"status":"fine, thank you"}')
    })
    const at = `http://127.0.0.1:${own}`
    t.strictSame(await requested({ PORT: String(own) }, true), [
      0,
      `GET ${at}${metadata} answered 200`,
      `GET ${at}/oauth/authorize?client_id=acmcp-health answered 400`,
    ])
  },
)

t.test('health: the server is asked under its public name, as a proxy asks it', async (t) => {
  const hosts: unknown[] = []
  const port = await listening(t, ({ headers }, response) => {
    hosts.push(headers.host)
    response.end('{"issuer":"https://shop.example"}')
  })
  const at = `http://127.0.0.1:${port}`
  const env = { PORT: String(port), HOST: '0.0.0.0', BASE_URL: 'https://shop.example' }
  t.strictSame(await requested(env), [0, `GET ${at}${metadata} answered 200`])
  t.strictSame(hosts, ['shop.example', 'shop.example'])
})

t.test('health: who takes connections and does not answer is told from who is not there', async (t) => {
  t.strictSame(await silent, [
    1,
    `acmcp: not healthy: GET http://127.0.0.1:${silentPort}/livez?workers: no answer within 5 s, though it takes connections: its event loop stands still?`,
  ])
})
