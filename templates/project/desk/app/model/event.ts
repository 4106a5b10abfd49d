import type { Int32, Int64, Uuid } from 'acmcp'
import type { Channel, Resolution } from './ticket.ts'

/** What every event has. */
export interface EventHead {
  /** It grows: ask for what came after it. */
  readonly id: Int64
  readonly ticket: Int32
  /** The id of the user who did it. */
  readonly actor: string
  readonly at: Date
}

/** A ticket was opened. */
export interface TicketOpened extends EventHead {
  readonly kind: 'opened'
  readonly channel: Channel
}

/** Fields of a ticket were changed. */
export interface TicketChanged extends EventHead {
  readonly kind: 'changed'
  readonly changes: readonly FieldChange[]
}

export interface FieldChange {
  readonly field: 'subject' | 'priority' | 'status' | 'tags'
  readonly from: string
  readonly to: string
}

/** Somebody else works on it now; null: nobody, or no team. */
export interface TicketAssigned extends EventHead {
  readonly kind: 'assigned'
  readonly assignee: string | null
  readonly team: string | null
}

/** A comment was written. Of an internal one customers hear nothing. */
export interface TicketCommented extends EventHead {
  readonly kind: 'commented'
  readonly comment: Uuid
  readonly isInternal: boolean
}

/** A file was attached. */
export interface TicketAttached extends EventHead {
  readonly kind: 'attached'
  readonly attachment: Uuid
  readonly name: string
}

/** A file was removed. */
export interface TicketDetached extends EventHead {
  readonly kind: 'detached'
  readonly attachment: Uuid
  readonly name: string
}

/** The ticket was closed. */
export interface TicketClosing extends EventHead {
  readonly kind: 'closed'
  readonly resolution: Resolution
  /** The ticket that is about the same. */
  readonly duplicateOf: Int32 | null
}

/** The ticket was opened again. */
export interface TicketReopened extends EventHead {
  readonly kind: 'reopened'
  readonly reason: string
}

/** Something that happened to a ticket: `kind` says what, and which other fields there are. */
export type TicketEvent =
  | TicketOpened
  | TicketChanged
  | TicketAssigned
  | TicketCommented
  | TicketAttached
  | TicketDetached
  | TicketClosing
  | TicketReopened

export type EventKind = TicketEvent['kind']

/** An event before it has happened: its kind, and what only this kind has. */
export type EventDetail = DetailOf<TicketEvent>

/** Of a union each member by itself. */
type DetailOf<Event> = Event extends EventHead ? Omit<Event, keyof EventHead> : never
