import { Readable } from 'node:stream'
import { type Named, NotFound } from 'acmcp'
import { csvLine } from '../csv.ts'
import type { DeskDatabase } from '../database/tables.ts'
import type { Member } from '../model/member.ts'
import type { Summary, Workload } from '../model/report.ts'
import { checked, period } from '../model/rules.ts'
import type { TeamSlug } from '../model/team.ts'
import type { TicketStatus } from '../model/ticket.ts'
import { findTeam } from '../people/teams.ts'
import { StaffController } from '../staff-controller.ts'
import { summaryOf, workloads } from '../tickets/reports.ts'
import { eachTicket, type TicketFilter } from '../tickets/ticket-search.ts'

/**
 * Numbers of the desk, and exports. For the staff; also for browsers that signed in.
 *
 * @base /api/reports
 * @scope desk:read unless=session
 * @mcp keywords numbers, figures, statistics
 */
export class Reports extends StaffController {
  /**
   * Counts what happened in some time, a year at most.
   *
   * @get /summary
   * @param from - when it begins
   * @param to - when it ends; this moment is not part of it
   * @mcp example {"from":"2026-01-01T00:00:00Z","to":"2026-02-01T00:00:00Z"}
   * @mcp keywords how many, compare, this month, performance, trend, answered in time
   */
  summary(from: Date, to: Date): Promise<Summary> {
    return summaryOf(this.database, checked(period, { from, to }))
  }

  /**
   * Tells what each agent has to do, the busiest first: of one team, or of all.
   *
   * @get /workload/?:team
   * @param team - the slug of the team
   * @throws {NotFound} 404 there is no such team
   * @mcp keywords busy, overloaded, to do, time spent, capacity, plate, spare time
   */
  async workload(team?: TeamSlug): Promise<Workload[]> {
    if (team !== undefined && (await findTeam(this.database, team)) === null)
      throw new NotFound(`there is no team ${team}`)
    return workloads(this.database, team ?? null)
  }

  /**
   * Exports tickets as a table for a spreadsheet, by number.
   *
   * @get /tickets.csv
   * @produces text/csv
   * @param status - only tickets in one of these
   * @param openedFrom - only tickets that were opened then or later
   * @param openedTo - only tickets that were opened before
   * @mcp keywords CSV, Excel, dump, download
   */
  tickets(
    status: TicketStatus[] = [],
    openedFrom?: Named<'opened-from', Date>,
    openedTo?: Named<'opened-to', Date>,
  ): Readable {
    this.response.set('content-disposition', 'attachment; filename="tickets.csv"')
    return Readable.from(csvOf(this.database, this.member, { statuses: status, openedFrom, openedTo }))
  }
}

/** A line as it is read: an export of any length takes the memory of one page. */
async function* csvOf(database: DeskDatabase, member: Member, filter: TicketFilter): AsyncGenerator<string> {
  yield csvLine([
    'number',
    'subject',
    'status',
    'priority',
    'customer',
    'assignee',
    'team',
    'tags',
    'opened',
    'closed',
  ])
  for await (const ticket of eachTicket(database, member, filter)) {
    const { number, subject, status, priority, customer, assignee, team, tags, openedAt, closedAt } = ticket
    const times = [openedAt.toISOString(), closedAt?.toISOString() ?? null]
    yield csvLine([
      number,
      subject,
      status,
      priority,
      customer.name,
      assignee,
      team,
      tags.join(' '),
      ...times,
    ])
  }
}
