import { Protected } from '../protected.ts'

/**
 * Notes of the signed-in user.
 *
 * @scope notes:read
 */
export class Notes extends Protected {
  /**
   * Lists notes.
   *
   * @get /
   * @mcp root
   */
  index(): string[] {
    return []
  }

  /**
   * Adds a note.
   *
   * @post /
   * @scope notes:write
   * @param text - what it says
   */
  create(text: string): string {
    return text
  }

  /**
   * Deletes a note.
   *
   * @delete /:id
   * @scope notes:delete
   * @param id - which one
   */
  destroy(id: string): void {
    void id
  }
}
