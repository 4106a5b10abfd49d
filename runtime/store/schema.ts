/** The migrations of the core's tables. */
import { type Kysely, sql } from 'kysely'
import { adding, type MarkedMigration, prefixed, refuseTaken, runAll } from './migrations/migration.ts'
import { schemaDialectOf } from './schema-dialect.ts'

const firstTables = `
  create table acmcp_users (id text primary key, name text not null, email text, updated_at bigint not null);
  create table acmcp_clients (
    id text primary key, metadata text not null, created_at bigint not null, last_used_at bigint);
  create table acmcp_grants (
    id text primary key, user_id text not null, client_id text not null, scope text not null, resource text not null,
    created_at bigint not null, expires_at bigint not null, revoked_at bigint, revoked_reason text);
  create index acmcp_grants_expires_at on acmcp_grants (expires_at);
  create table acmcp_tokens (
    jti_hash text primary key, grant_id text not null references acmcp_grants (id) on delete cascade,
    kind text not null, expires_at bigint not null, spent_at bigint, successor_hash text);
  create index acmcp_tokens_expires_at on acmcp_tokens (expires_at);
  create index acmcp_tokens_grant_id on acmcp_tokens (grant_id);
  create table acmcp_sessions (id_hash text primary key, data text not null, expires_at bigint not null);
  create index acmcp_sessions_expires_at on acmcp_sessions (expires_at)`

/** Revoked tokens, shared counts, the number of clients, and the indexes that capping and purging need. */
const limitTables = `
  create table acmcp_revoked_tokens (
    jti_hash text primary key, expires_at bigint not null, revoked_at bigint not null, reason text not null);
  create index acmcp_revoked_tokens_expires_at on acmcp_revoked_tokens (expires_at);
  create table acmcp_shared_counts (
    window_start bigint not null, key text not null, count bigint not null,
    constraint acmcp_shared_counts_primary primary key (window_start, key));
  create table acmcp_sizes (name text primary key, size bigint not null);
  insert into acmcp_sizes (name, size) select 'clients', count(*) from acmcp_clients;
  create index acmcp_clients_unused on acmcp_clients (last_used_at, created_at, id);
  create index acmcp_grants_client_id on acmcp_grants (client_id, expires_at)`

/** What consent showed, and the grants of a user and client that it looks for. */
const scopeTables = `
  alter table acmcp_grants add column allowed text;
  create index acmcp_grants_user_id on acmcp_grants (user_id, client_id)`

/** Each batch of grants that end begins in an index where the last one ended: the id stands last in each.
 *  Readers wait from the first `drop` to the end: the `drop`s come last. */
const pagingIndexes = `
  create index acmcp_grants_user on acmcp_grants (user_id, client_id, id);
  create index acmcp_grants_client on acmcp_grants (client_id, id);
  drop index acmcp_grants_user_id;
  drop index acmcp_grants_client_id`

/** What a grant allows beside its scopes. A surface goes when no grant has it: hence the index. */
const grantTerms = `
  create table acmcp_surfaces (name text primary key, routes text not null, used_at bigint not null);
  alter table acmcp_grants add column read_only bigint;
  alter table acmcp_grants add column surface text;
  alter table acmcp_grants add column asked_at bigint;
  create index acmcp_grants_surface on acmcp_grants (surface)`

/** What a sign-in says of its user beside the record. */
const signInColumns = `
  alter table acmcp_users add column attributes text;
  alter table acmcp_users add column signed_in_at bigint`

/** Of several sign-ins the one that began last counts; and a grant has the one that allowed it. */
const enterpriseColumns = `
  alter table acmcp_users add column attributes_at bigint;
  alter table acmcp_grants add column kind text`

/** Users who are blocked or being erased, and the indexes that find their rows. */
const leaving = `
  alter table acmcp_users add column blocked_at bigint;
  alter table acmcp_users add column erased_as text;
  alter table acmcp_users add column tokens_since bigint;
  create index acmcp_users_erased_as on acmcp_users (erased_as) where erased_as is not null`

const usedOnceTable = `
  create table acmcp_used_once (id_hash text primary key, expires_at bigint not null);
  create index acmcp_used_once_expires_at on acmcp_used_once (expires_at)`

const sessionSids = `
  alter table acmcp_sessions add column sid_hash text;
  create index acmcp_sessions_sid_hash on acmcp_sessions (sid_hash) where sid_hash is not null`

const refreshRetries = 'alter table acmcp_tokens add column retries bigint'

/** Of SQLite alone: PostgreSQL notifies. */
const changeTable = `
  create table acmcp_changes (version bigint not null);
  insert into acmcp_changes (version) values (0)`

/** The migrations that a version without them may run beside: what is not here must not be. */
const additiveTable = `
  create table acmcp_additive_migrations (
    owner text not null, name text not null,
    constraint acmcp_additive_migrations_primary primary key (owner, name))`

const namesOfFirst = ['users', 'clients', 'grants', 'tokens', 'sessions']
const namesOfLimits = ['revoked_tokens', 'shared_counts', 'sizes']

/** From the next one on, what is additive is recorded: a version that does not know this one cannot look. */
export const firstRecorded = '0005_additive'

/** Forward only and numbered; each says whether the version before may run beside it. A released one is never edited; 0001 and 0002 once were, so that a new store takes no name
 *  without the prefix: they made the same tables without it, and 0003 renames what they made then. */
export const coreMigrations: Readonly<Record<string, MarkedMigration>> = {
  '0001_core': adding(firstTables, namesOfFirst),
  '0002_limits': {
    additive: false, // renames
    up: async (database) => {
      await takePrefix(database, namesOfFirst)
      await refuseTaken(database, namesOfLimits)
      await runAll(database, limitTables)
    },
  },
  '0003_prefix': {
    additive: false, // renames
    up: (database) => takePrefix(database, [...namesOfFirst, ...namesOfLimits]),
  },
  '0004_allowed': adding(scopeTables),
  [firstRecorded]: adding(additiveTable),
  '0006_changes': adding(changeTable),
  '0010_paging': adding(pagingIndexes),
  '0012_grant_terms': adding(grantTerms, ['surfaces']),
  '0014_sign_ins': adding(signInColumns),
  '0015_used_once': adding(usedOnceTable, ['used_once']),
  '0016_leaving': adding(leaving),
  '0017_session_sids': adding(sessionSids),
  '0018_enterprise': adding(enterpriseColumns),
  '0020_refresh_retries': adding(refreshRetries),
}

/** Made with the prefix from the start, or renamed. */
const ours = prefixed('tokens_grant_id')

/** Gives tables (named without the prefix) and their indexes the prefix, unless the store was made with it. Throws when a
 *  table of the application has such a name. */
async function takePrefix(database: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  const dialect = schemaDialectOf(database)
  if ((await dialect.namesTaken(database, [ours])).length > 0) return
  await refuseTaken(database, tables)
  for (const table of tables) {
    await sql`alter table ${sql.id(table)} rename to ${sql.id(prefixed(table))}`.execute(database)
    await dialect.renameIndexes(database, prefixed(table), { prefix: table, to: prefixed })
  }
}
