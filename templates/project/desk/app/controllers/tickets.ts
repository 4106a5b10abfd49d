import {
  type Body,
  Conflict,
  type Header,
  type Int32,
  MissingError,
  type Named,
  NotFound,
  type Uuid,
  ValueError,
} from 'acmcp'
import { DeskController } from '../desk-controller.ts'
import { VersionMismatch } from '../errors.ts'
import type { TicketEvent } from '../model/event.ts'
import type { Page, PageNumber, PageSize } from '../model/paging.ts'
import type {
  NewTicket,
  Priority,
  Resolution,
  Tag,
  Ticket,
  TicketChanges,
  TicketStatus,
} from '../model/ticket.ts'
import { customerIdOf, findCustomer } from '../people/customers.ts'
import { findTeam } from '../people/teams.ts'
import { findMember } from '../people/users.ts'
import { attachmentIdsOf } from '../tickets/attachments.ts'
import { listComments } from '../tickets/comments.ts'
import { readEvents } from '../tickets/events.ts'
import { dropFiles } from '../tickets/files.ts'
import { searchTickets, type TicketOrder } from '../tickets/ticket-search.ts'
import { changeTicket, deleteTicket, fieldChanges, openTicket } from '../tickets/tickets.ts'
import { transcriptOf } from '../tickets/transcript.ts'

/**
 * Tickets: what customers ask, and what became of it.
 *
 * Customers see their own tickets, agents all. A closed ticket must be reopened before anything is changed.
 *
 * @base /api/tickets
 * @scope desk:read
 * @mcp keywords case, issue, problem, request
 * @mcp skill Use it when a customer asks for something, or when work on a ticket goes on.
 */
export class Tickets extends DeskController {
  /**
   * Agents work on tickets.
   *
   * @filter before only=update,assign
   */
  forStaff(): void {
    this.requireRole('agent', 'admin')
  }

  /**
   * Admins delete for good.
   *
   * @filter before only=destroy
   */
  forAdmins(): void {
    this.requireRole('admin')
  }

  /**
   * Lists tickets that match all of the filters, newest first.
   *
   * @get /
   * @param status - only tickets in one of these
   * @param priority - only tickets of one of these
   * @param tags - only tickets that have all of these
   * @param team - only tickets of the team with this slug
   * @param assignee - only tickets of this agent, by the id of the user
   * @param customer - only tickets of this customer
   * @param search - a part of the subject or the text
   * @param openedFrom - only tickets that were opened then or later
   * @param openedTo - only tickets that were opened before
   * @param order - newest or oldest first, or what was changed last
   * @param page - which page, from 1 on
   * @param perPage - how many on a page
   * @mcp root
   * @mcp title="Find tickets"
   * @mcp example {"status":["new","open"],"priority":["urgent"],"per-page":10}
   * @mcp brief number subject status priority customer assignee openedAt
   * @mcp paging page=page limit=per-page
   * @mcp keywords search, mine, unresolved, unsolved, on my desk, anyone else
   */
  index(
    status: TicketStatus[] = [],
    priority: Priority[] = [],
    /** @maxItems 10 */ tags: Tag[] = [],
    team?: string,
    assignee?: string,
    customer?: Uuid,
    search?: string,
    openedFrom?: Named<'opened-from', Date>,
    openedTo?: Named<'opened-to', Date>,
    order: TicketOrder = 'newest',
    page: PageNumber = 1,
    perPage: Named<'per-page', PageSize> = 20,
  ): Promise<Page<Ticket>> {
    const lists = { statuses: status, priorities: priority, tags }
    const filter = { ...lists, team, assignee, customer, search, openedFrom, openedTo }
    return searchTickets(this.database, this.member, { ...filter, order, paging: { page, perPage } })
  }

  /**
   * Opens a ticket. Customers open their own; agents say for which customer.
   *
   * @post /
   * @scope desk:write
   * @param ticket - what it is about
   * @returns 201 the ticket
   * @mcp root
   * @mcp title="Open a ticket"
   * @mcp example {"ticket":{"subject":"The invoice is wrong","body":"It says 20, we pay 10.","tags":["billing"]}}
   * @mcp keywords report a problem, complaint, ask for help, incident, log, fault, outage
   */
  async create(ticket: Body<NewTicket>): Promise<Ticket> {
    const at = this.now
    const customer = await this.#customerOf(ticket, at)
    const number = await openTicket(this.services, { ...ticket, customer }, { actor: this.member.id, at })
    return this.show(number)
  }

  /**
   * Shows one ticket.
   *
   * @get /:number
   * @param number - of the ticket
   * @throws {NotFound} 404 there is no such ticket, or it is somebody else's
   * @mcp root
   * @mcp title="Show a ticket"
   * @mcp keywords details, open the case, what it is about, progress
   */
  async show(number: Int32): Promise<Ticket> {
    const ticket = await this.ticket(number)
    this.response.set('etag', `"${ticket.version}"`)
    return ticket
  }

  /**
   * Changes subject, priority, status or tags of a ticket. What is left out stays.
   *
   * @patch /:number
   * @scope desk:write
   * @param number - of the ticket
   * @param changes - what is to be different
   * @param version - the version that the caller has seen, as the ETag says it; without it the last change wins
   * @throws {VersionMismatch} 412 somebody changed it meanwhile
   * @mcp show
   * @mcp title="Change a ticket"
   * @mcp keywords label, rename, urgent, title
   */
  async update(number: Int32, changes: Body<TicketChanges>, version?: Header<'If-Match'>): Promise<Ticket> {
    const ticket = await this.openTicket(number)
    if (version !== undefined && version.replaceAll('"', '') !== String(ticket.version))
      throw new VersionMismatch(ticket.version)
    const fields = fieldChanges(ticket, changes)
    if (fields.length === 0) return this.show(number)
    const { tags, ...columns } = changes
    const change = { columns, event: { kind: 'changed', changes: fields } } as const
    await changeTicket(this.services, ticket, {
      ...this.#eventContext(number),
      ...change,
      ...(tags === undefined ? {} : { tags }),
    })
    return this.show(number)
  }

  /**
   * Gives a ticket to an agent and a team. What is left out is nobody's.
   *
   * @put /:number/assignment
   * @scope desk:write
   * @param number - of the ticket
   * @param assignee - the id of the agent
   * @param team - the slug of the team
   * @mcp keywords hand over, escalate, route, department, owner, pass on
   */
  async assign(number: Int32, assignee: string | null = null, team: string | null = null): Promise<Ticket> {
    const ticket = await this.openTicket(number)
    if (team !== null && (await findTeam(this.database, team)) === null)
      throw new ValueError('team', 'string', 'parameter', 'is not the slug of a team')
    const agent = assignee === null ? null : await findMember(this.database, assignee)
    if (assignee !== null && (agent === null || agent.role === 'customer'))
      throw new ValueError('assignee', 'string', 'parameter', 'is not the id of an agent')
    const columns = {
      assignee_id: assignee,
      team,
      status: ticket.status === 'new' ? 'open' : ticket.status,
    } as const
    const event = { kind: 'assigned', assignee, team } as const
    await changeTicket(this.services, ticket, { ...this.#eventContext(number), columns, event })
    return this.show(number)
  }

  /**
   * Closes a ticket. Customers may close their own.
   *
   * @post /:number/close
   * @scope desk:write
   * @param number - of the ticket
   * @param resolution - why
   * @param duplicateOf - the number of the ticket that is about the same
   * @mcp keywords solve, resolve, done, merge, no longer needed, sorted, fixed, shut
   */
  async close(
    number: Int32,
    resolution: Resolution = 'solved',
    duplicateOf: Int32 | null = null,
  ): Promise<Ticket> {
    const ticket = await this.openTicket(number)
    if (duplicateOf !== null) await this.ticket(duplicateOf)
    const columns = { status: 'closed', closed_at: this.services.clock() } as const
    const event = { kind: 'closed', resolution, duplicateOf } as const
    await changeTicket(this.services, ticket, { ...this.#eventContext(number), columns, event })
    return this.show(number)
  }

  /**
   * Opens a closed ticket again.
   *
   * @post /:number/reopen
   * @scope desk:write
   * @param number - of the ticket
   * @param reason - what is still to be done
   * @throws {Conflict} 409 it is not closed
   * @mcp keywords bring back, broken again, same error, start over
   */
  async reopen(number: Int32, reason: string): Promise<Ticket> {
    const ticket = await this.ticket(number)
    if (ticket.status !== 'closed') throw new Conflict('it is not closed')
    const columns = { status: 'open', closed_at: null } as const
    const event = { kind: 'reopened', reason } as const
    await changeTicket(this.services, ticket, { ...this.#eventContext(number), columns, event })
    return this.show(number)
  }

  /**
   * Tells what happened to a ticket, oldest first.
   *
   * @get /:number/history
   * @param number - of the ticket
   * @throws {NotFound} 404 there is no such ticket
   * @mcp keywords timeline, changes, who did it, status changes, when
   */
  async history(number: Int32): Promise<TicketEvent[]> {
    await this.ticket(number)
    const events: TicketEvent[] = []
    const filter = { after: 0n, kinds: [], ticket: number }
    for await (const event of readEvents(this.database, this.member, filter)) events.push(event)
    return events
  }

  /**
   * Downloads a ticket and its comments as a text to keep.
   *
   * @get /:number/transcript
   * @param number - of the ticket
   * @throws {NotFound} 404 there is no such ticket
   * @mcp keywords print, archive, save, printable, text document, conversation
   */
  async transcript(number: Int32): Promise<File> {
    const ticket = await this.ticket(number)
    const text = transcriptOf(ticket, await listComments(this.database, this.member, number))
    return new File([text], `ticket-${number}.txt`, { type: 'text/plain' })
  }

  /**
   * Deletes a ticket for good, with all that belongs to it. Close it instead, unless it must not be kept.
   *
   * @delete /:number
   * @scope desk:admin
   * @param number - of the ticket
   * @returns 204
   * @throws {NotFound} 404 there is no such ticket
   * @mcp keywords erase, throw away, spam
   */
  async destroy(number: Int32): Promise<void> {
    const files = await attachmentIdsOf(this.database, [number])
    if (!(await deleteTicket(this.database, number))) throw new NotFound(`there is no ticket ${number}`)
    await dropFiles(files)
  }

  #eventContext(ticket: number): { readonly actor: string; readonly ticket: number; readonly at: Date } {
    return { actor: this.member.id, ticket, at: this.now }
  }

  async #customerOf({ customer }: NewTicket, at: Date): Promise<string> {
    if (this.member.role === 'customer') return customerIdOf(this.database, this.member, at)
    if (customer === undefined) throw new MissingError('customer', 'Uuid')
    if ((await findCustomer(this.database, customer)) === null)
      throw new ValueError('customer', 'Uuid', 'parameter', 'is not the id of a customer')
    return customer
  }
}
