import { Conflict, type Int32 } from 'acmcp'
import { DeskController } from '../desk-controller.ts'
import type { Member } from '../model/member.ts'
import type { WorkSession } from '../model/team.ts'
import { endSession, startSession } from '../people/sessions.ts'

/**
 * Whoever is asking: their role, and the time that they work.
 *
 * @base /api/users/current
 * @scope desk:read
 */
export class Users extends DeskController {
  /**
   * Agents alone count their time.
   *
   * @filter before only=startSession,endSession
   */
  forStaff(): void {
    this.requireRole('agent', 'admin')
  }

  /**
   * Tells who is signed in, and with which role.
   *
   * @get /
   * @scope none
   * @mcp root
   * @mcp title="Who am I"
   * @mcp keywords my account, profile, permissions
   */
  current(): Member {
    return this.member
  }

  /**
   * Begins to count the time that the caller works on a ticket. A session that goes on ends.
   *
   * @post /sessions
   * @scope desk:write
   * @param ticket - the number of the ticket
   * @returns 201 the session
   * @mcp keywords clock in, time tracking, timer
   */
  async startSession(ticket: Int32): Promise<WorkSession> {
    await this.openTicket(ticket)
    return startSession(this.database, { userId: this.member.id, ticket, at: this.now })
  }

  /**
   * Ends the session that goes on, and tells how long it was.
   *
   * @delete /sessions
   * @scope desk:write
   * @throws {Conflict} 409 the caller works on no ticket
   * @mcp destructive=false
   * @mcp keywords clock out, stop, time tracking, pause
   */
  async endSession(): Promise<WorkSession> {
    const session = await endSession(this.database, this.member.id, this.now)
    if (session === null) throw new Conflict('you work on no ticket')
    return session
  }
}
