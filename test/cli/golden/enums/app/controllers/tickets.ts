import { type Body, Controller, type Header, type Named } from 'acmcp'
import type { Colour, Shape, TicketId, Version } from '../kinds.ts'
import { Priority, State } from '../kinds.ts'

/** A ticket of the board. */
export interface Ticket {
  id: TicketId
  priority: Priority
  state: State
  colour?: Colour
  /** Drawn on it. */
  shapes: Shape[]
  labels: Set<string>
  counts: Map<string, number>
  /** Anything else; a text or a number each. */
  fields: { title: string; [name: string]: string | number }
}

/** Tickets of the board. */
export class Tickets extends Controller {
  /**
   * Finds tickets.
   *
   * @get /
   * @param priority - only those
   * @param states - only those in one of these states
   * @param colour - only those of this colour
   * @param api - the version of the answer
   */
  index(
    priority?: Priority,
    states: State[] = [],
    colour?: Named<'color', Colour>,
    api?: Header<'X-Api-Version', Version>,
  ): Ticket[] {
    void [priority, states, colour, api]
    return []
  }

  /**
   * Changes a ticket.
   *
   * @patch /:id
   * @param id - the ticket
   */
  update(id: TicketId, changes: Body<Partial<Omit<Ticket, 'id'>>>): Ticket['state'] {
    void id
    return changes.state ?? State.Open
  }

  /**
   * Answers the priorities that there are.
   *
   * @get /priorities
   */
  priorities(): Record<Priority, `${Priority}-${'a' | 'b'}`> {
    return { [Priority.Low]: 'low-a', [Priority.High]: 'high-b' }
  }
}
