import {
  ApplicationController,
  type Conflict,
  type Forbidden,
  type Header,
  type Int32,
  type JsonParseError,
  type MissingError,
  type NotAcceptable,
  NotFound,
  type ParamFailure,
  Unauthorized,
  type UnsupportedMediaType,
  type ValueError,
} from 'acmcp'
import { type DeskDatabase, databaseFor } from './database/tables.ts'
import {
  type BrokenRule,
  RoleRequired,
  type RulesBroken,
  TicketClosed,
  type VersionMismatch,
} from './errors.ts'
import type { Member, Role } from './model/member.ts'
import type { Ticket } from './model/ticket.ts'
import { memberOf } from './people/users.ts'
import { findTicket } from './tickets/tickets.ts'

/** What every error of the desk answers with. */
export interface Problem {
  /** For people. */
  readonly error: string
  /** For programs: it stays when the words change. */
  readonly code: string
}

/** A parameter is missing or wrong. */
export interface ParameterProblem extends Problem {
  readonly parameter: string
  readonly restriction: string
  /** All that is wrong, the first ten. */
  readonly failures: readonly ParamFailure[]
}

/** No format of the answer, or none of the body, will do. */
export interface TypeProblem extends Problem {
  /** What will. */
  readonly accepts: readonly string[]
}

/** The caller has another role. */
export interface RoleProblem extends Problem {
  /** Who may. */
  readonly roles: readonly Role[]
}

/** The ticket is closed. */
export interface ClosedProblem extends Problem {
  readonly ticket: Int32
}

/** Somebody was faster. */
export interface VersionProblem extends Problem {
  /** The version that is stored: read it again. */
  readonly current: Int32
}

/** Rules between values are broken. */
export interface RulesProblem extends Problem {
  readonly broken: readonly BrokenRule[]
}

/** Every route of a subclass is for people who signed in, and answers errors in the desk's own form. */
export abstract class DeskController extends ApplicationController {
  #member: Member | null = null

  /**
   * Finds out who is asking, by a client's token or the session of a browser.
   *
   * @filter before
   */
  async identify(authorization?: Header<'Authorization'>): Promise<void> {
    const { services, request } = this
    const user =
      authorization === undefined
        ? await services.userOfSession(request.session)
        : (this.access?.user ?? null)
    if (user === null) throw new Unauthorized()
    this.#member = await memberOf(services, user)
  }

  protected get member(): Member {
    if (this.#member === null) throw new Unauthorized()
    return this.#member
  }

  protected get database(): DeskDatabase {
    return databaseFor(this.services)
  }

  /** Tests move it. */
  protected get now(): Date {
    return new Date(this.services.clock())
  }

  /** The ticket of this number. Throws `NotFound`, also for one that the caller may not see. */
  protected async ticket(number: number): Promise<Ticket> {
    const ticket = await findTicket(this.database, this.member, number)
    if (ticket === null) throw new NotFound(`there is no ticket ${number}`)
    return ticket
  }

  /** The same. Throws `TicketClosed` for one that is closed. */
  protected async openTicket(number: number): Promise<Ticket> {
    const ticket = await this.ticket(number)
    if (ticket.status === 'closed') throw new TicketClosed(number)
    return ticket
  }

  /** Throws `RoleRequired` for users with other roles. */
  protected requireRole(...roles: readonly Role[]): void {
    if (!roles.includes(this.member.role)) throw new RoleRequired(roles)
  }

  /**
   * The caller has another role.
   *
   * @exception {RoleRequired} 403
   */
  roleRequired(error: RoleRequired): RoleProblem {
    return { error: error.message, code: 'role_required', roles: error.roles }
  }

  /**
   * The ticket is closed.
   *
   * @exception {TicketClosed} 409
   */
  ticketClosed(error: TicketClosed): ClosedProblem {
    return { error: error.message, code: 'ticket_closed', ticket: error.ticket }
  }

  /**
   * Somebody changed it meanwhile.
   *
   * @exception {VersionMismatch} 412
   */
  versionMismatch(error: VersionMismatch): VersionProblem {
    return { error: error.message, code: 'version_mismatch', current: error.current }
  }

  /**
   * Rules between values are broken.
   *
   * @exception {RulesBroken} 422
   */
  rulesBroken(error: RulesBroken): RulesProblem {
    return { error: error.message, code: 'rules_broken', broken: error.broken }
  }

  // The handlers of ApplicationController, in the desk's own form. No tags: their statuses stay.

  override missing(error: MissingError): ParameterProblem {
    return parameterProblem(error)
  }

  override invalid(error: ValueError): ParameterProblem {
    return parameterProblem(error)
  }

  override malformed({ message, code }: JsonParseError): Problem {
    return { error: message, code }
  }

  override notAcceptable({ message, code, accepts }: NotAcceptable): TypeProblem {
    return { error: message, code, accepts }
  }

  override unsupportedMediaType({ message, code, accepts }: UnsupportedMediaType): TypeProblem {
    return { error: message, code, accepts }
  }

  override refused({ message, code }: Unauthorized | Forbidden | NotFound | Conflict): Problem {
    return { error: message, code }
  }
}

function parameterProblem(error: MissingError | ValueError): ParameterProblem {
  const { message, code, parameter, restriction, failures } = error
  return { error: message, code, parameter, restriction, failures }
}
