import { randomUUID } from 'node:crypto'
import type { Services, Uuid } from 'acmcp'
import { databaseOf, type Migration, rowIdType } from 'acmcp/store'

export interface Note {
  readonly id: Uuid
  /** What to remember. */
  readonly text: string
}

interface Tables {
  readonly notes: {
    readonly position?: number
    readonly id: string
    readonly user_id: string
    readonly text: string
  }
}

export const notesTable: Migration = {
  async up(db) {
    await db.schema
      .createTable('notes')
      .addColumn('position', rowIdType(db), (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .execute()
  },
}

/** The notes of a user, oldest first. */
export function notesOf(services: Services, userId: string): Promise<Note[]> {
  return databaseOf<Tables>(services)
    .selectFrom('notes')
    .select(['id', 'text'])
    .where('user_id', '=', userId)
    .orderBy('position')
    .execute()
}

export async function addNote(services: Services, userId: string, text: string): Promise<Note> {
  const note = { id: randomUUID(), text }
  await databaseOf<Tables>(services)
    .insertInto('notes')
    .values({ ...note, user_id: userId })
    .execute()
  return note
}

/** Whether there was one of that user. */
export async function removeNote(services: Services, userId: string, id: string): Promise<boolean> {
  const removed = await databaseOf<Tables>(services)
    .deleteFrom('notes')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return removed.numDeletedRows > 0n
}
