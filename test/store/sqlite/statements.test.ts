/** Statements are prepared once for a connection, until something may have changed what they mean. */
import Libsql from 'libsql'
import t from 'tap'
import { noBigintColumns } from '../../../runtime/store/exact-integers.ts'
import { run as runCommand } from '../../../runtime/store/sqlite/statements.ts'

const run = (
  database: Libsql.Database,
  sql: string,
  parameters: readonly unknown[],
): { readonly rows: readonly unknown[] } =>
  runCommand(database, { sql, parameters, bigints: noBigintColumns })

/** A connection in memory, and what was prepared on it. */
function counted(): { readonly database: Libsql.Database; readonly prepared: string[] } {
  const database = new Libsql(':memory:')
  const prepared: string[] = []
  const prepare = database.prepare.bind(database)
  database.prepare = ((sql: string) => {
    prepared.push(sql)
    return prepare(sql)
  }) as typeof database.prepare // the same, and it says so
  return { database, prepared }
}

t.test(
  'a query with a common table expression is prepared once, and leaves the others as they are',
  async (t) => {
    const { database, prepared } = counted()
    run(database, 'create table notes (text)', [])
    prepared.length = 0
    const statements = [
      'insert into notes values (?)',
      'with one as (select ? as text) insert into notes select text from one returning text',
      'with all_of_them as (select * from notes) select text from all_of_them where text = ?',
      'select count(*) as n from notes where text = ?',
    ]
    for (let i = 0; i < 5; i += 1) for (const sql of statements) run(database, sql, ['a'])
    run(database, 'savepoint one', [])
    run(database, 'release one', [])
    run(database, 'explain query plan select * from notes', [])
    for (const sql of statements) run(database, sql, ['a'])
    t.strictSame(
      prepared.filter((sql) => statements.includes(sql)),
      statements,
    )
    t.strictSame(run(database, statements[3] ?? '', ['a']).rows, [{ n: 12 }])
  },
)

t.test('a change of the schema, a setting and what is not known prepare them anew', async (t) => {
  const { database, prepared } = counted()
  run(database, 'create table notes (text)', [])
  const select = 'select * from notes'
  run(database, select, [])
  for (const change of [
    'alter table notes add column done',
    'pragma foreign_keys = on',
    '/* a comment */ create table others (text)',
    'drop table others',
    'savepoint one',
    'rollback to one',
  ]) {
    prepared.length = 0
    run(database, change, [])
    run(database, select, [])
    t.equal(prepared.includes(select), change !== 'savepoint one', change)
  }
  run(database, 'insert into notes values (1, 2)', [])
  t.strictSame(run(database, select, []).rows, [{ text: 1, done: 2 }])
})
