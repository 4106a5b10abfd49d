import type { Header, Rendered, User } from 'acmcp'
import { ApplicationController, bearerToken, Unauthorized } from 'acmcp'

/** Every route of a subclass needs a valid access token. */
export abstract class Protected extends ApplicationController {
  #user: User | null = null

  /**
   * Finds the user of the bearer token.
   *
   * @filter before
   */
  async authenticate(authorization?: Header<'Authorization'>): Promise<Rendered | undefined> {
    const token = bearerToken(authorization)
    this.#user = token === null ? null : await this.services.userOfAccessToken(token)
    return this.#user === null ? this.render({ status: 401, json: { error: 'invalid_token' } }) : undefined
  }

  protected get user(): User {
    if (this.#user === null) throw new Unauthorized()
    return this.#user
  }
}
