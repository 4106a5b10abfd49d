import { ApplicationController, type Header, Unauthorized, type User } from 'acmcp'

export abstract class Protected extends ApplicationController {
  protected user: User | null = null

  /**
   * Finds who asks: by a token, a key or a session.
   *
   * @filter before
   */
  async identify(authorization?: Header<'Authorization'>): Promise<void> {
    const { services, request } = this
    this.user =
      authorization === undefined
        ? await services.userOfSession(request.session)
        : await services.userOfAccessToken(authorization.replace('Bearer ', ''))
    if (this.user === null) throw new Unauthorized()
  }
}
