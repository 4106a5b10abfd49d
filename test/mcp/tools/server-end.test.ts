/** Tool calls while the server ends: they are answered as requests over HTTP are, with and without plugins, in both eras. Source: MCP
 *  2025-11-25 and 2026-07-28. */
import { once } from 'node:events'
import type { FastifyPluginCallback } from 'fastify'
import t, { type Test } from 'tap'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import type { TestApp } from '../../../runtime/testing.ts'
import { type Gate, gate } from '../../http/support/one-route.ts'
import { listening, type RawClient, rawClient } from '../../http/support/raw.ts'
import { message, type Sent } from '../support/support.ts'

interface Opened {
  readonly app: TestApp
  readonly port: number
  /** Opens when the server has begun to end. */
  readonly ending: Gate
}

/** The example without authentication, all of whose routes do `call`. */
async function open(t: Test, isHooked: boolean, call: (controller: Controller) => unknown): Promise<Opened> {
  const ending = gate()
  const plugin: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('preClose', async () => ending.open())
    done()
  }
  const plugins = isHooked ? [plugin] : []
  const environment = { production: true }
  const { app, port } = await listening({ mcp: { path: '/mcp' }, plugins }, { call, environment })
  t.teardown(app.close)
  return { app, port, ending }
}

interface Posted {
  readonly head: string
  readonly body: string
}

function posted({ headers = {}, message: sent }: Sent): Posted {
  const body = JSON.stringify(sent)
  const lines = Object.entries({
    host: 'app.example',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(body.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${String(value)}`)
  return { head: `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, body }
}

const called = (era: 'modern' | 'legacy'): Posted =>
  posted(message(era, 'tools/call', { name: 'notes_index', arguments: {} }))

/** The text of the one result in an answer over HTTP. */
async function textOf(client: RawClient): Promise<string> {
  const answer = await client.closed()
  return /"text":"((?:\\.|[^"\\])*)"/.exec(answer)?.[1] ?? answer
}

const ways = [false, true].flatMap((isHooked) =>
  (['modern', 'legacy'] as const).map((era) => ({ isHooked, era, name: `${era}, plugins: ${isHooked}` })),
)

t.test('one that runs on is told after two seconds, and its answer is still sent', async (t) => {
  const answers = ways.map(async ({ isHooked, era, name }) => {
    const running = gate()
    const { app, port } = await open(t, isHooked, async ({ request: { signal } }) => {
      running.open()
      await once(signal, 'abort')
      return 'told'
    })
    const client = await rawClient(port)
    const { head, body } = called(era)
    client.write(head + body)
    await running.opened
    const [text] = await Promise.all([textOf(client), app.close()])
    return `${name}: ${text}`
  })
  t.strictSame(
    await Promise.all(answers),
    ways.map(({ name }) => `${name}: \\"told\\"`),
  )
})

t.test('one whose end arrives when the server has begun to end is answered', async (t) => {
  for (const era of ['modern', 'legacy'] as const) {
    const { app, port, ending } = await open(t, true, () => 'answered')
    const arrived = once(app.application.server.server, 'request')
    const client = await rawClient(port)
    const { head, body } = called(era)
    client.write(head)
    await arrived
    const closed = app.close()
    await ending.opened
    client.write(body)
    t.equal(await textOf(client), '\\"answered\\"', era)
    await closed
  }
})
