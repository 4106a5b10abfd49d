/** Keys behind `jwksUri`: rotation, outages, what is refused. Source: decisions/oauth.md, Machines. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import {
  clientKeySource,
  FetchedKeys,
  KeysUnavailable,
} from '../../../runtime/oauth/assertions/fetched-keys.ts'
import { internet } from '../../../runtime/oauth/network.ts'
import { openDocumentHost, publish } from '../support/document-host.ts'
import { start } from '../support/harness.ts'
import { jwkOf, p256 } from '../support/machine.ts'

interface Opened {
  /** The kids that fit, or the name of what was thrown. */
  readonly find: (kid: string | null) => Promise<unknown>
  readonly clock: { now: number }
  readonly logged: readonly string[]
}

function open(url: string, changes: { network?: typeof internet; allowLoopback?: boolean } = {}): Opened {
  const clock = { now: start }
  const logged: string[] = []
  const to = (level: string) => (fields: object, message: string) =>
    void logged.push([level, message, ...('reason' in fields ? [fields.reason] : [])].join(': '))
  const options = {
    network: { ...internet, documentTimeoutMs: 2000 },
    allowLoopback: true,
    clock: () => clock.now,
    log: { info: to('info'), warn: to('warn'), error: to('error') },
    ...changes,
  }
  const keys = new FetchedKeys(clientKeySource('ci-bot', new URL(url), options), options)
  const find = async (kid: string | null): Promise<unknown> => {
    try {
      return (await keys.find('ES256', kid)).map((key) => key.kid)
    } catch (error) {
      return error instanceof KeysUnavailable ? 'unavailable' : error
    }
  }
  return { find, clock, logged }
}

const key = (kid: string): Record<string, unknown> => jwkOf(p256(), { kid, use: 'sig' })
const minuteMs = 60_000

async function served(
  t: Test,
): Promise<{ url: string; requests: () => number; keys: unknown; listener: RequestListener }> {
  let requests = 0
  const host = {
    url: '',
    requests: () => requests,
    keys: [] as unknown,
    listener: ((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/jwk-set+json' })
      response.end(JSON.stringify({ keys: host.keys }))
    }) as RequestListener,
  }
  const server = createServer((request, response) => {
    requests += 1
    host.listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  host.url = `http://localhost:${port}/jwks`
  return host
}

t.test(
  'rotation: an unknown kid asks again, once a minute at most; those at once share the answer',
  async (t) => {
    const host = await served(t)
    host.keys = [key('a'), { kty: 'oct', k: 'c2VjcmV0' }, { ...key('enc'), use: 'enc' }, 7]
    const { find, clock } = open(host.url)
    t.strictSame(await Promise.all([find('a'), find('a'), find(null)]), [['a'], ['a'], ['a']])
    t.equal(host.requests(), 1)
    host.keys = [key('b')]
    t.strictSame([await find('b'), await find('a'), host.requests()], [[], ['a'], 1], 'too soon')
    clock.now += minuteMs
    t.strictSame([await find('a'), host.requests()], [['a'], 1], 'a known one does not ask')
    t.strictSame([await find('b'), await find('a'), await find('c'), host.requests()], [['b'], [], [], 2])
    host.keys = [key('c')]
    clock.now += 5 * minuteMs
    t.strictSame([await find('b'), await find('c'), host.requests()], [[], ['c'], 3], 'every five minutes')
  },
)

t.test('an outage: what is known is good for an hour; it is told once, and its end', async (t) => {
  const host = await served(t)
  const { find, clock, logged } = open(host.url)
  host.keys = [key('a')]
  t.strictSame(await find('a'), ['a'])
  const { listener } = host
  host.listener = (_request, response) => void response.writeHead(503).end()
  clock.now += 6 * minuteMs
  t.strictSame([await find('a'), await find('b')], [['a'], 'unavailable'])
  clock.now += 55 * minuteMs
  t.strictSame([await find('a'), await find('a'), host.requests()], ['unavailable', 'unavailable', 3])
  host.listener = listener
  clock.now += minuteMs
  t.strictSame(await find('a'), ['a'])
  t.strictSame(logged, [
    'error: the keys of the client cannot be had: the answer is 503',
    'info: the keys of the client can be had again',
  ])
})

t.test('what is no set of keys, or does not come from where it may: there are no keys', async (t) => {
  const host = await served(t)
  const reasonFor = async (url: string, changes = {}): Promise<unknown> => {
    const { find, logged } = open(url, changes)
    return [await find('a'), logged.join()]
  }
  const refused = (reason: string) => [
    'unavailable',
    `error: the keys of the client cannot be had: ${reason}`,
  ]
  host.keys = 'none'
  t.strictSame(await reasonFor(host.url), refused('the document has no list of keys'))
  host.keys = [{ kty: 'oct', k: 'c2VjcmV0' }]
  t.strictSame(await reasonFor(host.url), refused('no key of the document can be used'))
  host.keys = Array.from({ length: 500 }, () => ({ x: 'x'.repeat(200) }))
  t.strictSame(await reasonFor(host.url), refused('the answer is larger than 64 KB'))
  host.listener = (_request, response) => void response.writeHead(302, { location: '/other' }).end()
  t.strictSame(await reasonFor(host.url), refused('the answer is 302'))
  t.strictSame(
    await reasonFor(host.url, { allowLoopback: false }),
    refused('the host is not on the public internet'),
  )
  const https = await openDocumentHost()
  t.teardown(https.close)
  publish(https, { keys: [key('a')] })
  t.strictSame(await reasonFor(https.url('/jwks'), { network: https.network }), [['a'], ''])
})
