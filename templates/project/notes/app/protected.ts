import { ApplicationController, bearerToken, type Header, Unauthorized, type User } from 'acmcp'

/** Every route of a subclass needs a valid access token. */
export abstract class Protected extends ApplicationController {
  #user: User | null = null

  /**
   * Finds the user of the bearer token.
   *
   * @filter before
   */
  async authenticate(authorization?: Header<'Authorization'>): Promise<void> {
    this.#user = await this.services.userOfAccessToken(bearerToken(authorization) ?? '')
    if (this.#user === null) throw new Unauthorized()
  }

  protected get user(): User {
    if (this.#user === null) throw new Unauthorized()
    return this.#user
  }
}
