import type { DeskDatabase } from '../database/tables.ts'

/** The tags of tickets by their number, sorted; a ticket without tags is left out. */
export async function tagsOf(
  database: DeskDatabase,
  tickets: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (tickets.length === 0) return new Map()
  const rows = await database.selectFrom('tags').selectAll().where('ticket', 'in', tickets).execute()
  const all = new Map<number, string[]>()
  for (const { ticket, name } of rows) all.set(ticket, [...(all.get(ticket) ?? []), name].sort())
  return all
}

export async function replaceTags(trx: DeskDatabase, ticket: number, tags: readonly string[]): Promise<void> {
  await trx.deleteFrom('tags').where('ticket', '=', ticket).execute()
  const rows = [...new Set(tags)].map((name) => ({ ticket, name }))
  if (rows.length > 0) await trx.insertInto('tags').values(rows).execute()
}
