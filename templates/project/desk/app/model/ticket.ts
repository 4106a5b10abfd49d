import type { Email, Int32, Url, Uuid } from 'acmcp'

export type TicketStatus = 'new' | 'open' | 'waiting' | 'closed'

/** How soon somebody must look at it. */
export enum Priority {
  Low = 'low',
  Normal = 'normal',
  High = 'high',
  Urgent = 'urgent',
}

/** Why a ticket was closed. */
export type Resolution = 'solved' | 'duplicate' | 'no_answer' | 'declined'

/** It came as an e-mail. */
export interface EmailChannel {
  readonly kind: 'email'
  readonly address: Email
}

/** Somebody called. */
export interface PhoneChannel {
  readonly kind: 'phone'
  /**
   * With the code of the country.
   *
   * @pattern ^\+[1-9]\d{6,14}$
   * @example +493012345678
   */
  readonly number: string
}

/** It was written on a web page. */
export interface WebChannel {
  readonly kind: 'web'
  readonly page: Url
}

/** It was opened through the API, maybe by a model. */
export interface ApiChannel {
  readonly kind: 'api'
}

/** The way on which a ticket came: `kind` tells the four apart, in TypeScript and on the wire. */
export type Channel = EmailChannel | PhoneChannel | WebChannel | ApiChannel

/**
 * A word that tickets are found by.
 *
 * @pattern ^[a-z0-9][a-z0-9-]{0,39}$
 * @example billing
 */
export type Tag = string

/**
 * One line that says what it is about.
 *
 * @minLength 3
 * @maxLength 200
 */
export type Subject = string

export interface Ticket {
  readonly number: Int32
  readonly subject: Subject
  /** What the customer wrote. */
  readonly body: string
  readonly status: TicketStatus
  readonly priority: Priority
  readonly channel: Channel
  readonly tags: readonly Tag[]
  readonly customer: TicketCustomer
  /** The id of the user who works on it. */
  readonly assignee: string | null
  /** The slug of the team that it belongs to. */
  readonly team: string | null
  /** Counts changes; the ETag of the ticket. */
  readonly version: Int32
  readonly openedAt: Date
  readonly changedAt: Date
  readonly closedAt: Date | null
}

/** Whose ticket it is. */
export interface TicketCustomer {
  readonly id: Uuid
  readonly name: string
}

export interface NewTicket {
  readonly subject: Subject
  /**
   * What the customer wrote.
   *
   * @minLength 1
   * @maxLength 20000
   */
  readonly body: string
  readonly priority?: Priority
  /** How it came; through the API if absent. */
  readonly channel?: Channel
  /** @maxItems 10 */
  readonly tags?: readonly Tag[]
  /** For whom an agent opens it. A customer opens tickets of their own and leaves it out. */
  readonly customer?: Uuid
}

/** What may be changed; what is absent stays. */
export interface TicketChanges {
  readonly subject?: Subject
  readonly priority?: Priority
  /** Closing and reopening are routes of their own. */
  readonly status?: 'open' | 'waiting'
  /**
   * All tags that it has from now on.
   *
   * @maxItems 10
   */
  readonly tags?: readonly Tag[]
}

/** A link with which somebody without an account sees a ticket. */
export interface ShareLink {
  /** It is shown this once: nobody keeps it. */
  readonly token: string
  readonly expiresAt: Date
}

/** What somebody sees who has nothing but a link. */
export interface SharedTicket {
  readonly number: Int32
  readonly subject: Subject
  readonly status: TicketStatus
  readonly changedAt: Date
}
