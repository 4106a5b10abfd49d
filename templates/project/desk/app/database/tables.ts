/** The application's own tables, as Kysely types them. Times are milliseconds since the epoch, booleans 0 and 1, JSON is text:
 *  so SQLite and PostgreSQL store the same. acmcp's own tables are called `acmcp_…`, so every plain name is free. */
import type { Services } from 'acmcp'
import { type Database, databaseOf } from 'acmcp/store'
import type { AttachmentType } from '../model/conversation.ts'
import type { EventKind } from '../model/event.ts'
import type { Role } from '../model/member.ts'
import type { Priority, TicketStatus } from '../model/ticket.ts'

export interface Tables {
  readonly users: {
    /** The id of acmcp's user: `<provider>:<id there>`. */
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly role: Role
    readonly created_at: number
  }
  readonly teams: {
    readonly slug: string
    readonly name: string
    /** JSON. */
    readonly schedule: string
  }
  readonly members: { readonly team: string; readonly user_id: string }
  readonly customers: {
    readonly id: string
    readonly name: string
    readonly email: string
    readonly organisation: string | null
    /** The user who is this customer, once that one has signed in. */
    readonly user_id: string | null
    readonly created_at: number
  }
  readonly tickets: {
    readonly number: number
    readonly subject: string
    readonly body: string
    readonly status: TicketStatus
    readonly priority: Priority
    /** JSON. */
    readonly channel: string
    readonly customer_id: string
    readonly assignee_id: string | null
    readonly team: string | null
    /** Counts changes. */
    readonly version: number
    readonly opened_at: number
    readonly changed_at: number
    readonly closed_at: number | null
  }
  readonly tags: { readonly ticket: number; readonly name: string }
  readonly comments: {
    readonly id: string
    readonly ticket: number
    readonly author_id: string
    readonly text: string
    readonly is_internal: number
    readonly written_at: number
    readonly edited_at: number | null
  }
  readonly attachments: {
    readonly id: string
    readonly ticket: number
    readonly name: string
    readonly type: AttachmentType
    readonly bytes: number
    readonly digest: string
    readonly uploaded_by: string
    readonly uploaded_at: number
  }
  readonly events: {
    /** Read as a number, compared with what a client may send: any of 64 bits. */
    readonly id: number | bigint
    readonly ticket: number
    readonly actor_id: string
    readonly at: number
    readonly kind: EventKind
    readonly is_internal: number
    /** What only this kind has, as JSON. */
    readonly detail: string
  }
  /** Time that agents worked on a ticket. */
  readonly sessions: {
    readonly id: string
    readonly user_id: string
    readonly ticket: number
    readonly started_at: number
    readonly ended_at: number | null
  }
  /** Links with which a guest without an account sees a ticket. */
  readonly tokens: {
    /** SHA-256 of the token, which is not kept. */
    readonly digest: string
    readonly ticket: number
    readonly expires_at: number
  }
  /** The last numbers of tickets and events. */
  readonly counters: { readonly name: string; readonly value: number }
}

/** The database, or a transaction of it. */
export type DeskDatabase = Database<Tables>

export const databaseFor = (services: Services): DeskDatabase => databaseOf<Tables>(services)
