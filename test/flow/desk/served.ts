/** A yardstick served by `acmcp serve`, a process of its own, and the people who call it. */
import { sql } from 'kysely'
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
export const deskSettings = { DESK_ADMINS: 'dev:developer,dev:root' }

export async function served(
  t: { teardown(clean: () => unknown): void },
  yardstick: Yardstick,
  databaseUrl: string,
): Promise<Served> {
  const { folder } = yardstick
  const port = String(await freePort())
  const env = {
    PORT: port,
    DATABASE_URL: databaseUrl,
    DEV_LOGIN: '1',
    ...deskSettings,
    DESK_FILES: `${folder}/files`,
  }
  const said: string[] = []
  const warn = (line: string): void => void said.push(line)
  const own = await openDevelopmentApp({ cwd: folder, env, clock: Date.now, warn, isTerminal: false })
  t.teardown(own.close)
  const tokens: Record<Person, string | null> = { ada: null, eve: null, ben: null, root: null, nobody: null }
  for (const person of people)
    tokens[person] = (await own.tokenFor(person, scopeOf(yardstick, person))).accessToken
  const server = await spawnServe(folder, env)
  t.teardown(() => server.process.kill('SIGKILL'))
  const reset = (): Promise<void> => emptied(own.application.store.database, yardstick.tables)
  return { baseUrl: server.baseUrl, tokens, reset }
}

export async function emptied(database: Parameters<typeof run>[0], tables: readonly string[]): Promise<void> {
  for (const table of tables) await run(database, table)
}

async function run(database: Parameters<ReturnType<typeof sql>['execute']>[0], table: string): Promise<void> {
  await sql`delete from ${sql.table(table)}`.execute(database)
}
