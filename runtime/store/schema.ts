/** The core's tables. Times are milliseconds since the epoch; `*_hash` columns hold SHA-256 (lower-case hex). */
import type { Kysely, Migration } from 'kysely'

export interface CoreTables {
  readonly users: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly updated_at: number
  }
  readonly clients: {
    readonly id: string
    readonly metadata: string
    readonly created_at: number
    readonly last_used_at: number | null
  }
  readonly grants: {
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
  readonly tokens: {
    readonly jti_hash: string
    readonly grant_id: string
    readonly kind: 'code' | 'refresh' | 'access'
    readonly expires_at: number
    readonly spent_at: number | null
    readonly successor_hash: string | null
  }
  readonly sessions: { readonly id_hash: string; readonly data: string; readonly expires_at: number }
}

/** The handle inside this room. */
export type CoreDatabase = Kysely<CoreTables>

const first: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await createPeople(database)
    await createLedger(database)
    await createSessions(database)
  },
}

/** Forward only and numbered; a released one is never edited. */
export const coreMigrations: Readonly<Record<string, Migration>> = { '0001_core': first }

async function createPeople(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text')
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('clients')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
}

async function createLedger(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('grants')
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
  await database.schema.createIndex('grants_expires_at').on('grants').column('expires_at').execute()
  await database.schema
    .createTable('tokens')
    .addColumn('jti_hash', 'text', (column) => column.primaryKey())
    .addColumn('grant_id', 'text', (column) => column.notNull().references('grants.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('spent_at', 'bigint')
    .addColumn('successor_hash', 'text')
    .execute()
  await database.schema.createIndex('tokens_expires_at').on('tokens').column('expires_at').execute()
  await database.schema.createIndex('tokens_grant_id').on('tokens').column('grant_id').execute()
}

async function createSessions(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('sessions')
    .addColumn('id_hash', 'text', (column) => column.primaryKey())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema.createIndex('sessions_expires_at').on('sessions').column('expires_at').execute()
}
