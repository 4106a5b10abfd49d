import { addNote, notesOf } from '../notes-table.ts'
import { Protected } from '../protected.ts'

/**
 * Short notes of the signed-in user, kept in the order in which they were added.
 *
 * @base /api/notes
 */
export class Notes extends Protected {
  /**
   * Lists all notes of the signed-in user, oldest first.
   *
   * @get /
   */
  async index(): Promise<string[]> {
    return notesOf(this, this.user.id)
  }

  /**
   * Adds a note and answers with all notes, the new one last.
   *
   * @post /
   * @param text - the text of the note
   * @returns 201 all notes, the new one last
   */
  async create(text: string): Promise<string[]> {
    await addNote(this, this.user.id, text)
    return notesOf(this, this.user.id)
  }
}
