/** How a ticket is found, opened and changed. What changes one also records the event, in one transaction. */
import type { Services } from 'acmcp'
import { nextNumber } from '../database/counters.ts'
import { type DeskDatabase, databaseFor, type Tables } from '../database/tables.ts'
import { VersionMismatch } from '../errors.ts'
import type { EventDetail, FieldChange } from '../model/event.ts'
import type { Member } from '../model/member.ts'
import { type NewTicket, Priority, type Ticket, type TicketChanges } from '../model/ticket.ts'
import { type EventContext, record } from './events.ts'
import { announce } from './live.ts'
import { replaceTags, tagsOf } from './tags.ts'

/** The tickets that `member` may see, each with its customer: customers see their own, the staff all. */
export function ticketsFor(database: DeskDatabase, member: Member) {
  const all = database.selectFrom('tickets').innerJoin('customers', 'customers.id', 'tickets.customer_id')
  return member.role === 'customer' ? all.where('customers.user_id', '=', member.id) : all
}

export type TicketRow = Tables['tickets'] & { readonly customer_name: string }

/** The ticket, or null when there is none that `member` may see. */
export async function findTicket(
  database: DeskDatabase,
  member: Member,
  number: number,
): Promise<Ticket | null> {
  const row = await ticketsFor(database, member)
    .where('tickets.number', '=', number)
    .selectAll('tickets')
    .select('customers.name as customer_name')
    .executeTakeFirst()
  if (row === undefined) return null
  return ticketFrom(row, (await tagsOf(database, [number])).get(number) ?? [])
}

export function ticketFrom(row: TicketRow, tags: readonly string[]): Ticket {
  return {
    number: row.number,
    subject: row.subject,
    body: row.body,
    status: row.status,
    priority: row.priority,
    channel: JSON.parse(row.channel),
    tags,
    customer: { id: row.customer_id, name: row.customer_name },
    assignee: row.assignee_id,
    team: row.team,
    version: row.version,
    openedAt: new Date(row.opened_at),
    changedAt: new Date(row.changed_at),
    closedAt: row.closed_at === null ? null : new Date(row.closed_at),
  }
}

/** Opens a ticket of the customer, and returns its number. */
export async function openTicket(
  services: Services,
  ticket: NewTicket & { readonly customer: string },
  { actor, at }: Omit<EventContext, 'ticket'>,
): Promise<number> {
  const { subject, body, priority = Priority.Normal, channel = { kind: 'api' }, tags = [], customer } = ticket
  const number = await databaseFor(services)
    .transaction()
    .execute(async (trx) => {
      const number = await nextNumber(trx, 'tickets')
      const times = { opened_at: at.getTime(), changed_at: at.getTime(), closed_at: null }
      const content = { number, subject, body, priority, channel: JSON.stringify(channel) }
      const state = {
        status: 'new',
        customer_id: customer,
        assignee_id: null,
        team: null,
        version: 1,
      } as const
      await trx
        .insertInto('tickets')
        .values({ ...content, ...state, ...times })
        .execute()
      await replaceTags(trx, number, tags)
      await record(trx, { actor, at, ticket: number }, { kind: 'opened', channel })
      return number
    })
  announce(services)
  return number
}

/** The columns that a change sets. */
type Columns = Partial<Omit<Tables['tickets'], 'number' | 'version' | 'changed_at'>>

/** Sets columns of a ticket that `ticket.version` is still the version of, and records why. Throws `VersionMismatch`. */
export async function changeTicket(
  services: Services,
  ticket: Ticket,
  { columns, tags, event, ...context }: EventContext & TicketChange,
): Promise<void> {
  await databaseFor(services)
    .transaction()
    .execute(async (trx) => {
      const updated = await trx
        .updateTable('tickets')
        .set({ ...columns, version: ticket.version + 1, changed_at: context.at.getTime() })
        .where('number', '=', ticket.number)
        .where('version', '=', ticket.version)
        .executeTakeFirst()
      if (updated.numUpdatedRows === 0n) throw new VersionMismatch(await versionOf(trx, ticket.number))
      if (tags !== undefined) await replaceTags(trx, ticket.number, tags)
      await record(trx, context, event)
    })
  announce(services)
}

export interface TicketChange {
  readonly columns: Columns
  /** All tags from now on; they stay if absent. */
  readonly tags?: readonly string[]
  readonly event: EventDetail
}

/** Which fields `changes` would really change. */
export function fieldChanges(
  ticket: Ticket,
  { subject, priority, status, tags }: TicketChanges,
): FieldChange[] {
  const wanted = [
    { field: 'subject', from: ticket.subject, to: subject },
    { field: 'priority', from: ticket.priority, to: priority },
    { field: 'status', from: ticket.status, to: status },
    { field: 'tags', from: listed(ticket.tags), to: tags === undefined ? undefined : listed(tags) },
  ] as const
  return wanted.flatMap(({ field, from, to }) =>
    to === undefined || to === from ? [] : [{ field, from, to }],
  )
}

const listed = (tags: readonly string[]): string => [...new Set(tags)].sort().join(', ')

/** 0: it is gone. */
async function versionOf(database: DeskDatabase, number: number): Promise<number> {
  const row = database.selectFrom('tickets').select('version').where('number', '=', number)
  return (await row.executeTakeFirst())?.version ?? 0
}

/** With all that belongs to it: nothing brings it back. Returns whether there was one. */
export async function deleteTicket(database: DeskDatabase, number: number): Promise<boolean> {
  const deleted = await database.deleteFrom('tickets').where('number', '=', number).executeTakeFirst()
  return deleted.numDeletedRows > 0n
}
