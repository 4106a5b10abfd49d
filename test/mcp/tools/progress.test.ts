/** Tool calls that report their progress, on real connections: the answer comes whole however long it is, however much was reported
 *  and however slowly the client reads. */
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { freePort } from '../../support/free-port.ts'
import { builtFolder } from '../../support/linked.ts'
import { surroundings } from '../../support/surroundings.ts'

const reports = `import { ApplicationController } from 'acmcp'

/** Long reports. */
export class Reports extends ApplicationController {
  /**
   * Writes one.
   *
   * @post /reports
   * @param length - of the report
   * @param steps - that are told
   * @mcp root
   * @mcp budget 1000000
   */
  async write(length: number, steps: number): Promise<string> {
    for (let step = 1; step <= steps; step += 1) this.mcp?.progress(step, steps, 'a step of many')
    await new Promise((resolve) => setImmediate(resolve))
    this.mcp?.progress(steps + 1)
    return 'x'.repeat(length)
  }
}
`

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { path: '/mcp', serverName: 'Reports' } })
`

const bundle = await loadBundle(
  await builtFolder({
    'package.json': '{"name":"reports","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': config,
    'app/controllers/reports.ts': reports,
  }),
)

async function serve(t: { teardown(clean: () => Promise<void>): void }): Promise<number> {
  const port = await freePort()
  const application = await createApplication(bundle, surroundings(`http://localhost:${port}`))
  await application.server.listen({ port, host: '127.0.0.1' })
  t.teardown(() => application.close())
  return port
}

interface Requested {
  readonly length: number
  readonly steps: number
  readonly token?: string
  readonly id?: string
}

const message = ({ length, steps, token = 'p', id = 'i' }: Requested): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'reports_write', arguments: { length, steps }, _meta: { progressToken: token } },
  })

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const post = (port: number, requested: Requested): Promise<Response> =>
  fetch(`http://localhost:${port}/mcp`, { method: 'POST', headers, body: message(requested) })

/** How many reports came, and how long the text of the answer is. */
function seenIn(stream: string): { readonly reports: number; readonly length: number } {
  const messages = [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  const { result } = messages.at(-1)
  const isReport = ({ method }: { method?: string }): boolean => method === 'notifications/progress'
  return { reports: messages.filter(isReport).length, length: result.structuredContent.result.length }
}

t.test('an answer that is longer than what may wait for a client follows its progress', async (t) => {
  const port = await serve(t)
  for (const length of [10, 50_000, 400_000]) {
    const answer = await post(port, { length, steps: 3 })
    t.equal(answer.headers.get('content-type'), 'text/event-stream')
    t.strictSame(seenIn(await answer.text()), { reports: 4, length })
  }
})

t.test('thousands of reports in one turn cost no answer: those are left out that nobody takes', async (t) => {
  const port = await serve(t)
  const answer = await post(port, { length: 400_000, steps: 20_000 })
  const seen = seenIn(await answer.text())
  t.equal(seen.length, 400_000)
  t.ok(seen.reports > 100 && seen.reports < 2_000, `${seen.reports} reports`)
})

t.test('a client that reads nothing for a while has the whole answer too', async (t) => {
  const port = await serve(t)
  const body = message({ length: 400_000, steps: 3 })
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  const head = [
    ...['POST /mcp HTTP/1.1', `host: localhost:${port}`, 'connection: close'],
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  for (let count = 0; count < 100; count += 1) await turn()
  const pieces: Buffer[] = []
  for await (const piece of socket) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  t.ok(text.endsWith('\r\n0\r\n\r\n'), 'the stream ends in good order')
  t.ok(text.length > 800_000)
})

t.test('what every report and every answer repeats is short', async (t) => {
  const port = await serve(t)
  for (const long of [{ token: 'p'.repeat(900_000) }, { id: 'i'.repeat(900_000) }]) {
    const answer = await post(port, { length: 10, steps: 3, ...long })
    const { error } = Object(await answer.json())
    t.strictSame(
      [answer.status, error.message],
      [413, 'the id of a message, or the token of its progress, is longer than 1000 characters'],
    )
  }
})
