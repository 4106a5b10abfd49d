/** What a test of `acmcp/testing` is told of an exception: its class, its message and its place in the sources. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openTestApp } from '../../runtime/testing.ts'
import { built, folderOf, strictSettings } from '../cli/support/built-app.ts'

t.setTimeout(240_000)

const root = folderOf(t, {
  'tsconfig.json': strictSettings,
  'app/config.ts': `import { defineApp } from 'acmcp'
import { type Kysely, sql } from 'kysely'
export const config = defineApp({
  migrations: { '0001': { up: async (db: Kysely<unknown>) => { await sql\`create table things (name text)\`.execute(db) } } },
})
`,
  'app/controllers/troubles.ts': `import { Readable } from 'node:stream'
import { Controller, type Rendered } from 'acmcp'
import { databaseOf } from 'acmcp/store'

interface Tables { things: { name: string } }

/** Troubles. */
export class Troubles extends Controller {
  /** @get /thrown */
  thrown(): string { throw new TypeError('no clay') }

  /** @get /page */
  page(): Rendered { return this.file('package.json', { root: ${JSON.stringify(process.cwd())} }) }

  /** @get /bytes */
  bytes(): Readable { return Readable.from([Buffer.from('x')]) }

  /** @get /own */
  own(): Rendered {
    return this.render({ stream: Readable.from([Buffer.from('x')]), headers: { 'X-Content-Type-Options': 'none' } })
  }

  /** @get /broken */
  broken(): Readable {
    return Readable.from((async function* () { yield Buffer.from('x'); throw new RangeError('out of clay') })())
  }

  /** @get /database */
  async database(): Promise<string[]> {
    const rows = await named(databaseOf<Tables & { nothing: { name: string } }>(this.services))
    return rows.map(({ name }) => name)
  }

  /** @get /nested */
  async nested(): Promise<void> {
    const db = databaseOf<Tables>(this.services)
    await db.transaction().execute(async () => {
      await db.insertInto('things').values({ name: 'a' }).execute()
    })
  }
}

async function named(db: ReturnType<typeof databaseOf<{ nothing: { name: string } }>>) {
  return await db.selectFrom('nothing').selectAll().execute()
}
`,
})

symlinkSync(join(process.cwd(), 'node_modules/kysely'), join(root, 'node_modules/kysely'), 'dir')

t.test('exceptions are told to the test that meets them', async (t) => {
  const { status, stderr } = await built(root)
  t.equal(status, 0, stderr)
  const app = await openTestApp({ cwd: root })
  t.teardown(app.close)
  const client = app.client()

  await t.test('json() of what is no JSON names status, type and exception; lastError has it', async (t) => {
    t.equal(app.lastError, null)
    const answer = await client.get('/troubles/thrown')
    t.throws(() => answer.json(), {
      message: 'the answer is no JSON: 500, text/html; charset=utf-8: TypeError: no clay',
      cause: { name: 'TypeError', message: 'no clay' },
    })
    t.match(app.lastError?.stack, /app\/controllers\/troubles\.ts:\d+/)
    const other = await client.get('/troubles/bytes')
    t.throws(() => other.json(), {
      message: 'the answer is no JSON: 200, application/octet-stream: "x"',
    })
  })

  await t.test('a stream that breaks off tells why', async (t) => {
    await t.rejects(client.get('/troubles/broken'), {
      message: 'response destroyed before completion: RangeError: out of clay',
    })
    t.match(app.lastError?.stack, /app\/controllers\/troubles\.ts:\d+/)
  })

  await t.test('errors.md, log: the stack of a database error reaches the sources', async (t) => {
    t.equal((await client.get('/troubles/database')).statusCode, 500)
    t.match(app.lastError?.message, 'no such table: nothing')
    t.match(app.lastError?.stack, /named .*app\/controllers\/troubles\.ts:\d+/)
    t.match(app.lastError?.stack, /Troubles\.database .*app\/controllers\/troubles\.ts:\d+/)
  })

  await t.test('a transaction that waits for itself: 503, and the log says why', async (t) => {
    const answer = await client.get('/troubles/nested')
    t.strictSame([answer.statusCode, answer.json()], [503, { error: 'the store is busy' }])
    t.match(app.lastError?.stack, /caused by: WriteLockHeld: .* ask `trx`/)
  })
})

t.test('files and streams are not guessed at (nosniff), unless the application says', async (t) => {
  const app = await openTestApp({ cwd: root })
  t.teardown(app.close)
  const client = app.client()
  const sent = async (method: 'GET' | 'HEAD', path: string): Promise<unknown> =>
    (await client.request({ method, url: `/troubles/${path}` })).headers['x-content-type-options']
  t.strictSame(
    [
      await sent('GET', 'page'),
      await sent('HEAD', 'page'),
      await sent('GET', 'bytes'),
      await sent('GET', 'own'),
    ],
    ['nosniff', 'nosniff', 'nosniff', 'none'],
  )
})

t.test('a broken stream is one line of the log, each key once', async (t) => {
  const lines: string[] = []
  const logStream = { write: (line: string): void => void lines.push(line) }
  const app = await openTestApp({ cwd: root, logStream, environment: { logLevel: 'error' } })
  t.teardown(app.close)
  await app
    .client()
    .get('/troubles/broken')
    .catch(() => {})
  t.equal(lines.length, 1)
  t.equal(lines[0]?.match(/"requestId":/g)?.length, 1)
})
