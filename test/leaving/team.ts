/** An application with all that a person leaves behind, instances of it on one store, and a dump of that store. */
import { sql } from 'kysely'
import type { Test } from 'tap'
import type { Environment } from '../../runtime/boot/environment.ts'
import type { Store } from '../../runtime/store/store.ts'
import { openTestApp, type TestApp, type TestAppOptions, type TestClient } from '../../runtime/testing.ts'
import { temporaryFolder } from '../flow/support.ts'
import { postgresOrNotice } from '../store/postgres-server.ts'
import { builtFolder } from '../support/linked.ts'

const config = `import { defineApp } from 'acmcp'

/** What a test wants of the hooks. */
const hooks = globalThis as { attributes?: object; erase?: (user: object, services: object) => Promise<void> }

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Team', authProbe: '/team/me' },
  onSignIn: () => hooks.attributes as never,
  onErase: async (user, services) => hooks.erase?.(user, services),
})
`

const controller = `import { ApplicationController, type Body, Unauthorized, type User } from 'acmcp'

interface Order { what: string }

const hooks = globalThis as { working?: (signal: AbortSignal) => Promise<string> }

async function* ticks(): AsyncGenerator<{ at: number }> {
  yield { at: 0 }
  await new Promise(() => {})
}

/**
 * What a team does.
 *
 * @base /team
 */
export class Team extends ApplicationController {
  /**
   * Says who asks.
   *
   * @get /me
   */
  async me(): Promise<User> { return this.whoAsks() }

  /**
   * Tells of news.
   *
   * @get /news
   * @mcp hide
   */
  async news(): Promise<AsyncIterable<{ at: number }>> {
    await this.whoAsks()
    return ticks()
  }

  /**
   * Talks.
   *
   * @websocket /talk
   */
  async talk(socket: { send(text: string): void }): Promise<void> { socket.send((await this.whoAsks()).id) }

  /**
   * Works for long.
   *
   * @post /work
   * @mcp task
   */
  work(): Promise<string> { return hooks.working?.(this.request.signal) ?? Promise.resolve('done') }

  /**
   * Places an order.
   *
   * @post /orders
   * @idempotencyKey
   * @audit strict
   */
  async order(order: Body<Order>): Promise<{ by: string; what: string }> {
    return { by: (await this.whoAsks()).name, what: order.what }
  }

  /**
   * Closes something.
   *
   * @delete /rooms/:name
   * @approval Close {name}
   */
  close(name: string): { closed: string } { return { closed: name } }

  private async whoAsks(): Promise<User> {
    const token = String(this.request.headers.authorization).slice('Bearer '.length)
    const user = (await this.services.userOfAccessToken(token)) ?? (await this.services.userOfSession(this.request.session))
    if (user === null) throw new Unauthorized('sign in')
    return user
  }
}
`

const files = {
  'package.json': '{"name":"team","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/team.ts': controller,
}

export const builtTeam = (): Promise<string> => builtFolder(files)

interface Hooks {
  attributes?: object | null
  erase?: (user: { readonly id: string }, services: object) => Promise<void>
  working?: (signal: AbortSignal) => Promise<string>
}

/** Of all instances of this process. */
export const hooks = globalThis as Hooks

export const secrets: Required<Pick<Environment, 'jwtSecrets' | 'sessionSecrets'>> = {
  jwtSecrets: ['a secret of the team with more than 32 bytes'],
  sessionSecrets: ['another secret of the team with more than 32 bytes'],
}

/** Addresses of new stores, by engine. */
export async function freshStores(t: Test): Promise<Readonly<Record<string, () => Promise<string>>>> {
  const postgres = await postgresOrNotice((text) => t.comment(text))
  t.teardown(() => postgres?.stop())
  return {
    SQLite: async () => `sqlite:${temporaryFolder()}/team.db`,
    ...(postgres === null ? {} : { PostgreSQL: () => postgres.freshDatabase() }),
  }
}

export async function instance(t: Test, databaseUrl: string, more: TestAppOptions = {}): Promise<TestApp> {
  const app = await openTestApp({ cwd: await builtTeam(), environment: { databaseUrl, ...secrets }, ...more })
  t.teardown(() => app.close())
  return app
}

export const status = async (client: TestClient, url = '/team/me'): Promise<number> =>
  (await client.get(url)).statusCode

/** Every text of every row of every table of ours. */
export async function dumpOf({ database, isShared }: Store): Promise<string> {
  const tables = isShared
    ? sql<{
        name: string
      }>`select table_name as name from information_schema.tables where table_schema = 'public'`
    : sql<{ name: string }>`select name from sqlite_master where type = 'table'`
  const rows: string[] = []
  for (const { name } of (await tables.execute(database)).rows) {
    const found = await sql`select * from ${sql.table(name)}`.execute(database)
    for (const row of found.rows) rows.push(`${name} ${textOf(row)}`)
  }
  return rows.join('\n')
}

/** Bytes as the text that they may be. */
const textOf = (row: unknown): string =>
  JSON.stringify(row, (_name, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )

/** Those lines of a dump in which one of these stands. */
export const linesWith = (dump: string, words: readonly string[]): readonly string[] =>
  dump.split('\n').filter((line) => words.some((word) => line.includes(word)))

/** Rows of the audit are written within a second, counts of limits when the next request is counted. */
export const withoutAudit = (dump: string): string =>
  dump
    .split('\n')
    .filter((line) => !/^acmcp_(audit|shared_counts)/.test(line))
    .join('\n')
