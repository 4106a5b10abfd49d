import type { User } from 'acmcp'
import { Protected } from '../protected.ts'

/**
 * The people who use the application.
 *
 * @base /api/users
 */
export class Users extends Protected {
  /**
   * Tells who is signed in.
   *
   * @get /current
   * @mcp root
   */
  current(): User {
    return this.user
  }
}
