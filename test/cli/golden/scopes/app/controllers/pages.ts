import { Protected } from '../protected.ts'

/** Notes in a browser, and for scripts with a key. */
export class Pages extends Protected {
  /**
   * Shows a note.
   *
   * @get /:id
   * @scope notes:read unless=session,key
   * @param id - which one
   */
  show(id: string): string {
    return id
  }
}
