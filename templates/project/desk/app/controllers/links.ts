import { type Int32, NotFound } from 'acmcp'
import { DeskController } from '../desk-controller.ts'
import type { SharedTicket, ShareLink } from '../model/ticket.ts'
import { sharedTicket, shareTicket } from '../tickets/links.ts'

/**
 * Links to a ticket for people without an account.
 *
 * @base /api
 * @scope desk:write
 * @skipFilter identify only=show
 */
export class Links extends DeskController {
  /**
   * Agents decide who sees a ticket.
   *
   * @filter before only=create
   */
  forStaff(): void {
    this.requireRole('agent', 'admin')
  }

  /**
   * Makes a link with which somebody without an account sees what became of a ticket, for two weeks.
   *
   * @post /tickets/:number/links
   * @param number - of the ticket
   * @returns 201 the link's token: it cannot be read again
   * @mcp openWorld
   * @mcp show
   * @mcp title="Share a ticket"
   * @mcp keywords share, guest, public, send, no login, URL, mail
   */
  async create(number: Int32): Promise<ShareLink> {
    await this.ticket(number)
    return shareTicket(this.database, number, this.services.clock())
  }

  /**
   * Shows what somebody sees who has nothing but a link. The token is in the query: logs mask it there.
   *
   * @get /links
   * @scope none
   * @param token - of the link
   * @throws {NotFound} 404 the link is wrong, or has expired
   * @mcp hide
   */
  async show(token: string): Promise<SharedTicket> {
    const ticket = await sharedTicket(this.database, token, this.services.clock())
    if (ticket === null) throw new NotFound('this link is wrong, or has expired')
    return ticket
  }
}
