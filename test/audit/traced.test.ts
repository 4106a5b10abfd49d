/** A row is found from its trace: of a tool call the one of its message, of an HTTP request its own. */
import t from 'tap'
import { temporaryFolder } from '../flow/support.ts'
import { spansUntil } from '../telemetry/sdk.ts'
import { auditAt, buildVault, openVault, start } from './support/vault.ts'

const traceIds = ['4bf92f3577b34da6a3ce929d0e0e4736', '5bf92f3577b34da6a3ce929d0e0e4737'] as const
const [ofMessage, ofRequest] = traceIds.map((id) => `00-${id}-00f067aa0ba902b7-01`)

t.test('the trail names the trace of a tool call and of a request', async (t) => {
  const url = `sqlite:${temporaryFolder()}/traced.db`
  const app = await openVault({ root: await buildVault(), url, clock: { now: start } })
  const token = await app.accessToken(undefined, { scope: 'vault:read vault:write' })
  const params = {
    name: 'vault_find',
    arguments: { name: 'x' },
    _meta: { traceparent: ofMessage },
  }
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    authorization: `Bearer ${token}`,
    traceparent: ofRequest,
  }
  const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  t.equal((await app.client().request({ method: 'POST', url: '/mcp', headers, payload })).statusCode, 200)
  const body = { name: 'x', value: 'y' }
  t.equal(
    (await app.client().request({ method: 'POST', url: '/vault', headers, payload: body })).statusCode,
    200,
  )
  await spansUntil('POST /vault/')
  for (const path of ['/livez', '/readyz']) t.equal((await app.client().get(path)).statusCode, 200)
  await app.client().get('/vault/x')
  const names = (await spansUntil('GET /vault/:name')).map(({ name }) => name)
  t.strictSame(names, ['GET /vault/:name'], 'probes have no span')
  await app.close()
  const rows = await auditAt(url)
  t.strictSame(
    rows
      .filter(({ event }) => event === 'tool-call' || event === 'request')
      .map(({ event, traceId }) => [event, traceId]),
    [
      ['tool-call', traceIds[0]],
      ['request', traceIds[1]],
    ],
  )
})
