/** The verbs on the audit. */
import { type RawBuilder, sql } from 'kysely'
import type { AuditRecord } from '../../contract/calls.ts'
import type { CalledTool } from '../../oauth/part.ts'
import type { CoreDatabase } from '../../store/tables.ts'
import type { VerbEngine, VerbParts } from '../../store/verbs/verb-parts.ts'
import { batchesOf, inOrder, type Walk } from './audit-pages.ts'
import { type AppendAudit, appendInGroupCommits, appendPrepared, batchOf, firstIdAt } from './audit-rows.ts'
import type { AuditStore } from './audit-store.ts'
import { AuditThread } from './audit-thread.ts'

/** Of a grant that calls all day long, and of all that are asked about, these are counted. */
const maxCounted = { ofOne: 1000, ofAll: 20_000 }

/** One of each store: a file has one thread. */
const appends = new WeakMap<VerbEngine, AppendAudit>()

function appendTo({ engine, beforeClose }: Pick<VerbParts, 'engine' | 'beforeClose'>): AppendAudit {
  const known = appends.get(engine)
  if (known !== undefined) return known
  const append = newAppend(engine, beforeClose)
  appends.set(engine, append)
  return append
}

function newAppend({ sqlite, prepare }: VerbEngine, beforeClose: VerbParts['beforeClose']): AppendAudit {
  if (sqlite === null) return appendPrepared(prepare)
  const { file, ...others } = sqlite
  if (file === null) {
    const append = appendInGroupCommits(sqlite.commits)
    return (records) => append(batchOf(records))
  }
  const thread = new AuditThread({ path: file, ...others })
  beforeClose(() => thread.close())
  return thread.append
}

export function auditVerbs(parts: VerbParts): AuditStore {
  const { database, engine } = parts
  const { alongIndexes, jsonArray } = engine
  const walked = <Result>(walk: Walk, read: (pages: ReturnType<typeof inOrder>) => Promise<Result>) =>
    alongIndexes(database, (work) => read(inOrder(batchesOf(work, walk.filter, jsonArray), walk)))
  return {
    appendAudit: appendTo(parts),
    listAudit: async (filter, limit) =>
      (await walked({ filter, after: null, wanted: limit }, collect)).reverse(),
    listAuditAfter: (filter, after, limit) => walked({ filter, after, wanted: limit }, collect),
    findAuditBefore: (filter, limit) =>
      walked({ filter, after: null, wanted: limit + 1 }, async (pages) => {
        let before = 0
        for await (const page of pages) {
          const record = page[limit - before]
          if (record !== undefined) return record.id
          before += page.length
        }
        return ''
      }),
    listCalledTools: (grantIds, since) =>
      alongIndexes(database, (work) => listCalledTools(work, grantIds, since)),
  }
}

async function collect(pages: ReturnType<typeof inOrder>): Promise<AuditRecord[]> {
  const found: AuditRecord[] = []
  for await (const page of pages) found.push(...page)
  return found
}

interface CalledRow {
  readonly grantId: string
  readonly batch: string
  /** JSON. */
  readonly called: string | null
  /** Of a row of the version before. */
  readonly tool: string | null
}

/** Whole batches, the newest first. */
async function listCalledTools(
  database: CoreDatabase,
  grantIds: readonly string[],
  since: number,
): Promise<readonly CalledTool[]> {
  if (grantIds.length === 0) return []
  const limit = Math.min(maxCounted.ofOne, Math.ceil(maxCounted.ofAll / grantIds.length))
  const question = { grantIds, first: firstIdAt(since), limit }
  const { rows } = await sql<CalledRow>`
    select * from (${lastCalls(calledNow, question)}) now
    union all select * from (${lastCalls(calledBefore, question)}) old`.execute(database)
  const counts = new Map(grantIds.map((id) => [id, { sum: 0, byTool: new Map<string, number>() }]))
  for (const { grantId, called, tool } of [...rows].sort((a, b) => (a.batch > b.batch ? -1 : 1))) {
    const grant = counts.get(grantId)
    if (grant === undefined || grant.sum >= limit) continue
    const times: Readonly<Record<string, number>> = called === null ? { [tool ?? '']: 1 } : JSON.parse(called)
    for (const [name, count] of Object.entries(times)) {
      grant.sum += count
      grant.byTool.set(name, (grant.byTool.get(name) ?? 0) + count)
    }
  }
  const listed = [...counts].flatMap(([grantId, { byTool }]) =>
    [...byTool].map(([tool, count]) => ({ grantId, tool, count })),
  )
  return listed.sort((a, b) => b.count - a.count || (a.tool < b.tool ? -1 : 1))
}

const calledNow = sql`(select owner, batch, called, null as tool from acmcp_audit_owners where called is not null)`
const calledBefore = sql`(select grant_id as owner, id as batch, null as called, tool from acmcp_audit
  where event = 'tool-call' and decision = 'allowed' and route is not null)`

interface CalledQuestion {
  readonly grantIds: readonly string[]
  readonly first: string
  readonly limit: number
}

/** Of each grant the oldest that may count is looked up once, which bounds what is read of it. In an order PostgreSQL would read the
 *  calls of all others. */
const lastCalls = (
  source: RawBuilder<unknown>,
  { grantIds, first, limit }: CalledQuestion,
): RawBuilder<unknown> => sql`
  with chosen as materialized (
    select g.id, coalesce((
      select b.batch from ${source} b where b.owner = g.id and b.batch >= ${first}
      order by b.batch desc limit 1 offset ${limit - 1}), ${first}) as oldest
    from acmcp_grants g where g.id in (${sql.join(grantIds)}))
  select c.id as "grantId", o.batch, o.called, o.tool from chosen c
  join ${source} o on o.owner = c.id and o.batch >= c.oldest`
