/** What can go wrong at a help desk, and nowhere else. `desk-controller.ts` answers these classes. */
import type { Role } from './model/member.ts'

/** The route is for people with another role. */
export class RoleRequired extends Error {
  readonly roles: readonly Role[]
  constructor(roles: readonly Role[]) {
    super(`for the role ${roles.join(' or ')} only`)
    this.roles = roles
  }
}

/** The ticket is closed: it must be reopened before anything is changed. */
export class TicketClosed extends Error {
  readonly ticket: number
  constructor(ticket: number) {
    super(`ticket ${ticket} is closed`)
    this.ticket = ticket
  }
}

/** Another user changed it since the caller read it. */
export class VersionMismatch extends Error {
  /** The version that is stored. */
  readonly current: number
  constructor(current: number) {
    super(`it has been changed meanwhile: this is version ${current}`)
    this.current = current
  }
}

/** One broken rule. */
export interface BrokenRule {
  /** Where: `hours.1.opens`. */
  readonly path: string
  readonly message: string
}

/** Rules that no type can say are broken: see `model/rules.ts`. */
export class RulesBroken extends Error {
  readonly broken: readonly BrokenRule[]
  constructor(broken: readonly BrokenRule[]) {
    super(broken.map(({ path, message }) => `${path}: ${message}`).join('; '))
    this.broken = broken
  }
}
