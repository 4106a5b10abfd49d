/** What goes of a person, table by table and in batches: each begins where the one before ended, or finds only what is left. Source:
 *  decisions/store.md, People who leave. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { AuditEntry } from '../../contract/calls.ts'
import type { KeptRows, UserStanding } from '../../contract/store.ts'
import { noRows, type Store } from '../store.ts'
import type { CoreDatabase, NamedTable, Person } from '../tables.ts'
import { erasedIn, linesOf } from './audit-rows.ts'
import type { AuditBatchRow, AuditOwnerRow } from './audit-tables.ts'
import { removeSessions, sessionsOf } from './sessions.ts'
import type { AlongIndexes, VerbParts } from './verb-parts.ts'

const batch = 500

interface Rule {
  readonly countedAs: string
  readonly count: (database: CoreDatabase, userId: string) => Promise<number>
  /** Resolves with how many rows. */
  readonly erase: Erase
}

type Erase = (database: CoreDatabase, standing: UserStanding, alongIndexes: AlongIndexes) => Promise<number>

/** Of tables whose rows no column finds, or that are not changed row by row. */
const ownRules: Readonly<Record<string, Pick<Rule, 'count' | 'erase'>>> = {
  acmcp_sessions: {
    count: async (database, userId) => {
      let sessions = 0
      for await (const ids of sessionsOf(database, userId)) sessions += ids.length
      return sessions
    },
    erase: (database, { user }) => removeSessions(database, user.id),
  },
  acmcp_audit_owners: {
    count: (database, userId) =>
      counted(
        database,
        sql`coalesce(sum(count), 0) as count from acmcp_audit_owners where owner = ${userId}`,
      ),
    erase: eraseBatches,
  },
}

function rulesOf({ name, key, person }: NamedTable): readonly Rule[] {
  if (person === undefined || person.countedAs === null) return []
  const [table, column] = [sql.table(name), sql.ref(person.column)]
  const count: Rule['count'] = (database, userId) =>
    counted(database, sql`count(*) as count from ${table} where ${column} = ${userId}`)
  const erase = person.erasure === 'delete' ? removing(name, key, person) : renaming(name, key, person)
  return [{ countedAs: person.countedAs, count, erase, ...ownRules[name] }]
}

async function counted(database: CoreDatabase, selected: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select ${selected}`.execute(database)
  return Number(rows[0]?.count ?? 0)
}

type ErasureVerbs = Pick<Store, 'countRows' | 'eraseRows'> & {
  /** Before the user: whose row is there is erased again. */
  readonly eraseAudit: (standing: UserStanding) => Promise<number>
}

export function erasureVerbs({ database, engine, tables }: VerbParts): ErasureVerbs {
  const rules = tables.flatMap(rulesOf)
  const ofAudit = rules.filter(({ countedAs }) => countedAs === 'auditRows')
  const sums = async (some: readonly Rule[], rowsOf: (rule: Rule) => Promise<number>): Promise<KeptRows> => {
    const kept: KeptRows & Record<string, number> = { ...noRows }
    for (const rule of some) kept[rule.countedAs] = (kept[rule.countedAs] ?? 0) + (await rowsOf(rule))
    return kept
  }
  const erasing =
    (standing: UserStanding) =>
    ({ erase }: Rule): Promise<number> =>
      erase(database, standing, engine.alongIndexes)
  return {
    countRows: (userId) => sums(rules, ({ count }) => count(database, userId)),
    eraseRows: async (standing) => {
      const { auditRows, ...kept } = await sums(
        rules.filter((rule) => !ofAudit.includes(rule)),
        erasing(standing),
      )
      return kept
    },
    eraseAudit: async (standing) => (await sums(ofAudit, erasing(standing))).auditRows,
  }
}

/** Of the audit: others wait for as many as are changed at a time. */
const batchesTogether = 50

/** Of the audit, those that name the user. Resolves with how many entries were theirs. */
async function eraseBatches(...[database, standing, alongIndexes]: Parameters<Erase>): Promise<number> {
  let changed = 0
  for (let last = ''; ; ) {
    const query = sql<NamedBatch>`select batch, count from acmcp_audit_owners
      where owner = ${standing.user.id} and batch > ${last} order by batch limit ${batchesTogether}`
    const found = (await alongIndexes(database, (work) => query.execute(work))).rows
    await database.transaction().execute(async (work) => {
      for (const { batch } of found) await eraseBatch(work, batch, standing)
    })
    changed += found.reduce((sum, { count }) => sum + count, 0)
    last = found.at(-1)?.batch ?? ''
    if (found.length < batchesTogether) return changed
  }
}

type NamedBatch = Pick<AuditOwnerRow, 'batch' | 'count'>

/** Again where another erasure has changed it meanwhile; not where it has been purged. */
async function eraseBatch(work: CoreDatabase, id: string, standing: UserStanding): Promise<void> {
  const pseudonym = standing.erasedAs ?? ''
  const pseudonymOf = ({ user }: AuditEntry) => (user === standing.user.id ? pseudonym : undefined)
  for (;;) {
    const { rows } =
      await sql<AuditBatchRow>`select entries from acmcp_audit_batches where id = ${id}`.execute(work)
    if (rows[0] === undefined) return
    const records = erasedIn(rows[0].entries, pseudonymOf)
    const { numAffectedRows } = await sql`update acmcp_audit_batches set entries = ${linesOf(records)}
      where id = ${id} and entries = ${rows[0].entries}`.execute(work)
    if (numAffectedRows !== 1n) continue
    const count = records.filter(({ entry }) => entry.user === pseudonym).length
    await sql`delete from acmcp_audit_owners where batch = ${id} and owner in (${standing.user.id}, ${pseudonym})`.execute(
      work,
    )
    await sql`insert into acmcp_audit_owners (owner, batch, count) values (${pseudonym}, ${id}, ${count})`.execute(
      work,
    )
    return void (await nextTurn()) // SQLite does not wait for anything
  }
}

export async function eraseUserRow(database: CoreDatabase, id: string): Promise<void> {
  await sql`delete from acmcp_users where id = ${id} and erased_as is not null`.execute(database)
}

interface Key {
  readonly key: string
}

/** Deletes a person's rows. */
function removing(name: string, key: string, { column, before }: Person): Erase {
  const [table, id] = [sql.table(name), sql.ref(key)]
  return async (database, { user }) => {
    for (let gone = 0; ; ) {
      const { rows } = await sql<Key>`
        select ${id} as key from ${table} where ${sql.ref(column)} = ${user.id} limit ${batch}`.execute(
        database,
      )
      if (rows.length === 0) return gone
      const keys = sql.join(rows.map((row) => row.key))
      if (before !== undefined) await sql`delete from ${before(keys)}`.execute(database)
      await sql`delete from ${table} where ${id} in (${keys})`.execute(database)
      gone += rows.length
      await nextTurn() // SQLite does not wait for anything
    }
  }
}

/** Puts the pseudonym in the place of the user's id. */
function renaming(name: string, key: string, { column, set, isInOrder }: Person): Erase {
  const [table, id, owner] = [sql.table(name), sql.ref(key), sql.ref(column)]
  return async (database, standing, alongIndexes) => {
    let last = ''
    for (let changed = 0; ; ) {
      const next = isInOrder === true ? sql`and ${id} > ${last} order by ${id}` : sql``
      const keys = await alongIndexes(database, async (work) => {
        const { rows } = await sql<Key>`
          select ${id} as key from ${table} where ${owner} = ${standing.user.id} ${next} limit ${batch}`.execute(
          work,
        )
        const found = rows.map((row) => row.key)
        if (found.length > 0)
          await sql`update ${table} set ${owner} = ${standing.erasedAs} ${set?.(standing) ?? sql``}
            where ${id} in (${sql.join(found)})`.execute(work)
        return found
      })
      changed += keys.length
      last = keys.at(-1) ?? last
      await nextTurn() // SQLite does not wait for anything
      if (keys.length < batch) return changed
    }
  }
}
