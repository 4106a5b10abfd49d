/** What the page on errors shows for a broken key, on both engines. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Kysely } from 'kysely'
import t, { type Test } from 'tap'
import type { Migration } from '../../../runtime/store/migrations/migration.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { openedAt } from '../../store/support.ts'
import { pages } from '../../support/doc-pages.ts'

interface Tables {
  readonly people: { readonly email: string }
  readonly orders: { readonly product: string; readonly email: string | null }
}

const tables: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database
    await schema
      .createTable('people')
      .addColumn('email', 'text', (column) => column.primaryKey())
      .execute()
    await schema
      .createTable('orders')
      .addColumn('product', 'text', (column) => column.unique())
      .addColumn('email', 'text', (column) => column.references('people.email').notNull())
      .execute()
  },
}

type OrConflict = <Result>(query: Promise<Result>, message: string) => Promise<Result>

/** The page's own function. */
async function shownFunction(t: Test): Promise<OrConflict> {
  const block = pages()
    .flatMap(({ blocks }) => blocks)
    .find(({ about }) => about === 'app/broken-keys.ts')
  const folder = t.testdir({ 'broken-keys.ts': block?.text ?? '' })
  const outfile = join(folder, 'broken-keys.mjs')
  const alias = { acmcp: join(process.cwd(), 'dist/runtime/errors.js') }
  await build({ entryPoints: [join(folder, 'broken-keys.ts')], outfile, alias, bundle: true, format: 'esm' })
  const shown: { orConflict: OrConflict } = await import(pathToFileURL(outfile).href)
  return shown.orConflict
}

async function keysConflict(t: Test, url: string): Promise<void> {
  const orConflict = await shownFunction(t)
  const { open } = await openedAt(url, t)
  const store = await open({ migrations: { '001_tables': tables } })
  const database = store.database as Kysely<Tables> // that the migration made
  const reported = (query: Promise<unknown>): Promise<string> =>
    orConflict(query, 'it is taken').then(
      () => 'done',
      (error: unknown) =>
        error instanceof Error ? `${error.constructor.name}: ${error.message}` : 'no error',
    )
  const person = (email: string): Promise<unknown> =>
    database.insertInto('people').values({ email }).execute()
  const order = (product: string, email: string | null): Promise<unknown> =>
    database.insertInto('orders').values({ product, email }).execute()
  t.equal(await reported(person('ada')), 'done')
  t.equal(await reported(order('plums', 'ada')), 'done')
  t.equal(await reported(person('ada')), 'Conflict: it is taken', 'a primary key')
  t.equal(await reported(order('plums', 'ada')), 'Conflict: it is taken', 'a unique column')
  t.equal(await reported(order('pears', 'eve')), 'Conflict: it is taken', 'a foreign key')
  t.equal(
    await reported(database.deleteFrom('people').execute()),
    'Conflict: it is taken',
    'still referenced',
  )
  const twice = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('people').values({ email: 'bob' }).execute()
    await transaction.insertInto('people').values({ email: 'bob' }).execute()
  })
  t.equal(await reported(twice), 'Conflict: it is taken', 'around a transaction')
  t.match(await reported(order('figs', null)), /null/i)
}

t.test('errors: a broken key is a Conflict on SQLite', (t) => keysConflict(t, 'sqlite::memory:'))

t.test('errors: a broken key is a Conflict on PostgreSQL', async (t) => {
  const server = await postgresOrNotice((text) => t.comment(text))
  if (server === null) return
  t.teardown(server.stop)
  await keysConflict(t, await server.freshDatabase())
})
