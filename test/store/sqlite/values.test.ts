/** Every kind of JavaScript value as a parameter of a SQLite statement: stored or refused, and the process lives on. */
import { CompiledQuery, type Kysely, sql } from 'kysely'
import t from 'tap'
import type { Migration } from '../../../runtime/store/migrations/migration.ts'
import { openedAt, rejection } from '../support.ts'

type Tables = { readonly things: { readonly id: number; readonly value: unknown } }

const things: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table things (id integer primary key, value)`.execute(database)
    await sql`insert into things (id, value) values (${1}, ${true})`.execute(database)
  },
}

const stored: readonly (readonly [name: string, value: unknown, read: unknown, type: string])[] = [
  ['true', true, 1, 'real'],
  ['false', false, 0, 'real'],
  ['null', null, null, 'null'],
  ['undefined', undefined, null, 'null'],
  ['a text', 'a', 'a', 'text'],
  ['a lone surrogate', '\ud800', '\ufffd', 'text'],
  ['a number', 1.5, 1.5, 'real'],
  ['minus zero', -0, -0, 'real'],
  ['Infinity', Infinity, Infinity, 'real'],
  ['-Infinity', -Infinity, -Infinity, 'real'],
  ['a number above 2 ** 53', 2 ** 60, 2 ** 60, 'real'],
  ['a bigint', 7n, 7, 'integer'],
  ['the least bigint', -(2n ** 63n), -(2n ** 63n), 'integer'],
  ['the greatest bigint', 2n ** 63n - 1n, 2n ** 63n - 1n, 'integer'],
  ['a Buffer', Buffer.from('abc'), Buffer.from('abc'), 'blob'],
  ['a Uint8Array', new Uint8Array([1, 2]), Buffer.from([1, 2]), 'blob'],
  ['a part of one', new Uint8Array([1, 2, 3]).subarray(1), Buffer.from([2, 3]), 'blob'],
  ['no bytes', new Uint8Array(0), Buffer.alloc(0), 'blob'],
  ['a Uint8ClampedArray', new Uint8ClampedArray([1]), Buffer.from([1]), 'blob'],
]

const number = '(parameter 1 of the statement)'
const json = 'write JSON.stringify(value)'
const bytes = 'write a Uint8Array of its bytes'
const refused: readonly (readonly [value: unknown, message: string])[] = [
  [Number.NaN, `SQLite takes no NaN ${number}: SQLite would store null`],
  [2n ** 63n, 'parameter 1 of the SQLite statement is an integer of more than 64 bits'],
  [-(2n ** 63n) - 1n, 'parameter 1 of the SQLite statement is an integer of more than 64 bits'],
  [Symbol('secret'), `SQLite takes no symbol ${number}: it has no form in a database`],
  [() => 1, `SQLite takes no function ${number}: it has no form in a database`],
  [new Date(0), `SQLite takes no Date ${number}: write toISOString(), or getTime() for a number`],
  [{ secret: 1 }, `SQLite takes no Object ${number}: ${json}`],
  [Object.create(null), `SQLite takes no object ${number}: ${json}`],
  [new Map(), `SQLite takes no Map ${number}: ${json}`],
  [new URL('http://a.example'), `SQLite takes no URL ${number}: ${json}`],
  [new Number(3), `SQLite takes no Number ${number}: write valueOf()`],
  [new String('x'), `SQLite takes no String ${number}: write valueOf()`],
  [new Boolean(true), `SQLite takes no Boolean ${number}: write valueOf()`],
  [Promise.resolve(1), `SQLite takes no Promise ${number}: await it`],
  [new Float32Array(1), `SQLite takes no Float32Array ${number}: ${bytes}`],
  [new DataView(new ArrayBuffer(1)), `SQLite takes no DataView ${number}: ${bytes}`],
  [new ArrayBuffer(1), `SQLite takes no ArrayBuffer ${number}: ${bytes}`],
]

t.test('a boolean is stored as 1 or 0, bytes come back as a Buffer; every storable value', async (t) => {
  const { store } = await openedAt('sqlite::memory:', t)
  for (const [name, value, read, type] of stored) {
    const { rows } = await sql`select ${value} as value, typeof(${value}) as type`.execute(store.database)
    t.strictSame(rows, [{ value: read, type }], name)
  }
})

t.test('what SQLite has no form for is refused, without the value', async (t) => {
  const { store } = await openedAt('sqlite::memory:', t)
  for (const [value, message] of refused) {
    const error = await rejection(store.database.executeQuery(CompiledQuery.raw('select ?', [value])))
    t.ok(error instanceof TypeError || error instanceof RangeError, message)
    t.equal(error instanceof Error ? error.message : '', message)
  }
})

t.test('booleans in built queries, in a transaction, in a batch and in a migration', async (t) => {
  const { open } = await openedAt('sqlite::memory:', t)
  const database = (await open({ migrations: { '0001_things': things } })).database.withTables<Tables>()
  await database.insertInto('things').values({ id: 2, value: false }).execute()
  await database.transaction().execute(async (transaction) => {
    await transaction.updateTable('things').set({ value: true }).where('value', '=', false).execute()
    const error = await rejection(
      transaction
        .insertInto('things')
        .values({ id: 3, value: new Date(0) })
        .execute(),
    )
    t.ok(error instanceof TypeError, 'the transaction goes on')
  })
  t.strictSame(await database.selectFrom('things').selectAll().where('value', '=', true).execute(), [
    { id: 1, value: 1 },
    { id: 2, value: 1 },
  ])
})
