import type { Controller } from 'acmcp'
import { databaseOf, type Migration, rowIdType } from 'acmcp/store'

/** The example's own table: notes per user, in insertion order. */
interface NotesTables {
  readonly notes: { readonly id?: number; readonly user_id: string; readonly text: string }
}

export const notesTable: Migration = {
  async up(db) {
    await db.schema
      .createTable('notes')
      .addColumn('id', rowIdType(db), (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('notes_by_user').on('notes').columns(['user_id', 'id']).execute()
  },
}

/** The notes of a user, oldest first. */
export async function notesOf(controller: Controller, userId: string): Promise<string[]> {
  const rows = await databaseOf<NotesTables>(controller.services)
    .selectFrom('notes')
    .select('text')
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
  return rows.map((row) => row.text)
}

export async function addNote(controller: Controller, userId: string, text: string): Promise<void> {
  await databaseOf<NotesTables>(controller.services)
    .insertInto('notes')
    .values({ user_id: userId, text })
    .execute()
}
