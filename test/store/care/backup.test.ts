/** Backups of a SQLite store that is in use, and one brought back as the page `database` says. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import Libsql from 'libsql'
import t, { type Test } from 'tap'
import type { Store } from '../../../runtime/store/store.ts'
import { openStore } from '../../support/whole-store.ts'
import { code, grant, pair, start } from '../support.ts'
import { folderOf, runStore } from './run-store.ts'

const user = { id: grant.userId, name: 'Ada', email: null }

const openAt = (file: string): Promise<Store> =>
  openStore({ url: `sqlite:${file}`, migrations: null, migrate: 'refuse', clock: () => start })

/** A store with the example's tables, a live pair of tokens and a note, and a backup of it. */
async function fixture(t: Test): Promise<{ folder: string; file: string; copy: string }> {
  const folder = folderOf(t)
  const [file, copy] = [join(folder, 'source.db'), join(folder, 'copy.db')]
  const env = { DATABASE_URL: `sqlite:${file}` }
  await runStore(folder, { kind: 'migrate', json: false }, env)
  const store = await openAt(file)
  await store.saveUser(user)
  await store.issueCode(grant, code)
  await store.redeemCode('code-1', pair('a'))
  await sql`insert into notes (user_id, text) values (${user.id}, 'kept')`.execute(store.database)
  await store.close()
  await runStore(folder, { kind: 'backup', file: copy }, env)
  return { folder, file, copy }
}

t.test('a copy brought back has live tokens and the rows of the application', async (t) => {
  const { folder, copy } = await fixture(t)
  t.equal(statSync(copy).mode & 0o777, 0o600)
  const file = join(folder, 'shop.db') // this process has never had it open: libsql keeps connections
  copyFileSync(copy, file)
  const served = new Libsql(file)
  served.exec("pragma journal_mode = wal; insert into notes (user_id, text) values ('u', 'after the backup')")
  served.close()

  mkdirSync(join(folder, 'replaced'))
  for (const name of readdirSync(folder).filter((name) => name.startsWith('shop.db')))
    renameSync(join(folder, name), join(folder, 'replaced', name))
  copyFileSync(copy, file)

  const store = await openAt(file)
  t.teardown(() => store.close())
  t.match(await store.findUserOfToken(user.id, 'access-a'), { user, grantId: 'g1' })
  t.equal((await store.rotateRefresh('refresh-a', pair('b'))).kind, 'redeemed')
  const { rows } = await sql`select text from notes order by id`.execute(store.database)
  t.strictSame(rows, [{ text: 'kept' }])
})

/** What the SQLite shell answers to `pragma integrity_check`, and how many rows the writers' notes have. */
function lookInto(path: string): { readonly integrity: unknown; readonly rows: number } {
  const copy = new Libsql(path)
  const integrity = copy.prepare('pragma integrity_check').all()
  const [{ rows = 0 } = {}] = copy
    .prepare("select count(*) as rows from notes where user_id = 'u'")
    .all() as { rows?: number }[]
  copy.close()
  return { integrity, rows }
}

t.test(
  'acmcp store: a backup under load has every row that was committed before it, and is whole',
  async (t) => {
    const { folder, file } = await fixture(t)
    const writers = [await openAt(file), await openAt(file)]
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
    for (const store of writers) await store.close()
    for (const { path, atLeast } of copies) {
      const { integrity, rows } = lookInto(path)
      t.strictSame(integrity, [{ integrity_check: 'ok' }])
      t.ok(rows >= atLeast && rows <= committed, `${atLeast} <= ${rows} <= ${committed}`)
    }
    t.ok(committed > 100, `${committed} rows were written meanwhile`)
  },
)
