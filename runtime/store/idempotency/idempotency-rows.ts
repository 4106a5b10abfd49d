/** The table of idempotency keys. */
import type { StandingKey } from '../../contract/idempotency.ts'

export interface IdempotencyKeyRow {
  readonly id: string
  readonly digest: string
  readonly claim: string
  /** Whose keys it is counted among; null where another row of its claim is. */
  readonly owner: string | null
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
