/** The table of idempotency keys. */
import type { StandingKey } from '../../contract/idempotency.ts'

export interface IdempotencyKeyRow {
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
export const idempotencyKeyTable = `
  create table acmcp_idempotency_keys (
    id text primary key, digest text not null, claim text not null, owner text, route text not null,
    state text not null, is_transactional bigint not null, lease_until bigint not null, status bigint, sealed text,
    created_at bigint not null, expires_at bigint not null);
  create index acmcp_idempotency_keys_owner on acmcp_idempotency_keys (owner, expires_at);
  create index acmcp_idempotency_keys_claim on acmcp_idempotency_keys (claim) where state = 'running';
  create index acmcp_idempotency_keys_expires_at on acmcp_idempotency_keys (expires_at)`

/** What else is counted than an owner's keys. The index has all that a claim asks for. */
export const keySources = `
  alter table acmcp_idempotency_keys add column source text;
  alter table acmcp_idempotency_keys add column grant_id text;
  alter table acmcp_idempotency_keys add column bytes bigint;
  create index acmcp_idempotency_keys_source on acmcp_idempotency_keys (source, expires_at, grant_id, bytes)`
