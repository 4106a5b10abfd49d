/** A store as earlier versions left it: the texts that their migrations ran, on both engines alike. */
import { type Kysely, sql } from 'kysely'
import { start } from './support.ts'

const migrationTables = ['core', 'app'].flatMap((owner) => [
  `create table "${owner}_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)`,
  `create table "${owner}_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null)`,
  `insert into "${owner}_migration_lock" values ('migration_lock', 0)`,
])

const first = [
  `create table "users" ("id" text primary key, "name" text not null, "email" text, "updated_at" bigint not null)`,
  `create table "clients" ("id" text primary key, "metadata" text not null, "created_at" bigint not null, "last_used_at" bigint)`,
  `create table "grants" ("id" text primary key, "user_id" text not null, "client_id" text not null, "scope" text not null, "resource" text not null, "created_at" bigint not null, "expires_at" bigint not null, "revoked_at" bigint, "revoked_reason" text)`,
  `create index "grants_expires_at" on "grants" ("expires_at")`,
  `create table "tokens" ("jti_hash" text primary key, "grant_id" text not null references "grants" ("id") on delete cascade, "kind" text not null, "expires_at" bigint not null, "spent_at" bigint, "successor_hash" text)`,
  `create index "tokens_expires_at" on "tokens" ("expires_at")`,
  `create index "tokens_grant_id" on "tokens" ("grant_id")`,
  `create table "sessions" ("id_hash" text primary key, "data" text not null, "expires_at" bigint not null)`,
  `create index "sessions_expires_at" on "sessions" ("expires_at")`,
  `insert into "core_migration" values ('0001_core', '2026-10-01T00:00:00.000Z')`,
]

const limits = [
  `create table "revoked_tokens" ("jti_hash" text primary key, "expires_at" bigint not null, "revoked_at" bigint not null, "reason" text not null)`,
  `create index "revoked_tokens_expires_at" on "revoked_tokens" ("expires_at")`,
  `create table "shared_counts" ("window_start" bigint not null, "key" text not null, "count" bigint not null, constraint "shared_counts_primary" primary key ("window_start", "key"))`,
  `create table "sizes" ("name" text primary key, "size" bigint not null)`,
  `insert into sizes (name, size) select 'clients', count(*) from clients`,
  `create index "clients_unused" on "clients" ("last_used_at", "created_at", "id")`,
  `create index "grants_client_id" on "grants" ("client_id", "expires_at")`,
  `insert into "core_migration" values ('0002_limits', '2026-10-01T00:00:01.000Z')`,
]

const clientMetadata =
  '{"name":"Old","redirectUris":["https://a.example/cb"],"grantTypes":["authorization_code"],"responseTypes":["code"]}'

const people = [
  `insert into users values ('u', 'Ada', 'ada@example.com', 1)`,
  `insert into clients values ('c1', '${clientMetadata}', 1, null)`,
  `insert into grants values ('g1', 'u', 'c1', 'api', '', 1, ${start + 1000}, null, null)`,
]

const rows = (hashes: { readonly code: string; readonly session: string }): readonly string[] => [
  `insert into tokens values ('${hashes.code}', 'g1', 'code', ${start + 1000}, null, null)`,
  `insert into sessions values ('${hashes.session}', '{"user_id":"u"}', ${start + 1000})`,
]

/** Makes the tables and rows of a user, a client, a grant with its code and a session; `until` is the last migration that
 *  had run. */
export async function makeOldStore(
  database: Kysely<unknown>,
  until: '0001_core' | '0002_limits' | '0003_prefix',
  hashes: { readonly code: string; readonly session: string },
): Promise<void> {
  const later = until === '0001_core' ? [] : limits
  const texts = [...first, ...people, ...rows(hashes), ...later]
  const made = until === '0003_prefix' ? [...texts.map(withPrefix), third] : texts
  for (const text of [...migrationTables, ...made]) await sql.raw(text).execute(database)
}

const third = `insert into "core_migration" values ('0003_prefix', '2026-10-01T00:00:02.000Z')`

/** A new store of the version with the prefix: its first migrations made the same tables under these names. */
const withPrefix = (text: string): string =>
  text.replaceAll(
    /(?<!_)\b(users|clients|grants|tokens|sessions|revoked_tokens|shared_counts|sizes)(?=[ "_]|$)(?!_uris)/g,
    'acmcp_$1',
  )
