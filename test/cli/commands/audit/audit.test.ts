/** `acmcp audit`, whole. It needs the store alone: the folder has no build. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type AuditFlags, run as auditCommand } from '../../../../cli/capabilities/audit/commands/audit.ts'
import type { AuditRecord } from '../../../../runtime/contract/calls.ts'
import { temporaryFolder } from '../../../flow/support.ts'
import { postgresOrNotice } from '../../../store/postgres-server.ts'
import { openStore } from '../../../support/whole-store.ts'

const at = Date.parse('2026-11-01T10:00:00Z')

const blank: AuditRecord = {
  id: '',
  at,
  event: 'tool-call',
  user: 'dev:ada',
  client: 'c1',
  clientName: null,
  grant: 'g1',
  tool: null,
  route: null,
  decision: null,
  status: null,
  isError: null,
  milliseconds: null,
  requestId: null,
  traceId: null,
  argumentsDigest: null,
  detail: null,
}

const shown: readonly AuditRecord[] = [
  { ...blank, event: 'sign-in', client: null, grant: null, detail: { provider: 'dev' } },
  {
    ...blank,
    tool: 'notes_list',
    route: 'notes_list',
    decision: 'allowed',
    status: 200,
    isError: false,
    milliseconds: 3.4567,
    requestId: 'req-1',
    argumentsDigest: 'd1',
  },
  {
    ...blank,
    user: 'dev:eve\n\u001b[31mroot',
    clientName: 'Evil\u001b]0;x\u0007\tname\u202e',
    tool: 'x\u001b[2J\r\nroot\t1',
    decision: 403,
    status: 403,
    isError: true,
    milliseconds: 0.2,
  },
  { ...blank, event: 'revocation', user: 'dev:ben', client: 'c2', detail: { by: 'operator' } },
]

const rows = shown.map((row, index) => ({
  ...row,
  at: at + index * 1000,
  id: `${(at + index * 1000).toString(16).padStart(12, '0')}7000800000000000000${index}`,
}))

async function scenario(t: Test, url: string): Promise<void> {
  const store = await openStore({ url, clock: () => at, migrations: {}, migrate: 'apply' })
  const client = { id: 'c1', name: 'Agent', redirectUris: [], grantTypes: [], responseTypes: [] }
  await store.saveClient(client)
  await store.appendAudit(rows.map(({ id, at, ...entry }) => ({ id, at, entry })))
  await store.saveClient({ ...client, name: 'Renamed' })
  await store.close()
  const acmcp = async ({
    isTerminal = false,
    ...flags
  }: Partial<AuditFlags & { isTerminal: boolean }> = {}): Promise<readonly string[]> => {
    const out: string[] = []
    const err: string[] = []
    const code = await auditCommand(
      { limit: 100, ...flags },
      {
        cwd: temporaryFolder(),
        env: { DATABASE_URL: url },
        isTerminal,
        colour: false,
        write: async (text) => void out.push(...text.slice(0, -1).split('\n')),
        warn: (line) => void err.push(line),
        ended: new AbortController().signal,
      },
    )
    t.strictSame([code, err], [0, []])
    return out
  }
  const heading = 'TIME\tEVENT\tUSER\tCLIENT\tNAME\tTOOL OR ROUTE\tDECISION\tSTATUS\tRESULT\tMS\tDETAIL'
  const lines = [
    '2026-11-01T10:00:00.000Z\tsign-in\tdev:ada\t\t\t\t\t\t\t\tprovider=dev',
    '2026-11-01T10:00:01.000Z\ttool-call\tdev:ada\tc1\tAgent\tnotes_list\tallowed\t200\tok\t3\t',
    '2026-11-01T10:00:02.000Z\ttool-call\tdev:eve??[31mroot\tc1\tEvil?]0;x??name?\tx?[2J??root?1\t403\t403\terror\t0\t',
    '2026-11-01T10:00:03.000Z\trevocation\tdev:ben\tc2\t\t\t\t\t\t\tby=operator',
  ]
  t.strictSame(await acmcp(), [heading, ...lines], 'the newest last, the name as it was then')
  const only = async (flags: Partial<AuditFlags>): Promise<readonly number[]> =>
    (await acmcp(flags)).slice(1).map((line) => lines.indexOf(line))
  t.strictSame(await only({ user: 'dev:ada' }), [0, 1])
  t.strictSame(await only({ client: 'c1' }), [1, 2])
  t.strictSame(await only({ tool: 'notes_list' }), [1])
  t.strictSame(await only({ event: 'revocation' }), [3])
  t.strictSame(await only({ since: at + 1000 }), [1, 2, 3])
  t.strictSame(await only({ limit: 2 }), [2, 3])
  t.strictSame(await only({ user: 'dev:ada', client: 'c2' }), [])
  t.strictSame(
    (await acmcp({ json: true, user: 'dev:ada' })).map((line) => JSON.parse(line)),
    [
      { ...rows[0], at: '2026-11-01T10:00:00.000Z' },
      { ...rows[1], clientName: 'Agent', at: '2026-11-01T10:00:01.000Z', milliseconds: 3.457 },
    ],
    'an object a line',
  )
  t.strictSame(await acmcp({ json: true, user: 'nobody' }), [])
  t.strictSame(await acmcp({ user: 'nobody' }), [heading])
  t.strictSame(await acmcp({ isTerminal: true, tool: 'notes_list' }), [
    'TIME                      EVENT      USER     CLIENT  NAME   TOOL OR ROUTE  DECISION  STATUS  RESULT  MS  DETAIL',
    '2026-11-01T10:00:01.000Z  tool-call  dev:ada  c1      Agent  notes_list     allowed   200     ok      3',
  ])
  t.notMatch((await acmcp({ json: true })).join(), /[\p{Cc}\u202e]/u)
}

t.test('SQLite', (t) => scenario(t, `sqlite:${join(temporaryFolder(), 'audit.db')}`))

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.test('PostgreSQL', async (t) => scenario(t, await server.freshDatabase()))
  t.teardown(() => server.stop())
}

t.test('words of the command line: what is wrong is said, and a store that is not there', async (t) => {
  const cwd = temporaryFolder()
  const run = (...words: readonly string[]): readonly [number | null, string] => {
    const main = join(process.cwd(), 'dist/cli/main.js')
    const { status, stderr } = spawnSync(process.execPath, [main, 'audit', ...words], {
      cwd,
      encoding: 'utf8',
    })
    return [status, stderr.split('\n')[0] ?? '']
  }
  t.strictSame(run('--since', 'yesterday'), [
    2,
    "error: option '--since <time>' argument 'yesterday' is invalid. It must be a date as 2026-11-23, a time as 2026-11-23T12:00Z, or how long ago as 30m, 24h or 7d.",
  ])
  t.strictSame(run('--since', '2026-02-31T99:00Z')[0], 2)
  t.strictSame(run('--limit', '0'), [
    2,
    "error: option '--limit <rows>' argument '0' is invalid. It must be a number of rows, 1,000,000 at most.",
  ])
  t.match(run('--event', 'coffee'), [
    2,
    /option '--event <event>' argument 'coffee' is invalid\. Allowed choices are tool-call, /,
  ])
  t.strictSame(run('--since', '7d'), [
    1,
    'acmcp: the store is behind: run acmcp store migrate, or start once with acmcp serve --migrate',
  ])
})
