import type { Int32, Int64 } from 'acmcp'
import type { Author } from './conversation.ts'
import type { Priority, TicketStatus } from './ticket.ts'

/** What happened in some time. */
export interface Summary {
  readonly from: Date
  readonly to: Date
  /** Tickets that were opened. */
  readonly opened: Int32
  /** Tickets that were closed, whenever they were opened. */
  readonly closed: Int32
  /** Of those that were opened: how many are in each status now. */
  readonly byStatus: Readonly<Record<TicketStatus, Int32>>
  readonly byPriority: Readonly<Record<Priority, Int32>>
  /** Bytes of all files that were attached. */
  readonly attachedBytes: Int64
}

/** What an agent has to do. */
export interface Workload {
  readonly agent: Author
  /** Tickets that are not closed. */
  readonly tickets: Int32
  /** Milliseconds worked on them, in sessions that have ended. */
  readonly worked: Int64
}

/** What is stored. */
export interface Storage {
  readonly at: Date
  /** How many rows each table has. */
  readonly rows: Readonly<Record<string, Int32>>
  /** Bytes of all files. */
  readonly fileBytes: Int64
}

/** What was removed. */
export interface Purged {
  /** Links that had expired. */
  readonly links: Int32
}
