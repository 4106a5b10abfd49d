/** The table of idempotency keys. */
import { sql } from 'kysely'
import { adding } from '../../store/migrations/migration.ts'
import type { CapabilityTable } from '../../store/tables.ts'
import type { StandingKey } from './types.ts'

export interface IdempotencyTables {
  readonly acmcp_idempotency_keys: IdempotencyKeyRow
}

interface IdempotencyKeyRow {
  readonly id: string
  readonly digest: string
  readonly claim: string
  /** Whose keys it is counted among; null where another row of its claim is. */
  readonly owner: string | null
  /** These three stand beside the owner; `bytes`: of the sealed answers of the claim. */
  readonly source: string | null
  readonly grant_id: string | null
  readonly bytes: number | null
  readonly route: string
  readonly state: StandingKey['state']
  /** 1 = yes. */
  readonly is_transactional: number
  readonly lease_until: number
  readonly status: number | null
  readonly sealed: string | null
  readonly created_at: number
  readonly expires_at: number
}

/** The index of claims holds what runs, however many keys are kept. */
const keys = `
  create table acmcp_idempotency_keys (
    id text primary key, digest text not null, claim text not null, owner text, route text not null,
    state text not null, is_transactional bigint not null, lease_until bigint not null, status bigint, sealed text,
    created_at bigint not null, expires_at bigint not null);
  create index acmcp_idempotency_keys_owner on acmcp_idempotency_keys (owner, expires_at);
  create index acmcp_idempotency_keys_claim on acmcp_idempotency_keys (claim) where state = 'running';
  create index acmcp_idempotency_keys_expires_at on acmcp_idempotency_keys (expires_at)`

/** What else is counted than an owner's keys. The index has all that a claim asks for. */
const keySources = `
  alter table acmcp_idempotency_keys add column source text;
  alter table acmcp_idempotency_keys add column grant_id text;
  alter table acmcp_idempotency_keys add column bytes bigint;
  create index acmcp_idempotency_keys_source on acmcp_idempotency_keys (source, expires_at, grant_id, bytes)`

/** What finds the rows of an erased user that are not counted to them. */
const uncounted =
  'create index acmcp_idempotency_keys_uncounted on acmcp_idempotency_keys (claim) where owner is null'

export const idempotencyKeyTable: CapabilityTable<keyof IdempotencyKeyRow> = {
  name: 'acmcp_idempotency_keys',
  migrations: {
    '0013_idempotency_keys': adding(keys, ['idempotency_keys']),
    '0016_leaving': adding(uncounted),
    '0019_key_sources': adding(keySources),
  },
  key: 'id',
  ends: { column: 'expires_at' },
  person: {
    column: 'owner',
    erasure: 'delete',
    countedAs: 'idempotencyKeys',
    // of a claim one row is counted to its owner, the others have none
    before: (ids) => sql`acmcp_idempotency_keys where owner is null and claim in (
      select claim from acmcp_idempotency_keys where id in (${ids}))`,
  },
}
