/** Backup under load, restore with everything that a copy may be, on SQLite. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import Libsql from 'libsql'
import t, { type Test } from 'tap'
import { openStore } from '../../../runtime/store/open.ts'
import type { Store } from '../../../runtime/store/store.ts'
import { code, grant, pair, start } from '../support.ts'
import { folderOf, type Ran, runStore } from './run-store.ts'

const user = { id: grant.userId, name: 'Ada', email: null }

interface Fixture {
  readonly folder: string
  readonly file: string
  readonly copy: string
  readonly open: () => Promise<Store>
  readonly restore: (copy?: string) => Promise<Ran>
}

/** `copy` is a backup of a store with the example's tables, a live pair of tokens and a note; the store `file` was made of it.
 *  This process has never had `file` open: libsql keeps connections that have prepared statements. */
async function fixture(t: Test): Promise<Fixture> {
  const folder = folderOf(t)
  const [file, copy] = [join(folder, 'shop.db'), join(folder, 'copy.db')]
  const source = { DATABASE_URL: `sqlite:${join(folder, 'source.db')}` }
  const openAt = (url: string): Promise<Store> =>
    openStore({ url, migrations: null, migrate: 'refuse', clock: () => start })
  await runStore(folder, { kind: 'migrate', json: false }, source)
  const store = await openAt(source.DATABASE_URL)
  await store.saveUser(user)
  await store.issueCode(grant, code)
  await store.redeemCode('code-1', pair('a'))
  await sql`insert into notes (user_id, text) values (${user.id}, 'kept')`.execute(store.database)
  await store.close()
  await runStore(folder, { kind: 'backup', file: copy }, source)
  copyFileSync(copy, file)
  const restore: Fixture['restore'] = (from = copy) =>
    runStore(folder, { kind: 'restore', file: from }, { DATABASE_URL: `sqlite:${file}` })
  return { folder, file, copy, open: () => openAt(`sqlite:${file}`), restore }
}

/** Without the store, and without a prepared statement. */
const inside =
  (statements: string) =>
  (path: string): void => {
    const database = new Libsql(path)
    database.exec(statements)
    database.close()
  }

const notes = async (store: Store): Promise<unknown> =>
  (await sql`select text from notes order by id`.execute(store.database)).rows

t.test('a round trip brings back live tokens and the rows of the application', async (t) => {
  const { folder, file, copy, open, restore } = await fixture(t)
  inside(`pragma journal_mode = wal; update acmcp_grants set revoked_at = 1;
    insert into notes (user_id, text) values ('u', 'after the backup')`)(file)
  const { code: exit, out, err } = await restore()
  const kept = join(folder, readdirSync(folder).find((name) => name.includes('.replaced-')) ?? '')
  t.strictSame(
    { exit, out, err },
    { exit: 0, out: `restored sqlite:${file} from ${copy}\nwhat was there is ${kept}\n`, err: '' },
  )
  const store = await open()
  t.teardown(() => store.close())
  t.strictSame(await store.findUserOfToken(user.id, 'access-a'), {
    ...{
      user,
      grantId: 'g1',
      allowed: null,
      readOnly: false,
      surface: null,
      isAsked: false,
      spentAt: null,
    },
  })
  t.equal((await store.rotateRefresh('refresh-a', pair('b'))).kind, 'redeemed')
  t.strictSame(await notes(store), [{ text: 'kept' }])
  const replaced = new Libsql(kept, { readonly: true })
  t.strictSame(replaced.prepare('select text from notes order by id').all(), [
    { text: 'kept' },
    { text: 'after the backup' },
  ])
  replaced.close()
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.strictSame(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    [],
  )
})

t.test('who may read or write a copy says nothing of the store that comes of it', async (t) => {
  for (const mode of [0o644, 0o400]) {
    const { file, copy, restore } = await fixture(t)
    chmodSync(copy, mode)
    const { code: exit, err } = await restore()
    t.strictSame([exit, err, statSync(file).mode & 0o777], [0, '', 0o600])
  }
})

t.test('restore makes a store where there is none, also from a file with its log', async (t) => {
  const { folder, copy, open } = await fixture(t)
  const busy = await open()
  t.teardown(() => busy.close())
  await sql`insert into notes (user_id, text) values ('u', 'in the log')`.execute(busy.database)
  for (const end of ['', '-wal']) copyFileSync(join(folder, `shop.db${end}`), join(folder, `raw.db${end}`))
  const env = { DATABASE_URL: `sqlite:${join(folder, 'other', 'new.db')}` }
  const raw = join(folder, 'raw.db')
  const before = readFileSync(raw)
  t.equal((await runStore(folder, { kind: 'restore', file: raw }, env)).code, 0)
  t.ok(readFileSync(raw).equals(before) && existsSync(`${raw}-wal`), 'the copy stays as it is')
  const options = { url: env.DATABASE_URL, migrations: null, migrate: 'refuse', clock: () => start } as const
  const store = await openStore(options)
  t.teardown(() => store.close())
  t.strictSame(await notes(store), [{ text: 'kept' }, { text: 'in the log' }])
  const unbuilt = folderOf(t, false)
  t.strictSame(
    await runStore(
      unbuilt,
      { kind: 'restore', file: copy },
      { DATABASE_URL: `sqlite:${join(unbuilt, 'a.db')}` },
    ),
    {
      code: 0,
      out: `restored sqlite:${join(unbuilt, 'a.db')} from ${copy}\n`,
      err: 'acmcp: there is no build here: nothing was asked of the migrations of the application\n',
    },
  )
})

t.test(
  'acmcp store: damaged, foreign, newer and truncated copies are refused, and nothing changes',
  async (t) => {
    const { folder, file, copy, open, restore } = await fixture(t)
    const changed = (name: string, change: (path: string) => void): string => {
      const path = join(folder, name)
      copyFileSync(copy, path)
      change(path)
      return path
    }
    const copies = {
      truncated: changed('truncated.db', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))),
      scribbled: changed('scribbled.db', (path) => {
        const bytes = readFileSync(path)
        writeFileSync(path, bytes.fill(0x5a, 3 * 4096, 9 * 4096))
      }),
      text: changed('text.db', (path) => writeFileSync(path, 'no database at all '.repeat(500))),
      empty: changed('empty.db', (path) => truncateSync(path, 0)),
      foreign: changed('foreign.db', (path) => {
        truncateSync(path, 0)
        inside('create table users (id text); insert into users values (1)')(path)
      }),
      newer: changed(
        'newer.db',
        inside("insert into core_migration values ('9999_newer', '2027-01-01T00:00:00Z')"),
      ),
      newerApp: changed(
        'app.db',
        inside("insert into app_migration values ('002_newer', '2027-01-01T00:00:00Z')"),
      ),
      orphans: changed(
        'orphans.db',
        inside("pragma foreign_keys = off; update acmcp_tokens set grant_id = 'nowhere'"),
      ),
    }
    const before = readFileSync(file)
    const wrong = async (path: string): Promise<string> => {
      const { code, out, err } = await restore(path)
      t.strictSame([code, out], [1, ''], path)
      return err.replaceAll(`${folder}/`, '')
    }
    t.match(await wrong(copies.truncated), /^acmcp: truncated\.db is damaged/)
    t.match(await wrong(copies.scribbled), /^acmcp: scribbled\.db is damaged/)
    t.equal(
      await wrong(copies.text),
      'acmcp: text.db is damaged, or no SQLite database: file is not a database\n',
    )
    t.equal(await wrong(copies.empty), 'acmcp: empty.db is empty\n')
    t.equal(await wrong(copies.foreign), 'acmcp: foreign.db is no store of acmcp\n')
    t.equal(
      await wrong(copies.newer),
      'acmcp: newer.db is newer than this build, which does not know core 9999_newer\n',
    )
    t.equal(
      await wrong(copies.newerApp),
      'acmcp: app.db is newer than this build, which does not know app 002_newer\n',
    )
    t.equal(
      await wrong(copies.orphans),
      'acmcp: orphans.db is damaged: 3 rows of acmcp_tokens refer to rows of acmcp_grants that are not there\n',
    )
    t.equal(await wrong(join(folder, 'nowhere.db')), 'acmcp: there is no file nowhere.db\n')
    t.equal(await wrong(folder), `acmcp: ${folder} is no file\n`)
    t.equal(await wrong(file), 'acmcp: shop.db is the store itself\n')
    t.ok(readFileSync(file).equals(before), 'the store is as it was')
    t.notOk(readdirSync(folder).some((name) => /replaced|part/.test(name)))
    t.strictSame(await notes(await opened(t, open)), [{ text: 'kept' }])
  },
)

async function opened(t: Test, open: () => Promise<Store>): Promise<Store> {
  const store = await open()
  t.teardown(() => store.close())
  return store
}

t.test('restore is refused while a server has the store open, idle or not', async (t) => {
  const { folder, file, restore } = await fixture(t)
  const refused = {
    code: 1,
    out: '',
    err: `acmcp: ${file} is in use: stop the server and every other acmcp command, then try again\n`,
  }
  const env = { PATH: process.env.PATH ?? '', PORT: '0', DATABASE_URL: `sqlite:${file}`, LOG_LEVEL: 'silent' }
  const main = join(process.cwd(), 'dist/cli/main.js')
  const server = spawn(process.execPath, [main, 'serve'], { cwd: folder, env })
  await once(server.stdout, 'data')
  t.strictSame(await restore(), refused)
  server.kill('SIGKILL')
  await once(server, 'close')
  t.equal(
    (await restore()).code,
    0,
    'a killed server has nothing open; its log is kept in the store that is replaced',
  )
})

t.test('a damaged store is replaced too, and kept', async (t) => {
  const { folder, file, open, restore } = await fixture(t)
  writeFileSync(file, 'damaged '.repeat(4096))
  t.equal((await restore()).code, 0)
  t.strictSame(await notes(await opened(t, open)), [{ text: 'kept' }])
  const kept = readdirSync(folder).find((name) => name.includes('.replaced-')) ?? ''
  t.equal(readFileSync(join(folder, kept), 'utf8').slice(0, 7), 'damaged')
})

t.test(
  'acmcp store: a backup under load has every row that was committed before it, and is whole',
  async (t) => {
    const { folder, file, open } = await fixture(t)
    const writers = [await opened(t, open), await opened(t, open)]
    let isStopped = false
    let committed = 0
    const writing = writers.map(async (store, writer) => {
      for (let row = 0; !isStopped; row += 1) {
        await sql`insert into notes (user_id, text) values ('u', ${`${writer} ${row}`})`.execute(
          store.database,
        )
        committed += 1
        await nextTurn() // SQLite does not wait for anything
      }
    })
    const copies: { readonly path: string; readonly atLeast: number }[] = []
    const main = join(process.cwd(), 'dist/cli/main.js')
    for (const name of ['b0.db', 'b1.db', 'b2.db']) {
      const path = join(folder, name)
      const atLeast = committed
      const env = { PATH: process.env.PATH ?? '', DATABASE_URL: `sqlite:${file}` }
      const child = spawn(process.execPath, [main, 'store', 'backup', path], {
        cwd: folder,
        env,
        stdio: 'ignore',
      })
      t.strictSame(await once(child, 'close'), [0, null])
      copies.push({ path, atLeast })
    }
    isStopped = true
    await Promise.all(writing)
    for (const { path, atLeast } of copies) {
      const checked = await runStore(
        folder,
        { kind: 'check', json: false },
        { DATABASE_URL: `sqlite:${path}` },
      )
      t.equal(checked.code, 0, checked.out)
      const copy = new Libsql(path)
      const [{ rows = 0 } = {}] = copy
        .prepare("select count(*) as rows from notes where user_id = 'u'")
        .all() as { rows?: number }[]
      copy.close()
      t.ok(rows >= atLeast && rows <= committed, `${atLeast} <= ${rows} <= ${committed}`)
    }
    t.ok(committed > 100, `${committed} rows were written meanwhile`)
  },
)
