/** How the audit is kept: a row a batch, with its entries as JSON, and an index of whose they are. Both engines find names and what is left
 *  of erased users as they write, once a batch. Source: decisions/audit.md, Table. */
import type { AuditEntry, AuditRecord, NewAuditRecord } from '../../contract/calls.ts'
import { erasedPrefix } from '../../store/pseudonyms.ts'
import type { Prepare } from '../../store/verbs/prepare.ts'
import type { SqliteParts } from '../../store/verbs/verb-parts.ts'
import type { AuditBatchRow } from './audit-tables.ts'

/** The first id that an entry of that time (milliseconds) can have. */
export const firstIdAt = (time: number): string =>
  Math.max(0, Math.floor(time)).toString(16).padStart(12, '0')

/** Between the first entry of a batch and its last. Batches of several instances overlap for no longer. */
export const batchSpanMs = 2000

/** Durable when it resolves. A batch that is there already stays: a writer that heard nothing of a commit writes it again. */
export type AppendAudit = (records: readonly NewAuditRecord[]) => Promise<void>

/** What is written of a batch; lists are JSON. */
export interface AuditBatch extends Pick<AuditBatchRow, 'id' | 'entries'> {
  readonly owners: string
  /** Of whom a name is to be looked up. */
  readonly clients: string
  readonly grants: string
}

/** Of what both engines can store: a caller may have sent what is no text. */
export function batchOf(records: readonly NewAuditRecord[]): AuditBatch {
  const entries = linesOf(records)
  if (!/\\u(?:0000|d[89a-f])/i.test(entries)) return indexed(records, entries)
  const stored = JSON.parse(JSON.stringify(records, (_name, value: unknown) => storable(value)))
  return indexed(stored, linesOf(stored))
}

/** PostgreSQL keeps it in no text, and libsql only what is before its first NUL. */
const unstorable = /[\0\p{Cs}]/gu

const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(unstorable, '\ufffd') : value

/** An entry a line, as an array in this order: names would be a third of it. JSON has no line breaks. */
export const linesOf = (records: readonly NewAuditRecord[]): string =>
  `[${records.map(({ id, at, entry }) => JSON.stringify(valuesOf(id, at, entry))).join(',\n')}]`

const valuesOf = (id: string, at: number, entry: AuditEntry): readonly unknown[] => [
  ...[id, at, entry.event, entry.user, entry.client, entry.clientName, entry.grant, entry.tool, entry.route],
  ...[entry.decision, entry.status, entry.isError, toMicroseconds(entry.milliseconds ?? null)],
  ...[entry.requestId, entry.traceId, entry.argumentsDigest, entry.detail],
]

/** No finer than that. */
const toMicroseconds = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : Math.round(milliseconds * 1000) / 1000

function indexed(records: readonly NewAuditRecord[], entries: string): AuditBatch {
  const clients = new Set<string>()
  const grants = new Set<string>()
  for (const { entry } of records) {
    if (entry.client != null && entry.clientName == null) clients.add(entry.client)
    if (entry.grant != null) grants.add(entry.grant)
  }
  return {
    id: records.at(-1)?.id ?? '',
    entries,
    owners: JSON.stringify(ownersOf(records)),
    clients: JSON.stringify([...clients]),
    grants: JSON.stringify([...grants]),
  }
}

/** As the columns of the index are, without the batch. */
type OwnerValues = [
  owner: string,
  count: number,
  usedAt: number | null,
  called: Record<string, number> | null,
]

/** What the index says of a batch. */
function ownersOf(records: readonly NewAuditRecord[]): readonly OwnerValues[] {
  const owners = new Map<string, OwnerValues>()
  const countedIn = (owner: string): OwnerValues => {
    let values = owners.get(owner)
    if (values === undefined) {
      values = [owner, 0, null, null]
      owners.set(owner, values)
    }
    values[1] += 1
    return values
  }
  for (const { at, entry } of records) {
    if (entry.user != null) countedIn(entry.user)
    if (entry.grant != null) addUse(countedIn(entry.grant), at, entry)
  }
  return [...owners.values()]
}

/** A consent and what ended access are no use. */
function addUse(values: OwnerValues, at: number, { event, tool, route, decision }: AuditEntry): void {
  if (event === 'tool-call' || event === 'request' || event === 'refresh') values[2] = at
  if (event !== 'tool-call' || decision !== 'allowed' || route == null || tool == null) return
  values[3] ??= Object.create(null) as Record<string, number> // whatever a tool is called
  values[3][tool] = (values[3][tool] ?? 0) + 1
}

/** The entries of a batch, each as its JSON. */
export const linesIn = (entries: string): readonly string[] => entries.slice(1, -1).split(',\n')

const names = [
  ...['id', 'at', 'event', 'user', 'client', 'clientName', 'grant', 'tool', 'route', 'decision', 'status'],
  ...['isError', 'milliseconds', 'requestId', 'traceId', 'argumentsDigest', 'detail'],
]

/** Of what `linesOf` wrote, or of a row of the version before: there all but numbers is text. */
export function readRecord(values: readonly unknown[]): AuditRecord {
  const entry = Object.fromEntries(names.map((name, place) => [name, values[place]]))
  const { decision, isError, detail } = entry
  if (decision !== null && decision !== 'allowed') entry.decision = Number(decision)
  if (isError !== null) entry.isError = Boolean(isError)
  if (typeof detail === 'string') entry.detail = JSON.parse(detail)
  return entry as unknown as AuditRecord
}

function recordsIn(entries: string): readonly NewAuditRecord[] {
  const stored: readonly (readonly unknown[])[] = JSON.parse(entries)
  return stored.map(readRecord).map(({ id, at, ...entry }) => ({ id, at, entry }))
}

export const ownersIn = (entries: string): readonly string[] =>
  ownersOf(recordsIn(entries)).map(([owner]) => owner)

/** Ids of requests and traces lead to logs that name the user; the name of a tool without a route is what a client sent. */
const ofNobody = (entry: AuditEntry, pseudonym: string): AuditEntry => ({
  ...entry,
  user: pseudonym,
  tool: entry.route == null ? null : (entry.tool ?? null),
  ...{ requestId: null, traceId: null, argumentsDigest: null, detail: null },
})

/** Entries of a batch with pseudonyms in place of people. */
export const erasedIn = (
  entries: string,
  pseudonymOf: (entry: AuditEntry) => string | undefined,
): readonly NewAuditRecord[] =>
  recordsIn(entries).map((record) => {
    const pseudonym = pseudonymOf(record.entry)
    return pseudonym === undefined ? record : { ...record, entry: ofNobody(record.entry, pseudonym) }
  })

/** A grant of an erased user. */
interface ErasedGrant {
  readonly id: string
  readonly user_id: string
}

/** A batch that comes late: as the erasure would have left it. */
function withoutErased(batch: AuditBatch, erased: readonly ErasedGrant[]): AuditBatch {
  const pseudonyms = new Map(erased.map(({ id, user_id }) => [id, user_id]))
  const records = erasedIn(batch.entries, ({ grant }) => pseudonyms.get(grant ?? ''))
  const grants: readonly string[] = JSON.parse(batch.grants)
  const others = grants.filter((grant) => !pseudonyms.has(grant))
  return { ...indexed(records, linesOf(records)), grants: JSON.stringify(others) }
}

/** A user's id has a colon after its provider. */
const erasedAmong = (grants: string): string => `select e.id, e.user_id from acmcp_grants e
  where e.id in (${grants}) and e.user_id like '${erasedPrefix}%' and e.user_id not like '%:%'`

const erasedInSqlite = erasedAmong('select value from json_each(?1)')

const batchInSqlite = `
  insert into acmcp_audit_batches (id, entries, client_names) values (?1, ?2,
    (select json_group_object(c.id, c.metadata ->> 'name') from acmcp_clients c where c.id in (select value from json_each(?3))))
  on conflict (id) do nothing returning id`

const ownersInSqlite = `
  insert into acmcp_audit_owners (owner, batch, count, used_at, called)
  select value ->> 0, ?1, value ->> 1, value ->> 2, value ->> 3 from json_each(?2)`

/** Writes nothing but says which they are, where grants of erased users are among them. */
const insertInPostgres = `
  with erased as (${erasedAmong('select jsonb_array_elements_text($5::jsonb)')}),
  batch as (
    insert into acmcp_audit_batches (id, entries, client_names)
    select $1, $2, (select json_object_agg(c.id, c.metadata::json ->> 'name')::text from acmcp_clients c
      where c.id in (select jsonb_array_elements_text($3::jsonb)))
    where not exists (select 1 from erased)
    on conflict (id) do nothing returning id),
  owners as (
    insert into acmcp_audit_owners (owner, batch, count, used_at, called)
    select o ->> 0, batch.id, (o ->> 1)::bigint, (o ->> 2)::bigint, o ->> 3
    from batch, jsonb_array_elements($4::jsonb) as o)
  select id, user_id from erased`

export function appendInGroupCommits(commits: SqliteParts['commits']): (batch: AuditBatch) => Promise<void> {
  return (batch) =>
    commits.enqueue((exec) => {
      const erased = exec(erasedInSqlite, [batch.grants]) as readonly ErasedGrant[] // what it selects
      const { id, entries, owners, clients } = erased.length === 0 ? batch : withoutErased(batch, erased)
      if (exec(batchInSqlite, [id, entries, clients]).length > 0) exec(ownersInSqlite, [id, owners])
    })
}

export function appendPrepared(prepare: Prepare): AppendAudit {
  const insert = prepare<ErasedGrant>(insertInPostgres)
  return async (records) => {
    let batch = batchOf(records)
    for (;;) {
      const { id, entries, clients, owners, grants } = batch
      const erased = await insert([id, entries, clients, owners, grants])
      if (erased.length === 0) return
      batch = withoutErased(batch, erased)
    }
  }
}
