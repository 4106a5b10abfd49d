/** The core's tables, all named `acmcp_…`. Times are milliseconds since the epoch; `*_hash` columns hold SHA-256 (lower-case hex). */
import { type Kysely, type Migration, sql } from 'kysely'
import { refuseTaken, takePrefix } from './prefix.ts'

export interface CoreTables {
  readonly acmcp_users: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly updated_at: number
  }
  readonly acmcp_clients: {
    readonly id: string
    readonly metadata: string
    readonly created_at: number
    readonly last_used_at: number | null
  }
  readonly acmcp_grants: {
    readonly id: string
    readonly user_id: string
    readonly client_id: string
    readonly scope: string
    readonly resource: string
    readonly created_at: number
    readonly expires_at: number
    readonly revoked_at: number | null
    readonly revoked_reason: string | null
  }
  readonly acmcp_tokens: {
    readonly jti_hash: string
    readonly grant_id: string
    readonly kind: 'code' | 'refresh' | 'access'
    readonly expires_at: number
    readonly spent_at: number | null
    readonly successor_hash: string | null
  }
  /** Tokens that were revoked without having been issued here. */
  readonly acmcp_revoked_tokens: {
    readonly jti_hash: string
    readonly expires_at: number
    readonly revoked_at: number
    readonly reason: string
  }
  /** How often something happened in a window of time, over all instances. */
  readonly acmcp_shared_counts: {
    readonly window_start: number
    readonly key: string
    readonly count: number
  }
  /** Sizes of tables that have a cap, so that nobody counts rows. The row's lock also orders those who add and remove. */
  readonly acmcp_sizes: { readonly name: 'clients'; readonly size: number }
  readonly acmcp_sessions: { readonly id_hash: string; readonly data: string; readonly expires_at: number }
}

/** The handle inside this room. */
export type CoreDatabase = Kysely<CoreTables>

const first: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await refuseTaken(database, tablesOfFirst)
    await createPeople(database)
    await createLedger(database)
    await createSessions(database)
  },
}

const tablesOfFirst = ['users', 'clients', 'grants', 'tokens', 'sessions']
const tablesOfLimits = ['revoked_tokens', 'shared_counts', 'sizes']

/** Forward only and numbered. A released one is never edited; 0001 and 0002 once were, so that a new store takes no name
 *  without the prefix: they made the same tables without it, and 0003 renames what they made then. */
export const coreMigrations: Readonly<Record<string, Migration>> = {
  '0001_core': first,
  '0002_limits': { up: addLimits },
  '0003_prefix': { up: (database) => takePrefix(database, [...tablesOfFirst, ...tablesOfLimits]) },
}

async function createPeople(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('acmcp_users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text')
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('acmcp_clients')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
}

async function createLedger(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('acmcp_grants')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('resource', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .addColumn('revoked_reason', 'text')
    .execute()
  await database.schema
    .createIndex('acmcp_grants_expires_at')
    .on('acmcp_grants')
    .column('expires_at')
    .execute()
  await database.schema
    .createTable('acmcp_tokens')
    .addColumn('jti_hash', 'text', (column) => column.primaryKey())
    .addColumn('grant_id', 'text', (column) =>
      column.notNull().references('acmcp_grants.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('spent_at', 'bigint')
    .addColumn('successor_hash', 'text')
    .execute()
  await database.schema
    .createIndex('acmcp_tokens_expires_at')
    .on('acmcp_tokens')
    .column('expires_at')
    .execute()
  await database.schema.createIndex('acmcp_tokens_grant_id').on('acmcp_tokens').column('grant_id').execute()
}

async function createSessions(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('acmcp_sessions')
    .addColumn('id_hash', 'text', (column) => column.primaryKey())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createIndex('acmcp_sessions_expires_at')
    .on('acmcp_sessions')
    .column('expires_at')
    .execute()
}

/** 0002: revoked tokens, shared counts, the number of clients, and the indexes that capping and purging need. */
async function addLimits(database: Kysely<unknown>): Promise<void> {
  await takePrefix(database, tablesOfFirst)
  await refuseTaken(database, tablesOfLimits)
  await createRevokedTokens(database)
  await createSharedCounts(database)
  await createSizes(database)
  const unused = ['last_used_at', 'created_at', 'id']
  await database.schema.createIndex('acmcp_clients_unused').on('acmcp_clients').columns(unused).execute()
  await database.schema
    .createIndex('acmcp_grants_client_id')
    .on('acmcp_grants')
    .columns(['client_id', 'expires_at'])
    .execute()
}

async function createRevokedTokens(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('acmcp_revoked_tokens')
    .addColumn('jti_hash', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .execute()
  await database.schema
    .createIndex('acmcp_revoked_tokens_expires_at')
    .on('acmcp_revoked_tokens')
    .column('expires_at')
    .execute()
}

async function createSharedCounts(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('acmcp_shared_counts')
    .addColumn('window_start', 'bigint', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('acmcp_shared_counts_primary', ['window_start', 'key'])
    .execute()
}

async function createSizes(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('acmcp_sizes')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .execute()
  await sql`insert into acmcp_sizes (name, size) select 'clients', count(*) from acmcp_clients`.execute(
    database,
  )
}
