/** `acmcp serve --watch`: what the clients of an application see when it is built anew. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t from 'tap'
import { ask, change, deploy } from './support/builds.ts'
import { Connection } from './support/connection.ts'
import { watched } from './support/watched.ts'

t.setTimeout(240_000) // a busy machine

/** A client's view of the list: `until` resolves when it has those tools, after it was told of a change. */
function listening() {
  let report: (reported: readonly string[] | Error) => void = () => {}
  const next = (): Promise<readonly string[] | Error> =>
    new Promise((resolve) => {
      report = resolve
    })
  const onChanged = (error: Error | null, tools: readonly { name: string }[] | null): void =>
    report(error ?? (tools ?? []).map(({ name }) => name))
  /** Who was told as his stream ended and comes back with its last event is told once more. */
  const until = async (names: readonly string[]): Promise<void> => {
    for (;;) {
      const reported = await next()
      if (reported instanceof Error) throw reported
      if (reported.join() === names.join()) return
    }
  }
  return { until, options: { listChanged: { tools: { onChanged, debounceMs: 0 } } } }
}

const info = { name: 'watch test', version: '1' }
const meta = ['list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool']

/** What slow requests wait for. */
const gate = createServer().listen(0, '127.0.0.1')
t.teardown(() => gate.close())
await once(gate, 'listening')
const address = gate.address()
const gatePort = typeof address === 'object' && address !== null ? address.port : 0

/** Of one process: each test goes on where the one before has ended. */
const { root, baseUrl, until } = await watched(t, { DEV_LOGIN: '1', GATE: `http://127.0.0.1:${gatePort}/` })

t.test('the worker sees the address of the client, and signs in by DEV_LOGIN', async (t) => {
  const direct = baseUrl.replace('localhost', '127.0.0.1')
  t.equal(await ask(`${direct}/api/notes/from`, '127.0.0.1'), '200 "127.0.0.1"')
  t.equal(await ask(`${direct}/api/notes/from`, '127.0.0.7'), '200 "127.0.0.7"')
  t.equal(await ask(`${baseUrl}/auth/dev`), '303 ', 'signed in, and sent on')
})

t.test(
  'decisions, notification stream: real clients of both eras hear of every new build and list it',
  async (t) => {
    const endpoint = new URL(`${baseUrl}/mcp`)
    const [oldest, older, modern] = [listening(), listening(), listening()]
    const v1 = new ClientV1(info, oldest.options)
    const v2 = new Client(info, { ...older.options, versionNegotiation: { mode: 'legacy' } })
    const newest = new Client(info, { ...modern.options, versionNegotiation: { mode: 'auto' } })
    // exactOptionalPropertyTypes: the class declares `sessionId: string | undefined`
    await v1.connect(new TransportV1(endpoint) as Parameters<ClientV1['connect']>[0])
    await v2.connect(new StreamableHTTPClientTransport(endpoint))
    await newest.connect(new StreamableHTTPClientTransport(endpoint))
    let subscription = newest.autoOpenedSubscription
    for (const [build, names] of [
      ['b', ['notes_first', 'notes_slow', 'notes_second']],
      ['c', ['notes_slow', 'notes_third']],
    ] as const) {
      const all = [...names, ...meta]
      const reported = [oldest.until(all), older.until(all), modern.until(all)]
      await deploy(root, build)
      await Promise.all([until('serves the new build'), ...reported])
      t.equal(await subscription?.closed, 'graceful', 'it ended with its result')
      subscription = await newest.listen({ toolsListChanged: true })
    }
    for (const client of [v1, v2, newest]) {
      const { content } = await client.callTool({ name: 'notes_third', arguments: {} })
      t.strictSame(content, [{ type: 'text', text: '"three"' }])
      await client.close()
    }
  },
)

t.test('a build whose list is the same is served, and nobody is told; streams end in order', async (t) => {
  const stream = (): ReturnType<Connection['open']> =>
    new Connection(baseUrl).open('/mcp', null, { accept: 'text/event-stream' })
  const first = await stream()
  change(root, '"at once"', '"at last"')
  await until('serves the new build')
  t.equal(await ask(`${baseUrl}/api/notes/slow`), '200 "at last"')
  t.equal(await text(first), '')
  const second = await stream()
  await deploy(root, 'b')
  await until('serves the new build')
  t.match(await text(second), /^id: .*\nevent: message\ndata: .*notifications\/tools\/list_changed"\}\n\n$/)
})

t.test(
  'each answer is the last of its connection, so that the next one is of the new build; a removed bundle folder is not the end of watching',
  async (t) => {
    const kept = new Connection(baseUrl)
    const { headers, body } = await kept.ask('/api/notes/second')
    t.strictSame([headers.connection, body], ['close', '"two"'])
    for (const [build, path, answer] of [
      ['c', 'third', '"three"'],
      ['b', 'second', '"two"'],
    ] as const) {
      rmSync(join(root, '.acmcp'), { recursive: true })
      await deploy(root, build)
      await until('serves the new build')
      const { isKept, status, body } = await kept.ask(`/api/notes/${path}`)
      t.strictSame([isKept, status, body], [false, 200, answer])
      t.equal(await ask(`${baseUrl}/api/notes/${path}`), `200 ${answer}`)
    }
    kept.close()
  },
)

t.test('a request under way is answered by the build that it was sent to', async (t) => {
  const arrived = once(gate, 'request')
  const answered = ask(`${baseUrl}/api/notes/slow`)
  const [, dropReferences] = await arrived
  await deploy(root, 'c')
  await until('serves the new build')
  t.equal(await ask(`${baseUrl}/api/notes/slow`), '200 "at once"')
  dropReferences.end()
  t.equal(await answered, '200 "the first build"')
})
