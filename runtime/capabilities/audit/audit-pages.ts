/** The audit in the order of its ids, out of batches that overlap. Source: decisions/audit.md, Table. */
import { type RawBuilder, sql } from 'kysely'
import type { AuditRecord } from '../../contract/calls.ts'
import type { CoreDatabase } from '../../store/tables.ts'
import { batchSpanMs, firstIdAt, linesIn, readRecord } from './audit-rows.ts'
import type { AuditFilter } from './audit-store.ts'
import type { AuditBatchRow } from './audit-tables.ts'

/** The first so many batches after an id, where `before` is null, else the last ones before that. */
type ReadBatches = (after: string, before: string | null, limit: number) => Promise<readonly AuditBatchRow[]>

export interface Walk {
  readonly filter: AuditFilter
  /** The oldest first, of those after this id; null = the newest first, of all. */
  readonly after: string | null
  /** How many records. */
  readonly wanted: number
}

/** At a time: batches, and entries as far as one can know. */
const most = { atFirst: 16, batches: 500, entries: 4000 }

/** As many records as are wanted of those that fit, by their ids. Batches come by their last ids, and those of several instances overlap:
 *  a record is handed on when none that is before it can come. */
export async function* inOrder(
  read: ReadBatches,
  { filter, after, wanted }: Walk,
): AsyncGenerator<readonly AuditRecord[]> {
  const isBackwards = after === null
  const since = filter.since === undefined ? '' : firstIdAt(filter.since) // ids are longer, and so greater
  const least = after !== null && after > since ? after : since
  const recordsIn = reading(filter, least)
  const seen = { batches: 0, entries: 0, records: 0 }
  let [left, size, held, last] = [wanted, most.atFirst, [] as AuditRecord[], isBackwards ? endOfIds : least]
  for (;;) {
    const batches = await (isBackwards ? read(least, last, size) : read(last, null, size))
    for (const batch of batches) {
      const lines = linesIn(batch.entries)
      const records = recordsIn(lines, batch)
      held.push(...records)
      seen.entries += lines.length
      seen.records += records.length
    }
    seen.batches += batches.length
    held.sort(({ id: a }, { id: b }) => (a < b === isBackwards ? 1 : -1))
    const isEnd = batches.length < size
    last = batches.at(-1)?.id ?? last
    const limit = isBackwards ? last : firstThatMayCome(last)
    const open = isEnd ? -1 : held.findIndex(({ id }) => (isBackwards ? id < limit : id >= limit))
    const page = held.slice(0, Math.min(left, open < 0 ? held.length : open))
    yield page
    held = held.slice(page.length)
    left -= page.length
    if (isEnd || left === 0) return
    const holding = (count: number, of: number): number => Math.ceil((count * seen.batches) / Math.max(1, of))
    size = Math.min(most.batches, holding(most.entries, seen.entries), holding(left, seen.records) + 1)
  }
}

/** Greater than every id: they are hexadecimal. */
const endOfIds = 'g'

/** In a batch that ends after this one. */
const firstThatMayCome = (last: string): string =>
  firstIdAt(Number.parseInt(last.slice(0, 12), 16) - batchSpanMs)

const filtered = ['user', 'client', 'grant', 'tool', 'event'] as const

/** Those lines are parsed that have the texts asked for in them. */
function reading(
  filter: AuditFilter,
  after: string,
): (lines: readonly string[], batch: AuditBatchRow) => readonly AuditRecord[] {
  const wanted = filtered.flatMap((name) =>
    filter[name] === undefined ? [] : [[name, filter[name]] as const],
  )
  const texts = wanted.map(([, value]) => JSON.stringify(value)).filter((text) => !text.includes('\\')) // may be written otherwise
  return (lines, { client_names }) => {
    const nameOf: Readonly<Record<string, string | null>> = JSON.parse(client_names ?? '{}')
    return lines
      .filter((line) => texts.every((text) => line.includes(text)))
      .map((line) => readRecord(JSON.parse(line)))
      .filter((record) => record.id > after && wanted.every(([name, value]) => record[name] === value))
      .map((record) => ({ ...record, clientName: record.clientName ?? nameOf[record.client ?? ''] ?? null }))
  }
}

/** As `linesOf` writes them, of a row of the version before, which is a batch of its own. */
const oldValues = [
  ...['id', 'at', 'event', 'user_id', 'client_id', 'client_name', 'grant_id', 'tool', 'route', 'decision'],
  ...['status', 'is_error', 'duration_ms', 'request_id', 'trace_id', 'arguments_digest', 'detail'],
].map((column) => sql.ref(column))

/** Entries of a user or a grant are found by the index of owners, others by the ids of batches. */
export function batchesOf(
  database: CoreDatabase,
  filter: AuditFilter,
  jsonArray: RawBuilder<unknown>,
): ReadBatches {
  const owner = filter.grant ?? filter.user
  const oldOwner = sql.ref(filter.grant === undefined ? 'user_id' : 'grant_id')
  const oldEntry = sql`'[' || ${jsonArray}(${sql.join(oldValues)}) || ']'`
  const rows = async <Row>(query: RawBuilder<Row>) => (await query.execute(database)).rows
  return async (after, before, limit) => {
    const inRange = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
      before === null ? sql`${id} > ${after}` : sql`${id} > ${after} and ${id} < ${before}`
    const ordered = sql`order by id ${sql.raw(before === null ? 'asc' : 'desc')} limit ${limit}`
    /** Of each table no more than are wanted of both. */
    const ofBoth = (now: RawBuilder<unknown>, old: RawBuilder<unknown>): RawBuilder<AuditBatchRow> =>
      sql`select * from (${now} ${ordered}) now union all select * from (${old} ${ordered}) old ${ordered}`
    let which = inRange(sql`id`)
    if (owner !== undefined) {
      const found = await rows(
        ofBoth(
          sql`select batch as id from acmcp_audit_owners where owner = ${owner} and ${inRange(sql`batch`)}`,
          sql`select id from acmcp_audit where ${oldOwner} = ${owner} and ${inRange(sql`id`)}`,
        ),
      )
      if (found.length === 0) return []
      which = sql`id in (${sql.join(found.map(({ id }) => id))})`
    }
    return rows(
      ofBoth(
        sql`select id, entries, client_names from acmcp_audit_batches where ${which}`,
        sql`select id, ${oldEntry} as entries, null as client_names from acmcp_audit where ${which}`,
      ),
    )
  }
}
