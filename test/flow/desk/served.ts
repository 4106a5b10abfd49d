/** A yardstick that is served, and the people who call it. */
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { openDevelopmentApp } from '../../../runtime/serve/development.ts'
import { freePort } from '../../support/free-port.ts'
import { spawnServe } from '../support.ts'
import type { Person } from './walked.ts'
import type { Yardstick } from './yardsticks.ts'

export interface Served {
  readonly baseUrl: string
  readonly tokens: Tokens
  /** Removes what a walk left. */
  readonly reset: () => Promise<void>
}

/** Who is asked for more than `api`: who may have it. */
export const people = ['ada', 'eve', 'ben', 'root'] as const

export const scopeOf = ({ name }: Yardstick, person: Person): string =>
  name === 'desk' && person === 'root' ? 'api desk:admin' : 'api'

export type Tokens = Readonly<Record<Person, string | null>>

/** The same in this process and in others: `DESK_ADMINS` and `DESK_FILES` are read when the application is loaded. */
export const deskSettings = ({ folder }: Yardstick): Readonly<Record<string, string>> => ({
  DESK_ADMINS: 'dev:developer,dev:root',
  DESK_FILES: join(folder, 'files'),
})

/** `as`: by `acmcp serve`, a process of its own, or in this one. */
export async function served(
  t: { teardown(clean: () => unknown): void },
  yardstick: Yardstick,
  { databaseUrl, as }: { readonly databaseUrl: string; readonly as: 'process' | 'application' },
): Promise<Served> {
  const { folder } = yardstick
  const port = String(await freePort())
  const env = { PORT: port, DATABASE_URL: databaseUrl, DEV_LOGIN: '1', ...deskSettings(yardstick) }
  const quiet = { clock: Date.now, warn: () => {}, isTerminal: false }
  const own = await openDevelopmentApp({ cwd: folder, env, ...quiet })
  t.teardown(own.close)
  const tokens: Record<Person, string | null> = { ada: null, eve: null, ben: null, root: null, nobody: null }
  for (const person of people)
    tokens[person] = (await own.tokenFor(person, scopeOf(yardstick, person))).accessToken
  if (as === 'process') {
    const server = await spawnServe(folder, env)
    t.teardown(() => server.process.kill('SIGKILL'))
  } else await own.application.server.listen({ port: Number(port), host: 'localhost' })
  const reset = (): Promise<void> => emptied(own.application.store.database, yardstick.tables)
  return { baseUrl: `http://localhost:${port}`, tokens, reset }
}

export async function emptied(database: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(database)
}
