/** What requests are called in the log, the audit and the trace. Source: rules.md, request ids. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import { requestIds } from '../../../runtime/http/log/request-ids.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { costs } from '../../support/report/growth.ts'
import { openStore } from '../../support/whole-store.ts'

interface Opened {
  readonly app: TestApp
  /** Of the lines so far. */
  readonly ids: () => readonly unknown[]
  readonly url: string
}

async function open(t: Test, config: object = {}): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-ids-'))
  const url = `sqlite:${join(folder, 'ids.db')}`
  const lines: string[] = []
  const app = await openTestApp({
    environment: { logLevel: 'info', databaseUrl: url },
    logStream: { write: (line) => void lines.push(line) },
    change: (bundle) => ({ ...bundle, config: { ...Object(bundle.config), ...config } }),
  })
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await app.close()
    isOpen = false
  }
  t.teardown(async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  })
  const ids = (): readonly unknown[] =>
    lines.flatMap((line) => {
      const { msg, requestId } = JSON.parse(line)
      return msg === 'response' ? [requestId] : []
    })
  return { app: { ...app, close }, ids, url }
}

/** What the answer to a request from `remoteAddress` says it was called. */
async function answered(
  { app }: Opened,
  remoteAddress: string,
  provided: string | readonly string[],
): Promise<unknown> {
  const headers = { 'x-request-id': provided as string } // the library takes several
  const { headers: sent } = await app.application.server.inject({ url: '/health', remoteAddress, headers })
  return sent['x-request-id']
}

t.test('decisions, request ids: two processes have no two alike, nor has a restarted one', async (t) => {
  const opened = [await open(t), await open(t), await open(t)]
  for (const { app } of opened) for (let i = 0; i < 40; i += 1) await app.client().get('/health')
  const ids = opened.flatMap((item) => item.ids())
  t.strictSame([ids.length, new Set(ids).size], [120, 120])
  t.ok(ids.every((id) => /^[0-9a-f]{12}-[0-9a-z]+$/.test(String(id))))
})

t.test(
  "a trusted proxy's id is taken and answered, where it is plain and short; nobody else's is",
  async (t) => {
    const proxied = await open(t, { trustProxy: ['10.0.0.0/8'] })
    const longest = 'x'.repeat(128)
    t.equal(await answered(proxied, '10.1.2.3', 'f3a4-B_5.6:7/8+9=@~'), 'f3a4-B_5.6:7/8+9=@~')
    t.equal(await answered(proxied, '10.1.2.3', longest), longest)
    t.strictSame(proxied.ids(), ['f3a4-B_5.6:7/8+9=@~', longest])
    for (const provided of ['', 'x'.repeat(129), 'a b', 'a,b', 'a"b', '\u00e9', ['a', 'b']])
      t.equal(await answered(proxied, '10.1.2.3', provided), undefined, String(provided))
    t.equal(await answered(proxied, '192.0.2.1', 'mine'), undefined, 'not of a proxy')
    const alone = await open(t)
    t.equal(await answered(alone, '10.1.2.3', 'mine'), undefined, 'there is none')
    for (const id of [...proxied.ids().slice(2), ...alone.ids()]) t.match(String(id), /^[0-9a-f]{12}-/)
  },
)

t.test('log, audit and hooks of plugins have the id that the proxy gave, of a tool call too', async (t) => {
  const seen: unknown[] = []
  const plugin: AppPlugin = async (app: FastifyInstance) => {
    app.addHook('onRequest', async (request) => {
      if (request.url.startsWith('/api/notes')) seen.push(request.id)
    })
  }
  const opened = await open(t, { trustProxy: 1, plugins: [plugin] })
  const token = await opened.app.accessToken()
  const { statusCode } = await opened.app.application.server.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      'x-request-id': 'of-the-proxy',
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'notes_index', arguments: {} } },
  })
  t.equal(statusCode, 200)
  t.strictSame([opened.ids().at(-1), ...seen], ['of-the-proxy', 'of-the-proxy'])
  await opened.app.close()
  const store = await openStore({ url: opened.url, migrations: null, migrate: 'refuse', clock: () => 0 })
  const rows = await store.listAudit({ event: 'tool-call' }, 10).finally(() => store.close())
  t.strictSame(
    rows.map(({ requestId }) => requestId),
    ['of-the-proxy'],
  )
})

t.test('an id costs next to nothing', async (t) => {
  const idOf = requestIds(randomBytes, () => true)
  const message = { headers: {}, socket: {} } as Parameters<typeof idOf>[0] // all that it looks at
  const work = () => {
    for (let left = 1_000; left > 0; left -= 1) idOf(message)
  }
  const control = () => {
    for (let left = 1_000; left > 0; left -= 1) randomBytes(16).toString('hex')
  }
  await costs(t, { name: 'an id, beside 16 random bytes each time', work, control, times: 1 })
})
