/** A body that is there with its headers is read without waiting; however it comes, the answer is the same. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { FastifyPluginCallback } from 'fastify'
import t from 'tap'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { listening, type RawClient, rawClient } from '../support/raw.ts'

const head = (token: string, ...headers: readonly string[]): string =>
  [
    'POST /api/notes HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Authorization: Bearer ${token}`,
    ...headers,
  ].join('\r\n')

const whole = (token: string, body: string): string =>
  `${head(token, `Content-Length: ${Buffer.byteLength(body)}`)}\r\n\r\n${body}`

/** The status lines and bodies of everything that came, once `count` answers have. */
async function answers(client: RawClient, count: number): Promise<readonly (readonly [number, string])[]> {
  const text = await client.until(new RegExp(`(HTTP/1.1 [\\s\\S]*\\r\\n\\r\\n[\\s\\S]+){${count}}`))
  return [...text.matchAll(/HTTP\/1\.1 (\d+)[\s\S]*?\r\n\r\n([\s\S]*?)(?=HTTP\/1\.1|$)/g)].map(
    ([, status, body]) => [Number(status), body ?? ''] as const,
  )
}

t.test('a JSON body in one packet, in two, in chunks, pipelined: one connection', async (t) => {
  const { app, port } = await listening({})
  t.teardown(app.close)
  const token = await app.accessToken()
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.write(whole(token, '{"text":"one"}'))
  await answers(client, 1)
  client.write(head(token, 'Content-Length: 14\r\n\r\n{"text'))
  await once(app.application.server.server, 'request')
  client.write('":"two"}')
  await answers(client, 2)
  client.write(
    `${head(token, 'Transfer-Encoding: chunked\r\n\r\n')}4\r\n{"te\r\nc\r\nxt":"three"}\r\n0\r\n\r\n`,
  )
  await answers(client, 3)
  client.write(`${whole(token, '{"text":"four"}')}${whole(token, '{"text":"five"}')}`)
  await answers(client, 5)
  client.write(whole(token, '{"text"'))
  const all = await answers(client, 6)
  const notes = ['one', 'two', 'three', 'four', 'five']
  const made = notes.map((_, index) => [201, JSON.stringify(notes.slice(0, index + 1))])
  t.strictSame(all.slice(0, 5), made)
  t.strictSame(all[5]?.[0], 400, 'malformed JSON')
})

t.test('a body above the limit is 413 also when it has come as one chunk', async (t) => {
  const { app, port } = await listening({ limits: { bodyBytes: 4000 } })
  t.teardown(app.close)
  const client = await rawClient(port)
  client.write(
    `${head(await app.accessToken(), 'Transfer-Encoding: chunked')}\r\n\r\n1000\r\n${'x'.repeat(4096)}\r\n0\r\n\r\n`,
  )
  t.match(
    await client.closed(),
    /^HTTP\/1\.1 413 [\s\S]*\{"error":"the request body is larger than 4000 bytes"\}$/,
  )
})

t.test('an action reads the bytes as often as it likes', async (t) => {
  const read = async ({ request: { body } }: Controller): Promise<string> => {
    const [first, second] = body.kind === 'bytes' ? [await body.read(), await body.read()] : []
    return `${first} ${first === second}`
  }
  const { app, port } = await listening({}, { call: read })
  t.teardown(app.close)
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.write(whole('', 'abc'))
  t.strictSame(await answers(client, 1), [[201, '"abc true"']])
})

t.test('hooks of a plugin see the end of a message whose body had come', async (t) => {
  const closed: Promise<unknown>[] = []
  const listen: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', ({ raw }: { readonly raw: IncomingMessage }, _reply, next) => {
      closed.push(once(raw, 'end'), once(raw, 'close'))
      next()
    })
    done()
  }
  const { app, port } = await listening({ plugins: [listen] })
  t.teardown(app.close)
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  const token = await app.accessToken()
  closed.length = 0 // of other requests
  client.write(whole(token, '{"text":"one"}'))
  t.strictSame(await answers(client, 1), [[201, '["one"]']])
  await Promise.all(closed)
  t.equal(closed.length, 2)
})
