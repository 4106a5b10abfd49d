/** What the trail costs: in proportion to what a call brings, whatever its names are. */
import t from 'tap'
import { temporaryFolder } from '../flow/support.ts'
import { growth } from '../support/report/growth.ts'
import { auditAt, buildVault, openVault, start } from './support/vault.ts'

t.setTimeout(240_000) // a busy machine

const root = await buildVault()
const control = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Lists in lists, the same bytes beside each. */
function deep(levels: number, bytes: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level += 1) value = [value, 'a'.repeat(bytes / levels)]
  return value
}

const names = (count: number, nameOf: (at: number) => string): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [nameOf(at), 1]))

const shapes: readonly (readonly [name: string, args: (bytes: number) => object])[] = [
  ['a long text', (bytes) => ({ name: 'a', value: '\u00e9'.repeat(bytes / 2) })],
  ['what is escaped', (bytes) => ({ name: 'a', value: '\u0001"\\'.repeat(bytes / 10) })],
  ['32 levels', (bytes) => ({ name: 'a', value: deep(32, bytes) })],
  ['a thousand levels', (bytes) => ({ name: 'a', value: deep(1_000, bytes) })],
  ['many names', (bytes) => ({ name: 'a', ...names(bytes / 12, (at) => `n${1_000_000 + at}`) })],
  [
    'names that sort badly',
    (bytes) => ({ name: 'a', ...names(bytes / 40, (at) => `${'z'.repeat(24)}${9e6 - at}`) }),
  ],
  ['hostile names', (bytes) => ({ name: 'a', ...names(bytes / 40, (at) => `\u001b[31m\ud800"${1e6 + at}`) })],
  ['a list', (bytes) => ({ name: 'a', value: Array.from({ length: bytes / 2 }, () => 1) })],
]

t.test('a call is recorded in time in proportion to its arguments', async (t) => {
  const url = `sqlite:${temporaryFolder()}/store.db`
  const app = await openVault({
    root,
    url,
    clock: { now: start },
    config: { audit: { digest: true }, limits: { toolCallsPerMinute: false } },
  })
  const token = await app.accessToken({ id: 'dev:ada', name: 'Ada', email: null }, { scope: 'vault:write' })
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-11-25',
    authorization: `Bearer ${token}`,
  }
  const client = app.client()
  const calling = (name: string) => async (args: object) => {
    const params = { name, arguments: args }
    const payload = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const { statusCode } = await client.request({ method: 'POST', url: '/mcp', headers, payload })
    if (statusCode !== 200) throw new Error(`${name} answers ${statusCode}`)
  }
  for (const [name, args] of shapes)
    await growth(t, {
      name: `audit of arguments, ${name}: bytes`,
      sizes: [240_000, 480_000, 960_000],
      input: args,
      work: calling('vault_keep'),
      control,
      maxMs: 250,
    })
  await growth(t, {
    name: 'audit of a tool that there is not: characters of its name',
    sizes: [240_000, 480_000, 960_000],
    input: (length) => ({ name: `vault_${'\u001b\ud800'.repeat(length / 12)}` }),
    work: ({ name }) => calling(name)({}),
    control,
    maxMs: 100,
  })
  await app.close()
  const rows = await auditAt(url, { user: 'dev:ada' })
  t.ok(
    rows.length > 0 && rows.every((row) => JSON.stringify(row).length < 1_000),
    'a row has a bounded length',
  )
})
