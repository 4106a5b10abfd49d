import type { Int32, Int64, Uuid } from 'acmcp'
import type { Author } from './conversation.ts'

/**
 * The name of a team in addresses.
 *
 * @pattern ^[a-z][a-z0-9-]{1,39}$
 * @example billing
 */
export type TeamSlug = string

/** When a team works. */
export interface Schedule {
  /** @example Europe/Berlin */
  readonly timeZone: string
  readonly hours: readonly OpeningHours[]
}

/** When it works on one day. */
export interface OpeningHours {
  readonly day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'
  /** @example 08:30 */
  readonly opens: string
  /** @example 17:00 */
  readonly closes: string
}

/** What is written of a team. */
export interface TeamSettings {
  /**
   * @minLength 1
   * @maxLength 100
   */
  readonly name: string
  readonly schedule: Schedule
}

/** Agents who work on the same tickets. */
export interface Team extends TeamSettings {
  readonly slug: TeamSlug
  readonly members: readonly Author[]
}

/** Time that an agent works on a ticket. */
export interface WorkSession {
  readonly id: Uuid
  readonly ticket: Int32
  readonly startedAt: Date
  /** Null: it goes on. */
  readonly endedAt: Date | null
  /** Milliseconds; null while it goes on. */
  readonly worked: Int64 | null
}
