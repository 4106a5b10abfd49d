import { NotFound, type Uuid } from 'acmcp'
import { addNote, type Note, notesOf, removeNote } from '../notes-table.ts'
import { Protected } from '../protected.ts'

/**
 * Short notes of the signed-in user.
 *
 * @base /api/notes
 */
export class Notes extends Protected {
  /**
   * Lists the notes of the signed-in user, oldest first.
   *
   * @get /
   * @param search - only notes that contain this text
   * @mcp root
   */
  async index(search = ''): Promise<Note[]> {
    const notes = await notesOf(this.services, this.user.id)
    return notes.filter(({ text }) => text.includes(search))
  }

  /**
   * Adds a note.
   *
   * @post /
   * @param text - what to remember
   * @returns 201 the note as stored
   * @mcp root
   */
  create(text: string): Promise<Note> {
    return addNote(this.services, this.user.id, text)
  }

  /**
   * Removes a note.
   *
   * @delete /:id
   * @param id - of the note
   * @returns 204
   * @throws {NotFound} 404 there is no such note
   */
  async remove(id: Uuid): Promise<void> {
    if (!(await removeNote(this.services, this.user.id, id))) throw new NotFound()
  }
}
