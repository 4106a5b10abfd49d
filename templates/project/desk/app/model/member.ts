import type { User } from 'acmcp'

/** Customers see their own tickets, agents everybody's; admins manage the desk too. */
export type Role = 'customer' | 'agent' | 'admin'

/** Somebody who has signed in here. */
export interface Member extends User {
  readonly role: Role
  /** When they came for the first time. */
  readonly since: Date
}
