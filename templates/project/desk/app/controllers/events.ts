import { type Header, type Int64, NotFound, ServerEvent } from 'acmcp'
import { DeskController } from '../desk-controller.ts'
import type { EventKind, TicketEvent } from '../model/event.ts'
import { findEvent, followEvents, lastEventId, readEvents } from '../tickets/events.ts'

/**
 * What happens at the desk, as it happens. Customers hear of their own tickets.
 *
 * A page of ours listens with `new EventSource('/api/events')`: the browser sends its session.
 *
 * @base /api/events
 * @scope desk:read unless=session
 */
export class Events extends DeskController {
  /**
   * Sends each event when it happens. Who comes again goes on where they were.
   *
   * @get /
   * @param kinds - only events of these kinds
   * @param after - also what came after the event of this id
   * @param last - the same, as a browser says it when it comes again
   */
  async index(
    kinds: EventKind[] = [],
    after?: Int64,
    last?: Header<'Last-Event-ID', Int64>,
  ): Promise<AsyncIterable<ServerEvent<TicketEvent>>> {
    const begin = last ?? after ?? (await lastEventId(this.database))
    const { signal } = this.request
    return asServerEvents(
      followEvents(this.services, this.member, { after: begin, kinds, ticket: null, signal }),
    )
  }

  /**
   * Exports events as lines of JSON, oldest first.
   *
   * @get /log
   * @produces application/x-ndjson
   * @param kinds - only events of these kinds
   * @param after - only what came after the event of this id
   */
  async *log(kinds: EventKind[] = [], after?: Int64): AsyncGenerator<string> {
    const filter = { after: after ?? 0n, kinds, ticket: null }
    for await (const event of readEvents(this.database, this.member, filter))
      yield `${JSON.stringify({ ...event, id: String(event.id) })}\n`
  }

  /**
   * Shows one event.
   *
   * @get /:id
   * @param id - of the event
   * @throws {NotFound} 404 there is no such event
   * @mcp keywords notification, details, entry, item, feed
   */
  async show(id: Int64): Promise<TicketEvent> {
    const event = await findEvent(this.database, this.member, id)
    if (event === null) throw new NotFound('there is no such event')
    return event
  }
}

async function* asServerEvents(events: AsyncIterable<TicketEvent>): AsyncGenerator<ServerEvent<TicketEvent>> {
  for await (const event of events)
    yield new ServerEvent({ event: event.kind, id: String(event.id), data: event })
}
