/** `X-Forwarded-For` written by a client never makes it another one for the limits. Source: rules.md, rate limits. */
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { message } from '../../mcp/support/support.ts'
import { listening } from '../support/raw.ts'

const perHour = 3

async function open(t: Test, trustProxy: unknown): Promise<FastifyInstance> {
  const limits = { registerPerHour: perHour, toolCallsPerMinute: perHour }
  const trusted = trustProxy === undefined ? {} : { trustProxy }
  const config = { mcp: { path: '/mcp' }, limits, ...trusted }
  const { app } = await listening(config, { call: () => ({}), environment: { production: true } })
  t.teardown(app.close)
  return app.application.server
}

interface Client {
  /** The address that the connection comes from. */
  readonly from: string
  readonly headers: Readonly<Record<string, string>>
}

async function register(server: FastifyInstance, { from, headers }: Client): Promise<number> {
  const payload = { client_name: 'a', redirect_uris: ['http://127.0.0.1/cb'] }
  const sent = { method: 'POST', url: '/oauth/register', remoteAddress: from, headers, payload } as const
  return (await server.inject(sent)).statusCode
}

async function callTool(server: FastifyInstance, { from, headers }: Client): Promise<number> {
  const sent = message('modern', 'tools/call', { name: 'notes_index' })
  const accept = 'application/json, text/event-stream'
  const { statusCode } = await server.inject({
    method: 'POST',
    url: '/mcp',
    remoteAddress: from,
    headers: { accept, ...sent.headers, ...headers },
    payload: sent.message as object, // a message
  })
  return statusCode
}

/** Five requests of each kind by one client that claims to be another each time. */
async function attempts(
  server: FastifyInstance,
  clientOf: (at: number) => Client,
): Promise<readonly unknown[]> {
  const registered: number[] = []
  const called: number[] = []
  for (let at = 0; at < 5; at++) {
    registered.push(await register(server, clientOf(at)))
    called.push(await callTool(server, clientOf(at)))
  }
  return [registered, called]
}

const limited = [
  [201, 201, 201, 429, 429],
  [200, 200, 200, 429, 429],
]
const free = [Array(5).fill(201), Array(5).fill(200)]

const rotating = (at: number): string => `198.51.100.${at}`

t.test('without trustProxy no header says who the client is', async (t) => {
  const server = await open(t, undefined)
  const claims = (at: number) => ({
    'x-forwarded-for': rotating(at),
    'x-real-ip': rotating(at),
    forwarded: `for=${rotating(at)}`,
    'x-forwarded-host': `host${at}.example`,
  })
  t.strictSame(await attempts(server, (at) => ({ from: '192.0.2.1', headers: claims(at) })), limited)
  t.strictSame(await attempts(server, (at) => ({ from: rotating(at), headers: {} })), free, 'other clients')
})

t.test(
  'behind one proxy only what the proxy wrote counts, not what the client wrote before it',
  async (t) => {
    const server = await open(t, 1)
    const behind = (forwarded: string) => ({ from: '10.0.0.1', headers: { 'x-forwarded-for': forwarded } })
    t.strictSame(await attempts(server, (at) => behind(`${rotating(at)}, 192.0.2.1`)), limited)
    t.strictSame(
      await attempts(server, (at) => behind(`${rotating(at)}:${at}, 192.0.2.2:${4000 + at}`)),
      limited,
      'with ports that change',
    )
    t.strictSame(
      await attempts(server, (at) => behind(`2001:db8:0:1::${at + 1}`)),
      limited,
      'addresses of one network of IPv6',
    )
    t.strictSame(
      await attempts(server, (at) => behind(`garbage${at}`)),
      limited,
      'garbage counts as the proxy that let it through',
    )
    t.strictSame(await attempts(server, (at) => behind(`x, 203.0.113.${at}`)), free, 'other clients')
  },
)

t.test('proxies by address: from anywhere else the header is not believed', async (t) => {
  const server = await open(t, ['10.0.0.0/8'])
  const direct = (at: number): Client => ({
    from: '192.0.2.1',
    headers: { 'x-forwarded-for': `${rotating(at)}, 10.0.0.7` },
  })
  t.strictSame(await attempts(server, direct), limited)
  const behind = (at: number): Client => ({
    from: '10.0.0.1',
    headers: { 'x-forwarded-for': `${rotating(at)}, 192.0.2.9, 10.0.0.7` },
  })
  t.strictSame(await attempts(server, behind), limited, 'the first address that is no proxy, from the right')
})
