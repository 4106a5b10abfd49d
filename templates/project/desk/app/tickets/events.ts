/** What happened to tickets: written in the transaction that did it, read as history and as a stream. */
import type { Services } from 'acmcp'
import { nextNumber } from '../database/counters.ts'
import { type DeskDatabase, databaseFor, type Tables } from '../database/tables.ts'
import type { EventDetail, EventKind, TicketEvent } from '../model/event.ts'
import type { Member } from '../model/member.ts'
import { findMember } from '../people/users.ts'
import { bell } from './live.ts'

/** The user who did something, the ticket, and the time. */
export interface EventContext {
  readonly actor: string
  readonly ticket: number
  readonly at: Date
}

/** Call it in the transaction that did what happened, and `announce` when that has ended. */
export async function record(
  trx: DeskDatabase,
  { actor, ticket, at }: EventContext,
  event: EventDetail,
): Promise<void> {
  const { kind, ...detail } = event
  await trx
    .insertInto('events')
    .values({
      id: await nextNumber(trx, 'events'),
      ticket,
      actor_id: actor,
      at: at.getTime(),
      kind,
      is_internal: kind === 'commented' && event.isInternal ? 1 : 0,
      detail: JSON.stringify(detail),
    })
    .execute()
}

/** Which events a client wants. */
export interface EventFilter {
  /** Only what came after the event of this id. */
  readonly after: bigint
  /** Empty: all. */
  readonly kinds: readonly EventKind[]
  /** Null: of all tickets that the member may see. */
  readonly ticket: number | null
}

/** So many are read at once: that much memory a stream takes. */
const pageSize = 500

/** The events that `member` may see, oldest first. No transaction is held while a slow client reads. */
export async function* readEvents(
  database: DeskDatabase,
  member: Member,
  filter: EventFilter,
): AsyncGenerator<TicketEvent> {
  let after = filter.after
  for (;;) {
    const events = await pageOf(database, member, { ...filter, after })
    yield* events
    after = events.at(-1)?.id ?? after
    if (events.length < pageSize) return
  }
}

/** So often a stream looks for events and at the member's role, even if nothing is said to have happened. */
const lookAgainMs = 15_000

/** The same, and on from there, until `signal` aborts. Roles change meanwhile: each page has what the member may see then. */
export async function* followEvents(
  services: Services,
  member: Member,
  { signal, ...filter }: EventFilter & { readonly signal: AbortSignal },
): AsyncGenerator<TicketEvent> {
  const database = databaseFor(services)
  const bellOfStream = bell(services)
  try {
    let after = filter.after
    while (!signal.aborted) {
      const reader = await findMember(database, member.id)
      if (reader === null) return
      const events = await pageOf(database, reader, { ...filter, after })
      yield* events
      after = events.at(-1)?.id ?? after
      if (events.length < pageSize) await bellOfStream.rung(signal, lookAgainMs)
    }
  } finally {
    bellOfStream.remove()
  }
}

/** The event of this id, or null when there is none that `member` may see. */
export async function findEvent(
  database: DeskDatabase,
  member: Member,
  id: bigint,
): Promise<TicketEvent | null> {
  const row = await eventsFor(database, member).where('events.id', '=', id).executeTakeFirst()
  return row === undefined ? null : eventFrom(row)
}

/** The id of the last event of all, or 0. */
export async function lastEventId(database: DeskDatabase): Promise<bigint> {
  const last = database.selectFrom('events').select('id').orderBy('id', 'desc').limit(1)
  return BigInt((await last.executeTakeFirst())?.id ?? 0)
}

async function pageOf(database: DeskDatabase, member: Member, filter: EventFilter): Promise<TicketEvent[]> {
  const { after, kinds, ticket } = filter
  let found = eventsFor(database, member).where('events.id', '>', after)
  if (kinds.length > 0) found = found.where('events.kind', 'in', kinds)
  if (ticket !== null) found = found.where('events.ticket', '=', ticket)
  return (await found.orderBy('events.id').limit(pageSize).execute()).map(eventFrom)
}

function eventsFor(database: DeskDatabase, member: Member) {
  const all = database.selectFrom('events').selectAll('events')
  if (member.role !== 'customer') return all
  const own = database
    .selectFrom('tickets')
    .innerJoin('customers', 'customers.id', 'tickets.customer_id')
    .where('customers.user_id', '=', member.id)
    .select('tickets.number')
  return all.where('events.is_internal', '=', 0).where('events.ticket', 'in', own)
}

function eventFrom({ id, ticket, actor_id, at, kind, detail }: Tables['events']): TicketEvent {
  return { id: BigInt(id), ticket, actor: actor_id, at: new Date(at), kind, ...JSON.parse(detail) }
}
