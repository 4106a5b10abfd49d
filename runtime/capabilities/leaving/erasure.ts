/** What goes of a person, table by table and in batches: each begins where the one before ended, or finds only what is left. Source:
 *  decisions/store.md, People who leave. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { UserStanding } from '../../contract/store.ts'
import type { CoreDatabase, Erase, NamedTable, OwnErasure, Person } from '../../store/tables.ts'
import type { VerbParts } from '../../store/verbs/verb-parts.ts'
import type { KeptRows, LeavingStore } from './types.ts'

const batch = 500

interface Rule extends OwnErasure {
  readonly countedAs: string
  readonly isWrittenLate: boolean
}

function rulesOf({ name, key, person }: NamedTable): readonly Rule[] {
  if (person === undefined || person.countedAs === null) return []
  const [table, column] = [sql.table(name), sql.ref(person.column)]
  const count: OwnErasure['count'] = (database, userId) =>
    counted(database, sql`count(*) as count from ${table} where ${column} = ${userId}`)
  const erase = person.erasure === 'delete' ? removing(name, key, person) : renaming(name, key, person)
  const { countedAs, isWrittenLate = false, own } = person
  return [{ countedAs, isWrittenLate, count, erase, ...own }]
}

async function counted(database: CoreDatabase, selected: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select ${selected}`.execute(database)
  return Number(rows[0]?.count ?? 0)
}

type ErasureVerbs = Pick<LeavingStore, 'noRows' | 'countRows' | 'eraseRows'> & {
  /** Of what others write for a while. Before the user: whose row is there is erased again. */
  readonly eraseLate: (standing: UserStanding) => Promise<Partial<KeptRows>>
}

export function erasureVerbs({ database, engine, tables }: VerbParts): ErasureVerbs {
  const found = tables.flatMap(rulesOf)
  const erase =
    (standing: UserStanding) =>
    (rule: Rule): Promise<number> =>
      rule.erase(database, standing, engine.alongIndexes)
  const late = found.filter(({ isWrittenLate }) => isWrittenLate)
  const others = found.filter(({ isWrittenLate }) => !isWrittenLate)
  const rules = [...others, ...late]
  return {
    noRows: noneOf(rules),
    countRows: (userId) => sums(rules, ({ count }) => count(database, userId)),
    eraseRows: (standing) => sums(others, erase(standing)),
    eraseLate: (standing) => sums(late, erase(standing)),
  }
}

/** Tables are counted as what the record has. */
const noneOf = (rules: readonly Rule[]): KeptRows & Record<string, number> =>
  Object.fromEntries(rules.map(({ countedAs }) => [countedAs, 0])) as never

async function sums(rules: readonly Rule[], rowsOf: (rule: Rule) => Promise<number>): Promise<KeptRows> {
  const kept: Record<string, number> & KeptRows = noneOf(rules)
  for (const rule of rules) kept[rule.countedAs] = (kept[rule.countedAs] ?? 0) + (await rowsOf(rule))
  return kept
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
