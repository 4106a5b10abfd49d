/** `acmcp store check` and `status --json`, on both engines. */
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import t, { type Test } from 'tap'
import { engineOf } from '../../../runtime/store/engine.ts'
import { openStore } from '../../../runtime/store/open.ts'
import { coreMigrations } from '../../../runtime/store/schema.ts'
import { postgresOrNotice } from '../postgres-server.ts'
import { code, grant, start } from '../support.ts'
import { folderOf, runStore } from './run-store.ts'

/** On a plain connection. */
async function direct(url: string, ...statements: readonly string[]): Promise<void> {
  const database = new Kysely<unknown>({ dialect: (await engineOf(url)).dialect })
  await database
    .connection()
    .execute(async (kysely) => {
      for (const statement of statements) await sql.raw(statement).execute(kysely)
    })
    .finally(() => database.destroy())
}

interface Checked {
  readonly exit: number | null
  readonly checks: unknown
}

async function checked(folder: string, url: string): Promise<Checked> {
  const { code: exit, out } = await runStore(folder, { kind: 'check', json: true }, { DATABASE_URL: url })
  return { exit, checks: JSON.parse(out).checks }
}

async function filled(folder: string, url: string): Promise<void> {
  await runStore(folder, { kind: 'migrate', json: false }, { DATABASE_URL: url })
  const store = await openStore({ url, migrations: null, migrate: 'refuse', clock: () => start })
  await store.issueCode(grant, code)
  await store.close()
}

const noFindings = (['database', 'migrations', 'tokens', 'clients', 'writing'] as const).map((name) => ({
  name,
  findings: [],
}))
const clientsWrong = {
  name: 'clients',
  findings: [
    {
      what: 'the store keeps that it has 7 clients, but has 0',
      remedy: "UPDATE acmcp_sizes SET size = (SELECT count(*) FROM acmcp_clients) WHERE name = 'clients'",
    },
  ],
}
const tokensWrong = {
  name: 'tokens',
  findings: [
    {
      what: '1 tokens belong to no grant: nobody can use them, and something removed their grants',
      remedy: 'DELETE FROM acmcp_tokens WHERE grant_id NOT IN (SELECT id FROM acmcp_grants)',
    },
  ],
}

async function checks(t: Test, url: string): Promise<void> {
  const folder = folderOf(t)
  await filled(folder, url)
  t.strictSame(await checked(folder, url), { exit: 0, checks: noFindings })

  await direct(url, "update acmcp_sizes set size = 7 where name = 'clients'")
  t.strictSame(await checked(folder, url), {
    exit: 1,
    checks: [...noFindings.slice(0, 3), clientsWrong, ...noFindings.slice(4)],
  })
  const { out } = await runStore(folder, { kind: 'check', json: false }, { DATABASE_URL: url })
  t.strictSame(out.split('\n').slice(1), [
    '  ok       database',
    '  ok       migrations',
    '  ok       tokens',
    '  WRONG    clients',
    `           ${clientsWrong.findings[0]?.what}`,
    `           do: ${clientsWrong.findings[0]?.remedy}`,
    '  ok       writing',
    '',
  ])
  await direct(url, clientsWrong.findings[0]?.remedy ?? '')
  t.strictSame(await checked(folder, url), { exit: 0, checks: noFindings }, 'the remedy is one')

  const time = "'2027-01-01T00:00:00Z'"
  await direct(url, `insert into core_migration values ('9999_newer', ${time})`, 'delete from app_migration')
  t.strictSame((await checked(folder, url)).checks, [
    noFindings[0],
    {
      name: 'migrations',
      findings: [
        { what: 'app 001_notes is pending', remedy: 'acmcp store migrate --plan says what that needs' },
        {
          what: 'core 9999_newer has run, but this build does not know it',
          remedy: 'serve the build that has it, or restore the backup from before it',
        },
      ],
    },
    ...noFindings.slice(2),
  ])
}

/** What programs read; sizes are the engine's. */
async function statusJson(t: Test, url: string): Promise<void> {
  const folder = folderOf(t, false)
  const {
    code: exit,
    out,
    err,
  } = await runStore(folder, { kind: 'status', json: true }, { DATABASE_URL: url })
  const note = 'there is no build here: nothing was asked of the migrations of the application'
  const { contents, migrations, ...rest } = JSON.parse(out)
  t.strictSame([exit, err], [0, `acmcp: ${note}\n`])
  t.match(rest, { isCurrent: true, note })
  t.strictSame(
    migrations.map(({ name }: { name: string }) => name),
    Object.keys(coreMigrations),
    'of the core alone',
  )
  const tokens = contents.tables.find(({ table }: { table: string }) => table === 'acmcp_tokens')
  t.match(tokens, { rows: 1, isEstimate: false })
  t.ok(
    contents.tables.some(({ table }: { table: string }) => table === 'notes'),
    "the application's too",
  )
  const sum = contents.tables.reduce((all: number, { bytes }: { bytes: number }) => all + bytes, 0)
  t.ok(tokens.bytes >= 8192 && sum <= contents.bytes, `${tokens.bytes} of ${sum} of ${contents.bytes}`)
  for (const task of ['purge', 'status'] as const)
    t.equal(
      (
        await runStore(folder, task === 'purge' ? { kind: task } : { kind: task, json: false }, {
          DATABASE_URL: url,
        })
      ).code,
      0,
      task,
    )
  t.match(await runStore(folder, { kind: 'migrate', json: false }, { DATABASE_URL: url }), {
    code: 1,
    err: /there is no bundle at .*: run acmcp build/,
  })
}

t.test('SQLite', async (t) => {
  const url = `sqlite:${join(folderOf(t, false), 'a.db')}`
  t.test('check', (t) => checks(t, url))
  t.test('a token without its grant is a broken reference', async (t) => {
    const folder = folderOf(t)
    const other = `sqlite:${join(folder, 'b.db')}`
    await filled(folder, other)
    await direct(other, 'create table t (x)', 'insert into t values (1)')
    t.equal((await checked(folder, other)).exit, 0, 'a table of anybody')
    const Libsql = (await import('libsql')).default
    const database = new Libsql(other.slice('sqlite:'.length))
    database.exec("pragma foreign_keys = off; update acmcp_tokens set grant_id = 'x'")
    database.close()
    t.strictSame(await checked(folder, other), {
      exit: 1,
      checks: [
        {
          name: 'database',
          findings: [
            {
              what: '1 rows of acmcp_tokens refer to rows of acmcp_grants that are not there',
              remedy: 'delete them (PRAGMA foreign_key_check(acmcp_tokens) lists them), or restore a backup',
            },
          ],
        },
      ],
    })
  })
  t.test('status --json, without a build', async (t) => {
    const folder = folderOf(t)
    const other = `sqlite:${join(folder, 'c.db')}`
    await filled(folder, other)
    await statusJson(t, other)
  })
})

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.teardown(() => server.stop())
  t.test('PostgreSQL', async (t) => {
    t.test('check', async (t) => checks(t, await server.freshDatabase()))
    t.test('a token without its grant, an index that is not valid', async (t) => {
      const folder = folderOf(t)
      const url = await server.freshDatabase()
      await filled(folder, url)
      await direct(
        url,
        'alter table acmcp_tokens drop constraint acmcp_tokens_grant_id_fkey',
        "update acmcp_tokens set grant_id = 'x'",
        'insert into notes (user_id, text) values (1, 1), (1, 1)',
      )
      await direct(url, 'create unique index concurrently broken on notes (text)').catch(() => {})
      t.strictSame(await checked(folder, url), {
        exit: 1,
        checks: [
          {
            name: 'database',
            findings: [
              {
                what: 'the index broken of notes is not valid: the server does not use it',
                remedy: 'REINDEX INDEX CONCURRENTLY broken',
              },
            ],
          },
          noFindings[1],
          tokensWrong,
          ...noFindings.slice(3),
        ],
      })
    })
    t.test('status --json, without a build', async (t) => {
      const url = await server.freshDatabase()
      await filled(folderOf(t), url)
      await statusJson(t, url)
    })
  })
}
