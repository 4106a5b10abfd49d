/** `acmcp grants revoke` and `clients remove` of more grants than a process can hold: as processes, on both engines. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type RawBuilder, sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Store } from '../../../runtime/store/store.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { openStore } from '../../support/whole-store.ts'

const farMs = 4_000_000_000_000

t.setTimeout(220_000) // on a busy machine

/** The numbers from 1 to `many`, as a table `n (i)`. */
const numbersTo = (many: number): RawBuilder<unknown> =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})`

/** One client, which so many people have connected: every tenth by a code that nobody redeemed. */
async function fill({ database }: Store, many: number): Promise<void> {
  const numbers = numbersTo(many)
  const far = sql`cast(${farMs} as bigint)`
  await sql`insert into acmcp_clients (id, metadata, created_at) values ('agent', '{"name":"Agent"}', 1), ('other', '{"name":null}', 1)`.execute(
    database,
  )
  await sql`update acmcp_sizes set size = 2`.execute(database)
  await sql`insert into acmcp_users (id, name, updated_at) ${numbers} select 'u' || i, 'User ' || i, 1 from n`.execute(
    database,
  )
  await sql`insert into acmcp_grants (id, user_id, client_id, scope, resource, created_at, expires_at)
    ${numbers} select 'g' || i, 'u' || i, case when i = 7 then 'other' else 'agent' end, 'notes:read notes:write', '', 1, ${far} from n`.execute(
    database,
  )
  await sql`insert into acmcp_tokens (jti_hash, grant_id, kind, expires_at)
    ${numbers} select 't' || i, 'g' || i, case when i % 10 = 0 then 'code' else 'refresh' end, ${far} from n`.execute(
    database,
  )
}

interface Ended {
  /** Grants that have ended, and rows of the audit that say so: as many grants as rows. */
  readonly ended: number
  readonly recorded: number
}

async function endedIn({ database }: Store): Promise<Ended> {
  const { rows } = await sql<Ended>`select
    (select count(*) from acmcp_grants where revoked_at is not null) as ended,
    (select count(distinct owner) from acmcp_audit_owners where owner like 'g%') as recorded`.execute(
    database,
  )
  return rows[0] ?? { ended: 0, recorded: 0 }
}

interface Running {
  readonly command: ChildProcess
  /** The exit code or signal, and both outputs. */
  readonly end: Promise<{ readonly end: unknown; readonly out: string; readonly err: string }>
}

function acmcp(url: string, words: readonly string[]): Running {
  const command = spawn(
    process.execPath,
    ['--max-old-space-size=24', join(process.cwd(), 'dist/cli/main.js'), ...words],
    {
      cwd: temporaryFolder(),
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: url,
        SESSION_SECRET: 'a secret of 32 characters and more',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const ended = async (): Promise<Awaited<Running['end']>> => {
    const exit = once(command, 'exit')
    const [out, err] = await Promise.all([text(command.stdout), text(command.stderr)])
    const [code, signal] = await exit
    return { end: code ?? signal, out, err }
  }
  return { command, end: ended() }
}

const hasEnded = ({ command }: Running): boolean => command.exitCode !== null || command.signalCode !== null

/** Waits for what another process does. */
async function until(isThere: () => Promise<boolean>): Promise<void> {
  while (!(await isThere())) await new Promise((resolve) => setImmediate(resolve))
}

async function scenario(t: Test, url: string, many: number): Promise<void> {
  const store = await openStore({ url, clock: () => Date.now(), migrations: {}, migrate: 'apply' })
  t.teardown(() => store.close())
  await fill(store, many)

  const killed = acmcp(url, ['grants', 'revoke', '--client', 'agent'])
  await until(async () => hasEnded(killed) || (await endedIn(store)).recorded > 0)
  killed.command.kill('SIGKILL')
  t.equal((await killed.end).end, 'SIGKILL')
  const left = await endedIn(store)
  t.ok(left.ended < many - 1, `${left.ended} have ended, the others work`)
  t.ok(left.ended * 0.9 - left.recorded <= 500, `${left.ended} have ended, ${left.recorded} are in the audit`)

  const again = await acmcp(url, ['grants', 'revoke', '--client', 'agent', '--json']).end
  const rest = await endedIn(store)
  const count = rest.recorded - left.recorded
  t.strictSame(
    [again.end, again.err, rest.ended],
    [0, `acmcp: ${count} connections have ended: these are the first 1000\n`, many - 1],
  )
  const { revoked, more } = JSON.parse(again.out)
  t.strictSame([revoked.length, more], [1000, true])
  t.match(revoked[0], { client: { id: 'agent', name: 'Agent' }, scope: 'notes:read notes:write' })

  const removed = await acmcp(url, ['clients', 'remove', 'other']).end
  t.match(removed, { end: 0, err: '', out: /^GRANT.*\ng7\tu7\tother\t/ })
  t.strictSame([await store.findClient('other'), (await endedIn(store)).ended], [null, many])
}

/** What the memory holds does not depend on the engine: on the second one fewer are enough to end some of them. */
const title = (many: number): string =>
  `a killed command has ended some of ${many} grants, and ends the others in a heap of 24 MB`
t.test(`SQLite: ${title(15_000)}`, (t) =>
  scenario(t, `sqlite:${join(temporaryFolder(), 'store.db')}`, 15_000),
)

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.test(`PostgreSQL: ${title(6000)}`, async (t) => scenario(t, await server.freshDatabase(), 6000))
  t.teardown(() => server.stop())
}
