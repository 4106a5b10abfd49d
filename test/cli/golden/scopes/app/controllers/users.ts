import type { User } from 'acmcp'
import { Protected } from '../protected.ts'

/** The people who write notes. */
export class Users extends Protected {
  /**
   * Tells who asks.
   *
   * @get /current
   * @scope none
   */
  current(): User | null {
    return this.user
  }
}
