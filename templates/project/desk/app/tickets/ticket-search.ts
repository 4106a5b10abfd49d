/** Lists of tickets: each filter narrows one query. */
import { sql } from 'kysely'
import type { DeskDatabase } from '../database/tables.ts'
import type { Member } from '../model/member.ts'
import { containing, offsetOf, type Page, type Paging } from '../model/paging.ts'
import type { Priority, Ticket, TicketStatus } from '../model/ticket.ts'
import { tagsOf } from './tags.ts'
import { type TicketRow, ticketFrom, ticketsFor } from './tickets.ts'

/** What is absent does not matter; of a list one must fit, of tags all. */
export interface TicketFilter {
  readonly statuses?: readonly TicketStatus[]
  readonly priorities?: readonly Priority[]
  readonly tags?: readonly string[]
  readonly team?: string | undefined
  readonly assignee?: string | undefined
  readonly customer?: string | undefined
  /** A part of the subject or the text. */
  readonly search?: string | undefined
  readonly openedFrom?: Date | undefined
  /** This moment is not part of it. */
  readonly openedTo?: Date | undefined
}

export type TicketOrder = 'newest' | 'oldest' | 'changed'

export async function searchTickets(
  database: DeskDatabase,
  member: Member,
  { order, paging, ...filter }: TicketFilter & { readonly order: TicketOrder; readonly paging: Paging },
): Promise<Page<Ticket>> {
  const found = matching(database, member, filter)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const [column, direction] = orders[order]
  const rows = await found
    .selectAll('tickets')
    .select('customers.name as customer_name')
    .orderBy(column, direction)
    .orderBy('tickets.number', direction)
    .limit(paging.perPage)
    .offset(offsetOf(paging))
    .execute()
  return { items: await withTags(database, rows), ...paging, total }
}

const orders = {
  newest: ['tickets.opened_at', 'desc'],
  oldest: ['tickets.opened_at', 'asc'],
  changed: ['tickets.changed_at', 'desc'],
} as const

/** So many are read at once. */
const pageSize = 500

/** All that fit by their number, a page in memory at a time: for exports. */
export async function* eachTicket(
  database: DeskDatabase,
  member: Member,
  filter: TicketFilter,
): AsyncGenerator<Ticket> {
  let last = 0
  for (;;) {
    const rows = await matching(database, member, filter)
      .where('tickets.number', '>', last)
      .selectAll('tickets')
      .select('customers.name as customer_name')
      .orderBy('tickets.number')
      .limit(pageSize)
      .execute()
    yield* await withTags(database, rows)
    const end = rows.at(-1)
    if (end === undefined || rows.length < pageSize) return
    last = end.number
  }
}

function matching(database: DeskDatabase, member: Member, filter: TicketFilter) {
  const { statuses = [], priorities = [], tags = [], search } = filter
  let found = ticketsFor(database, member)
  if (statuses.length > 0) found = found.where('tickets.status', 'in', statuses)
  if (priorities.length > 0) found = found.where('tickets.priority', 'in', priorities)
  for (const tag of tags) found = found.where('tickets.number', 'in', taggedWith(database, tag))
  if (filter.team !== undefined) found = found.where('tickets.team', '=', filter.team)
  if (filter.assignee !== undefined) found = found.where('tickets.assignee_id', '=', filter.assignee)
  if (filter.customer !== undefined) found = found.where('tickets.customer_id', '=', filter.customer)
  if (filter.openedFrom !== undefined)
    found = found.where('tickets.opened_at', '>=', filter.openedFrom.getTime())
  if (filter.openedTo !== undefined) found = found.where('tickets.opened_at', '<', filter.openedTo.getTime())
  if (search === undefined) return found
  const pattern = containing(search)
  return found.where(
    sql<boolean>`(lower(tickets.subject) like ${pattern} escape '!' or lower(tickets.body) like ${pattern} escape '!')`,
  )
}

const taggedWith = (database: DeskDatabase, tag: string) =>
  database.selectFrom('tags').select('tags.ticket').where('tags.name', '=', tag)

async function withTags(database: DeskDatabase, rows: readonly TicketRow[]): Promise<Ticket[]> {
  const numbers = rows.map(({ number }) => number)
  const tags = await tagsOf(database, numbers)
  return rows.map((row) => ticketFrom(row, tags.get(row.number) ?? []))
}
