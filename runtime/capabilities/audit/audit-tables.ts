/** The tables of the audit. */

export interface AuditBatchRow {
  /** That of its last entry. */
  readonly id: string
  /** JSON, an entry a line: the values of an `AuditRecord`. */
  readonly entries: string
  /** JSON by id: how clients were called of whom the entries have no name. */
  readonly client_names: string | null
}

/** A user, or a grant, that entries of a batch name. None has the id of one of the others. */
export interface AuditOwnerRow {
  readonly owner: string
  readonly batch: string
  /** Of its entries. */
  readonly count: number
  /** Of a grant: when it was used last. */
  readonly used_at: number | null
  /** Of a grant: JSON, how often each tool was called and let through. */
  readonly called: string | null
}

/** What `0007_audit` makes. Versions before `0021` keep a row an entry there. */
export const auditTable = `
  create table acmcp_audit (id text primary key, at bigint not null, event text not null, user_id text, client_id text,
    client_name text, grant_id text, tool text, route text, decision text, status bigint, is_error bigint,
    duration_ms double precision, request_id text, trace_id text, arguments_digest text, detail text);
  create index acmcp_audit_user_grant on acmcp_audit (user_id, grant_id, id)`

export const auditBatches =
  'create table acmcp_audit_batches (id text primary key, entries text not null, client_names text)'

/** Of an index each further one would cost an entry as much as all else, with many users. */
export const auditOwners = `
  create table acmcp_audit_owners (
    owner text not null, batch text not null, count bigint not null, used_at bigint, called text,
    constraint acmcp_audit_owners_primary primary key (owner, batch))`

/** Each page begins in an index where the last one ended: the id stands last in each. */
export const auditPaging = `
  create index acmcp_audit_user on acmcp_audit (user_id, id);
  create index acmcp_audit_grant on acmcp_audit (grant_id, id);
  drop index acmcp_audit_user_grant`
